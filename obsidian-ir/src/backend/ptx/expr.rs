//! Expressions: one tree in, the operand that holds its value out. Pure subexpressions are computed once per scope.

use super::emit::{Emitter, Known};
use super::regs::{Class, Operand, immediate};
use crate::program::{Expr, ExprId, Node, ScalarType};

impl Emitter<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, id: ExprId) -> Operand {
        let node = *self.p.exprs.node(id);
        match node.expr {
            Expr::Const(c) => return immediate(c),
            Expr::Var(v) => {
                return match (self.vars.get(&v).cloned(), self.lets.get(&v).copied()) {
                    (Some(at), _) => self.present(at),
                    // The end of a loop whose last round is printed apart: it has no register.
                    (None, Some(value)) => self.value(value),
                    (None, None) => zero(node.ty),
                };
            }
            leaf @ (Expr::Scalar(_) | Expr::Len(_) | Expr::Special(_)) => {
                return self.leaves.get(&leaf).cloned().unwrap_or_else(|| zero(node.ty));
            }
            Expr::Load(array, index) => {
                let origin = self.p.exprs.origin(id);
                return self.written_for(origin, |e| e.load(array, index, node.ty));
            }
            _ => {}
        }
        if let Some(at) = self.known(&Known::Value(id)) {
            return at;
        }
        let origin = self.p.exprs.origin(id);
        let at = self.written_for(origin, |e| e.computed(id, node));
        if self.is_pure(id) {
            self.note(Known::Value(id), at.clone());
        }
        at
    }

    /// An operation, computed.
    fn computed(&mut self, id: ExprId, node: Node) -> Operand {
        match node.expr {
            Expr::Un(op, a) => self.unary(op, a, node.ty),
            Expr::Bin(op, a, b) => self.binary(op, a, b, id),
            Expr::Cast(a) => self.cast(a, id),
            Expr::Bits(a) => self.reinterpreted(a, node.ty),
            Expr::MulAdd(a, b, c) => {
                // One operand may be an immediate, as everywhere.
                let (a, b, c) = (self.value_reg(a), self.value_reg(b), self.value_reg(c));
                let class = Class::of(node.ty);
                self.compute(&format!("fma.rn.{}", class.ty()), class, &[&a, &b, &c])
            }
            Expr::Select(c, a, b) => self.select(c, a, b, node.ty),
            _ => zero(node.ty),
        }
    }

    /// The value in a register.
    pub(super) fn value_reg(&mut self, id: ExprId) -> Operand {
        let class = Class::of(self.p.exprs.ty(id));
        let x = self.value(id);
        self.in_reg(x, class)
    }

    /// Both sides are computed: the pass `schedule` left no load in them.
    fn select(&mut self, c: ExprId, a: ExprId, b: ExprId, ty: ScalarType) -> Operand {
        let cond = self.value_reg(c);
        let class = Class::of(ty);
        if ty == ScalarType::Bool {
            // `selp` has no predicates as data.
            let (a, b) = (self.value_reg(a), self.value_reg(b));
            let yes = self.compute("and.pred", class, &[&cond, &a]);
            let other = self.compute("not.pred", class, &[&cond]);
            let no = self.compute("and.pred", class, &[&other, &b]);
            return self.compute("or.pred", class, &[&yes, &no]);
        }
        let (a, b) = (self.value(a), self.value(b));
        self.compute(&format!("selp.{}", class.ty()), class, &[&a, &b, &cond])
    }

    /// Brings a value in a 32-bit register back into the range of an 8- or 16-bit type; other types stay as they are.
    pub(super) fn normalised(&mut self, x: Operand, ty: ScalarType) -> Operand {
        match ty {
            ScalarType::U8 => self.compute("and.b32", Class::U32, &[&x, &255]),
            ScalarType::U16 => self.compute("and.b32", Class::U32, &[&x, &65535]),
            // A source register wider than the type gives its low bits (PTX ISA, cvt).
            ScalarType::I8 => self.compute("cvt.s32.s8", Class::S32, &[&x]),
            ScalarType::I16 => self.compute("cvt.s32.s16", Class::S32, &[&x]),
            _ => x,
        }
    }
}

/// Zero of a type, the value of an unbound name. No program of the earlier stages has one.
fn zero(ty: ScalarType) -> Operand {
    immediate(crate::program::Const { ty, bits: 0 })
}
