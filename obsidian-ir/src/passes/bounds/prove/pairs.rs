//! R13. Places in a matrix by row and column: `r * cols + c` is below `rows * cols` where `r < rows` and `c < cols`. As one sum the
//! two coordinates lose what is known of each, and the search for a proof is long.

use super::{Prover, SPLITS, ScopeId};
use crate::passes::index::Poly;
use crate::program::{BinOp, Expr, ExprId, ScalarType};

impl Prover<'_> {
    /// Whether `e` is a row times the columns plus a column of a matrix of `n` elements, both inside.
    pub(super) fn inside_matrix(&mut self, s: ScopeId, e: ExprId, n: ExprId) -> bool {
        let Some((a, b)) = self.product_of(s, n) else { return false };
        let terms = self.terms(e);
        [(a, b), (b, a)].into_iter().any(|(rows, cols)| self.coordinates(s, &terms, (rows, cols)))
    }

    /// Whether one of the terms is a row of `rows` times `cols`, and the others are together a column; without such a term the
    /// row is the first.
    fn coordinates(&mut self, s: ScopeId, terms: &[(ExprId, i128)], (rows, cols): (ExprId, ExprId)) -> bool {
        let (mut row, mut col) = (None, Some(Poly::default()));
        for &(id, sign) in terms {
            match self.row_of(s, id, cols) {
                Some(found) if row.is_none() && sign == 1 => row = Some(found),
                _ => col = col.and_then(|col| col.combine(1, &self.form(s, id), sign)),
            }
        }
        let (Some(col), row) = (col, row.unwrap_or_default()) else { return false };
        let (rows, cols) = (self.form(s, rows), self.form(s, cols));
        let (Some(below), Some(left)) = (rows.minus(&row), cols.minus(&col)) else { return false };
        [left.offset(-1), below.offset(-1), col].iter().all(|form| self.prove(s, form, SPLITS))
    }

    /// The row that a term is the first place of.
    fn row_of(&mut self, s: ScopeId, term: ExprId, cols: ExprId) -> Option<Poly> {
        match self.p.exprs.expr(term) {
            Expr::Bin(BinOp::Mul, row, width) if width == cols => Some(self.form(s, row)),
            Expr::Bin(BinOp::Mul, width, row) if width == cols => Some(self.form(s, row)),
            _ => (term == cols).then(|| Poly::constant(1)),
        }
    }

    /// The terms of a sum of `u32`, with their signs.
    fn terms(&self, e: ExprId) -> Vec<(ExprId, i128)> {
        let (mut open, mut terms) = (vec![(e, 1)], Vec::new());
        while let Some((id, sign)) = open.pop() {
            match self.p.exprs.expr(id) {
                Expr::Bin(BinOp::Add, a, b) if self.p.exprs.ty(id) == ScalarType::U32 => {
                    open.extend([(a, sign), (b, sign)])
                }
                Expr::Bin(BinOp::Sub, a, b) if self.p.exprs.ty(id) == ScalarType::U32 => {
                    open.extend([(a, sign), (b, -sign)])
                }
                _ => terms.push((id, sign)),
            }
        }
        terms
    }

    /// The factors of a length that does not wrap: it is their product, or a launch check says that it is equal to it.
    fn product_of(&mut self, s: ScopeId, n: ExprId) -> Option<(ExprId, ExprId)> {
        let exprs = &self.p.exprs;
        let equal = self.p.checks.iter().filter_map(|check| match exprs.expr(check.cond) {
            Expr::Bin(BinOp::Eq, a, b) if a == n => Some(b),
            Expr::Bin(BinOp::Eq, a, b) if b == n => Some(a),
            _ => None,
        });
        let (product, (a, b)) = std::iter::once(n).chain(equal).find_map(|id| match exprs.expr(id) {
            Expr::Bin(BinOp::Mul, a, b) => Some((id, (a, b))),
            _ => None,
        })?;
        (self.is_exact(a, b) || self.reads_as_product(s, product, (a, b))).then_some((a, b))
    }

    fn reads_as_product(&mut self, s: ScopeId, product: ExprId, (a, b): (ExprId, ExprId)) -> bool {
        let (whole, x, y) = (self.form(s, product), self.form(s, a), self.form(s, b));
        self.polys.product(&x, &y) == Some(whole)
    }

    /// Whether a launch check says that a product of launch values does not wrap: `a <= k / max(b, 1)`.
    fn is_exact(&self, a: ExprId, b: ExprId) -> bool {
        let exprs = &self.p.exprs;
        let share = |cond| match exprs.expr(cond) {
            Expr::Bin(BinOp::Le, x, share) => match exprs.expr(share) {
                Expr::Bin(BinOp::Div, k, y) if exprs.as_u32(k).is_some() => Some((x, y)),
                _ => None,
            },
            _ => None,
        };
        let at_least_one = |y, of| match exprs.expr(y) {
            Expr::Bin(BinOp::Max, x, one) => x == of && exprs.as_u32(one) == Some(1),
            _ => y == of,
        };
        let said = |(x, y)| x == a && at_least_one(y, b) || x == b && at_least_one(y, a);
        self.p.checks.iter().filter_map(|check| share(check.cond)).any(said)
    }
}
