//! Whole programs through the passes and the interpreter.

use super::*;
use crate::level::Level;
use crate::passes;
use crate::passes::fixture::{self, Make, stmt};
use crate::program::{BinOp, ExprId, LaunchCheck, ParamId, Program, ScalarType, Stmt, StmtKind, VarId};

fn data(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2654435761) >> 7).collect()
}

fn sums(data: &[u32]) -> Vec<u32> {
    data.chunks(512).map(|c| c.iter().fold(0u32, |a, &x| a.wrapping_add(x))).collect()
}

fn reduce(p: &Program, n: u32) -> Result<Outputs, Fault> {
    run(&passes::fixture::native(p), &Args::new().buffer(data(n)))
}

fn structured(threads: u32) -> Program {
    let mut p = fixture::reduce(threads);
    passes::structured(&mut p).expect("fits");
    p
}

#[test]
fn a_tree_reduction_is_right_for_any_number_of_threads() {
    for threads in [1, 32, 33, 64, 100, 1024] {
        let p = structured(threads);
        let out = reduce(&p, 2048).unwrap_or_else(|f| panic!("{threads} threads: {f}"));
        assert_eq!(out.to_vec::<u32>(0), Some(sums(&data(2048))), "{threads} threads");
    }
}

/// The statements of the one grid loop.
fn block(p: &mut Program) -> &mut Vec<Stmt> {
    match &mut p.body[0].kind {
        StmtKind::DistrPar { body, .. } => body,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_dropped_barrier_is_found() {
    let is_sync = |s: &Stmt| matches!(s.kind, StmtKind::Sync { scope: Level::Block });
    // With 100 threads every step reads what other threads wrote; with a power of two the first steps do not.
    let whole = structured(100);
    let syncs: Vec<usize> =
        block(&mut whole.clone()).iter().enumerate().filter(|(_, s)| is_sync(s)).map(|(i, _)| i).collect();
    assert!(syncs.len() >= 8, "{}", crate::program::print(&whole));
    for at in syncs {
        let mut p = whole.clone();
        block(&mut p).remove(at);
        let fault = reduce(&p, 1024).expect_err("a race");
        assert!(matches!(fault, Fault::Race { .. }), "barrier {at}: {fault}");
    }
}

#[test]
fn a_wrong_overlay_is_found() {
    let mut p = structured(1);
    let at: Vec<usize> = (0..p.arrays.len()).filter(|&i| p.arrays[i].name.starts_with('s')).collect();
    p.arrays[at[1]].offset = p.arrays[at[0]].offset.map(|o| o + 256);
    // One thread: nothing races, but the second array overwrites what is still read of the first.
    let fault = reduce(&p, 512).expect_err("an overlay");
    assert!(matches!(fault, Fault::Uninitialised { holds: Some(_), .. }), "{fault}");
}

#[test]
fn two_to_the_sixteen_elements_are_quick() {
    let p = structured(256);
    let out = reduce(&p, 1 << 16).expect("runs");
    assert_eq!(out.to_vec::<u32>(0), Some(sums(&data(1 << 16))));
}

fn saxpy(change: impl FnOnce(&mut Program), args: &Args) -> Result<Outputs, Fault> {
    let mut p = fixture::saxpy(64);
    change(&mut p);
    passes::structured(&mut p).expect("fits");
    run(&passes::fixture::native(&p), args)
}

fn input(n: u32) -> Args {
    Args::new().buffer(data(n))
}

/// Puts `index` in place of the index that the program's only assignment has.
fn assign_at(p: &mut Program, index: ExprId) {
    fn find(list: &mut Vec<Stmt>, new: ExprId) {
        for s in list {
            match &mut s.kind {
                StmtKind::Assign { index, .. } => *index = new,
                StmtKind::DistrPar { body, .. } | StmtKind::ForAll { body, .. } => find(body, new),
                _ => {}
            }
        }
    }
    let mut body = std::mem::take(&mut p.body);
    find(&mut body, index);
    p.body = body;
}

#[test]
fn what_is_not_written_is_reported() {
    let fault = saxpy(|_| {}, &input(3100)).expect_err("100 elements are left over");
    assert_eq!(fault, Fault::Unwritten { array: "out".into(), index: 3000 });
}

#[test]
fn two_writers_of_an_element_race() {
    // All threads write element 5; then all blocks write the same 1000 elements.
    let five = |p: &mut Program| {
        let five = p.exprs.u32(5);
        assign_at(p, five);
    };
    assert!(matches!(saxpy(five, &input(1000)), Err(Fault::Race { element: 5, first, second, .. })
        if first.from == 0 && second.from == 1));
    let no_base = |p: &mut Program| {
        let var = p.vars.iter().position(|v| v.name.starts_with('i')).expect("an index");
        let i = p.exprs.var(VarId(var as u32));
        assign_at(p, i);
    };
    assert!(matches!(saxpy(no_base, &input(2000)), Err(Fault::Race { element: 0, first, second, .. })
        if first.block == 0 && second.block == 1));
}

#[test]
fn a_stray_write_names_index_and_length() {
    let stray = |p: &mut Program| {
        let far = p.exprs.u32(70_000);
        assign_at(p, far);
    };
    let fault = saxpy(stray, &input(1000)).expect_err("out of bounds");
    assert_eq!(fault.to_string(), "index 70000 is out of bounds of `out`, which has 1000 elements");
}

#[test]
fn launch_conditions_and_arguments_are_checked_first() {
    let multiple = |p: &mut Program| {
        let len = p.exprs.input_len(ParamId(0));
        let (n, zero) = (p.exprs.u32(1000), p.exprs.u32(0));
        let rest = p.exprs.bin(BinOp::Rem, len, n);
        let cond = p.exprs.bin(BinOp::Eq, rest, zero);
        let message = "the length of `x` must be a multiple of 1000".to_string();
        p.checks.push(LaunchCheck { cond, message, found: len });
    };
    let fault = saxpy(multiple, &input(3100)).expect_err("refused");
    assert_eq!(fault.to_string(), "the length of `x` must be a multiple of 1000, found 3100");
    assert!(matches!(saxpy(|_| {}, &Args::new()), Err(Fault::Arguments(_))));
    assert!(matches!(saxpy(|_| {}, &Args::new().buffer(vec![1.0f32])), Err(Fault::Arguments(_))));
    assert!(matches!(saxpy(|_| {}, &input(1000).scalar(1u8)), Err(Fault::Arguments(_))));
    assert_eq!(saxpy(|_| {}, &input(0)).expect("nothing to do").to_vec::<u32>(0), Some(vec![]));
}

#[test]
fn a_loop_without_end_is_told_where_a_number_of_rounds_is_set() {
    let mut p = fixture::program(1);
    let (one, ten) = (Make::u32(&mut p, 1), Make::u32(&mut p, 10));
    let (out, zero) = (p.output(ScalarType::U32, one), Make::u32(&mut p, 0));
    let body = p.distribute(Level::Block, one, |p, b| {
        vec![p.for_all(Level::Block, 1, |p, _| {
            let (var, k) = p.index("k", 10);
            let write = stmt(StmtKind::Assign { array: out, index: b, value: k });
            vec![stmt(StmtKind::SeqFor { var, start: zero, end: ten, step: one, body: vec![write] })]
        })]
    });
    p.body = vec![body];
    assert_eq!(run_within(&p, &Args::new(), 10).and_then(|o| o.to_vec(0).ok_or(Fault::Endless)), Ok(vec![9u32]));
    assert_eq!(run_within(&p, &Args::new(), 9), Err(Fault::Endless));
}

#[test]
fn machine_form_runs_on_any_number_of_blocks() {
    let p = passes::fixture::machine(&structured(100));
    for blocks in [1, 2, 5] {
        let out = run_on(&p, &input(1024), blocks).expect("runs");
        assert_eq!(out.to_vec::<u32>(0), Some(sums(&data(1024))), "{blocks} blocks");
    }
    // No block, no output.
    assert!(matches!(run_on(&p, &input(1024), 0), Err(Fault::Unwritten { .. })));
}

#[test]
fn every_barrier_dropped_from_machine_form_is_found() {
    let whole = passes::fixture::machine(&structured(100)).into_program();
    let mut syncs = 0;
    crate::program::walk::each(&whole.body, &mut |s| syncs += usize::from(matches!(s.kind, StmtKind::Sync { .. })));
    assert!(syncs >= 8, "{syncs}");
    for dropped in 0..syncs {
        let mut p = whole.clone();
        let mut count = 0;
        drop_sync(&mut p.body, dropped, &mut count);
        // Two virtual blocks on a real one: the barrier between them matters too.
        let fault = run_on(&p, &input(1024), 1).expect_err("a race");
        assert!(matches!(fault, Fault::Race { .. }), "barrier {dropped}: {fault}");
    }
}

fn drop_sync(list: &mut Vec<Stmt>, dropped: usize, count: &mut usize) {
    list.retain(|s| {
        let sync = matches!(s.kind, StmtKind::Sync { .. });
        *count += usize::from(sync);
        !(sync && *count == dropped + 1)
    });
    for s in list {
        crate::program::walk::nested_mut(&mut s.kind).for_each(|inner| drop_sync(inner, dropped, count));
    }
}

/// Machine code of 64 threads with an input `x` and an output `out` of 64 elements.
fn machine_code(lines: &str) -> Result<Vec<u32>, Fault> {
    let body: String = lines.lines().map(|line| format!("  {line}\n")).collect();
    let head = "kernel k (threads = 64, shared = 512 B)\n  in  x: u32[len(x)]\n  out out: u32[64]\n  blocks: 1\n";
    let p = crate::program::text::read(&format!("{head}{body}")).unwrap_or_else(|e| panic!("{e}"));
    Ok(run_on(&p, &input(64), 1)?.to_vec(0).expect("u32"))
}

/// The place is the same in each case, and in the array.
#[test]
fn a_load_is_of_its_row_and_its_column() {
    let of = |row: &str, column: &str| machine_code(&format!("out[tid] = x[8 at ({row}, {column})]"));
    assert_eq!(of("1 of 8", "0 of 8").expect("runs"), [data(64)[8]; 64]);
    for (row, column, side) in [("0 of 8", "8 of 8", "the columns of x"), ("8 of 8", "0 of 8", "the rows of x")] {
        let fault = of(row, column).expect_err("it strays");
        let Fault::OutOfBounds { array, index: 8, len: 8, .. } = fault else { panic!("{fault}") };
        assert_eq!(array, side);
    }
}

#[test]
fn shuffles_votes_and_vectors_are_watched() {
    let lanes = machine_code("let v = tid of lane lane ^ 1\nout[tid] = v").expect("runs");
    assert_eq!(lanes[..4], [1, 0, 3, 2]);
    let sums = machine_code("let v = lane of lane all, +\nout[tid] = v").expect("runs");
    assert_eq!(sums, [496; 64]);
    let pairs = "if tid < 32\n  let a, b = x[tid * 2 ..]\n  out[tid * 2 ..] = b, a";
    let pairs = machine_code(pairs).expect("runs");
    assert_eq!((pairs[0], pairs[63]), (data(64)[1], data(64)[62]));
    let malformed = [
        "if lane < 3\n  let v = tid of lane 0",
        "if lane < 3\n  sync Warp",
        "if tid < 3\n  sync Block",
        "let a, b = x[1 ..]",
        "let v = tid of lane x[1] | 32",
    ];
    for lines in malformed {
        assert!(matches!(machine_code(lines), Err(Fault::Malformed(_))), "{lines}");
    }
    let shared = "shared per Block s9: u32[64] at 0\n";
    let races = [
        "s9[tid] = tid\nout[tid] = s9[63 - tid]",
        "s9[tid] = tid\nsync Warp\nout[tid] = s9[tid ^ 32]",
        "s9[tid >> 1] = tid",
        "s9[tid] = tid\nsync Block\nlet o = atomic_add(s9[0], 1)\nout[tid] = s9[0]",
    ];
    for lines in races {
        assert!(matches!(machine_code(&format!("{shared}{lines}")), Err(Fault::Race { .. })), "{lines}");
    }
    let good = "s9[tid] = tid\nsync Warp\nout[tid] = s9[tid ^ 1]";
    assert!(machine_code(&format!("{shared}{good}")).is_ok());
    let fault = machine_code(&format!("{shared}out[tid] = s9[tid]")).expect_err("nothing is there");
    assert!(matches!(fault, Fault::Uninitialised { .. }), "{fault}");
    let fault = machine_code("out[tid + 1] = 1").expect_err("one too far");
    assert!(matches!(fault, Fault::OutOfBounds { .. }), "{fault}");
}

/// What one array writes over of another is gone, by the byte: elements of other sizes, and at no multiple of theirs.
#[test]
fn arrays_lie_on_one_another_by_bytes() {
    let read = |laid: &str, value: &str, index: u32| {
        let shared = format!("shared per Block s9: u32[64] at 0\nshared per Block s10: {laid}\n");
        let code =
            format!("s9[tid] = tid\nsync Block\nif tid < 1\n  s10[0] = {value}\nsync Block\nout[tid] = s9[{index}]");
        machine_code(&format!("{shared}{code}")).is_ok()
    };
    for (laid, value, gone) in [
        ("u32[1] at 4", "7", [false, true, false]),
        ("u32[1] at 2", "7", [true, true, false]),
        ("u16[1] at 6", "7u16", [false, true, false]),
        ("u8[1] at 8", "7u8", [false, false, true]),
    ] {
        assert_eq!([0, 1, 2].map(|index| !read(laid, value, index)), gone, "{laid}");
    }
}

#[test]
fn values_go_in_and_out_as_they_are() {
    fn through<T: Scalar + PartialEq + std::fmt::Debug>(values: Vec<T>) {
        assert_eq!(Buffer::new(&values).to_vec::<T>(), Some(values));
    }
    through(vec![i8::MIN, -1, 0, i8::MAX]);
    through(vec![i32::MIN, -1, i32::MAX]);
    through(vec![i64::MIN, -1]);
    through(vec![u64::MAX, 1 << 63]);
    through(vec![-0.0f32, f32::INFINITY, 1.5]);
    through(vec![f64::MIN, 0.1]);
    through(vec![true, false]);
    assert_eq!(Buffer::new(&[-1i32]).bits, [u64::MAX]);
    assert_eq!(Buffer::new(&[1u8]).to_vec::<u32>(), None);
}
