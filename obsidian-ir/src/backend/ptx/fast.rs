//! What `fast_math` allows: a product and a sum in one instruction with one rounding, and approximate division, square root
//! and reciprocals of `f32` (PTX ISA, fma, `div.approx`, `sqrt.approx`, `rcp.approx`, `rsqrt.approx`). Without it nothing here
//! changes a program.

use super::emit::{Emitter, Known};
use super::regs::{Class, Operand};
use crate::program::{BinOp, Expr, ExprId, Math, Reciprocal, ScalarType, UnOp};

impl Emitter<'_> {
    /// Whether operations on `ty` that have an approximate instruction take it.
    pub(super) fn approximates(&self, ty: ScalarType) -> bool {
        self.p.options.math == Math::Fast && ty == ScalarType::F32
    }

    /// `x * y + b`, `a + x * y`, `x * y - b` and `a - x * y` as one instruction. A product that is in a register already
    /// is not computed again.
    pub(super) fn contracted(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: ScalarType) -> Option<Operand> {
        if self.p.options.math != Math::Fast || !matches!(ty, ScalarType::F32 | ScalarType::F64) {
            return None;
        }
        let (left, right) = (self.open_product(a), self.open_product(b));
        let class = Class::of(ty);
        let fma = format!("fma.rn.{}", class.ty());
        let neg = format!("neg.{}", class.ty());
        let (product, rest) = match op {
            BinOp::Add | BinOp::Sub if left.is_some() => (left?, b),
            BinOp::Add | BinOp::Sub => (right?, a),
            _ => return None,
        };
        let (mut x, y, mut z) = (self.value_reg(product.0), self.value_reg(product.1), self.value_reg(rest));
        if op == BinOp::Sub {
            let minus = if left.is_some() { &mut z } else { &mut x };
            *minus = self.compute(&neg, class, &[&*minus]);
        }
        Some(self.compute(&fma, class, &[&x, &y, &z]))
    }

    /// `1 / b` and `1 / sqrt(b)` as one instruction each.
    pub(super) fn reciprocal(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: ScalarType) -> Option<Operand> {
        if !self.approximates(ty) {
            return None;
        }
        let (name, of) = match Reciprocal::of(&self.p.exprs, op, a, b)? {
            Reciprocal::Root(x) if self.known(&Known::Value(b)).is_none() => ("rsqrt", x),
            _ => ("rcp", b),
        };
        let x = self.value_reg(of);
        Some(self.compute(&format!("{name}.approx.ftz.f32"), Class::of(ty), &[&x]))
    }

    /// The function of `f32` that is one instruction. `ex2` and `lg2` are within 2^-22, `sin` and `cos` within 2^-20.5 from
    /// -2 pi to 2 pi, `tanh` within 2^-11 (PTX ISA, `ex2`, `lg2`, `sin`, `cos`, `tanh`).
    pub(super) fn hardware(&mut self, op: UnOp, x: &Operand) -> Operand {
        let name = match op {
            UnOp::Exp2 => "ex2.approx.ftz.f32",
            UnOp::Log2 => "lg2.approx.ftz.f32",
            UnOp::Sin => "sin.approx.ftz.f32",
            UnOp::Cos => "cos.approx.ftz.f32",
            UnOp::Tanh => "tanh.approx.f32",
            // Validated away: a word that no assembler takes.
            _ => "this_is_no_approximation",
        };
        self.compute(name, Class::of(ScalarType::F32), &[x])
    }

    /// The factors of a product that no register holds.
    fn open_product(&mut self, id: ExprId) -> Option<(ExprId, ExprId)> {
        match self.p.exprs.expr(id) {
            Expr::Bin(BinOp::Mul, x, y) if self.known(&Known::Value(id)).is_none() => Some((x, y)),
            _ => None,
        }
    }
}
