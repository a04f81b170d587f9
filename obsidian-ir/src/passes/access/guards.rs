//! The guards of the sites in one leaf: which lanes come by, as far as conditions tell.

use super::cases::Condition;
use super::rests::ByRest;
use super::site::{Guard, Purpose, Sure};
use super::sites::{GuardId, Sites};
use crate::passes::index::{MAX_LOOPS, Sum, Table, bin, lanes_of};
use crate::program::{BinOp, Expr, ExprId, ScalarType, VarId};

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
            let sure = if truth == 1 { Sure::If(cond) } else { Sure::Unless(cond) };
            self.guards.push(Guard { sure, ..self.guards[guard].clone() });
            self.sides.insert((guard, Some((cond, truth))), self.guards.len() - 1);
            return self.guards.len() - 1;
        }
        let Some(side) = side.filter(|_| room) else { return self.doubtful(guard) };
        let new = self.guard(guard, &side, &extents);
        self.sides.insert((guard, Some((cond, truth))), new);
        new
    }

    /// The guard where what is known lane by lane of a condition lets a lane pass: `i % 2 == 0` in `i % 2 == 0 && i < n`.
    fn in_known_parts(&mut self, mut guard: GuardId, (cond, truth): Condition) -> GuardId {
        for part in self.conditions_in((cond, truth)) {
            if self.is_known(part) {
                guard = self.narrowed(guard, part, u32::from(truth));
            }
        }
        guard
    }

    /// The conditions that all hold where one does, or all do not where it does not.
    fn conditions_in(&self, (cond, truth): Condition) -> Vec<ExprId> {
        let joined_by = if truth { BinOp::And } else { BinOp::Or };
        let (mut parts, mut todo) = (Vec::new(), vec![cond]);
        while let Some(part) = todo.pop() {
            match self.p.exprs.expr(part) {
                Expr::Bin(op, a, b) if op == joined_by && self.p.exprs.ty(part) == ScalarType::Bool => {
                    todo.extend([b, a])
                }
                _ => parts.push(part),
            }
        }
        parts
    }

    fn is_known(&mut self, e: ExprId) -> bool {
        self.eval.value(&self.p.exprs, e).is_some_and(|value| value.as_known().is_some())
    }

    /// The guard in a side of a branch.
    pub(super) fn branch(&mut self, outer: GuardId, (cond, truth): Condition) -> GuardId {
        let known = self.is_known(cond);
        let guard = if known { outer } else { self.in_known_parts(outer, (cond, truth)) };
        let key = (guard, Some((cond, u32::from(truth))));
        if known || self.purpose != Purpose::Order || self.guards.len() >= MAX_GUARDS {
            return self.narrowed(guard, cond, u32::from(truth));
        }
        if let Some(&met) = self.sides.get(&key) {
            return met;
        }
        let sure = self.given((cond, truth), self.guards[guard].sure);
        let by_rest = self.by_rests((cond, truth));
        let side = match (sure, by_rest) {
            (Sure::Perhaps, None) => self.doubtful(guard),
            (sure, by_rest) => {
                let outer = self.guards[guard].clone();
                let by_rest = by_rest.map(|inner| inner.and(outer.by_rest.as_ref(), self.eval.extents()));
                self.guards.push(Guard { sure, by_rest: by_rest.or(outer.by_rest), mask: outer.mask });
                self.guards.len() - 1
            }
        };
        self.sides.insert(key, side);
        side
    }

    /// What the parts of a condition leave for each remainder of a number.
    fn by_rests(&mut self, (cond, truth): Condition) -> Option<ByRest> {
        let parts: Vec<ByRest> =
            self.conditions_in((cond, truth)).into_iter().filter_map(|part| self.by_rest((part, truth))).collect();
        let extents = self.eval.extents();
        parts.into_iter().reduce(|all, part| all.and(Some(&part), extents))
    }

    /// The guard under a condition that is not known.
    pub(super) fn doubtful(&mut self, outer: GuardId) -> GuardId {
        if self.guards[outer].sure == Sure::Perhaps {
            return outer;
        }
        let doubtful = Guard { sure: Sure::Perhaps, ..self.guards[outer].clone() };
        let (next, guards) = (self.guards.len(), &mut self.guards);
        *self.sides.entry((outer, None)).or_insert_with(|| {
            guards.push(doubtful);
            next
        })
    }

    /// A guard with a known condition besides.
    fn guard(&mut self, outer: GuardId, side: &Table, extents: &[u32]) -> GuardId {
        let Guard { mask, sure, by_rest } = &self.guards[outer];
        let mask = if mask.as_uniform() == Some(1) { side.clone() } else { mask.map2(side, extents, |a, b| a & b) };
        let new = Guard { mask, sure: *sure, by_rest: by_rest.clone() };
        self.guards.push(new);
        self.guards.len() - 1
    }
}
