//! Casts with the meaning of Rust's `as`. In: a value and its type. Out: the value in the other type.

use super::emit::Emitter;
use super::regs::{Class, Operand};
use crate::program::{Const, ExprId, Range, ScalarType};

impl Emitter<'_> {
    /// The cast `id` of `a`.
    pub(super) fn cast(&mut self, a: ExprId, id: ExprId) -> Operand {
        let (from, to) = (self.p.exprs.ty(a), self.p.exprs.ty(id));
        let x = self.value_reg(a);
        match (from, to) {
            _ if from == to => x,
            (ScalarType::Bool, _) => self.bool_to(&x, to),
            (_, ScalarType::Bool) => {
                let ne = if from.is_float() { "neu" } else { "ne" };
                let zero = super::regs::immediate(Const { ty: from, bits: 0 });
                self.compute(&format!("setp.{ne}.{}", Class::of(from).ty()), Class::Pred, &[&x, &zero])
            }
            (ScalarType::F16, _) => self.compute("cvt.f32.f16", Class::F32, &[&x]),
            (_, ScalarType::F16) => self.compute("cvt.rn.f16.f32", Class::Half, &[&x]),
            (ScalarType::BF16, _) => {
                let low = self.compute("cvt.u32.u16", Class::U32, &[&x]);
                let bits = self.compute("shl.b32", Class::U32, &[&low, &16]);
                self.compute("mov.b32", Class::F32, &[&bits])
            }
            (_, ScalarType::BF16) => self.cut_to_bf16(&x),
            _ if from.is_float() && to.is_float() => {
                let round = if to == ScalarType::F32 { ".rn" } else { "" };
                self.convert(&format!("cvt{round}"), &x, from, to)
            }
            _ if from.is_float() => self.float_to_int(&x, from, to),
            _ if to.is_float() => self.convert("cvt.rn", &x, from, to),
            _ => {
                let range = self.p.exprs.range(a);
                self.int_to_int(x, range, from, to)
            }
        }
    }

    /// Rounds to nearest even. `cvt.rn.bf16.f32` needs sm_80 (PTX ISA, cvt); this is right on every target.
    fn cut_to_bf16(&mut self, x: &Operand) -> Operand {
        let (u, p) = (Class::U32, Class::Pred);
        let b = self.compute("mov.b32", u, &[x]);
        let high = self.compute("shr.u32", u, &[&b, &16]);
        let odd = self.compute("and.b32", u, &[&high, &1]);
        let up = self.compute("add.u32", u, &[&odd, &0x7fff]);
        let rounded = self.compute("add.u32", u, &[&b, &up]);
        let quiet = self.compute("or.b32", u, &[&b, &0x0040_0000]);
        let nan = self.compute("setp.nan.f32", p, &[x, x]);
        let r = self.compute("selp.u32", u, &[&quiet, &rounded, &nan]);
        let high = self.compute("shr.u32", u, &[&r, &16]);
        self.compute("cvt.u16.u32", Class::Half, &[&high])
    }

    /// The bits of `a` as a type of the same width, one of them a float.
    pub(super) fn reinterpreted(&mut self, a: ExprId, to: ScalarType) -> Operand {
        let x = self.value_reg(a);
        let (from, class) = (Class::of(self.p.exprs.ty(a)), Class::of(to));
        match (from, class) {
            // Integers of 16 bits live in registers of 32.
            (Class::Half, Class::S32) => self.compute("cvt.s32.s16", class, &[&x]),
            (Class::Half, _) => self.compute("cvt.u32.u16", class, &[&x]),
            (_, Class::Half) => self.compute("cvt.u16.u32", class, &[&x]),
            _ => self.compute(&format!("mov.{}", class.bits()), class, &[&x]),
        }
    }

    /// `op.to.from`, both types as in registers.
    fn convert(&mut self, op: &str, x: &Operand, from: ScalarType, to: ScalarType) -> Operand {
        let (f, t) = (Class::of(from), Class::of(to));
        self.compute(&format!("{op}.{}.{}", t.ty(), f.ty()), t, &[x])
    }

    fn bool_to(&mut self, x: &Operand, to: ScalarType) -> Operand {
        let one = match to {
            ScalarType::F32 => u64::from(1f32.to_bits()),
            ScalarType::F64 => 1f64.to_bits(),
            _ => 1,
        };
        let one = super::regs::immediate(Const { ty: to, bits: one });
        let zero = super::regs::immediate(Const { ty: to, bits: 0 });
        let class = Class::of(to);
        self.compute(&format!("selp.{}", class.ty()), class, &[&one, &zero, x])
    }

    fn int_to_int(&mut self, x: Operand, range: Range, from: ScalarType, to: ScalarType) -> Operand {
        let keeps = range.within(Range::full(to));
        match (from.bits() == 64, to.bits() == 64) {
            (true, true) => x,
            // Sign follows the source; the register is as wide as 32 bits already.
            (false, true) if from.is_signed() => self.convert("cvt", &x, ScalarType::I32, ScalarType::I64),
            (false, true) => self.convert("cvt", &x, ScalarType::U32, ScalarType::U64),
            (true, false) => {
                let low = self.convert("cvt", &x, ScalarType::U64, ScalarType::U32);
                if keeps { low } else { self.normalised(low, to) }
            }
            (false, false) if keeps => x,
            (false, false) => self.normalised(x, to),
        }
    }

    /// Saturating, NaN to 0. `cvt` clamps to the destination by itself, but gives NaN as 0 only from `f32` to 32 bits,
    /// else as the sign bit (PTX ISA, cvt); 8 and 16 bits go through 32 and are clamped here.
    fn float_to_int(&mut self, x: &Operand, from: ScalarType, to: ScalarType) -> Operand {
        let narrow = to.bits() < 32;
        let via = if narrow { ScalarType::I32 } else { to };
        let mut r = self.convert("cvt.rzi", x, from, via);
        if from == ScalarType::F64 || to.bits() == 64 {
            let nan = self.compute(&format!("setp.nan.{}", Class::of(from).ty()), Class::Pred, &[x, x]);
            let class = Class::of(via);
            r = self.compute(&format!("selp.{}", class.ty()), class, &[&0, &r, &nan]);
        }
        if narrow {
            let full = Range::full(to);
            r = self.compute("max.s32", Class::S32, &[&r, &full.lo]);
            r = self.compute("min.s32", Class::S32, &[&r, &full.hi]);
        }
        r
    }
}
