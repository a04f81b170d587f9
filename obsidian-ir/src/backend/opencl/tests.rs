//! The spellings of OpenCL C, on expressions and on programs written by hand.

use super::{Need, OPENCL, needs, print, symbol};
use crate::backend::c::Printer;
use crate::level::Level;
use crate::passes::fixture::{self, Make, group, stmt};
use crate::passes::{Group, structured};
use crate::program::{
    AtomicOp, BinOp, Const, ExprId, Exprs, Param, ParamId, ParamKind, Program, ScalarType, Space, StmtKind, UnOp,
};

fn scalar(p: &mut Program, name: &str, ty: ScalarType) -> ExprId {
    let id = ParamId(p.params.len() as u32);
    p.params.push(Param::new(name, ParamKind::Scalar(ty)));
    p.exprs.scalar(id, ty)
}

/// One expression over `a` and `b` of `ty`, as C.
fn show(ty: ScalarType, build: impl FnOnce(&mut Exprs, ExprId, ExprId) -> ExprId) -> String {
    let mut p = fixture::program(32);
    let (a, b) = (scalar(&mut p, "a", ty), scalar(&mut p, "b", ty));
    let id = build(&mut p.exprs, a, b);
    Printer::new(&p, &OPENCL).code(id)
}

#[test]
fn types_and_functions_have_their_own_names() {
    use ScalarType::{F32, F64, I8, I32, I64, U64};
    assert_eq!(show(I32, |e, a, b| e.bin(BinOp::Add, a, b)), "(int)((uint)a + (uint)b)");
    assert_eq!(show(I64, |e, a, b| e.bin(BinOp::Add, a, b)), "(long)((ulong)a + (ulong)b)");
    assert_eq!(show(F32, |e, a, b| e.bin(BinOp::Mul, a, b)), "a * b");
    assert_eq!(show(F64, |e, a, _| e.un(UnOp::Sqrt, a)), "sqrt(a)");
    assert_eq!(show(U64, |e, a, b| e.bin(BinOp::Shl, a, b)), "a << (b & 63)");
    let least = show(I8, |e, a, b| {
        let both = e.bin(BinOp::And, a, b);
        e.bin(BinOp::Min, both, a)
    });
    assert_eq!(least, "min_i8(a & b, a)");
}

#[test]
fn complements_are_macros() {
    use ScalarType::{Bool, I32, U8, U32};
    assert_eq!(show(I32, |e, a, _| e.un(UnOp::Not, a)), "COMPLEMENT(int, a)");
    assert_eq!(show(U8, |e, a, _| e.un(UnOp::Not, a)), "COMPLEMENT(uchar, a)");
    assert_eq!(show(Bool, |e, a, _| e.un(UnOp::Not, a)), "!a");
    for op in [BinOp::Xor, BinOp::Sub] {
        let ones = |e: &mut Exprs, bits| e.constant(Const { ty: U32, bits });
        let all = show(U32, |e, a, _| {
            let ones = ones(e, 0xffff_ffff);
            e.bin(op, ones, a)
        });
        assert_eq!(all, "COMPLEMENT(uint, a)");
        let some = show(U32, |e, a, _| {
            let ones = ones(e, 0xffff);
            e.bin(op, ones, a)
        });
        assert!(!some.contains("COMPLEMENT"), "{some}");
    }
}

#[test]
fn a_kernel_bears_no_name_of_a_function_or_a_type() {
    assert_eq!(symbol("dot"), "dot_");
    assert_eq!(symbol("uint4"), "uint4_");
    assert_eq!(symbol("reductions"), "reductions");
}

/// `out[i] = body(x[i])` for 64 elements.
fn mapped(ty: ScalarType, body: impl FnOnce(&mut Exprs, ExprId) -> ExprId) -> Group {
    let mut p = fixture::program(32);
    let (_, x) = p.input("x", ty);
    let n = Make::u32(&mut p, 64);
    let out = p.output(ty, n);
    let one = Make::u32(&mut p, 1);
    let block = p.distribute(Level::Block, one, |p, _| {
        vec![p.for_all(Level::Block, 64, |p, i| {
            let loaded = p.get(x, i);
            let value = body(&mut p.exprs, loaded);
            vec![stmt(StmtKind::Assign { array: out, index: i, value })]
        })]
    });
    p.body = vec![block];
    structured(&mut p).expect("fits");
    group(&p)
}

#[test]
fn needs_are_what_the_text_uses() {
    use ScalarType::{Bool, F32, F64, U32};
    assert_eq!(needs(&mapped(U32, |e, x| e.bin(BinOp::Mul, x, x))), []);
    assert_eq!(needs(&mapped(F32, |_, x| x)), []);
    assert_eq!(needs(&mapped(F32, |e, x| e.bin(BinOp::Add, x, x))), [Need::Subnormals]);
    assert_eq!(needs(&mapped(F32, |e, x| e.un(UnOp::Sqrt, x))), [Need::RoundedDivision, Need::Subnormals]);
    let double = mapped(F64, |e, x| e.bin(BinOp::Add, x, x));
    assert_eq!(needs(&double), [Need::F64]);
    assert!(print(&double).contains("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"));
    let bools = print(&mapped(Bool, |e, x| e.un(UnOp::Not, x)));
    assert!(bools.contains("__global const uchar *restrict x,") && bools.contains(" = !x["), "{bools}");
    assert!(bools.contains("#pragma OPENCL FP_CONTRACT OFF\n") && !bools.contains("EXTENSION"), "{bools}");
}

/// A driver gets the operators wrong that may skip a side; compilers warn of comparisons without parentheses.
#[test]
fn operators_of_bools_skip_no_side() {
    let text = print(&mapped(ScalarType::U32, |e, x| {
        let [two, nine] = [2, 9].map(|n| e.u32(n));
        let [more, less, even] = [(BinOp::Gt, two), (BinOp::Lt, nine), (BinOp::Ne, two)].map(|(op, n)| e.bin(op, x, n));
        let both = e.bin(BinOp::And, more, less);
        let either = e.bin(BinOp::Or, both, even);
        e.select(either, two, nine)
    }));
    assert!(text.contains(" > 2u) & (") && text.contains(" | ("), "{text}");
    assert!(!text.contains("&&") && !text.contains("||"), "{text}");
}

/// A block that adds to one element of a shared array of `ty`, and stores that.
fn counted(ty: ScalarType) -> Group {
    let mut p = fixture::program(32);
    let (_, x) = p.input("x", ty);
    let one = Make::u32(&mut p, 1);
    let out = p.output(ty, one);
    let zero = Make::u32(&mut p, 0);
    let block = p.distribute(Level::Block, one, |p, _| {
        let s = p.new_array("s", ty, 1, Space::Shared(Level::Block));
        let first = p.for_all(Level::Block, 1, |p, i| {
            let value = p.get(x, i);
            vec![stmt(StmtKind::Assign { array: s, index: i, value })]
        });
        let add = p.for_all(Level::Block, 32, |p, i| {
            let value = p.get(x, i);
            vec![stmt(StmtKind::Atomic { op: AtomicOp::Add, array: s, index: zero, value, expected: None, old: None })]
        });
        let last = p.for_all(Level::Block, 1, |p, i| {
            let value = p.get(s, i);
            vec![stmt(StmtKind::Assign { array: out, index: i, value })]
        });
        vec![stmt(StmtKind::Allocate { array: s }), first, add, last]
    });
    p.body = vec![block];
    structured(&mut p).expect("fits");
    group(&p)
}

#[test]
fn atomics_know_the_space_of_their_array() {
    let text = print(&counted(ScalarType::I32));
    assert!(text.contains("atomic_add(&s[0u], x["), "{text}");
    assert!(text.contains(" BARRIER(CLK_LOCAL_MEM_FENCE);") && !text.contains("GLOBAL_MEM_FENCE"), "{text}");
    let text = print(&counted(ScalarType::F32));
    assert!(text.contains("static float atomic_add_f32_local(__local float *p, float v)"), "{text}");
    assert!(text.contains("atomic_cmpxchg(w, old, (int)as_int(y))"), "{text}");
    let long = counted(ScalarType::U64);
    assert_eq!(needs(&long), [Need::Atomics64]);
    assert!(print(&long).contains("atom_add(&s[0u], x["));
}

#[test]
fn a_thread_updates_its_own_memory_without_atomics() {
    let text = |ty, op, expected: bool| {
        let mut p = fixture::program(32);
        let (x, zero, one) = (scalar(&mut p, "x", ty), Make::u32(&mut p, 0), Make::u32(&mut p, 1));
        let expected = expected.then_some(x);
        let block = p.distribute(Level::Block, one, |p, _| {
            let own = p.new_array("own", ty, 1, Space::Local);
            let update = stmt(StmtKind::Atomic { op, array: own, index: zero, value: x, expected, old: None });
            vec![p.for_all(Level::Block, 1, |_, _| vec![stmt(StmtKind::Allocate { array: own }), update])]
        });
        p.body = vec![block];
        structured(&mut p).expect("fits");
        print(&group(&p))
    };
    let sum = text(ScalarType::I32, AtomicOp::Add, false);
    assert!(sum.contains("static int update_add_i32(int *p, int v)") && !sum.contains("atomic"), "{sum}");
    assert!(sum.contains("*p = (int)((uint)x + (uint)v);"), "{sum}");
    let exchange = text(ScalarType::U64, AtomicOp::CompareExchange, true);
    assert!(exchange.contains("update_compareexchange_u64(ulong *p, ulong expected, ulong v)"), "{exchange}");
    assert!(exchange.contains("*p = x == expected ? v : x;"), "{exchange}");
}

#[test]
fn a_phase_begins_with_a_branch_where_that_is_asked_for() {
    let text = print(&counted(ScalarType::I32));
    assert!(text.contains("barrier(fences); if (LOCAL_ID >= 32u) smem[0] = 0\n"), "{text}");
    // Without shared memory it is an output that nobody writes to.
    let p = mapped(ScalarType::I32, |_, x| x);
    let p = p.changed(|p| p.body.push(stmt(StmtKind::Sync { scope: Level::Block }))).expect("all threads reach it");
    let text = print(&p);
    assert!(text.contains("if (LOCAL_ID >= 32u) out[0] = 0\n"), "{text}");
}

/// A block of `threads` threads that waits in each of three rounds.
fn waiting_in_rounds(threads: u32) -> String {
    let mut p = fixture::program(threads);
    let (one, three, zero) = (Make::u32(&mut p, 1), Make::u32(&mut p, 3), Make::u32(&mut p, 0));
    let (_, x) = p.input("x", ScalarType::U32);
    let out = p.output(ScalarType::U32, three);
    let block = p.distribute(Level::Block, one, |p, _| {
        let s = p.new_array("s", ScalarType::U32, threads, Space::Shared(Level::Block));
        let (var, round) = p.index("round", 3);
        let fill = p.for_all(Level::Block, threads, |p, i| {
            let value = p.get(x, round);
            vec![stmt(StmtKind::Assign { array: s, index: i, value })]
        });
        let last = Make::u32(p, threads - 1);
        let read = p.for_all(Level::Block, 1, |p, _| {
            let value = p.get(s, last);
            vec![stmt(StmtKind::Assign { array: out, index: round, value })]
        });
        let rounds = StmtKind::SeqFor { var, start: zero, end: three, step: one, body: vec![fill, read] };
        vec![stmt(StmtKind::Allocate { array: s }), stmt(rounds)]
    });
    p.body = vec![block];
    structured(&mut p).expect("fits");
    print(&group(&p))
}

#[test]
fn rounds_in_which_two_items_wait_begin_with_a_branch_where_that_is_asked_for() {
    let text = waiting_in_rounds(2);
    assert!(text.contains("#define ROUND if (LOCAL_ID >= 2u) smem[0] = 0\n"), "{text}");
    let heads: Vec<_> = text.lines().zip(text.lines().skip(1)).filter(|(line, _)| line.ends_with(") {")).collect();
    // The loop over blocks is one of them.
    assert!(heads.len() >= 2 && heads[..2].iter().all(|(_, next)| next.trim() == "ROUND;"), "{text}");
    // Other groups are run in a loop; and without a barrier all is one phase.
    assert!(!waiting_in_rounds(3).contains("ROUND"));
    assert!(!print(&mapped(ScalarType::I32, |_, x| x)).contains("ROUND"));
}

/// `out[4 i + k] = x[4 i + k] + k` for four neighbours of each of 8 items.
fn in_fours(threads: u32) -> Group {
    let mut p = fixture::program(threads);
    let (_, x) = p.input("x", ScalarType::U32);
    let n = Make::u32(&mut p, 32);
    let out = p.output(ScalarType::U32, n);
    let (one, four) = (Make::u32(&mut p, 1), Make::u32(&mut p, 4));
    let block = p.distribute(Level::Block, one, |p, _| {
        vec![p.for_all(Level::Block, 8, |p, i| {
            let first = p.op(BinOp::Mul, i, four);
            let copy = |k| {
                let k = Make::u32(p, k);
                let index = p.op(BinOp::Add, first, k);
                let loaded = p.get(x, index);
                let value = p.op(BinOp::Add, loaded, k);
                stmt(StmtKind::Assign { array: out, index, value })
            };
            (0..4).map(copy).collect()
        })]
    });
    p.body = vec![block];
    structured(&mut p).expect("fits");
    group(&p)
}

#[test]
fn neighbours_are_accessed_as_one_or_one_by_one() {
    let text = print(&in_fours(8));
    assert!(text.contains(" = LOAD4(__global, uint4, x, "), "{text}");
    assert!(text.contains(" STORE4(__global, uint4, out, "), "{text}");
    let (elements, vectors) = text.split_once("#ifdef ELEMENTWISE\n").and_then(|(_, t)| t.split_once("#else")).unwrap();
    assert!(elements.contains("(a)[(i) + 3u] = w\n") && !elements.contains("LOAD2"), "{text}");
    assert!(vectors.contains("a, i) *(space const vector *)&(a)[i]\n"), "{text}");
    assert!(!print(&mapped(ScalarType::I32, |_, x| x)).contains("ELEMENTWISE"));
    // An item that is alone has no neighbours to be put into a vector with.
    let alone = print(&in_fours(1));
    assert!(
        alone.contains("LOAD4(space, vector, a, i) *(space const vector *)") && !alone.contains("ELEMENTWISE"),
        "{alone}"
    );
}
