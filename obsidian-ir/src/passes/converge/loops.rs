//! Loops with a barrier inside, made so that all threads of the block go through every round together.

use super::{Converger, Differing, begins, waits};
use crate::level::Level;
use crate::passes::blocks;
use crate::program::{Array, ArrayId, BinOp, Block, Const, ExprId, Range, ScalarType, Space, Special, StmtKind, VarId};
use crate::tables::HashSet;

/// The votes of the warps follow the program's own arrays, in bank 0.
const ALIGN: u32 = 128;

/// A loop `for var in (start..end).step_by(step)`.
pub(super) struct Counted {
    pub var: VarId,
    pub start: ExprId,
    pub end: ExprId,
    pub step: ExprId,
    pub body: Block,
}

impl Converger<'_> {
    pub(super) fn counted(&mut self, l: Counted, guard: Option<ExprId>, after: &HashSet<VarId>, out: &mut Block) {
        if self.goes_as_it_is(&l) {
            self.own.remove(&l.var);
            let mut body = Vec::new();
            self.list(l.body, guard, after, &mut body);
            let Counted { var, start, end, step, .. } = l;
            out.push(self.stmt(StmtKind::SeqFor { var, start, end, step, body }));
            return;
        }
        let [start, end, step] = [l.start, l.end, l.step].map(|e| self.guarded(guard, e));
        let (end, step) = (self.name("end", end, out), self.name("step", step, out));
        let index = self.local("next", start, Range::full(ScalarType::U32), out);
        let at = self.program.exprs.var(index);
        let (mut head, mut body) = (Vec::new(), Vec::new());
        let more = self.program.exprs.bin(BinOp::Lt, at, end);
        let goes_on = self.name("working", more, &mut head);
        let mut round = vec![self.stmt(StmtKind::Let { var: l.var, value: at })];
        round.extend(l.body);
        let value = self.advanced(at, end, step);
        round.push(self.stmt(StmtKind::Set { var: index, value }));
        let cond = if self.warps_differ() {
            let any = self.any(goes_on, &mut head);
            self.list(round, Some(goes_on), after, &mut body);
            any
        } else {
            // Tested at the end: the first round is every thread's.
            self.list(round, Some(goes_on), after, &mut head);
            more
        };
        out.push(self.stmt(StmtKind::SeqWhile { head, cond, body }));
    }

    /// Whether all threads of the block are in a round together, and every barrier of the body is reached.
    fn goes_as_it_is(&self, l: &Counted) -> bool {
        match self.differing {
            Differing::Warps(_) => [l.start, l.end, l.step].into_iter().all(|e| self.uniform(e)),
            Differing::Nothing => blocks::begins_at_own(self.program, l.start) || begins(self.program, l.start, l.end),
        }
    }

    /// The index of the next round, which may be `end` but never wraps.
    fn advanced(&mut self, at: ExprId, end: ExprId, step: ExprId) -> ExprId {
        let exprs = &mut self.program.exprs;
        let (left, next) = (exprs.bin(BinOp::Sub, end, at), exprs.bin(BinOp::Add, at, step));
        let fits = exprs.bin(BinOp::Gt, left, step);
        exprs.select(fits, next, end)
    }

    pub(super) fn tested(
        &mut self,
        (head, cond, body): (Block, ExprId, Block),
        guard: Option<ExprId>,
        after: &HashSet<VarId>,
        out: &mut Block,
    ) {
        if !self.warps_differ() && guard.is_none() && !waits(&body) {
            // What the head binds is read by the body, too, but no guard hides it.
            let mut first = Vec::new();
            self.list(head, None, after, &mut first);
            out.push(self.stmt(StmtKind::SeqWhile { head: first, cond, body }));
            return;
        }
        let working = guard.unwrap_or_else(|| self.program.exprs.constant(Const::bool(true)));
        let live = self.local("working", working, Range::full(ScalarType::Bool), out);
        let working = self.program.exprs.var(live);
        // What the head binds is seen by the test and by the body.
        let mut seen = after.clone();
        let test = self.stmt(StmtKind::If { cond, then: body.clone(), els: Vec::new() });
        seen.extend(self.reads(&[test]));
        let (mut first, mut round) = (Vec::new(), Vec::new());
        self.list(head, Some(working), &seen, &mut first);
        let value = self.guarded(Some(working), cond);
        first.push(self.stmt(StmtKind::Set { var: live, value }));
        let cond = if self.warps_differ() {
            let any = self.any(working, &mut first);
            self.list(body, Some(working), after, &mut round);
            any
        } else {
            self.list(body, Some(working), after, &mut first);
            working
        };
        out.push(self.stmt(StmtKind::SeqWhile { head: first, cond, body: round }));
    }

    /// Whether `vote` holds in some warp; it is the same in all lanes of each. All threads of the block come by.
    fn any(&mut self, vote: ExprId, out: &mut Block) -> ExprId {
        let warps = self.program.threads.div_ceil(32);
        let votes = self.votes();
        let exprs = &mut self.program.exprs;
        let (lane, zero) = (exprs.special(Special::Lane, 31), exprs.u32(0));
        let cond = exprs.bin(BinOp::Eq, lane, zero);
        let (index, value) = (exprs.special(Special::WarpId, warps - 1), exprs.cast(vote, ScalarType::U32));
        let each = (0..warps).map(|w| {
            let w = exprs.u32(w);
            exprs.load(votes, w, ScalarType::U32)
        });
        let each: Vec<ExprId> = each.collect();
        let sum = each.into_iter().reduce(|a, b| exprs.bin(BinOp::Or, a, b)).unwrap_or(zero);
        let any = exprs.bin(BinOp::Ne, sum, zero);
        let write = self.stmt(StmtKind::Assign { array: votes, index, value });
        out.push(self.stmt(StmtKind::If { cond, then: vec![write], els: Vec::new() }));
        let sync = self.stmt(StmtKind::Sync { scope: Level::Block });
        out.push(sync.clone());
        let any = self.name("any", any, out);
        // Nobody may vote anew before all have counted.
        out.push(sync);
        any
    }

    fn votes(&mut self) -> ArrayId {
        let voted = match &self.differing {
            Differing::Warps(votes) => **votes,
            Differing::Nothing => None,
        };
        if let Some(id) = voted {
            return id;
        }
        let warps = self.program.threads.div_ceil(32);
        let (id, offset) =
            (ArrayId(self.program.arrays.len() as u32), self.program.shared_bytes.next_multiple_of(ALIGN));
        self.program.shared_bytes = offset + warps * ScalarType::U32.bytes();
        self.program.arrays.push(Array {
            name: format!("votes{}", id.0),
            elem: ScalarType::U32,
            len: self.program.exprs.u32(warps),
            space: Space::Shared(Level::Block),
            rows: None,
            stages: 1,
            filled: None,
            offset: Some(offset),
            span: self.span,
            stands_for: None,
        });
        if let Differing::Warps(votes) = &mut self.differing {
            **votes = Some(id);
        }
        id
    }
}
