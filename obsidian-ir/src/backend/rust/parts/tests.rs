//! Parts of lists that are built by hand.

use super::*;
use crate::backend::rust::fixtures::{Build, assign, saxpy, stmt};
use crate::program::{BinOp, ScalarType};

/// `out[index(b, t)] = x[b * 64 + t]`, in blocks of 64 instances; `body` makes the phase's statements of one store.
fn stores(
    index: impl Fn(&mut Build, ExprId, ExprId) -> ExprId,
    body: impl Fn(&mut Build, ExprId, crate::program::Stmt) -> Block,
) -> Vec<(u32, u32)> {
    let mut b = Build::new("stores", 64);
    let (len, input) = b.input("x", &[ScalarType::F64]);
    let out = b.output("out", &[ScalarType::F64], len);
    let (bv, block) = b.index("b", 1 << 20);
    let (tv, t) = b.index("t", 63);
    let (own, at) = (b.at(block, 64, t), index(&mut b, block, t));
    let value = b.load(input[0], own);
    let phase = body(&mut b, t, assign(out[0], at, value));
    let list = vec![b.for_all(tv, 64, phase)];
    let p = b.grid(bv, len, list);
    let StmtKind::DistrPar { var, body, .. } = &p.body[0].kind else { panic!("no loop over blocks") };
    let found = parts(&p, &Loads::new(&p.exprs), *var, body);
    found.iter().map(|part| (part.first, part.len)).collect()
}

fn alone(_: &mut Build, _: ExprId, store: crate::program::Stmt) -> Block {
    vec![store]
}

#[test]
fn a_part_is_every_element_of_a_range_once() {
    assert_eq!(stores(|b, block, t| b.at(block, 64, t), alone), [(0, 64)]);
    // In another order, and from another element on.
    let turned = |b: &mut Build, block, t| {
        let last = b.u32(63);
        let t = b.bin(BinOp::Sub, last, t);
        b.at(block, 64, t)
    };
    assert_eq!(stores(turned, alone), [(0, 64)]);
    let later = |b: &mut Build, block, t| {
        let (at, more) = (b.at(block, 64, t), b.u32(8));
        b.bin(BinOp::Add, at, more)
    };
    assert_eq!(stores(later, alone), [(8, 64)]);
}

#[test]
fn gaps_and_elements_written_twice_are_no_part() {
    let by = |op, k| {
        move |b: &mut Build, block, t| {
            let k = b.u32(k);
            let t = b.bin(op, t, k);
            b.at(block, 64, t)
        }
    };
    assert_eq!(stores(by(BinOp::Mul, 2), alone), []);
    assert_eq!(stores(by(BinOp::Div, 2), alone), []);
    assert_eq!(stores(by(BinOp::Xor, 1), alone), [(0, 64)]);
}

#[test]
fn what_runs_perhaps_is_no_part() {
    let odd = |b: &mut Build, t, store| {
        let one = b.u32(1);
        let bit = b.bin(BinOp::And, t, one);
        let cond = b.bin(BinOp::Eq, bit, one);
        vec![stmt(StmtKind::If { cond, then: vec![store], els: Vec::new() })]
    };
    assert_eq!(stores(|b, block, t| b.at(block, 64, t), odd), []);
}

#[test]
fn a_place_that_only_the_block_knows_is_no_part() {
    let p = saxpy();
    let StmtKind::DistrPar { var, body, .. } = &p.body[0].kind else { panic!("no loop over blocks") };
    let loads = Loads::new(&p.exprs);
    assert_eq!(parts(&p, &loads, *var, body).len(), 1);
    // Of another loop the counter means nothing here.
    let other = p.vars.len() as u32 - 1;
    assert_eq!(parts(&p, &loads, VarId(other), body), []);
}
