//! Vectors, by the printed machine form of small kernels and by what it computes.

use super::*;
use crate::compiler::{Stage, stop_after};
use crate::interp::{self, Args};
use crate::level::Level;
use crate::passes::fixture::{self, Make, stmt};
use crate::passes::{machine, native, simt, structured};
use crate::program::{BinOp, print};
use crate::syntax::SpanTable;

/// The machine form of an entry `k` of 64 threads.
fn text(signature: &str, body: &str) -> String {
    let code = format!("#[kernel(threads = 64)] pub fn k{signature} {{ {body} }}");
    let tokens = code.parse().unwrap_or_else(|e| panic!("{e}"));
    stop_after(Stage::Machine, tokens, &mut SpanTable::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

/// How many vector loads of so many elements, and stores.
fn count(text: &str, n: usize) -> (usize, usize) {
    let vectors = || text.lines().filter(|l| l.contains(" ..]"));
    let wide = |list: &str| list.split(", ").count() == n;
    let loads = vectors().filter(|l| l.split(" = ").next().is_some_and(|v| l.contains("let ") && wide(v))).count();
    let stores = vectors().filter(|l| !l.contains("let ") && l.split(" = ").nth(1).is_some_and(wide)).count();
    (loads, stores)
}

#[test]
fn four_neighbours_a_thread_are_one_access() {
    let map = "input.split_up(256).as_grid_map(|c| c.split_up(4).as_block_map(|p| exec_thread(p.map(|x| x + 1))))";
    for (ty, fours, pairs) in [("u32", (1, 1), (0, 0)), ("u8", (1, 1), (0, 0)), ("f64", (0, 0), (2, 2))] {
        let map = if ty == "f64" { map.replace("x + 1", "x + 1.0") } else { map.to_string() };
        let out = text(&format!("(input: DPull<{ty}>) -> DPush<Grid, {ty}>"), &map);
        assert_eq!((count(&out, 4), count(&out, 2)), (fours, pairs), "{out}");
    }
    let bools = map.replace("x + 1", "!x");
    assert!(!text("(input: DPull<bool>) -> DPush<Grid, bool>", &bools).contains(" ..]"), "a bool is no number in C");
}

#[test]
fn alignment_is_proved() {
    let shifted = |by: u32| {
        let body = format!(
            "mk_pull(4, |b| mk_pull(64, |t| exec_thread(mk_pull(4, |j| input[b * 256 + 4 * t + j + {by}]))).as_block()).as_grid()"
        );
        text("(input: Pull<u32, 1040>) -> Push<Grid, u32>", &body)
    };
    // Of 1 2 3 4 the two in the middle; of 2 3 4 5 two pairs.
    for (by, fours, pairs) in [(0, 1, 0), (1, 0, 1), (2, 0, 2), (3, 0, 1), (4, 1, 0)] {
        let out = shifted(by);
        assert_eq!((count(&out, 4).0, count(&out, 2).0), (fours, pairs), "{out}");
    }
    let odd = "input.split_up(6).as_grid_map(|c| c.split_up(3).as_block_map(|p| exec_thread(p)))";
    let out = text("(input: DPull<u32>) -> DPush<Grid, u32>", odd);
    assert!(!out.contains(" ..]"), "{out}");
}

#[test]
fn lengths_that_the_launch_checks_count() {
    let out = text(
        "(input: DPull<u32>) -> DPush<Grid, u32>",
        "input.reverse().split_up(256).as_grid_map(|c| c.split_up(4).as_block_map(|p| exec_thread(p)))",
    );
    assert_eq!(count(&out, 4), (1, 1), "{out}");
}

#[test]
fn loops_over_neighbours_are_written_out() {
    let signature = "(input: DPull<u32>) -> DPush<Grid, u32>";
    let sums = |n: u32| {
        let body = format!(
            "input.split_up(64 * {n}).as_grid_map(|c| c.split_up({n}).as_block_map(|p| exec_thread(p.seq_reduce(|a, b| a + b))))"
        );
        text(signature, &body)
    };
    let out = sums(16);
    assert_eq!((count(&out, 4).0, out.contains("seq i")), (4, false), "{out}");
    // A stride apart nothing is gained.
    let apart = "input.split_up(1024).as_grid_map(|c| c.coalesce(16).as_block_map(|p| exec_thread(p.seq_reduce(|a, b| a + b))))";
    assert!(text(signature, apart).contains("seq i"));
    let out = sums(64);
    assert!(out.contains("0..60 by 4") && count(&out, 4).0 == 2, "the first four in front of the loop: {out}");
    let dots = "input.split_up(1024).as_grid_map(|c| c.split_up(64).as_block_map(|p| exec_thread(seq_fold(64, 0, |acc, i| acc ^ p[i]))))";
    let out = text(signature, dots);
    assert!(out.contains("0..64 by 4") && count(&out, 4).0 == 1, "{out}");
}

#[test]
fn shared_memory_counts_from_its_offset() {
    let out = text(
        "(input: DPull<u32>) -> DPush<Grid, u32>",
        "input.split_up(256).as_grid_map(|c| {
            let a = c.map(|x| x + 1).compute();
            a.split_up(4).as_block_map(|p| exec_thread(p.fold1(|x, y| x * y)))
        })",
    );
    assert!(out.contains("s1[") && count(&out, 4).0 == 1, "{out}");
}

/// `body(program, memory, out, i)` for 8 threads; `memory` is a shared array of 64 elements that begins with 5s.
fn in_memory_of_a_block(body: impl Fn(&mut Program, ArrayId, ArrayId, ExprId) -> Block) -> Program {
    let mut p = fixture::program(8);
    let (param, x) = p.input("x", ScalarType::U32);
    let len = p.exprs.input_len(param);
    let out = p.output(ScalarType::U32, len);
    let one = Make::u32(&mut p, 1);
    let memory = p.new_array("m", ScalarType::U32, 64, Space::Shared(Level::Block));
    let block = p.distribute(Level::Block, one, |p, _| {
        let fill = p.for_all(Level::Block, 64, |p, i| {
            let value = p.get(x, i);
            vec![stmt(StmtKind::Assign { array: memory, index: i, value })]
        });
        let work = p.for_all(Level::Block, 8, |p, i| body(p, memory, out, i));
        vec![stmt(StmtKind::Allocate { array: memory }), fill, work]
    });
    p.body = vec![block];
    p
}

/// The machine form, after it gave what the interpreter gives.
fn checked(mut p: Program) -> String {
    let data: Vec<u32> = (0..64).map(|i| i * 7 + 3).collect();
    structured(&mut p).expect("fits");
    let expected = interp::run(&native(&p), &Args::new().buffer(data.clone())).unwrap_or_else(|f| panic!("{f}"));
    let m = machine(&p);
    let found = simt::run(&m, 1, &data);
    assert_eq!(expected.to_vec::<u32>(0).as_deref(), Some(&found[..]), "{}", print(&m));
    print(&m)
}

#[test]
fn nothing_passes_what_touches_its_array() {
    // m[8 i + k + 1] = m[8 i + k] + k, out[8 i + k] = m[8 i + k], in turn: each load sees the store before it.
    let p = in_memory_of_a_block(|p, m, out, i| {
        let eight = Make::u32(p, 8);
        let base = p.op(BinOp::Mul, i, eight);
        let mut list = Vec::new();
        for k in 0..4 {
            let (k0, k1) = (Make::u32(p, k), Make::u32(p, k + 1));
            let (here, next) = (p.op(BinOp::Add, base, k0), p.op(BinOp::Add, base, k1));
            let value = p.get(m, here);
            list.push(stmt(StmtKind::Assign { array: out, index: here, value }));
            let value = p.op(BinOp::Add, value, k1);
            list.push(stmt(StmtKind::Assign { array: m, index: next, value }));
        }
        for k in 4..8 {
            let k = Make::u32(p, k);
            let at = p.op(BinOp::Add, base, k);
            list.push(stmt(StmtKind::Assign { array: out, index: at, value: k }));
        }
        list
    });
    let text = checked(p);
    // The stores to `out` may sink past those to `m`, whose accesses stay as they are.
    assert!(text.contains("out[") && !text.lines().any(|l| l.contains("m[") && l.contains(" ..]")), "{text}");
    assert_eq!(count(&text, 4).1, 2, "{text}");
}

#[test]
fn an_element_written_twice_keeps_its_last_value() {
    let p = in_memory_of_a_block(|p, m, out, i| {
        let eight = Make::u32(p, 8);
        let base = p.op(BinOp::Mul, i, eight);
        let mut list = Vec::new();
        for (k, v) in [(0, 1), (1, 2), (0, 3), (2, 4), (3, 5), (1, 6), (4, 0), (5, 0), (6, 0), (7, 0)] {
            let k = Make::u32(p, k);
            let at = p.op(BinOp::Add, base, k);
            let value = p.get(m, at);
            let v = Make::u32(p, v);
            let value = p.op(BinOp::Mul, value, v);
            list.push(stmt(StmtKind::Assign { array: out, index: at, value }));
        }
        list
    });
    checked(p);
}

#[test]
fn a_mutable_variable_is_read_where_it_was() {
    let p = in_memory_of_a_block(|p, m, out, i| {
        let eight = Make::u32(p, 8);
        let base = p.op(BinOp::Mul, i, eight);
        let sum = p.new_var("sum", ScalarType::U32, true, crate::program::Range::full(ScalarType::U32));
        let mut list = vec![stmt(StmtKind::Local { var: sum, init: Some(base) })];
        for k in 0..8 {
            let k = Make::u32(p, k);
            let at = p.op(BinOp::Add, base, k);
            let (x, acc) = (p.get(m, at), p.exprs.var(sum));
            let value = p.op(BinOp::Add, acc, x);
            list.push(stmt(StmtKind::Set { var: sum, value }));
            list.push(stmt(StmtKind::Assign { array: out, index: at, value: acc }));
        }
        list
    });
    let text = checked(p);
    assert_eq!(count(&text, 4), (2, 2), "{text}");
}
