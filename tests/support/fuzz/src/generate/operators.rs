//! Function values: operators that associate, for trees and scans; any functions, for the rest.

use obsidian_ir::program::{BinOp, Const, ScalarType};

use super::{Gen, opaque};
use crate::ast::{Bound, Declared, Expr, HelperKind, Op};
use crate::types::{Ty, U32};

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

fn choice(cond: Expr, a: Expr, b: Expr) -> Expr {
    Expr::new(Op::If, vec![cond, a, b])
}

/// The pair that is greater by its first, then by its second.
fn greater(a: &Expr, b: &Expr) -> Expr {
    let test = |op, i| Expr::bin(op, a.clone().field(i), b.clone().field(i));
    let second = choice(test(BinOp::Ge, 1), a.clone(), b.clone());
    choice(test(BinOp::Gt, 0), a.clone(), choice(test(BinOp::Lt, 0), b.clone(), second))
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
        if let Some(choice) = self.chosen(ty, &a, &b, order) {
            return choice;
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

    /// One of three operators, as a word tells that all elements see: choices inside of choices, all of the same two elements.
    fn chosen(&mut self, ty: &Ty, a: &Expr, b: &Expr, order: Order) -> Option<Expr> {
        let int = ty.scalar().filter(|s| s.is_int() && self.random.one_in(3))?;
        let words: Vec<u32> = self.scope.iter().filter(|s| s.ty == U32 && !s.view).map(|s| s.var).collect();
        let word = (!words.is_empty()).then(|| Expr::var(self.random.pick(&words)))?;
        let number = |ty, k| Expr::constant(Const { ty, bits: k });
        let rest = |k| {
            let rest = Expr::bin(BinOp::Rem, word.clone(), number(ScalarType::U32, 3));
            Expr::bin(BinOp::Eq, rest, number(ScalarType::U32, k))
        };
        let both = |op| Expr::bin(op, a.clone(), b.clone());
        let last = match order {
            Order::Kept => choice(Expr::bin(BinOp::Eq, b.clone(), number(int, 0)), a.clone(), b.clone()),
            Order::Free => both(BinOp::Min),
        };
        Some(choice(rest(0), both(BinOp::Add), choice(rest(1), both(BinOp::Max), last)))
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
        let int = |ty: &Ty| ty.scalar().is_some_and(|s| s.is_int());
        if let [first, second] = fields
            && int(first)
            && int(second)
            && self.random.one_in(2)
        {
            return greater(&a, &b);
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
