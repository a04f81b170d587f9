//! R13. Places in a matrix by row and column: `r * cols + c` is below `rows * cols` where `r < rows` and `c < cols`. As one sum the
//! two coordinates lose what is known of each, and the search for a proof is long. Rows may be a sum, `a * cols + b * cols + c`: that of
//! the chunk and that in it. An array that is no matrix is one of
//! `n / cols` rows and a rest, whatever `cols` is.

use std::cmp::Reverse;

use super::{Prover, SPLITS, ScopeId};
use crate::passes::bounds::require::Asked;
use crate::passes::index::Poly;
use crate::program::{BinOp, Expr, ExprId, ScalarType};

/// The most terms of a sum that are looked at one by one.
const MAX_TERMS: usize = 64;

impl Prover<'_> {
    /// Whether `e` is a row times the columns plus a column of a matrix of at most `n` elements, both inside.
    pub(super) fn inside_matrix(&mut self, s: ScopeId, e: ExprId, n: ExprId) -> bool {
        if !self.traits.steady(e) {
            return false;
        }
        let products = self.products_of(s, n);
        let mut sides: Vec<(ExprId, ExprId)> = products.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        if products.is_empty() {
            sides.extend(self.quotient_of(e, n));
        }
        // By a number the sum is linear, and the search for its proof short.
        let number = |(a, b): &(ExprId, ExprId)| [a, b].iter().any(|&&factor| self.p.exprs.as_const(factor).is_some());
        sides.retain(|side| !number(side));
        if sides.is_empty() {
            return false;
        }
        // A condition may speak of a column that is a sum, or of its terms.
        let whole = match self.p.exprs.expr(e) {
            Expr::Bin(BinOp::Add, x, y) => vec![(x, 1), (y, 1)],
            _ => vec![(e, 1)],
        };
        let terms = self.terms(e);
        let looks = if terms == whole { vec![whole] } else { vec![whole, terms] };
        let mut pairs: Vec<_> = looks.iter().flat_map(|look| sides.iter().map(move |&side| (look, side))).collect();
        // Where no term is a row the whole sum would be a column, and where not all rows are terms some would be: such a search is long,
        // and mostly in vain.
        pairs.sort_by_key(|(look, (_, cols))| Reverse(look.iter().filter(|&&term| self.is_row(term, *cols)).count()));
        let inside = pairs.into_iter().any(|(look, side)| self.coordinates(s, look, side));
        if !inside {
            // The sum is a question of its own: what the pair has cost it does not lack.
            self.budget.begin();
        }
        inside
    }

    /// Whether a term of a place is a row times the columns of a matrix of `n` elements.
    pub(in crate::passes::bounds) fn has_row(&mut self, s: ScopeId, (e, n): (ExprId, ExprId)) -> bool {
        let terms = self.terms(e);
        self.shapes_of(s, n).into_iter().any(|(_, cols)| terms.iter().any(|&term| self.is_row(term, cols)))
    }

    /// Rows and columns that make a length, neither of which is a number: by a number places are linear.
    fn shapes_of(&mut self, s: ScopeId, n: ExprId) -> Vec<(ExprId, ExprId)> {
        let mut shapes = self.products_of(s, n);
        shapes.retain(|&(rows, cols)| [rows, cols].iter().all(|&side| self.p.exprs.as_const(side).is_none()));
        shapes
    }

    /// What the launch is to be asked for so that row and column are below their sides, where a place is then inside the matrix.
    pub(in crate::passes::bounds) fn row_and_column(
        &mut self,
        s: ScopeId,
        (e, n): (ExprId, ExprId),
        extents: &[ExprId],
    ) -> Option<Asked> {
        self.budget.begin();
        let terms = self.terms(e);
        self.shapes_of(s, n).into_iter().find_map(|(rows, cols)| {
            let mut others = terms.clone();
            let row = others.iter().position(|&term| self.is_row(term, cols) || term == (cols, 1));
            let row = row.map(|at| others.remove(at).0);
            // Without a factor it is row 1, without a term row 0.
            let mut forms = match row.map(|term| self.factor(term, cols)) {
                Some(Some(row)) => self.asked_of_side(s, (row, rows))?,
                Some(None) => self.asked_of_number(s, (1, rows)),
                None => self.asked_of_number(s, (0, rows)),
            };
            if let [(col, 1)] = others[..] {
                forms.extend(self.asked_of_side(s, (col, cols))?);
            }
            forms.dedup();
            let inside = self.with(s, forms.clone());
            self.budget.begin();
            if forms.is_empty() || !self.may_hold_in_work(&forms, extents) || !self.less(inside, e, n) {
                return None;
            }
            let conditions = forms.iter().map(|form| self.as_condition(form, extents)).collect::<Option<_>>()?;
            Some((forms, conditions))
        })
    }

    /// What the launch is to be asked for so that a coordinate that its author has named is below its side.
    pub(in crate::passes::bounds) fn required_of_side(
        &mut self,
        s: ScopeId,
        place: (ExprId, ExprId),
        extents: &[ExprId],
    ) -> Option<Asked> {
        let forms = self.asked_of_side(s, place)?;
        if forms.is_empty() || !self.may_hold_in_work(&forms, extents) {
            return None;
        }
        let conditions = forms.iter().map(|form| self.as_condition(form, extents)).collect::<Option<_>>()?;
        Some((forms, conditions))
    }

    /// The same of a coordinate that is a number.
    fn asked_of_number(&mut self, s: ScopeId, (coordinate, side): (i128, ExprId)) -> Vec<Poly> {
        let left = self.form(s, side).offset(-1 - coordinate);
        if self.certain(s, &left) { Vec::new() } else { vec![left] }
    }

    /// What the launch is to be asked for so that a coordinate is below its side; `None` where it cannot be asked.
    fn asked_of_side(&mut self, s: ScopeId, (coordinate, side): (ExprId, ExprId)) -> Option<Vec<Poly>> {
        self.budget.begin();
        if self.p.exprs.known_at_launch(coordinate) {
            let left = self.form(s, side).minus(&self.form(s, coordinate))?.offset(-1);
            return Some(if self.certain(s, &left) { Vec::new() } else { vec![left] });
        }
        if self.less(s, coordinate, side) {
            return Some(Vec::new());
        }
        let left = self.form(s, side).minus(&self.form(s, coordinate))?.offset(-1);
        self.relation_nearby(s, &left).map(|relation| vec![relation])
    }

    /// Whether the terms that are rows times `cols` are together a row of `rows`, and the others together a column; without such a term
    /// the row is the first.
    fn coordinates(&mut self, s: ScopeId, terms: &[(ExprId, i128)], (rows, cols): (ExprId, ExprId)) -> bool {
        let of_row = |&term: &(ExprId, i128)| self.is_row(term, cols) || term == (cols, 1);
        let (in_row, in_col): (Vec<_>, Vec<_>) = terms.iter().copied().partition(of_row);
        // Without a factor it is one row.
        let counts: Vec<Option<ExprId>> = in_row.into_iter().map(|(id, _)| self.factor(id, cols)).collect();
        let row_form = counts.iter().try_fold(Poly::default(), |sum, &count| match count {
            Some(row) => sum.combine(1, &self.form(s, row), 1),
            None => Some(sum.offset(1)),
        });
        let col_form =
            in_col.iter().try_fold(Poly::default(), |sum, &(id, sign)| sum.combine(1, &self.form(s, id), sign));
        let (Some(row_form), Some(col_form)) = (row_form, col_form) else { return false };
        let row = if let [row] = counts[..] { row } else { None };
        let col = if let [(id, 1)] = in_col[..] { Some(id) } else { None };
        self.coordinate(s, &col_form)
            && self.below(s, (col, &col_form), (cols, rows))
            && self.below(s, (row, &row_form), (rows, cols))
    }

    /// Whether a coordinate that its author has named is below its side, `other` being the other one.
    pub(super) fn inside_side(&mut self, s: ScopeId, (at, side): (ExprId, ExprId), other: ExprId) -> bool {
        let form = self.form(s, at);
        let left = self.form(s, side).minus(&form).map(|left| left.offset(-1));
        // A search among all that is known is long: a scope with a matrix knows much.
        left.is_some_and(|left| self.nearby(s, &left) || self.nearby_on_both_sides(s, &left))
            || self.below(s, (Some(at), &form), (side, other))
    }

    /// Whether a coordinate is below its side. Where a place is below `side * other`, neither of these is 0, and what it is taken apart
    /// into, `place / other` and `place % side`, is below `side`.
    fn below(
        &mut self,
        s: ScopeId,
        (coordinate, form): (Option<ExprId>, &Poly),
        (side, other): (ExprId, ExprId),
    ) -> bool {
        let (size, others) = (self.form(s, side), self.form(s, other));
        let place = match coordinate.map(|e| self.p.exprs.expr(e)) {
            Some(Expr::Bin(BinOp::Div, place, by)) if by == other => Some(place),
            Some(Expr::Bin(BinOp::Rem, place, by)) if by == side => Some(place),
            _ => None,
        };
        let direct = size.minus(form).map(|left| left.offset(-1));
        if direct.as_ref().is_some_and(|left| self.nearby(s, left)) {
            return true;
        }
        // The question about the place is shorter than a long search about the coordinate, but longer than a look at what is near.
        let whole = place.and_then(|place| self.polys.product(&size, &others)?.minus(&self.form(s, place)));
        let questions = [whole.map(|left| left.offset(-1)), direct];
        questions.into_iter().flatten().any(|left| self.coordinate(s, &left))
    }

    /// Whether `form >= 0` is certain, of a coordinate, which is asked for again by its neighbours.
    fn coordinate(&mut self, s: ScopeId, form: &Poly) -> bool {
        let question = (s, form.clone());
        if self.outside.contains(&question) {
            return false;
        }
        if self.is_proved_around(s, form) {
            return true;
        }
        let yes = self.prove(s, form, SPLITS);
        if yes {
            self.proved.entry(question.1).or_default().push(s);
        } else if !self.budget.given_up() {
            self.outside.insert(question);
        }
        yes
    }

    fn is_row(&self, (id, sign): (ExprId, i128), cols: ExprId) -> bool {
        sign == 1 && self.factor(id, cols).is_some()
    }

    /// What a term multiplies the columns by.
    fn factor(&self, term: ExprId, cols: ExprId) -> Option<ExprId> {
        match self.p.exprs.expr(term) {
            Expr::Bin(BinOp::Mul, row, width) if width == cols => Some(row),
            Expr::Bin(BinOp::Mul, width, row) if width == cols => Some(row),
            _ => None,
        }
    }

    /// The terms of a sum of `u32`, with their signs; of one of very many, as sums that are shared make it, some are sums themselves.
    fn terms(&self, e: ExprId) -> Vec<(ExprId, i128)> {
        let (mut open, mut terms) = (vec![(e, 1)], Vec::new());
        while let Some((id, sign)) = open.pop() {
            match self.p.exprs.expr(id) {
                _ if open.len() + terms.len() > MAX_TERMS => terms.push((id, sign)),
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

    /// The factors of a length that does not wrap, for each product that it is: it is written as one, or a launch check says that it is
    /// equal to one.
    fn products_of(&mut self, s: ScopeId, n: ExprId) -> Vec<(ExprId, ExprId)> {
        let exprs = &self.p.exprs;
        let equal = self.p.checks.iter().filter_map(|check| match exprs.expr(check.cond) {
            Expr::Bin(BinOp::Eq, a, b) if a == n => Some(b),
            Expr::Bin(BinOp::Eq, a, b) if b == n => Some(a),
            _ => None,
        });
        let products = std::iter::once(n).chain(equal).filter_map(|id| match exprs.expr(id) {
            Expr::Bin(BinOp::Mul, a, b) => Some((id, (a, b))),
            _ => None,
        });
        let mut found: Vec<_> = products.collect();
        found.retain(|&(product, (a, b))| self.is_exact(a, b) || self.reads_as_product(s, product, (a, b)));
        found.into_iter().map(|(_, factors)| factors).collect()
    }

    /// The rows and columns of an array of `n` elements, where a term of `e` is a row times columns and the program divides `n` by these.
    /// Who is below the quotient and below a divisor that is not 0 is inside: `(n / cols) * cols <= n`.
    fn quotient_of(&self, e: ExprId, n: ExprId) -> Option<(ExprId, ExprId)> {
        let exprs = &self.p.exprs;
        let rows_of = |cols: ExprId| {
            let mut ids = (0..exprs.len() as u32).map(ExprId);
            ids.find(|&id| matches!(exprs.expr(id), Expr::Bin(BinOp::Div, a, b) if (a, b) == (n, cols)))
        };
        self.terms(e).into_iter().find_map(|(id, _)| match exprs.expr(id) {
            Expr::Bin(BinOp::Mul, a, b) => [b, a].into_iter().find_map(|cols| Some((rows_of(cols)?, cols))),
            _ => None,
        })
    }

    fn reads_as_product(&mut self, s: ScopeId, product: ExprId, (a, b): (ExprId, ExprId)) -> bool {
        let (whole, x, y) = (self.form(s, product), self.form(s, a), self.form(s, b));
        self.polys.product(&x, &y) == Some(whole)
    }

    /// Whether a product of launch values does not wrap: by what they can be, or because a launch check says so: `a <= k / max(b, 1)`.
    pub(in crate::passes::bounds) fn is_exact(&self, a: ExprId, b: ExprId) -> bool {
        let exprs = &self.p.exprs;
        if exprs.product_fits(a, b) {
            return true;
        }
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
