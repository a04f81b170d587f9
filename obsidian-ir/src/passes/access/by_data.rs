//! Places that data has a part in, such as `digit * 256 + t`: what is known of them, and what data may add.
//!
//! Takes an index that the evaluator does not know; gives its known part and the rest as multiples of numbers of which only the
//! range is known. Each of these is another one wherever it stands, so nothing is ever taken from itself.

use super::cases::{Condition, is_fixed};
use super::site::{ByData, DataTerm, Sure};
use super::sites::Sites;
use crate::passes::index::{Sum, Table};
use crate::program::{BinOp, Expr, ExprId, Exprs, Range, ScalarType, Space, UnOp};

/// Parts of one index, at most.
const MAX_PARTS: usize = 16;

impl Sites<'_> {
    /// What is known of an index, and what data adds: its smallest parts, and then, if a condition limits a sum among them, as in
    /// `let p = a - 1; if p < n { m[p] }`, such sums in one piece.
    pub(super) fn by_data(&mut self, at: ExprId, load: Option<ExprId>, sure: Sure) -> Vec<ByData> {
        let conditions = self.conditions(sure).unwrap_or_default();
        let mut limited = Vec::new();
        let Some(smallest) = self.apart(at, load, &conditions, |finder, e| {
            if finder.range_under(e, &conditions) != finder.p.exprs.range(e) {
                limited.push(e);
            }
            finder.parts(e)
        }) else {
            return Vec::new();
        };
        let whole = |finder: &Sites<'_>, e| if limited.contains(&e) { None } else { finder.parts(e) };
        let pieces = if limited.is_empty() { None } else { self.apart(at, load, &conditions, whole) };
        [smallest].into_iter().chain(pieces).collect()
    }

    /// R1: `+`, `-`, and products with and shifts by numbers keep the value modulo 2^32, whatever the parts are.
    fn apart(
        &mut self,
        at: ExprId,
        load: Option<ExprId>,
        conditions: &[Condition],
        mut parts: impl FnMut(&Self, ExprId) -> Option<Vec<(ExprId, u32)>>,
    ) -> Option<ByData> {
        // Where the product of the sides may wrap, the place in the whole is tested and not they.
        let sides = load.and_then(|load| self.p.exprs.coordinates.of(load));
        let sides = sides.filter(|[row, column]| self.p.exprs.product_fits(row.len, column.len));
        let mut found = ByData { known: Sum::known(Table::uniform(0)), terms: Vec::new() };
        let mut todo = vec![(at, 1u32)];
        let mut count = 0;
        while let Some((e, by)) = todo.pop() {
            count += 1;
            if count > MAX_PARTS || self.p.exprs.ty(e) != ScalarType::U32 {
                return None;
            }
            if let Some(known) = self.eval.value(&self.p.exprs, e) {
                let extents = self.eval.extents();
                found.known = found.known.add(&known.scale(&Table::uniform(by), extents), extents)?;
                continue;
            }
            // The load happens only where its row and its column are inside.
            if let Some(side) = sides.iter().flatten().find(|side| side.at == e) {
                let Range { lo, hi } = self.p.exprs.range(e);
                let range = Range { lo, hi: hi.min(self.p.exprs.range(side.len).hi - 1) };
                found.terms.push(DataTerm { coefficient: by, range });
                continue;
            }
            match parts(self, e) {
                Some(parts) => todo.extend(parts.into_iter().map(|(part, times)| (part, by.wrapping_mul(times)))),
                None => found.terms.push(DataTerm { coefficient: by, range: self.range_under(e, conditions) }),
            }
        }
        Some(found)
    }

    /// Where a value lies at a site that happens under these conditions.
    pub(crate) fn range_at(&self, e: ExprId, sure: Sure) -> Range {
        self.range_under(e, &self.conditions(sure).unwrap_or_default())
    }

    /// Where a value lies if conditions hold or do not. They tell of the index only if it has one value: an element that is loaded twice may
    /// have been written in between.
    fn range_under(&self, e: ExprId, conditions: &[Condition]) -> Range {
        let all = self.p.exprs.range(e);
        let of = |e| self.p.exprs.range(e);
        let limits = conditions.iter().flat_map(|&condition| limits(&self.p.exprs, e, condition, &of));
        let limited = limits.fold(all, |r, limit| Range { lo: r.lo.max(limit.lo), hi: r.hi.min(limit.hi) });
        let fixed = |array| {
            let changes = self.changing.iter().any(|arrays| arrays.contains(&array));
            matches!(self.p.array(array).space, Space::Shared(_)) && !changes
        };
        if limited != all && is_fixed(self.p, e, fixed) { limited } else { all }
    }

    /// An expression as a sum of others, each times a number; `None` where it is no sum.
    pub(super) fn parts(&self, e: ExprId) -> Option<Vec<(ExprId, u32)>> {
        let number = |e: ExprId| self.p.exprs.as_u32(e);
        let Expr::Bin(op, a, b) = self.p.exprs.expr(e) else { return None };
        match op {
            BinOp::Add => Some(vec![(a, 1), (b, 1)]),
            BinOp::Sub => Some(vec![(a, 1), (b, 1u32.wrapping_neg())]),
            BinOp::Mul => match (number(a), number(b)) {
                (_, Some(times)) => Some(vec![(a, times)]),
                (Some(times), _) => Some(vec![(b, times)]),
                _ => None,
            },
            // No bit of the one is in the other, so nothing is carried.
            BinOp::Or | BinOp::Xor if self.is_below(b, self.zeros(a)) || self.is_below(a, self.zeros(b)) => {
                Some(vec![(a, 1), (b, 1)])
            }
            BinOp::Shl => number(b).filter(|&by| by < 32).map(|by| vec![(a, 1 << by)]),
            _ => None,
        }
    }

    /// How many low bits are zero, whatever the value is.
    fn zeros(&self, e: ExprId) -> u32 {
        let number = |e: ExprId| self.p.exprs.as_u32(e);
        match self.p.exprs.expr(e) {
            Expr::Bin(BinOp::Shl, _, by) => number(by).filter(|&by| by < 32).unwrap_or(0),
            Expr::Bin(BinOp::Mul, a, b) => number(a).or(number(b)).map_or(0, u32::trailing_zeros),
            _ => 0,
        }
    }

    /// Whether a value is below `2^bits`, for `bits` below 32.
    fn is_below(&self, e: ExprId, bits: u32) -> bool {
        let range = self.p.exprs.range(e);
        bits < 32 && range.lo >= 0 && range.hi < 1 << bits
    }
}

/// Where a number lies if a condition holds, or does not: one range for each comparison with it of which the condition is made. `range` says
/// where lies what it is compared with.
pub(crate) fn limits(
    exprs: &Exprs,
    number: ExprId,
    (cond, truth): Condition,
    range: &impl Fn(ExprId) -> Range,
) -> Vec<Range> {
    let both =
        |a: Condition, b: Condition| [a, b].into_iter().flat_map(|side| limits(exprs, number, side, range)).collect();
    let is = |side: ExprId, value: bool| exprs.as_const(side).is_some_and(|k| (k.bits != 0) == value);
    let (op, a, b) = match exprs.expr(cond) {
        Expr::Un(UnOp::Not, other) => return limits(exprs, number, (other, !truth), range),
        // `&&` and `||` where the second must not be asked for every value.
        Expr::Select(c, a, b) if is(b, !truth) => return both((c, true), (a, truth)),
        Expr::Select(c, a, b) if is(a, !truth) => return both((c, false), (b, truth)),
        Expr::Bin(op, a, b) => (op, a, b),
        _ => return Vec::new(),
    };
    let at_most = |hi: i128| vec![Range { lo: i128::MIN, hi }];
    let at_least = |lo: i128| vec![Range { lo, hi: i128::MAX }];
    match (op, truth) {
        (BinOp::And, true) | (BinOp::Or, false) => both((a, truth), (b, truth)),
        (BinOp::Lt, true) | (BinOp::Ge, false) if a == number => at_most(range(b).hi - 1),
        (BinOp::Le, true) | (BinOp::Gt, false) if a == number => at_most(range(b).hi),
        (BinOp::Gt, true) | (BinOp::Le, false) if a == number => at_least(range(b).lo + 1),
        (BinOp::Ge, true) | (BinOp::Lt, false) if a == number => at_least(range(b).lo),
        (BinOp::Gt, true) | (BinOp::Le, false) if b == number => at_most(range(a).hi - 1),
        (BinOp::Ge, true) | (BinOp::Lt, false) if b == number => at_most(range(a).hi),
        (BinOp::Lt, true) | (BinOp::Ge, false) if b == number => at_least(range(a).lo + 1),
        (BinOp::Le, true) | (BinOp::Gt, false) if b == number => at_least(range(a).lo),
        (BinOp::Eq, true) | (BinOp::Ne, false) if a == number => vec![range(b)],
        (BinOp::Eq, true) | (BinOp::Ne, false) if b == number => vec![range(a)],
        (BinOp::Ne, true) | (BinOp::Eq, false) if a == number && exprs.as_u32(b) == Some(0) => at_least(1),
        _ => Vec::new(),
    }
}
