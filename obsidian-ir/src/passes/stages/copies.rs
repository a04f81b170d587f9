//! Stages in shared memory: `Copy`s of later rounds are on their way while a round is at work.

use super::{Further, Loop, Opened, Stager, any_copies, made};
use crate::level::Level;
use crate::passes::index::Facts;
use crate::passes::virtualise::Rewriter;
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Range, ScalarType, Stmt, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

impl Stager<'_> {
    /// `None` where something is loaded that is not an element as it is.
    pub(super) fn with_copies(&mut self, l: &Loop<'_>) -> Option<Block> {
        if !self.is_written_once(l) {
            return None;
        }
        let begin = self.begun(l, l.load).filter(|begin| any_copies(begin))?;
        let (stages, ahead) = (l.stages, l.stages - 1);
        let lens: Vec<ExprId> = l.tiles.iter().map(|a| self.p.array(*a).len).collect();
        let mut out: Block =
            l.tiles.iter().map(|&array| made(StmtKind::Allocate { array }, self.p.array(array).span)).collect();
        self.tiles.extend(&l.tiles);
        for (&tile, &len) in l.tiles.iter().zip(&lens) {
            let all = self.p.exprs.u32(stages);
            self.p.arrays[tile.0 as usize].len = self.p.exprs.bin(BinOp::Mul, all, len);
        }
        let lens: HashMap<ArrayId, ExprId> = l.tiles.iter().copied().zip(lens).collect();
        out.push(made(StmtKind::Sync { scope: Level::Block }, l.span));
        self.first_rounds(l, &begin, &lens, &mut out);

        let (k, zero, one) = (self.p.exprs.var(l.var), self.p.exprs.u32(0), self.p.exprs.u32(1));
        let mut body = vec![
            made(StmtKind::Await { pending: stages - 2 }, l.span),
            made(StmtKind::Sync { scope: Level::Block }, l.span),
        ];
        // Written so that it cannot wrap: `n - k` is at least 1.
        let (left, ahead) = (self.p.exprs.bin(BinOp::Sub, l.n, k), self.p.exprs.u32(ahead));
        let cond = self.p.exprs.bin(BinOp::Gt, left, ahead);
        let later = self.p.exprs.bin(BinOp::Add, k, ahead);
        let mut then = Vec::new();
        let slot = self.slot(later, stages, l, &mut then);
        let load = Rewriter::at(k, later, true).block(self.p, &begin);
        then.extend(self.in_slot(slot, &lens, &load));
        body.push(made(StmtKind::If { cond, then, els: Vec::new() }, l.span));
        body.push(made(StmtKind::Commit, l.span));
        let slot = self.slot(k, stages, l, &mut body);
        body.extend(self.in_slot(slot, &lens, l.work));
        out.push(made(StmtKind::SeqFor { var: l.var, start: zero, end: l.n, step: one, body }, l.span));
        Some(out)
    }

    /// Whether no element of a tile is written twice in a round: what is copied may arrive after what is written later. Two instances of a
    /// loop never write one element, as was proved; of one instance all indices are as far from one another whatever it is.
    fn is_written_once(&mut self, l: &Loop<'_>) -> bool {
        let mut indices: HashMap<ArrayId, Vec<ExprId>> = HashMap::default();
        walk::each(l.load, &mut |stmt| {
            if let StmtKind::Assign { array, index, .. } = stmt.kind {
                indices.entry(array).or_default().push(index);
            }
        });
        let several = indices.values().any(|indices| indices.len() > 1);
        if !several {
            return true;
        }
        let mut facts = Facts::of(self.p);
        indices.into_values().all(|indices| {
            let forms: Option<Vec<_>> = indices.into_iter().map(|index| facts.form(self.p, index)).collect();
            let mut seen = HashSet::default();
            forms.is_some_and(|forms| forms.iter().all(|f| f.terms == forms[0].terms && seen.insert(f.constant)))
        })
    }

    /// Begins the copies of the rounds that come first, a group for each, whether there is such a round or not.
    fn first_rounds(&mut self, l: &Loop<'_>, begin: &Block, lens: &HashMap<ArrayId, ExprId>, out: &mut Block) {
        let (k, ahead) = (self.p.exprs.var(l.var), l.stages - 1);
        let [zero, one, end] = [0, 1, ahead].map(|v| self.p.exprs.u32(v));
        let var = self.p.new_var("stage", ScalarType::U32, false, Range::new(0, (ahead - 1).into()));
        let s = if ahead == 1 { zero } else { self.p.exprs.var(var) };
        let load = Rewriter::at(k, s, true).block(self.p, begin);
        let load = self.in_slot(s, lens, &load);
        let cond = self.p.exprs.bin(BinOp::Lt, s, l.n);
        let mut body = match self.p.exprs.as_const(cond) {
            Some(known) if known.bits != 0 => load,
            _ => vec![made(StmtKind::If { cond, then: load, els: Vec::new() }, l.span)],
        };
        body.push(made(StmtKind::Commit, l.span));
        if ahead == 1 {
            out.extend(body);
        } else {
            out.push(made(StmtKind::SeqFor { var, start: zero, end, step: one, body }, l.span));
        }
    }

    /// The tile of a round, by its number.
    fn slot(&mut self, round: ExprId, stages: u32, l: &Loop<'_>, out: &mut Block) -> ExprId {
        let stages = self.p.exprs.u32(stages);
        let value = self.p.exprs.bin(BinOp::Rem, round, stages);
        if self.p.exprs.as_const(value).is_some() {
            return value;
        }
        let var = self.p.new_var("slot", ScalarType::U32, false, self.p.exprs.range(value));
        out.push(made(StmtKind::Let { var, value }, l.span));
        self.p.exprs.var(var)
    }

    /// Statements whose tiles are those with this number.
    fn in_slot(&mut self, slot: ExprId, lens: &HashMap<ArrayId, ExprId>, list: &[Stmt]) -> Block {
        let exprs = &mut self.p.exprs;
        let base = lens.iter().map(|(&array, &len)| (array, exprs.bin(BinOp::Mul, slot, len))).collect();
        Further { exprs, base, new: HashMap::default() }.block(list)
    }

    /// The loads as copies that begin; `None` where one is more than that.
    fn begun(&mut self, l: &Loop<'_>, list: &[Stmt]) -> Option<Block> {
        let (mut out, mut names) = (Vec::with_capacity(list.len()), Opened::default());
        for stmt in list {
            match &stmt.kind {
                StmtKind::Assign { array, index, value } if l.tiles.contains(array) => {
                    let value = names.of(self.p, *value);
                    out.push(self.copy(stmt, *array, *index, value)?);
                }
                StmtKind::Let { var, value } => {
                    names.learn(self.p, *var, *value);
                    out.push(stmt.clone());
                }
                StmtKind::ForAll { level, var, n, body } => {
                    let body = self.begun(l, body)?;
                    out.push(made(StmtKind::ForAll { level: *level, var: *var, n: *n, body }, stmt.span));
                }
                StmtKind::If { cond, then, els } => {
                    let (then, els) = (self.begun(l, then)?, self.begun(l, els)?);
                    out.push(made(StmtKind::If { cond: *cond, then, els }, stmt.span));
                }
                kind => {
                    // What is loaded by itself would be waited for here.
                    let alone =
                        walk::nested(kind).next().is_none() && !walk::direct(kind).any(|e| self.p.exprs.loads(e));
                    out.push(alone.then(|| stmt.clone())?);
                }
            }
        }
        Some(self.without_unread(out))
    }

    /// What sets an element of a tile: a copy, a branch with one on some sides, or what loads nothing.
    fn copy(&mut self, stmt: &Stmt, array: ArrayId, index: ExprId, value: ExprId) -> Option<Stmt> {
        let whole_words = matches!(self.p.array(array).elem.bytes(), 4 | 8);
        let kind = match self.p.exprs.expr(value) {
            Expr::Load(from, _) if whole_words && self.is_input(from) => {
                StmtKind::Copy { array, index, value, count: 1 }
            }
            Expr::Select(cond, a, b) if self.p.exprs.loads(value) => {
                let (then, els) = (self.copy(stmt, array, index, a)?, self.copy(stmt, array, index, b)?);
                StmtKind::If { cond, then: vec![then], els: vec![els] }
            }
            _ if !self.p.exprs.loads(value) => StmtKind::Assign { array, index, value },
            _ => return None,
        };
        Some(made(kind, stmt.span))
    }

    /// A list without the names that nothing in it reads.
    fn without_unread(&self, list: Block) -> Block {
        let mut read: HashSet<VarId> = HashSet::default();
        let mut kept = Vec::with_capacity(list.len());
        for stmt in list.into_iter().rev() {
            if matches!(stmt.kind, StmtKind::Let { var, .. } if !read.contains(&var)) {
                continue;
            }
            let roots = walk::evaluated(std::slice::from_ref(&stmt));
            for id in walk::reachable(&self.p.exprs, roots, |_| false) {
                if let Expr::Var(var) = self.p.exprs.expr(id) {
                    read.insert(var);
                }
            }
            kept.push(stmt);
        }
        kept.reverse();
        kept
    }
}
