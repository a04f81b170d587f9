//! Vectors, by what programs written by hand compute.

use super::*;
use crate::interp::{self, Args};
use crate::level::Level;
use crate::passes::fixture::{self, Make, stmt};
use crate::passes::fixture::{machine, native, run_on};
use crate::passes::structured;
use crate::program::{BinOp, print};

/// How many vector loads of `width` elements there are, and how many stores.
fn count(text: &str, n: usize) -> (usize, usize) {
    let vectors = || text.lines().filter(|l| l.contains(" ..]"));
    let wide = |list: &str| list.split(", ").count() == n;
    let loads = vectors().filter(|l| l.split(" = ").next().is_some_and(|v| l.contains("let ") && wide(v))).count();
    let stores = vectors().filter(|l| !l.contains("let ") && l.split(" = ").nth(1).is_some_and(wide)).count();
    (loads, stores)
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
    let found = run_on(&m, 1, &data);
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
