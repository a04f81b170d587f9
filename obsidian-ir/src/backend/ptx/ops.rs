//! Unary and binary operations as PTX instructions. Every float operation is rounded to nearest and never contracted
//! (but see `fast`): ptxas fuses only multiplications without a rounding modifier (PTX ISA, mul). No `.ftz`: subnormals
//! stay.

use super::divide::{Recipe, recipe};
use super::emit::Emitter;
use super::regs::{Class, Operand};
use crate::program::{BinOp, Const, ExprId, Range, ScalarType, UnOp};

impl Emitter<'_> {
    /// A unary operation on a value of type `ty`.
    pub(super) fn unary(&mut self, op: UnOp, a: ExprId, ty: ScalarType) -> Operand {
        let x = self.value_reg(a);
        let class = Class::of(ty);
        // Unsigned registers take the signed instruction; the bits are the same.
        let signed = match class {
            Class::U32 => "s32",
            Class::U64 => "s64",
            other => other.ty(),
        };
        let t = class.ty();
        match op {
            UnOp::Neg => {
                let r = self.compute(&format!("neg.{signed}"), class, &[&x]);
                self.normalised(r, ty)
            }
            UnOp::Not if ty.is_float() => x,
            UnOp::Not => {
                let r = self.compute(&format!("not.{}", class.bits()), class, &[&x]);
                if ty.is_unsigned() { self.normalised(r, ty) } else { r }
            }
            UnOp::CountOnes | UnOp::LeadingZeros | UnOp::TrailingZeros | UnOp::ReverseBits => {
                if ty.is_int() {
                    self.counted(op, x, ty)
                } else {
                    x
                }
            }
            UnOp::Abs if ty.is_unsigned() || ty == ScalarType::Bool => x,
            UnOp::Abs => {
                let r = self.compute(&format!("abs.{t}"), class, &[&x]);
                self.normalised(r, ty)
            }
            _ if !ty.is_float() => x,
            UnOp::Sqrt if self.approximates(ty) => self.compute("sqrt.approx.ftz.f32", class, &[&x]),
            UnOp::Sqrt => self.compute(&format!("sqrt.rn.{t}"), class, &[&x]),
            UnOp::Floor => self.compute(&format!("cvt.rmi.{t}.{t}"), class, &[&x]),
            UnOp::Ceil => self.compute(&format!("cvt.rpi.{t}.{t}"), class, &[&x]),
            UnOp::Trunc => self.compute(&format!("cvt.rzi.{t}.{t}"), class, &[&x]),
            UnOp::Exp2 | UnOp::Log2 | UnOp::Sin | UnOp::Cos | UnOp::Tanh => self.hardware(op, &x),
        }
    }

    /// Operations on the bits of an integer. `popc` and `clz` give a `u32` whatever the operand is (PTX ISA, popc, clz).
    fn counted(&mut self, op: UnOp, x: Operand, ty: ScalarType) -> Operand {
        let class = Class::of(ty);
        let b = class.bits();
        // A negative narrow value has ones above its width.
        let x = if ty.is_signed() && ty.bits() < 32 {
            self.compute("and.b32", Class::U32, &[&x, &(u32::MAX >> (32 - ty.bits()))])
        } else {
            x
        };
        let unused = if ty.bits() == 64 { 0 } else { 32 - ty.bits() };
        let count = match op {
            UnOp::CountOnes => self.compute(&format!("popc.{b}"), Class::U32, &[&x]),
            UnOp::LeadingZeros => {
                let n = self.compute(&format!("clz.{b}"), Class::U32, &[&x]);
                if unused == 0 { n } else { self.compute("sub.u32", Class::U32, &[&n, &unused]) }
            }
            UnOp::TrailingZeros => {
                // A bit just above the width ends the count for 0.
                let x = if unused == 0 { x } else { self.compute("or.b32", Class::U32, &[&x, &(1u32 << ty.bits())]) };
                let r = self.compute(&format!("brev.{b}"), class, &[&x]);
                self.compute(&format!("clz.{b}"), Class::U32, &[&r])
            }
            _ => {
                let r = self.compute(&format!("brev.{b}"), class, &[&x]);
                return if unused == 0 {
                    r
                } else {
                    self.compute(&format!("shr.{}", class.ty()), class, &[&r, &unused])
                };
            }
        };
        match class {
            Class::U64 | Class::S64 => self.compute(&format!("cvt.{}.u32", class.ty()), class, &[&count]),
            Class::S32 => self.compute("mov.b32", class, &[&count]),
            _ => count,
        }
    }

    /// The binary operation `id` of `a` and `b`.
    pub(super) fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId, id: ExprId) -> Operand {
        let ty = self.p.exprs.ty(a);
        if ty == ScalarType::Bool {
            return self.logic(op, a, b);
        }
        match op {
            BinOp::Shl | BinOp::Shr => return self.shift(op, a, b, ty),
            BinOp::Div | BinOp::Rem if ty.is_int() => return self.division(op, a, b, ty),
            BinOp::Rem => return self.float_rem(a, b, ty),
            BinOp::MulHigh => return self.mul_high(a, b, ty),
            _ => {}
        }
        if let Some(r) = self.contracted(op, a, b, ty).or_else(|| self.reciprocal(op, a, b, ty)) {
            return r;
        }
        // One operand may be an immediate, not both; constants are folded before, so this only guards the spelling.
        let (x, y) = (self.value_reg(a), self.value(b));
        let class = Class::of(ty);
        let t = class.ty();
        if op.is_comparison() {
            return self.compute(&format!("setp.{}.{t}", comparison(op, ty)), Class::Pred, &[&x, &y]);
        }
        let name = match op {
            BinOp::And => format!("and.{}", class.bits()),
            BinOp::Or => format!("or.{}", class.bits()),
            BinOp::Xor => format!("xor.{}", class.bits()),
            // Of a number and a NaN, the number; +0 is above -0 (PTX ISA §9.7.3, min and max).
            BinOp::Min => format!("min.{t}"),
            BinOp::Max => format!("max.{t}"),
            BinOp::Mul if ty.is_int() => format!("mul.lo.{t}"),
            BinOp::Mul => format!("mul.rn.{t}"),
            BinOp::Add if ty.is_float() => format!("add.rn.{t}"),
            BinOp::Sub if ty.is_float() => format!("sub.rn.{t}"),
            BinOp::Sub => format!("sub.{t}"),
            BinOp::Div if self.approximates(ty) => "div.approx.ftz.f32".to_string(),
            BinOp::Div => format!("div.rn.{t}"),
            _ => format!("add.{t}"),
        };
        let r = self.compute(&name, class, &[&x, &y]);
        let may_leave = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul);
        // A range smaller than the type says that nothing wrapped.
        if may_leave && self.p.exprs.range(id) == Range::full(ty) { self.normalised(r, ty) } else { r }
    }

    /// The upper half of a product (PTX ISA, mul); of narrow types all of it fits into a register.
    fn mul_high(&mut self, a: ExprId, b: ExprId, ty: ScalarType) -> Operand {
        let (x, y) = (self.value_reg(a), self.value(b));
        let class = Class::of(ty);
        let t = class.ty();
        if ty.bits() >= 32 {
            return self.compute(&format!("mul.hi.{t}"), class, &[&x, &y]);
        }
        let whole = self.compute(&format!("mul.lo.{t}"), class, &[&x, &y]);
        self.compute(&format!("shr.{t}"), class, &[&whole, &Operand::imm(ty.bits().to_string())])
    }

    /// Operations on `bool`, which PTX has only as logic on predicates.
    fn logic(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Operand {
        let (x, y) = (self.value_reg(a), self.value_reg(b));
        let p = Class::Pred;
        let mut with_not = |not: &Operand, gate: &str, other: &Operand| {
            let n = self.compute("not.pred", p, &[not]);
            self.compute(gate, p, &[&n, other])
        };
        match op {
            BinOp::Lt => with_not(&x, "and.pred", &y),
            BinOp::Gt => with_not(&y, "and.pred", &x),
            BinOp::Le => with_not(&x, "or.pred", &y),
            BinOp::Ge => with_not(&y, "or.pred", &x),
            BinOp::Eq => with_not(&x, "xor.pred", &y),
            BinOp::And | BinOp::Min | BinOp::Mul => self.compute("and.pred", p, &[&x, &y]),
            BinOp::Or | BinOp::Max => self.compute("or.pred", p, &[&x, &y]),
            _ => self.compute("xor.pred", p, &[&x, &y]),
        }
    }

    /// Shifts. PTX clamps a count past the width (PTX ISA, shl), the language takes it modulo the width.
    fn shift(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: ScalarType) -> Operand {
        let x = self.value_reg(a);
        let mask = ty.bits() - 1;
        let count = match self.p.exprs.as_const(b) {
            Some(c) => Operand::imm((c.bits as u32 & mask).to_string()),
            None => {
                let y = self.value(b);
                let wide = self.p.exprs.ty(b).bits() == 64;
                let y = if wide { self.compute("cvt.u32.u64", Class::U32, &[&y]) } else { y };
                if self.p.exprs.range(b).within(Range::new(0, mask.into())) {
                    y
                } else {
                    self.compute("and.b32", Class::U32, &[&y, &mask])
                }
            }
        };
        let class = Class::of(ty);
        if op == BinOp::Shr {
            return self.compute(&format!("shr.{}", class.ty()), class, &[&x, &count]);
        }
        let r = self.compute(&format!("shl.{}", class.bits()), class, &[&x, &count]);
        self.normalised(r, ty)
    }

    /// Integer division and remainder. `div` never traps; by zero it gives some bits (PTX ISA, div), which narrow types
    /// must still bring into their range.
    fn division(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: ScalarType) -> Operand {
        let range = self.p.exprs.range(a);
        if let Some(d) = self.p.exprs.as_const(b).map(Const::int).filter(|&d| d > 0 && range.lo >= 0) {
            let x = self.value_reg(a);
            return self.divide_by(op, &x, d as u64, range.hi as u64, ty);
        }
        let (x, y) = (self.value_reg(a), self.value(b));
        let class = Class::of(ty);
        let name = if op == BinOp::Div { "div" } else { "rem" };
        let r = self.compute(&format!("{name}.{}", class.ty()), class, &[&x, &y]);
        self.normalised(r, ty)
    }

    /// Division of `0 ..= max` by the constant `d`.
    fn divide_by(&mut self, op: BinOp, n: &Operand, d: u64, max: u64, ty: ScalarType) -> Operand {
        let class = Class::of(ty);
        let (width, u) = if ty.bits() == 64 { (64, "u64") } else { (32, "u32") };
        let shr = format!("shr.{u}");
        if op == BinOp::Rem && d.is_power_of_two() {
            return self.compute(&format!("and.{}", class.bits()), class, &[n, &(d - 1)]);
        }
        let mut step = |name: &str, args: &[&dyn std::fmt::Display]| self.compute(name, class, args);
        let q = match recipe(d, max, width) {
            Recipe::Shift(k) => step(&shr, &[n, &k]),
            Recipe::Multiply { pre, m, post } => {
                let n = if pre == 0 { n.clone() } else { step(&shr, &[n, &pre]) };
                let high = step(&format!("mul.hi.{u}"), &[&n, &m]);
                if post == 0 { high } else { step(&shr, &[&high, &post]) }
            }
            Recipe::MultiplyAdd { m, post } => {
                let high = step(&format!("mul.hi.{u}"), &[n, &m]);
                let rest = step(&format!("sub.{u}"), &[n, &high]);
                let half = step(&shr, &[&rest, &1]);
                let sum = step(&format!("add.{u}"), &[&half, &high]);
                step(&shr, &[&sum, &post])
            }
        };
        if op == BinOp::Div {
            return q;
        }
        let back = step(&format!("mul.lo.{u}"), &[&q, &d]);
        step(&format!("sub.{u}"), &[n, &back])
    }
}

/// The condition of `setp`. On floats all are false for NaN but `!=`, which is true: `neu`.
fn comparison(op: BinOp, ty: ScalarType) -> &'static str {
    match op {
        BinOp::Eq => "eq",
        BinOp::Ne if ty.is_float() => "neu",
        BinOp::Ne => "ne",
        BinOp::Lt => "lt",
        BinOp::Le => "le",
        BinOp::Gt => "gt",
        _ => "ge",
    }
}
