//! Ranges of integer operations, from those of their operands. A range smaller than the type also says that nothing wraps.

use super::{BinClass, BinOp, Const, ExprId, Exprs, Range, ScalarType, arith};

impl Exprs {
    /// The range of an integer operation; comparisons that the ranges decide become one value.
    pub(super) fn range_of(&self, op: BinOp, ty: ScalarType, a: ExprId, b: ExprId) -> Range {
        of(op, ty, self.range(a), self.range(b))
    }
}

/// What an integer operation gives in `ty` for operands that lie in `x` and `y`; comparisons that these decide become one value.
pub(crate) fn of(op: BinOp, ty: ScalarType, x: Range, y: Range) -> Range {
    let full = Range::full(ty);
    let unknown = Range::new(0, 1);
    let decided = |yes: bool, no: bool| match (yes, no) {
        (true, _) => Range::new(1, 1),
        (_, true) => Range::new(0, 0),
        _ => unknown,
    };
    let fit = |r: Range| if r.within(full) { r } else { full };
    let both_nonneg = x.lo >= 0 && y.lo >= 0;
    match op {
        BinOp::Lt => decided(x.hi < y.lo, x.lo >= y.hi),
        BinOp::Le => decided(x.hi <= y.lo, x.lo > y.hi),
        BinOp::Gt => decided(x.lo > y.hi, x.hi <= y.lo),
        BinOp::Ge => decided(x.lo >= y.hi, x.hi < y.lo),
        BinOp::Eq => decided(false, x.hi < y.lo || y.hi < x.lo),
        BinOp::Ne => decided(x.hi < y.lo || y.hi < x.lo, false),
        BinOp::Add => fit(Range::new(x.lo + y.lo, x.hi + y.hi)),
        BinOp::Sub => fit(Range::new(x.lo - y.hi, x.hi - y.lo)),
        BinOp::Mul if both_nonneg && x.hi < 1 << 64 && y.hi < 1 << 62 => fit(Range::new(x.lo * y.lo, x.hi * y.hi)),
        BinOp::Div if both_nonneg && y.lo > 0 => Range::new(x.lo / y.hi, x.hi / y.lo),
        BinOp::Rem if both_nonneg && y.lo > 0 => Range::new(0, x.hi.min(y.hi - 1)),
        BinOp::And if both_nonneg => Range::new(0, x.hi.min(y.hi)),
        BinOp::Or | BinOp::Xor if both_nonneg => Range::new(0, next_mask(x.hi.max(y.hi))),
        BinOp::Shr if both_nonneg && y.lo == y.hi && y.hi < i128::from(ty.bits()) => {
            Range::new(x.lo >> y.lo, x.hi >> y.lo)
        }
        BinOp::Shl if both_nonneg && y.hi < i128::from(ty.bits()) && x.hi < 1 << 62 => {
            fit(Range::new(x.lo << y.lo, x.hi << y.hi))
        }
        BinOp::Min => Range::new(x.lo.min(y.lo), x.hi.min(y.hi)),
        BinOp::Max => Range::new(x.lo.max(y.lo), x.hi.max(y.hi)),
        _ if op.class() == BinClass::Growing && both_nonneg => {
            let corner = |x, y| arith::bin(op, constant(ty, x), constant(ty, y)).int();
            Range::new(corner(x.lo, y.lo), corner(x.hi, y.hi))
        }
        _ if ty == ScalarType::Bool => unknown,
        _ => full,
    }
}

/// An integer that lies in its type.
fn constant(ty: ScalarType, v: i128) -> Const {
    Const { ty, bits: arith::wrap(ty, v) }
}

/// The least `2^k - 1` that is not below `v`.
fn next_mask(v: i128) -> i128 {
    (1i128 << (128 - v.leading_zeros())) - 1
}
