//! Float remainder, exact as Rust's `%`, for which PTX has no instruction: the mantissas are divided as integers,
//! eleven bits of the exponents' difference per round. In: two floats. Out: a register, after a short loop.

use super::emit::Emitter;
use super::regs::{Class, Operand};
use crate::program::{ExprId, ScalarType};

/// Bits of infinity; also the mask of the exponent.
const INF: u64 = 0x7ff0_0000_0000_0000;
/// The mantissa's implied bit.
const ONE: u64 = 1 << 52;

impl Emitter<'_> {
    /// `a % b`. The remainder of two `f32` is an `f32`, so both types are done in `f64`.
    pub(super) fn float_rem(&mut self, a: ExprId, b: ExprId, ty: ScalarType) -> Operand {
        let (x, y) = (self.value_reg(a), self.value_reg(b));
        if ty == ScalarType::F64 {
            return self.rem_f64(&x, &y);
        }
        let x = self.compute("cvt.f64.f32", Class::F64, &[&x]);
        let y = self.compute("cvt.f64.f32", Class::F64, &[&y]);
        let r = self.rem_f64(&x, &y);
        self.compute("cvt.rn.f32.f64", Class::F32, &[&r])
    }

    fn rem_f64(&mut self, x: &Operand, y: &Operand) -> Operand {
        let (u, p) = (Class::U64, Class::Pred);
        let xb = self.compute("mov.b64", u, &[x]);
        let ax = self.compute("and.b64", u, &[&xb, &(INF | (ONE - 1))]);
        let yb = self.compute("mov.b64", u, &[y]);
        let ay = self.compute("and.b64", u, &[&yb, &(INF | (ONE - 1))]);
        let (mx, ex) = self.parts(&ax);
        let (my, ey) = self.parts(&ay);

        // |x| < |y|: x itself, and no rounds.
        let small = self.compute("setp.lt.u64", p, &[&ax, &ay]);
        let gap = self.compute("sub.s32", Class::S32, &[&ex, &ey]);
        let left = self.compute("selp.s32", Class::S32, &[&0, &gap, &small]);
        let r = self.compute("rem.u64", u, &[&mx, &my]);
        self.rounds(&r, &my, &left);

        // r * 2^(ey - 1075), in two exact steps.
        let f = self.compute("cvt.rn.f64.u64", Class::F64, &[&r]);
        let f = self.compute("mul.rn.f64", Class::F64, &[&f, &"0d3CB0000000000000"]);
        let e = self.compute("cvt.u64.u32", u, &[&ey]);
        let e = self.compute("shl.b64", u, &[&e, &52]);
        let scale = self.compute("mov.b64", Class::F64, &[&e]);
        let f = self.compute("mul.rn.f64", Class::F64, &[&f, &scale]);
        // The sign is the dividend's, also of zero (PTX ISA, copysign: sign of the first operand).
        let f = self.compute("copysign.f64", Class::F64, &[x, &f]);
        let f = self.compute("selp.f64", Class::F64, &[x, &f, &small]);

        let not_finite = self.compute("setp.ge.u64", p, &[&ax, &INF]);
        let by_nan = self.compute("setp.gt.u64", p, &[&ay, &INF]);
        let by_zero = self.compute("setp.eq.u64", p, &[&ay, &0]);
        let bad = self.compute("or.pred", p, &[&not_finite, &by_nan]);
        let bad = self.compute("or.pred", p, &[&bad, &by_zero]);
        self.compute("selp.f64", Class::F64, &[&"0d7FF8000000000000", &f, &bad])
    }

    /// Mantissa and exponent of a magnitude; a subnormal has the exponent 1 and no implied bit.
    fn parts(&mut self, bits: &Operand) -> (Operand, Operand) {
        let u = Class::U64;
        let e = self.compute("shr.u64", u, &[bits, &52]);
        let e = self.compute("cvt.u32.u64", Class::U32, &[&e]);
        let normal = self.compute("setp.ne.u32", Class::Pred, &[&e, &0]);
        let low = self.compute("and.b64", u, &[bits, &(ONE - 1)]);
        let full = self.compute("or.b64", u, &[&low, &ONE]);
        let m = self.compute("selp.u64", u, &[&full, &low, &normal]);
        let e = self.compute("max.u32", Class::U32, &[&e, &1]);
        (m, e)
    }

    /// `r = (r << left) % m`, where `r < m < 2^53`.
    fn rounds(&mut self, r: &Operand, m: &Operand, left: &Operand) {
        let (top, done) = (self.fresh_label(), self.fresh_label());
        self.label(&top);
        let none = self.compute("setp.le.s32", Class::Pred, &[left, &0]);
        self.ins(&format!("@{none} bra {done};"));
        let k = self.compute("min.s32", Class::S32, &[left, &11]);
        self.ins(&format!("shl.b64 {r}, {r}, {k};"));
        self.ins(&format!("rem.u64 {r}, {r}, {m};"));
        self.ins(&format!("sub.s32 {left}, {left}, {k};"));
        self.ins(&format!("bra {top};"));
        self.label(&done);
    }
}
