//! Reading arrays in lanes: loads become shuffles in front of the statement that holds them.

use std::collections::BTreeSet;

use super::fetch::{Fetch, fetch};
use super::{Keeper, Kept, LANES, Map, bound};
use crate::diag::Span;
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Range, ShuffleKind, Stmt, StmtKind, VarId};
use crate::tables::HashSet;

impl Keeper<'_> {
    /// The expression without loads from lanes; the shuffles go to `out`.
    pub(super) fn value(&mut self, e: ExprId, out: &mut Block, span: Span) -> Kept<ExprId> {
        Ok(self.values(&[e], out, span)?.get(&e).copied().unwrap_or(e))
    }

    /// The same for all that a statement evaluates.
    pub(super) fn values(&mut self, roots: &[ExprId], out: &mut Block, span: Span) -> Kept<Map> {
        if !roots.iter().any(|&e| self.kept_in(e).is_some()) {
            return Ok(Map::default());
        }
        let sure = self.sure(roots);
        self.replace(roots, out, span, |k, load, index| k.steady(index) || sure.contains(&load))
    }

    /// A statement that lanes may go through apart: what it reads from lanes is read in front of it.
    pub(super) fn apart(&mut self, stmt: Stmt, out: &mut Block) -> Kept<()> {
        let list = [stmt];
        let mut inside = HashSet::default();
        bound(&list, &mut inside);
        let roots = walk::evaluated(&list);
        let span = list[0].span;
        let new = self.replace(&roots, out, span, |k, _, index| {
            k.steady(index) && !k.variables(index).iter().any(|v| inside.contains(v))
        })?;
        let [stmt] = list;
        let kind = self.rewritten(stmt.kind, &new)?;
        out.push(Stmt::new(kind, span));
        Ok(())
    }

    fn rewritten(&self, mut kind: StmtKind, new: &Map) -> Kept<StmtKind> {
        if let Some(array) = self.kept_by(&kind) {
            return Err(array);
        }
        walk::direct_mut(&mut kind).for_each(|e| *e = new.get(e).copied().unwrap_or(*e));
        for list in walk::nested_mut(&mut kind) {
            let mut out = Vec::with_capacity(list.len());
            for stmt in std::mem::take(list) {
                let kind = self.rewritten(stmt.kind, new)?;
                self.emit(Stmt::new(kind, stmt.span), &mut out);
            }
            *list = out;
        }
        Ok(kind)
    }

    /// Rebuilds expressions around their loads from lanes. `may_move` says of a load and its index whether the index
    /// may be evaluated where `out` ends, by all lanes.
    fn replace(
        &mut self,
        roots: &[ExprId],
        out: &mut Block,
        span: Span,
        may_move: impl Fn(&Self, ExprId, ExprId) -> bool,
    ) -> Kept<Map> {
        let mut new = self.votes(roots, out, span, &may_move);
        for id in walk::reachable(&self.p.exprs, roots.iter().copied(), |id| new.contains_key(&id)) {
            let value = match self.p.exprs.expr(id) {
                Expr::Load(array, index) if self.registers.contains_key(&array) => {
                    if !may_move(self, id, index) {
                        return Err(array);
                    }
                    self.read(array, new[&index], out, span)
                }
                _ => walk::rebuild(&mut self.p.exprs, id, |x| new[&x]),
            };
            new.insert(id, value);
        }
        Ok(new)
    }

    /// What is asked of all lanes at once, before each element would be read by itself.
    fn votes(
        &mut self,
        roots: &[ExprId],
        out: &mut Block,
        span: Span,
        may_move: &impl Fn(&Self, ExprId, ExprId) -> bool,
    ) -> Map {
        let mut new = Map::default();
        // The whole of a chain comes before its parts.
        for id in walk::reachable(&self.p.exprs, roots.iter().copied(), |_| false).into_iter().rev() {
            if let Some(vote) =
                self.vote(id).filter(|v| v.loads.iter().all(|&(load, index)| may_move(self, load, index)))
            {
                let value = self.voted(id, &vote, out, span);
                new.insert(id, value);
            }
        }
        new
    }

    /// Whether all lanes may evaluate it whatever the program asked for: it loads from lanes at most.
    fn steady(&self, e: ExprId) -> bool {
        let exprs = &self.p.exprs;
        walk::reachable(exprs, [e], |id| !exprs.loads(id)).into_iter().all(|id| match exprs.expr(id) {
            Expr::Load(a, _) => self.registers.contains_key(&a),
            _ => true,
        })
    }

    /// What is evaluated whatever the conditions inside the expressions say.
    fn sure(&self, roots: &[ExprId]) -> HashSet<ExprId> {
        let (mut seen, mut todo) = (HashSet::default(), roots.to_vec());
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.p.exprs.expr(id) {
                Expr::Select(c, ..) => todo.push(c),
                e => todo.extend(walk::operands(e)),
            }
        }
        seen
    }

    fn variables(&self, e: ExprId) -> Vec<VarId> {
        let all = walk::reachable(&self.p.exprs, [e], |_| false).into_iter();
        all.filter_map(|id| match self.p.exprs.expr(id) {
            Expr::Var(v) => Some(v),
            _ => None,
        })
        .collect()
    }

    /// Whether all lanes of a warp find the same values.
    pub(super) fn uniform(&self, exprs: &[ExprId]) -> bool {
        let Some(round) = &self.round else { return true };
        exprs.iter().all(|&e| !self.p.exprs.loads(e) && !self.variables(e).iter().any(|v| round.varying.contains(v)))
    }

    /// An element, in the lanes that ask for it. Where an index lies outside the array nobody does: `bounds` has shown
    /// that it is behind a condition.
    fn read(&mut self, array: ArrayId, index: ExprId, out: &mut Block, span: Span) -> ExprId {
        if let Some((_, value)) = self.done.iter().find(|(what, _)| *what == (array, index)) {
            return *value;
        }
        let (valid, len) = (self.round.as_ref().map_or(LANES, |r| r.valid), self.len(array));
        let registers = self.registers[&array].clone();
        let mut parts = Vec::new();
        match self.eval.list(&self.p.exprs, index) {
            Some(table) => {
                let asked = (0..valid).map(|lane| (lane, table[lane as usize])).filter(|&(_, i)| i < len);
                let asked: Vec<(u32, u32)> = asked.collect();
                let used: BTreeSet<u32> = asked.iter().map(|&(_, i)| i / LANES).collect();
                for register in used {
                    let here = asked.iter().filter(|&&(_, i)| i / LANES == register);
                    let pairs: Vec<(u32, u32)> = here.map(|&(lane, i)| (lane, i % LANES)).collect();
                    parts.push((register, fetch(&pairs)));
                }
            }
            None => parts.extend((0..registers.len() as u32).map(|register| (register, Fetch::Gather))),
        }
        let mut value = None;
        for (register, how) in parts {
            let part = self.fetched(registers[register as usize], how, index, out, span);
            value = Some(value.map_or(part, |others| self.either(index, register, part, others)));
        }
        let value = value.unwrap_or_else(|| self.p.exprs.var(registers[0]));
        let lasts = self.variables(index).iter().all(|&v| !self.p.var(v).mutable) && !self.p.exprs.loads(index);
        if lasts && self.round.is_some() {
            self.done.push(((array, index), value));
        }
        value
    }

    fn fetched(&mut self, register: VarId, how: Fetch, index: ExprId, out: &mut Block, span: Span) -> ExprId {
        let value = self.p.exprs.var(register);
        let (kind, lane) = match how {
            Fetch::Own => return value,
            Fetch::Shuffle(kind, by) => (kind, self.p.exprs.u32(by)),
            Fetch::Gather => {
                let lanes = self.p.exprs.u32(LANES);
                (ShuffleKind::Index, self.p.exprs.bin(BinOp::Rem, index, lanes))
            }
        };
        let ty = self.p.exprs.ty(value);
        let var = self.p.new_var("x", ty, false, Range::full(ty));
        out.push(Stmt::new(StmtKind::Shuffle { var, value, kind, lane }, span));
        self.p.exprs.var(var)
    }

    /// `part` where the index lies in that register, else `others`.
    fn either(&mut self, index: ExprId, register: u32, part: ExprId, others: ExprId) -> ExprId {
        let (lanes, register) = (self.p.exprs.u32(LANES), self.p.exprs.u32(register));
        let its = self.p.exprs.bin(BinOp::Div, index, lanes);
        let here = self.p.exprs.bin(BinOp::Eq, its, register);
        self.p.exprs.select(here, part, others)
    }
}
