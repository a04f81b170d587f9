//! Places that a number of all lanes turns: `(i + n) % 64`, `i ^ n`, where `n` is only known at the launch.
//!
//! Takes an index that the evaluator does not know; gives it without the turn, and the turn.

use super::site::{How, Turn, Turned};
use super::sites::Sites;
use crate::passes::index::{Sum, Table};
use crate::program::{BinOp, Expr, ExprId};

/// Places of a turn, at most.
const MAX_PLACES: u32 = 1 << 16;

impl Sites<'_> {
    /// An index that is a multiple of a turned number, and for the rest a multiple of as many as that reaches.
    pub(super) fn turned(&mut self, at: ExprId) -> Option<Turned> {
        let (mut todo, mut values, mut found) = (vec![(at, 1u32)], Vec::new(), None);
        while let Some((e, by)) = todo.pop() {
            if let Some(value) = self.eval.value(&self.p.exprs, e) {
                values.push((value, by));
            } else if let Some((places, turn)) = self.turn(e).filter(|_| found.is_none()) {
                found = Some((by, places, turn));
            } else {
                todo.extend(self.parts(e)?.into_iter().map(|(part, times)| (part, by.wrapping_mul(times))));
            }
        }
        // Most indices turn nothing, and sums lane by lane take long.
        let (by, places, turn) = found?;
        let reach = by.checked_mul(turn.size)?;
        let extents = self.eval.extents().to_vec();
        let mut known = Sum::known(Table::uniform(0));
        for (value, by) in values {
            known = known.add(&value.scale(&Table::uniform(by), &extents), &extents)?;
        }
        let even = |table: &Table| table.spread(&extents, extents.len()).iter().all(|v| v & (reach - 1) == 0);
        // The bits of the turned number are its own.
        let apart = reach.is_power_of_two() && even(&known.rest) && known.terms.iter().all(|(_, times)| even(times));
        let straight = known.add(&Sum::known(places.mul(&Table::uniform(by), &extents)), &extents)?;
        apart.then_some(Turned { straight, reach, turn })
    }

    /// What a number is without its turn, each below the number of places; and the turn.
    fn turn(&mut self, e: ExprId) -> Option<(Table, Turn)> {
        let exprs = &self.p.exprs;
        match exprs.expr(e) {
            Expr::Bin(BinOp::Rem, inner, d) => {
                let size = exprs.as_u32(d)?;
                self.added(inner, size)
            }
            Expr::Bin(BinOp::And, inner, mask) => {
                let size = exprs.as_u32(mask)?.checked_add(1)?;
                self.added(inner, size)
            }
            Expr::Bin(BinOp::Xor, a, b) => self.flipped(a, b).or_else(|| self.flipped(b, a)),
            _ => None,
        }
    }

    /// `(x + n) % size`, for a power of two, which wrapping does not change.
    fn added(&mut self, inner: ExprId, size: u32) -> Option<(Table, Turn)> {
        if !size.is_power_of_two() || size > MAX_PLACES || !self.p.exprs.ty(inner).is_unsigned() {
            return None;
        }
        let sum = self.eval.value(&self.p.exprs, inner)?;
        let by = Sum { terms: sum.terms, rest: Table::uniform(0) };
        let places = sum.rest.map(self.eval.extents(), |x| x & (size - 1));
        by.is_uniform().then_some((places, Turn { by, size, how: How::Added }))
    }

    /// `x ^ n`, below a power of two.
    fn flipped(&mut self, x: ExprId, n: ExprId) -> Option<(Table, Turn)> {
        let by = self.eval.value(&self.p.exprs, n).filter(Sum::is_uniform)?;
        let places = self.eval.value(&self.p.exprs, x)?.as_known()?.clone();
        let range = self.p.exprs.range(n);
        let most = places.spread(self.eval.extents(), self.eval.extents().len()).iter().copied().max()?;
        let most = i128::from(most).max(range.hi);
        if range.lo < 0 || most >= MAX_PLACES.into() {
            return None;
        }
        Some((places, Turn { by, size: (most as u32 + 1).next_power_of_two(), how: How::Flipped }))
    }
}
