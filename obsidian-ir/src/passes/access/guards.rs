//! The guards of the sites in one leaf: which lanes come by, as far as conditions tell.

use super::cases::Condition;
use super::site::{Guard, Purpose, Sure};
use super::sites::{GuardId, Sites};
use crate::passes::index::{MAX_LOOPS, Sum, Table, bin, lanes_of};
use crate::program::{BinOp, ExprId, ScalarType, VarId};

/// Guards of one leaf, at most.
const MAX_GUARDS: usize = 512;

impl Sites<'_> {
    /// A loop whose number of rounds differs between lanes: as many as any has, those too many guarded.
    pub(super) fn triangle(
        &mut self,
        var: VarId,
        (start, end, step): (ExprId, ExprId, ExprId),
        guard: GuardId,
    ) -> Option<GuardId> {
        let (start, step) = (self.p.exprs.as_u32(start)?, self.p.exprs.as_u32(step).filter(|&s| s > 0)?);
        let end = self.eval.value(&self.p.exprs, end)?.as_known()?.clone();
        let depth = end.depth();
        let most = end.spread(self.eval.extents(), depth).iter().copied().max()?;
        self.begin(var, most.saturating_sub(start).div_ceil(step), start, step);
        let lanes = lanes_of(self.eval.extents());
        let dim = self.eval.extents().len() - 1;
        if !self.eval.budget.take(lanes) || dim >= MAX_LOOPS {
            self.leave();
            return None;
        }
        let at = Table::counter(dim, start, step);
        let extents = self.eval.extents().to_vec();
        let inside = bin(BinOp::Lt, ScalarType::U32, &at, &end, &extents);
        Some(self.guard(guard, &inside, &extents))
    }

    /// The guard where, besides, `cond` is `truth`.
    pub(super) fn narrowed(&mut self, guard: GuardId, cond: ExprId, truth: u32) -> GuardId {
        if let Some(&known) = self.sides.get(&(guard, Some((cond, truth)))) {
            return known;
        }
        let value = self.eval.value(&self.p.exprs, cond);
        let extents = self.eval.extents().to_vec();
        let known = value.as_ref().and_then(Sum::as_known);
        let affordable = known.is_some_and(|k| {
            let depth = k.depth().max(self.guards[guard].mask.depth());
            self.eval.budget.take(lanes_of(&extents[..depth]))
        });
        let side = known.filter(|_| affordable).map(|k| match (k.as_uniform(), truth) {
            (Some(v), _) => Table::uniform(u32::from(v == truth)),
            (None, 1) => k.clone(),
            (None, _) => k.map(&extents, |v| v ^ 1),
        });
        let room = self.guards.len() < MAX_GUARDS;
        // Only proofs use the other side; costs treat all doubtful lanes alike.
        let told = truth == 1 || self.purpose == Purpose::Order;
        if side.is_none() && room && told && self.guards[guard].sure == Sure::Always {
            let mask = self.guards[guard].mask.clone();
            let sure = if truth == 1 { Sure::If(cond) } else { Sure::Unless(cond) };
            self.guards.push(Guard { mask, sure });
            self.sides.insert((guard, Some((cond, truth))), self.guards.len() - 1);
            return self.guards.len() - 1;
        }
        let Some(side) = side.filter(|_| room) else { return self.doubtful(guard) };
        let new = self.guard(guard, &side, &extents);
        self.sides.insert((guard, Some((cond, truth))), new);
        new
    }

    /// The guard in a side of a branch.
    pub(super) fn branch(&mut self, guard: GuardId, (cond, truth): Condition) -> GuardId {
        let key = (guard, Some((cond, u32::from(truth))));
        let known = self.eval.value(&self.p.exprs, cond).is_some_and(|value| value.as_known().is_some());
        if known || self.purpose != Purpose::Order || self.guards.len() >= MAX_GUARDS {
            return self.narrowed(guard, cond, u32::from(truth));
        }
        if let Some(&met) = self.sides.get(&key) {
            return met;
        }
        let side = match self.given((cond, truth), self.guards[guard].sure) {
            Sure::Perhaps => self.doubtful(guard),
            sure => {
                let mask = self.guards[guard].mask.clone();
                self.guards.push(Guard { mask, sure });
                self.guards.len() - 1
            }
        };
        self.sides.insert(key, side);
        side
    }

    /// The guard under a condition that is not known.
    pub(super) fn doubtful(&mut self, outer: GuardId) -> GuardId {
        if self.guards[outer].sure == Sure::Perhaps {
            return outer;
        }
        let mask = self.guards[outer].mask.clone();
        let (next, guards) = (self.guards.len(), &mut self.guards);
        *self.sides.entry((outer, None)).or_insert_with(|| {
            guards.push(Guard { mask, sure: Sure::Perhaps });
            next
        })
    }

    /// A guard with a known condition besides.
    fn guard(&mut self, outer: GuardId, side: &Table, extents: &[u32]) -> GuardId {
        let Guard { mask, sure } = &self.guards[outer];
        let mask = if mask.as_uniform() == Some(1) { side.clone() } else { mask.map2(side, extents, |a, b| a & b) };
        let new = Guard { mask, sure: *sure };
        self.guards.push(new);
        self.guards.len() - 1
    }
}
