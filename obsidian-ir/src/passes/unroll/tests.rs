//! Unrolling, by the number of copies; that they mean the same is tested with `vectorise` and on random programs.

use super::*;
use crate::passes::fixture::{self, Make, stmt};
use crate::program::{ScalarType, print};

/// `for i in start..end { out[4 * t + i * factor] = x[i] }` of a thread `t`, after the pass.
fn after(start: u32, end: u32, factor: u32) -> String {
    let mut p = fixture::program(1);
    let (param, x) = p.input("x", ScalarType::U32);
    let len = p.exprs.input_len(param);
    let out = p.output(ScalarType::U32, len);
    let (var, i) = p.index("i", end);
    let (one, by) = (Make::u32(&mut p, 1), Make::u32(&mut p, factor));
    let at = p.op(BinOp::Mul, i, by);
    let three = Make::u32(&mut p, 3);
    let from = p.op(BinOp::Mul, i, three);
    let value = p.get(x, from);
    let body = vec![stmt(StmtKind::Assign { array: out, index: at, value })];
    let (start, end) = (Make::u32(&mut p, start), Make::u32(&mut p, end));
    p.body = vec![stmt(StmtKind::SeqFor { var, start, end, step: one, body })];
    run(&mut p);
    print(&p)
}

#[test]
fn short_loops_go_and_long_ones_take_four_steps_at_once() {
    let stores = |text: &str| text.lines().filter(|l| l.contains("out[")).count();
    let (whole, parts) = (after(2, 7, 1), after(0, 64, 1));
    assert_eq!((stores(&whole), whole.contains("seq ")), (5, false), "{whole}");
    assert_eq!((stores(&parts), parts.contains("0..64 by 4")), (4, true), "{parts}");
    // From 4, where a vector may start, as far as fours go.
    for (start, end, looped, alone) in [(0, 65, "0..64 by 4", 1), (2, 67, "0..60 by 4", 5), (1, 64, "0..60 by 4", 3)] {
        let text = after(start, end, 1);
        assert_eq!((stores(&text), text.contains(looped)), (4 + alone, true), "{text}");
    }
}

#[test]
fn a_stride_stays_a_loop() {
    assert!(after(0, 8, 2).contains("seq "));
}
