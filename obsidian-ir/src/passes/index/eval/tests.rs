//! The evaluator against arithmetic, round by round.

use super::*;
use crate::program::{Program, Range};

/// Every operation of every integer type on two counters, against `arith` in every lane.
#[test]
fn every_lane_has_what_arithmetic_says() {
    use BinOp::*;
    let types = ScalarType::ALL.into_iter().filter(|ty| ty.is_int());
    for ty in types {
        let mut p: Program = crate::passes::fixture::program(32);
        let [v, w] = [0, 1].map(|_| p.new_var("v", ScalarType::U32, false, Range::new(0, 99)));
        let [x, y] = [v, w].map(|v| p.exprs.var(v));
        let far = p.exprs.constant(Const { ty, bits: arith::wrap(ty, Range::full(ty).hi - 3) });
        let [x, y] = [x, y].map(|e| p.exprs.cast(e, ty));
        let x = p.exprs.bin(Add, x, far);
        let mut eval = Eval::new(Budget::new(u64::MAX));
        eval.enter(v, 7, 0, 1);
        eval.enter(w, 5, 3, 2);
        for op in [Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Min, Max, Lt, Ge, Eq] {
            let value = p.exprs.bin(op, x, y);
            let back = p.exprs.cast(value, ScalarType::U32);
            let found = eval.list(&p.exprs, back).expect("known");
            for lane in 0..35u32 {
                let [a, b] = [lane / 5, 3 + lane % 5 * 2].map(|v| arith::cast(Const::u32(v), ty));
                let a = arith::bin(Add, a, p.exprs.as_const(far).unwrap());
                let expected = arith::cast(arith::bin(op, a, b), ScalarType::U32);
                assert_eq!(u64::from(found[lane as usize]), expected.bits, "{op:?} {ty:?} {lane}");
            }
        }
    }
}

/// `4 * n + r` for an unknown `n`: only a mask below 4 leaves what is known alone.
#[test]
fn bits_are_known_below_what_symbols_reach() {
    let mut p: Program = crate::passes::fixture::program(32);
    let v = p.new_var("v", ScalarType::U32, false, Range::new(0, 3));
    let (r, n) = (p.exprs.var(v), p.exprs.scalar(crate::program::ParamId(0), ScalarType::U32));
    let four = p.exprs.u32(4);
    let product = p.exprs.bin(BinOp::Mul, n, four);
    let sum = p.exprs.bin(BinOp::Add, product, r);
    for (mask, known) in [(3, true), (4, false), (5, false)] {
        let mask = p.exprs.u32(mask);
        let turned = p.exprs.bin(BinOp::Xor, sum, mask);
        let mut eval = Eval::new(Budget::new(u64::MAX));
        eval.enter(v, 4, 0, 1);
        assert_eq!(eval.value(&p.exprs, turned).is_some(), known, "{mask:?}");
    }
}

/// By a power of two what symbols add is left out, however large the rest is; by another number it has a say.
#[test]
fn remainders_are_known_below_what_symbols_reach() {
    let mut p: Program = crate::passes::fixture::program(32);
    let v = p.new_var("v", ScalarType::U32, false, Range::new(0, 15));
    let (r, n) = (p.exprs.var(v), p.exprs.scalar(crate::program::ParamId(0), ScalarType::U32));
    let four = p.exprs.u32(4);
    let product = p.exprs.bin(BinOp::Mul, n, four);
    let sum = p.exprs.bin(BinOp::Add, product, r);
    for (divisor, known) in [(2, true), (4, true), (8, false), (3, false)] {
        let by = p.exprs.u32(divisor);
        let rest = p.exprs.bin(BinOp::Rem, sum, by);
        let mut eval = Eval::new(Budget::new(u64::MAX));
        eval.enter(v, 16, 0, 1);
        let value = eval.value(&p.exprs, rest);
        let table = value.as_ref().and_then(Sum::as_known).map(|table| table.spread(&[16], 1).to_vec());
        assert_eq!(table, known.then(|| (0..16).map(|r| r % divisor).collect()), "{divisor}");
    }
}

#[test]
fn what_costs_too_much_or_depends_on_data_has_no_value() {
    let mut p: Program = crate::passes::fixture::program(32);
    let v = p.new_var("v", ScalarType::U32, false, Range::full(ScalarType::U32));
    let x = p.exprs.var(v);
    let square = p.exprs.bin(BinOp::Mul, x, x);
    let data = p.exprs.load(crate::program::ArrayId(0), x, ScalarType::U32);
    let mut eval = Eval::new(Budget::new(99));
    eval.enter(v, 100, 0, 1);
    assert!(eval.value(&p.exprs, x).is_some() && eval.value(&p.exprs, data).is_none());
    assert!(eval.value(&p.exprs, square).is_none() && eval.budget.given_up());
    eval.leave();
    assert!(eval.extents().is_empty());
}
