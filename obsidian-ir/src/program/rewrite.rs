//! The rewriting that keeps indices small. Integers and booleans only: float arithmetic is not associative.
//!
//! In: an operation and its operands, already simplified, constants to the right. Out: an equal expression that is
//! simpler, or `None`. Wrapping is what makes most rules right; those that need more ask the ranges.

use super::{BinOp, Const, Expr, ExprId, Exprs, Range, ScalarType, UnOp, arith};

impl Exprs {
    /// Rewrites on integers and booleans; `None` where none applies.
    pub(super) fn simplify(&mut self, op: BinOp, ty: ScalarType, a: ExprId, b: ExprId) -> Option<ExprId> {
        if a == b {
            match op {
                BinOp::Sub | BinOp::Xor => return Some(self.constant(Const { ty, bits: 0 })),
                BinOp::And | BinOp::Or | BinOp::Min | BinOp::Max => return Some(a),
                BinOp::Add if ty.is_int() => {
                    let two = self.constant(Const { ty, bits: 2 });
                    return Some(self.bin(BinOp::Mul, a, two));
                }
                BinOp::Eq | BinOp::Le | BinOp::Ge => return Some(self.bool(true)),
                BinOp::Ne | BinOp::Lt | BinOp::Gt => return Some(self.bool(false)),
                _ => {}
            }
        }
        let (ra, rb) = (self.range(a), self.range(b));
        match op {
            BinOp::Sub => return self.cancel(a, b),
            BinOp::Min if ra.hi <= rb.lo => return Some(a),
            BinOp::Min if rb.hi <= ra.lo => return Some(b),
            BinOp::Max if ra.lo >= rb.hi => return Some(a),
            BinOp::Max if rb.lo >= ra.hi => return Some(b),
            _ => {}
        }
        if op == BinOp::Le && ty.is_unsigned() && self.is_part(a, b) {
            return Some(self.bool(true));
        }
        if let Some(id) = self.bool_identity(op, ty, a, b) {
            return Some(id);
        }
        let k = self.as_const(b)?;
        if let Some(id) = self.mask(op, ty, a, k) {
            return Some(id);
        }
        match (op, k.int()) {
            (BinOp::Add | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr, 0) if ty.is_int() => Some(a),
            (BinOp::Mul | BinOp::Div, 1) => Some(a),
            (BinOp::Mul | BinOp::And, 0) => Some(b),
            (BinOp::Rem, 1) => Some(self.constant(Const { ty, bits: 0 })),
            (BinOp::Add, _) => self.add_const(ty, a, k),
            (BinOp::Mul, c) => match self.expr(a) {
                // (x * c1) * c2
                Expr::Bin(BinOp::Mul, x, y) => {
                    let inner = self.as_const(y)?;
                    let prod = self.constant(Const { ty, bits: arith::wrap(ty, inner.int().wrapping_mul(c)) });
                    Some(self.bin(BinOp::Mul, x, prod))
                }
                _ => None,
            },
            (BinOp::Shr, c) if ty.is_unsigned() && c > 0 => self.shift_sum(ty, a, c),
            (BinOp::Div, c) if ty.is_unsigned() && c > 0 => self.div_const(ty, a, c),
            (BinOp::Rem, c) if ty.is_unsigned() && c > 0 => self.rem_const(ty, a, c),
            _ => None,
        }
    }

    /// Masks that keep all bits or none, and bits set or flipped where there are zeros.
    fn mask(&mut self, op: BinOp, ty: ScalarType, a: ExprId, k: Const) -> Option<ExprId> {
        let range = self.range(a);
        if !ty.is_int() || range.lo < 0 || k.int() <= 0 {
            return None;
        }
        // One more than the greatest value that the bits of `a` can have.
        let end = (range.hi as u128 + 1).next_power_of_two();
        let bits = k.int() as u128;
        match op {
            BinOp::And if bits & (end - 1) == end - 1 => Some(a),
            BinOp::And if bits & (end - 1) == 0 || bits >> self.low_zeros(a) == 0 => {
                Some(self.constant(Const { ty, bits: 0 }))
            }
            // Low bits of `x + c` where `c` has none of them are those of `x`, also where the sum wraps.
            BinOp::And if (bits + 1).is_power_of_two() => match self.expr(a) {
                Expr::Bin(BinOp::Add, x, y) if self.as_const(y)?.int() as u128 & bits == 0 => {
                    let k = self.constant(k);
                    Some(self.bin(BinOp::And, x, k))
                }
                _ => None,
            },
            // `(x * 4) ^ 3` is `x * 4 + 3`.
            BinOp::Or | BinOp::Xor => {
                let end = (bits + 1).next_power_of_two() as i128;
                self.quotient(a, end).is_some().then(|| {
                    let k = self.constant(k);
                    self.bin(BinOp::Add, a, k)
                })
            }
            _ => None,
        }
    }

    /// How many low bits are visibly zero, of a product by a constant and of what is shifted, also where it wraps. Multiples of sums are
    /// not told: where a launch is asked about one, proofs know the answer as a fact, and need not take the sum apart.
    fn low_zeros(&self, a: ExprId) -> u32 {
        let Expr::Bin(op, x, y) = self.expr(a) else { return 0 };
        if matches!(self.expr(x), Expr::Bin(BinOp::Add | BinOp::Sub, ..)) {
            return 0;
        }
        let bits = i128::from(self.ty(a).bits());
        match (op, self.as_const(y).map(Const::int)) {
            (BinOp::Mul, Some(c @ 1..)) => c.trailing_zeros(),
            (BinOp::Shl, Some(s)) if (0..bits).contains(&s) => s as u32,
            _ => 0,
        }
    }

    /// `(x + c) >> s` where `c` has no bit that is lost and the sum does not wrap.
    fn shift_sum(&mut self, ty: ScalarType, a: ExprId, s: i128) -> Option<ExprId> {
        let Expr::Bin(BinOp::Add, x, y) = self.expr(a) else { return None };
        let (c, hi) = (self.as_const(y)?.int(), self.range(x).hi);
        let lost = 1i128.checked_shl(s as u32)?.checked_sub(1)?;
        if s >= ty.bits().into() || c < 0 || c & lost != 0 || hi + c > Range::full(ty).hi {
            return None;
        }
        let (by, high) = (Const { ty, bits: s as u64 }, Const { ty, bits: (c >> s) as u64 });
        let (by, high) = (self.constant(by), self.constant(high));
        let low = self.bin(BinOp::Shr, x, by);
        Some(self.bin(BinOp::Add, low, high))
    }

    /// Whether `a` is visibly at most `b`: `min(b, _)`, `b / k`, `b >> k`, `b % k`, `b & k`.
    fn is_part(&self, a: ExprId, b: ExprId) -> bool {
        match self.expr(a) {
            Expr::Bin(BinOp::Min | BinOp::And, x, y) => x == b || y == b,
            Expr::Bin(BinOp::Div | BinOp::Rem, x, y) => x == b && self.range(y).lo > 0,
            Expr::Bin(BinOp::Shr, x, _) => x == b,
            _ => false,
        }
    }

    fn bool_identity(&mut self, op: BinOp, ty: ScalarType, a: ExprId, b: ExprId) -> Option<ExprId> {
        if ty != ScalarType::Bool {
            return None;
        }
        let k = self.as_const(b)?.bits;
        match (op, k) {
            (BinOp::And | BinOp::Eq, 1) | (BinOp::Or | BinOp::Xor | BinOp::Ne, 0) => Some(a),
            (BinOp::And, 0) | (BinOp::Or, 1) => Some(b),
            (BinOp::Xor | BinOp::Ne, 1) | (BinOp::Eq, 0) => Some(self.un(UnOp::Not, a)),
            _ => None,
        }
    }

    /// `(x + c1) + c2` and `(x - c1) + c2`; wrapping arithmetic makes both right.
    fn add_const(&mut self, ty: ScalarType, a: ExprId, k: Const) -> Option<ExprId> {
        match self.expr(a) {
            Expr::Bin(BinOp::Add, x, y) => {
                let c = self.as_const(y)?;
                let sum = self.constant(arith::bin(BinOp::Add, c, k));
                Some(self.bin(BinOp::Add, x, sum))
            }
            Expr::Bin(BinOp::Sub, x, y) => {
                if let Some(c) = self.as_const(y) {
                    return Some(self.offset(ty, x, k.int() - c.int()));
                }
                // (c - y) + k
                let c = self.as_const(x)?;
                let sum = self.constant(arith::bin(BinOp::Add, c, k));
                Some(self.bin(BinOp::Sub, sum, y))
            }
            _ => None,
        }
    }

    /// `x + d` for a signed distance, written as an addition or a subtraction.
    fn offset(&mut self, ty: ScalarType, x: ExprId, d: i128) -> ExprId {
        let k = self.constant(Const { ty, bits: arith::wrap(ty, d.abs()) });
        self.bin(if d < 0 { BinOp::Sub } else { BinOp::Add }, x, k)
    }

    /// `x - 0`, `(x + y) - x`, `(x + c1) - c2`, `(x - c1) - c2`, `c1 - (c2 - x)`.
    fn cancel(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let ty = self.ty(a);
        if let Expr::Bin(BinOp::Add, x, y) = self.expr(a) {
            if x == b {
                return Some(y);
            }
            if y == b {
                return Some(x);
            }
        }
        if let Some(k) = self.as_const(b) {
            if k.bits == 0 {
                return Some(a);
            }
            return match self.expr(a) {
                Expr::Bin(BinOp::Add, x, y) => {
                    let c = self.as_const(y)?;
                    Some(self.offset(ty, x, c.int() - k.int()))
                }
                Expr::Bin(BinOp::Sub, x, y) => {
                    let c = self.as_const(y)?;
                    Some(self.offset(ty, x, -c.int() - k.int()))
                }
                _ => None,
            };
        }
        if let (Some(c1), Expr::Bin(BinOp::Sub, x, y)) = (self.as_const(a), self.expr(b)) {
            let c2 = self.as_const(x)?;
            return Some(self.offset(ty, y, c1.int() - c2.int()));
        }
        None
    }

    /// `x / c`: splits a sum whose multiple of `c` is known, then shifts for powers of two.
    fn div_const(&mut self, ty: ScalarType, a: ExprId, c: i128) -> Option<ExprId> {
        if self.range(a).hi < c {
            return Some(self.constant(Const { ty, bits: 0 }));
        }
        if let Some((q, r)) = self.split_multiple(a, c) {
            let k = self.constant(Const { ty, bits: c as u64 });
            let rest = self.bin(BinOp::Div, r, k);
            return Some(self.bin(BinOp::Add, q, rest));
        }
        if let Some((x, m, _)) = self.part_multiple(a, c) {
            let k = self.constant(Const { ty, bits: (c / m) as u64 });
            return Some(self.bin(BinOp::Div, x, k));
        }
        if let Expr::Bin(BinOp::Shr, x, y) = self.expr(a)
            && let (Some(s), true) = (self.as_const(y), (c as u128).is_power_of_two())
        {
            let total = s.int() as u32 + (c as u128).trailing_zeros();
            if total < ty.bits() {
                let k = self.constant(Const { ty, bits: total.into() });
                return Some(self.bin(BinOp::Shr, x, k));
            }
        }
        if (c as u128).is_power_of_two() {
            let k = self.constant(Const { ty, bits: u64::from((c as u128).trailing_zeros()) });
            return Some(self.bin(BinOp::Shr, a, k));
        }
        None
    }

    fn rem_const(&mut self, ty: ScalarType, a: ExprId, c: i128) -> Option<ExprId> {
        if self.range(a).hi < c {
            return Some(a);
        }
        if let Some((_, r)) = self.split_multiple(a, c) {
            let k = self.constant(Const { ty, bits: c as u64 });
            return Some(self.bin(BinOp::Rem, r, k));
        }
        if let Some((x, m, r)) = self.part_multiple(a, c) {
            let (k, m) = (Const { ty, bits: (c / m) as u64 }, Const { ty, bits: m as u64 });
            let (k, m) = (self.constant(k), self.constant(m));
            let rest = self.bin(BinOp::Rem, x, k);
            let rest = self.bin(BinOp::Mul, rest, m);
            return Some(self.bin(BinOp::Add, rest, r));
        }
        if (c as u128).is_power_of_two() {
            let k = self.constant(Const { ty, bits: c as u64 - 1 });
            return Some(self.bin(BinOp::And, a, k));
        }
        None
    }

    /// `a` as `q * c + r`, for a sum that does not wrap and has a multiple of `c` on one side.
    fn split_multiple(&mut self, a: ExprId, c: i128) -> Option<(ExprId, ExprId)> {
        let ty = self.ty(a);
        let full = Range::full(ty);
        if let Some(q) = self.quotient(a, c) {
            let zero = self.constant(Const { ty, bits: 0 });
            return Some((q, zero));
        }
        let Expr::Bin(BinOp::Add, x, y) = self.expr(a) else { return None };
        let (rx, ry) = (self.range(x), self.range(y));
        if !Range::new(rx.lo + ry.lo, rx.hi + ry.hi).within(full) {
            return None;
        }
        if let Some(q) = self.quotient(x, c) {
            return Some((q, y));
        }
        let q = self.quotient(y, c)?;
        Some((q, x))
    }

    /// `a` as `x * m + r` with `r < m` and `m` a divisor of `c`, where that does not wrap: then `a / c` is `x / (c / m)`.
    fn part_multiple(&mut self, a: ExprId, c: i128) -> Option<(ExprId, i128, ExprId)> {
        let ty = self.ty(a);
        let (product, rest) = match self.expr(a) {
            Expr::Bin(BinOp::Mul, ..) => (a, self.constant(Const { ty, bits: 0 })),
            Expr::Bin(BinOp::Add, x, y) if matches!(self.expr(x), Expr::Bin(BinOp::Mul, ..)) => (x, y),
            Expr::Bin(BinOp::Add, x, y) => (y, x),
            _ => return None,
        };
        let Expr::Bin(BinOp::Mul, x, m) = self.expr(product) else { return None };
        let m = self.as_const(m)?.int();
        let (most, rest_range) = (self.range(x).hi.checked_mul(m)?, self.range(rest));
        let fits = m > 1 && c % m == 0 && rest_range.lo >= 0 && rest_range.hi < m;
        (fits && Range::new(0, most + m - 1).within(Range::full(ty))).then_some((x, m, rest))
    }

    /// `a / c` where `a` is visibly a multiple of `c` and does not wrap.
    fn quotient(&mut self, a: ExprId, c: i128) -> Option<ExprId> {
        let ty = self.ty(a);
        if let Some(k) = self.as_const(a) {
            return (k.int() % c == 0).then(|| self.constant(Const { ty, bits: (k.int() / c) as u64 }));
        }
        let Expr::Bin(BinOp::Mul, x, y) = self.expr(a) else { return None };
        let k = self.as_const(y)?.int();
        let hi = self.range(x).hi.checked_mul(k)?;
        if k % c != 0 || !Range::new(0, hi).within(Range::full(ty)) {
            return None;
        }
        let k = self.constant(Const { ty, bits: (k / c) as u64 });
        Some(self.bin(BinOp::Mul, x, k))
    }
}
