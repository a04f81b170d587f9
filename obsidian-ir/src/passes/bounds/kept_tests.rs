//! What loops keep (R38): programs made by hand that kernels do not become.

use super::rule_tests::{proved, write};
use crate::Level;
use crate::passes::fixture::{Make, stmt};
use crate::program::{ArrayId, BinOp, Block, ExprId, Program, Range, ScalarType, StmtKind, VarId};

/// Whether all indices are proved where thread `i` has a variable `t`, which is `x`, and does `made` three times where `said` is known.
fn loops(
    said: fn(&mut Program, [ExprId; 2]) -> Vec<ExprId>,
    made: impl Fn(&mut Program, ArrayId, [ExprId; 2], VarId) -> Block,
) -> bool {
    proved(|p, [m, _], x| {
        vec![p.for_all(Level::Block, 64, |p, i| {
            let var = p.new_var("t", ScalarType::U32, true, Range::full(ScalarType::U32));
            let t = p.exprs.var(var);
            let [zero, one, three] = [0, 1, 3].map(|n| Make::u32(p, n));
            let (counter, _) = p.index("k", 3);
            let body = made(p, m, [t, i], var);
            let mut around = stmt(StmtKind::SeqFor { var: counter, start: zero, end: three, step: one, body });
            for cond in said(p, [t, i]).into_iter().rev() {
                around = stmt(StmtKind::If { cond, then: vec![around], els: Vec::new() });
            }
            vec![stmt(StmtKind::Local { var, init: Some(x) }), around]
        })]
    })
}

/// `if t < 100 && 0 < i && t * i < 64 + t { for .. { m[t * i - t] = 7; if t < 99 { t = t + 1 } } }`: what is said of `t` and a product of it is
/// not said of `t + 1` and that product.
#[test]
fn what_a_loop_keeps_says_nothing_of_values_made_of_its_variables() {
    let said = |p: &mut Program, [t, i]: [ExprId; 2]| {
        let [zero, hundred, limit] = [0, 100, 64].map(|n| Make::u32(p, n));
        let (product, limit) = (p.op(BinOp::Mul, t, i), p.op(BinOp::Add, limit, t));
        [(t, hundred), (zero, i), (product, limit)].map(|(a, b)| p.op(BinOp::Lt, a, b)).to_vec()
    };
    let accepted = |more: &[u32]| {
        loops(said, |p, m, [t, i], var| {
            let product = p.op(BinOp::Mul, t, i);
            let index = p.op(BinOp::Sub, product, t);
            let mut body = vec![write(p, m, index)];
            for &more in more {
                let [limit, more] = [99, more].map(|n| Make::u32(p, n));
                let (cond, value) = (p.op(BinOp::Lt, t, limit), p.op(BinOp::Add, t, more));
                body.push(stmt(StmtKind::If { cond, then: vec![stmt(StmtKind::Set { var, value })], els: Vec::new() }));
            }
            body
        })
    };
    assert!(accepted(&[]));
    assert!(!accepted(&[1]));
}

/// `if t < 64 { for .. { t = 63 - t; m[t] = 7 } }`: the next value is not what the last one would make of it.
#[test]
fn a_variable_is_not_what_is_made_of_its_last_value() {
    let said = |p: &mut Program, [t, _]: [ExprId; 2]| {
        let limit = Make::u32(p, 64);
        vec![p.op(BinOp::Lt, t, limit)]
    };
    let accepted = |times: u32| {
        loops(said, |p, m, [t, _], var| {
            let [last, times] = [63, times].map(|n| Make::u32(p, n));
            let (value, index) = (p.op(BinOp::Sub, last, t), p.op(BinOp::Mul, t, times));
            vec![stmt(StmtKind::Set { var, value }), write(p, m, index)]
        })
    };
    assert!(accepted(1));
    assert!(!accepted(2));
}

/// `if t < 64 { for .. { m[t] = 7; local t = 100; t = t } }`.
#[test]
fn a_variable_that_begins_again_keeps_nothing() {
    let said = |p: &mut Program, [t, _]: [ExprId; 2]| {
        let limit = Make::u32(p, 64);
        vec![p.op(BinOp::Lt, t, limit)]
    };
    let accepted = |first: Option<u32>| {
        loops(said, |p, m, [t, _], var| {
            let mut body = vec![write(p, m, t)];
            body.extend(first.map(|first| stmt(StmtKind::Local { var, init: Some(Make::u32(p, first)) })));
            body.push(stmt(StmtKind::Set { var, value: t }));
            body
        })
    };
    assert!(accepted(None));
    assert!(!accepted(Some(100)));
}
