//! Function values: operators that associate, for trees and scans; any functions, for the rest.

use obsidian_ir::program::{BinOp, ScalarType};

use super::{Gen, opaque};
use crate::ast::{Bound, Declared, Expr, HelperKind, Op};
use crate::types::Ty;

/// What an operator must satisfy besides associativity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Nothing: the order of elements is kept.
    Kept,
    /// Commute.
    Free,
}

/// Whether a helper's `T` can be this.
pub(super) fn satisfies(ty: &Ty, bound: Bound) -> bool {
    match (bound, ty) {
        (_, ty) if *ty == opaque() => false,
        (Bound::Data, ty) => ty.is_data(),
        (Bound::Num, ty) => ty.scalar().is_some_and(|s| s.is_int() || s.is_float()),
        (Bound::Int, ty) => ty.scalar().is_some_and(|s| s.is_int()),
    }
}

impl Gen {
    /// `|a, b| ..`, associative; of floats only those that do not round.
    pub(super) fn operator(&mut self, ty: &Ty, order: Order) -> Expr {
        let (a, b) = (self.fresh(), self.fresh());
        let body = self.combined(ty, Expr::var(a), Expr::var(b), order);
        Expr::lambda(vec![a, b], body)
    }

    fn combined(&mut self, ty: &Ty, a: Expr, b: Expr, order: Order) -> Expr {
        use BinOp::*;
        if order == Order::Kept && self.random.one_in(8) {
            return if self.random.one_in(2) { a } else { b };
        }
        let ops: &[BinOp] = match ty {
            Ty::Scalar(s) if s.is_int() => &[Add, Mul, Min, Max, And, Or, Xor],
            Ty::Scalar(s) if s.is_float() => &[Min, Max],
            Ty::Scalar(_) => &[And, Or, Xor],
            ty if *ty == opaque() => return a,
            Ty::Tuple(fields) => return self.fieldwise(fields, a, b, order),
            Ty::Record(fields) => {
                let field = |(i, ty): (usize, &ScalarType)| {
                    let [a, b] = [&a, &b].map(|of| of.clone().part(i as u32));
                    self.combined(&Ty::Scalar(*ty), a, b, order)
                };
                let parts = fields.iter().enumerate().map(field).collect();
                return Expr::new(Op::Record(fields.clone()), parts);
            }
            _ => return a,
        };
        Expr::bin(self.random.pick(ops), a, b)
    }

    fn fieldwise(&mut self, fields: &[Ty], a: Expr, b: Expr, order: Order) -> Expr {
        let affine = fields.len() == 2 && fields[0] == fields[1] && fields[0].scalar().is_some_and(|s| s.is_int());
        if affine && order == Order::Kept && self.random.one_in(2) {
            // Affine maps compose: associative, not commutative.
            let times = |x: Expr, y: Expr| Expr::bin(BinOp::Mul, x, y);
            let scale = times(a.clone().field(0), b.clone().field(0));
            let offset = Expr::bin(BinOp::Add, times(a.field(1), b.clone().field(0)), b.field(1));
            return Expr::new(Op::Tuple, vec![scale, offset]);
        }
        let field =
            |(i, ty): (usize, &Ty)| self.combined(ty, a.clone().field(i as u32), b.clone().field(i as u32), order);
        Expr::new(Op::Tuple, fields.iter().enumerate().map(field).collect())
    }

    /// Any pure function of elements of these types.
    pub(super) fn function(&mut self, params: &[Ty], to: &Ty, depth: u32) -> Expr {
        let alike = params.iter().all(|p| p == to);
        if alike && params.len() == 2 && *to == opaque() && self.function.is_some() && self.random.one_in(2) {
            return Expr::var(self.function.unwrap_or_default());
        }
        let fits = |c: &&super::Called| {
            c.kind == HelperKind::Pure
                && c.result.0 == Declared::Element
                && satisfies(to, c.bound)
                && c.params.len() == params.len()
                && c.params.iter().all(|p| p.0 == Declared::Element)
        };
        let named: Vec<usize> = self.called.iter().filter(fits).map(|c| c.index).collect();
        if alike && !named.is_empty() && self.random.one_in(3) {
            return Expr::new(Op::Name(self.random.pick(&named)), Vec::new());
        }
        self.closure(params, |g| g.data(to, depth))
    }
}
