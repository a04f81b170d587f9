//! Verification of `while` loops: what their tests write and read, and how often.

use super::tests::{claimed, found, in_block};
use crate::level::Level;
use crate::passes::fixture::{Make, stmt};
use crate::program::{ArrayId, BinOp, Claim, Program, ScalarType, Space, Stmt, StmtKind};

/// `while { out[i] = i; x[i] > 3 } {}` in each thread, or without the loop.
fn written_in_a_test(loops: bool) -> Program {
    let mut p = in_block(|_, _| Vec::new());
    let len = Make::u32(&mut p, 64);
    let x = p.input("x", ScalarType::U32).1;
    let out = p.output(ScalarType::U32, len);
    let phase = p.for_all(Level::Block, 64, |p, i| {
        let (data, three) = (p.get(x, i), Make::u32(p, 3));
        let cond = p.op(BinOp::Gt, data, three);
        let write = claimed(StmtKind::Assign { array: out, index: i, value: i }, Claim::MustProve);
        vec![if loops { stmt(StmtKind::SeqWhile { head: vec![write], cond, body: Vec::new() }) } else { write }]
    });
    push(&mut p, phase);
    p
}

/// Adds a statement to the block's code.
fn push(p: &mut Program, more: Stmt) {
    if let StmtKind::DistrPar { body, .. } = &mut p.body[0].kind {
        body.push(more);
    }
}

#[test]
fn what_a_test_writes_is_written_once_more_than_there_are_rounds() {
    assert_eq!(found(&written_in_a_test(false)), "");
    let text = found(&written_in_a_test(true));
    assert!(text.starts_with("[OB054] it is not proved that each element of `out` is written once"), "{text}");
}

/// `while { b = .., whole or in part; b[0] > 3 } {}` in the block.
fn computed_in_a_test(filled: u32) -> Program {
    in_block(|p, a| {
        let b = p.new_array("b", ScalarType::U32, 64, Space::Shared(Level::Block));
        let fill = p.for_all(Level::Block, filled, |p, i| {
            let value = p.get(a, i);
            let shift = Make::u32(p, 64 - filled);
            let index = p.op(BinOp::Add, i, shift);
            vec![stmt(StmtKind::Assign { array: b, index, value })]
        });
        let (zero, three) = (Make::u32(p, 0), Make::u32(p, 3));
        let first = p.get(b, zero);
        let cond = p.op(BinOp::Gt, first, three);
        let again = p.for_all(Level::Block, 64, |_, i| {
            vec![stmt(StmtKind::Assign { array: ArrayId(0), index: i, value: zero })]
        });
        vec![stmt(StmtKind::SeqWhile {
            head: vec![stmt(StmtKind::Allocate { array: b }), fill],
            cond,
            body: vec![again],
        })]
    })
}

#[test]
fn a_test_reads_what_its_head_has_computed() {
    assert_eq!(found(&computed_in_a_test(64)), "");
    let text = found(&computed_in_a_test(63));
    assert!(text.contains("element 0 of a computed array is never written"), "{text}");
}
