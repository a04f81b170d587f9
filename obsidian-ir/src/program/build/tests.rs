//! What the constructors simplify, and what they must leave.

use super::*;

fn var(e: &mut Exprs, hi: i128) -> ExprId {
    let id = VarId(e.vars.len() as u32);
    e.declare_var(id, ScalarType::U32, Range::new(0, hi));
    e.var(id)
}

#[test]
fn a_block_index_round_trip_vanishes() {
    let mut e = Exprs::default();
    let (b, t) = (var(&mut e, 1000), var(&mut e, 511));
    let c = e.u32(512);
    let base = e.bin(BinOp::Mul, b, c);
    let i = e.bin(BinOp::Add, base, t);
    assert_eq!(e.bin(BinOp::Div, i, c), b);
    assert_eq!(e.bin(BinOp::Rem, i, c), t);
}

#[test]
fn a_part_of_a_row_is_told_from_the_row() {
    let mut e = Exprs::default();
    let (x, r) = (var(&mut e, 1000), var(&mut e, 3));
    let (four, sixteen) = (e.u32(4), e.u32(16));
    let base = e.bin(BinOp::Mul, x, four);
    let i = e.bin(BinOp::Add, base, r);
    assert_eq!(e.bin(BinOp::Div, i, sixteen), e.bin(BinOp::Div, x, four));
    let rest = e.bin(BinOp::Rem, x, four);
    let rest = e.bin(BinOp::Mul, rest, four);
    assert_eq!(e.bin(BinOp::Rem, i, sixteen), e.bin(BinOp::Add, rest, r));
    // 4 may be the next multiple; and where the product wraps nothing is known.
    let (wide, large) = (var(&mut e, 4), var(&mut e, 1 << 31));
    let i = e.bin(BinOp::Add, base, wide);
    assert_ne!(e.bin(BinOp::Div, i, sixteen), e.bin(BinOp::Div, x, four));
    let wraps = e.bin(BinOp::Mul, large, four);
    assert_ne!(e.bin(BinOp::Div, wraps, sixteen), e.bin(BinOp::Div, large, four));
}

#[test]
fn a_distance_of_whole_warps_leaves_the_lane() {
    let mut e = Exprs::default();
    let x = var(&mut e, 255);
    let (far, five, mask) = (e.u32(512), e.u32(5), e.u32(31));
    let i = e.bin(BinOp::Add, x, far);
    assert_eq!(e.bin(BinOp::And, i, mask), e.bin(BinOp::And, x, mask));
    let (warp, sixteen) = (e.bin(BinOp::Shr, x, five), e.u32(16));
    assert_eq!(e.bin(BinOp::Shr, i, five), e.bin(BinOp::Add, warp, sixteen));
    // A sum that wraps loses its high bits, and a bit below the shift may carry.
    let wide = var(&mut e, u32::MAX.into());
    let i = e.bin(BinOp::Add, wide, far);
    let shifted = e.bin(BinOp::Shr, i, five);
    assert_eq!(e.expr(shifted), Expr::Bin(BinOp::Shr, i, five));
    let odd = e.u32(520);
    let i = e.bin(BinOp::Add, x, odd);
    let shifted = e.bin(BinOp::Shr, i, five);
    assert_eq!(e.expr(shifted), Expr::Bin(BinOp::Shr, i, five));
}

#[test]
fn low_bits_of_a_multiple_vanish_also_where_it_wraps() {
    let mut e = Exprs::default();
    let x = var(&mut e, u32::MAX.into());
    let [zero, one, two, three, four, twelve, far] = [0, 1, 2, 3, 4, 12, 33].map(|n| e.u32(n));
    let (product, shifted) = (e.bin(BinOp::Mul, x, twelve), e.bin(BinOp::Shl, x, two));
    for multiple in [product, shifted] {
        assert_eq!(e.bin(BinOp::And, multiple, three), zero);
        assert_eq!(e.bin(BinOp::And, multiple, one), zero);
        // The third bit is not known.
        let masked = e.bin(BinOp::And, multiple, four);
        assert_eq!(e.expr(masked), Expr::Bin(BinOp::And, multiple, four));
    }
    // A shift by more than all bits is by one.
    let turned = e.bin(BinOp::Shl, x, far);
    assert_ne!(e.bin(BinOp::And, turned, two), zero);
}

#[test]
fn a_sum_that_may_wrap_is_not_split() {
    let mut e = Exprs::default();
    let (b, t) = (var(&mut e, u32::MAX.into()), var(&mut e, 511));
    let c = e.u32(512);
    let base = e.bin(BinOp::Mul, b, c);
    let i = e.bin(BinOp::Add, base, t);
    assert_ne!(e.bin(BinOp::Div, i, c), b);
}

#[test]
fn constants_gather_across_subtraction() {
    let mut e = Exprs::default();
    let x = var(&mut e, 100);
    let (one, three) = (e.u32(1), e.u32(3));
    let a = e.bin(BinOp::Sub, x, three);
    let a = e.bin(BinOp::Add, a, one);
    let two = e.u32(2);
    assert_eq!(a, e.bin(BinOp::Sub, x, two));
    let back = e.bin(BinOp::Add, a, two);
    assert_eq!(back, x);
}

#[test]
fn ranges_decide_comparisons() {
    let mut e = Exprs::default();
    let x = var(&mut e, 7);
    let eight = e.u32(8);
    let lt = e.bin(BinOp::Lt, x, eight);
    assert_eq!(e.as_const(lt), Some(Const::bool(true)));
}

#[test]
fn shifts_on_constants_go_the_way_they_say() {
    let mut e = Exprs::default();
    let (a, one) = (e.u32(6), e.u32(1));
    let r = e.bin(BinOp::Shr, a, one);
    assert_eq!(e.as_u32(r), Some(3));
    let l = e.bin(BinOp::Shl, a, one);
    assert_eq!(e.as_u32(l), Some(12));
}
