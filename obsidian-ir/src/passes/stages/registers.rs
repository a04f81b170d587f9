//! A stage in registers: the elements of the next round are loaded while a round is at work, and stored before theirs.

use super::{Loop, Opened, Stager, made};
use crate::level::Level;
use crate::passes::virtualise::Rewriter;
use crate::program::{Array, ArrayId, BinOp, Block, ExprId, Range, ScalarType, Space, Stmt, StmtKind, VarId};

/// The most registers of 32 bits that a thread keeps elements of the next round in: more would be missing elsewhere.
const MAX_HELD: u32 = 32;

/// A loop over the block's threads, whose instances set elements of tiles.
struct Part {
    var: VarId,
    n: ExprId,
    names: Block,
    /// For each element that an instance sets: the tile, the index, the value, and the array that keeps it.
    kept: Vec<(ArrayId, ExprId, ExprId, ArrayId)>,
}

impl Stager<'_> {
    /// `None` where a load is more than names and elements, or takes too many registers.
    pub(super) fn with_registers(&mut self, l: &Loop<'_>) -> Option<Block> {
        let before = self.p.arrays.len();
        let parts: Option<Vec<Part>> = l.load.iter().map(|stmt| self.part(l, stmt)).collect();
        let held = |p: &Part| p.kept.iter().map(|kept| self.words(kept.3)).sum::<u32>();
        let Some(parts) = parts.filter(|parts| parts.iter().map(held).sum::<u32>() <= MAX_HELD) else {
            self.p.arrays.truncate(before);
            return None;
        };
        let (k, zero, one) = (self.p.exprs.var(l.var), self.p.exprs.u32(0), self.p.exprs.u32(1));
        let registers = parts.iter().flat_map(|part| part.kept.iter().map(|kept| kept.3));
        let mut out: Block = registers.map(|array| made(StmtKind::Allocate { array }, l.span)).collect();
        let runs = self.p.exprs.bin(BinOp::Lt, zero, l.n);
        let first = self.loads(l, &parts, k, zero);
        out.extend(self.given(runs, first, l));

        let mut body: Block = l.tiles.iter().map(|&array| made(StmtKind::Allocate { array }, l.span)).collect();
        body.extend(parts.iter().map(|part| self.store(part, l)));
        // Written so that it cannot wrap: `n - k` is at least 1.
        let left = self.p.exprs.bin(BinOp::Sub, l.n, k);
        let more = self.p.exprs.bin(BinOp::Gt, left, one);
        let next = self.p.exprs.bin(BinOp::Add, k, one);
        let loads = self.loads(l, &parts, k, next);
        body.extend(self.given(more, loads, l));
        body.extend(l.work.iter().cloned());
        out.push(made(StmtKind::SeqFor { var: l.var, start: zero, end: l.n, step: one, body }, l.span));
        Some(out)
    }

    /// The registers of 32 bits that an array takes in each real thread.
    fn words(&self, array: ArrayId) -> u32 {
        let a = self.p.array(array);
        let rounds = self.p.exprs.as_u32(a.len).unwrap_or(u32::MAX).div_ceil(self.p.threads);
        rounds.saturating_mul(a.elem.bytes().div_ceil(4))
    }

    fn given(&self, cond: ExprId, then: Block, l: &Loop<'_>) -> Block {
        match self.p.exprs.as_const(cond) {
            Some(known) if known.bits != 0 => then,
            Some(_) => Vec::new(),
            None => vec![made(StmtKind::If { cond, then, els: Vec::new() }, l.span)],
        }
    }

    /// What a loop over threads does, if it is only names and elements of tiles.
    fn part(&mut self, l: &Loop<'_>, stmt: &Stmt) -> Option<Part> {
        let StmtKind::ForAll { level: Level::Block, var, n, body } = &stmt.kind else { return None };
        self.p.exprs.as_u32(*n).filter(|&n| n > 0)?;
        let mut part = Part { var: *var, n: *n, names: Vec::new(), kept: Vec::new() };
        let mut names = Opened::default();
        for inner in body {
            match inner.kind {
                StmtKind::Let { var, value } => {
                    names.learn(self.p, var, value);
                    part.names.push(inner.clone());
                }
                StmtKind::Assign { array, index, value } if l.tiles.contains(&array) => {
                    let index = names.of(self.p, index);
                    if self.p.exprs.loads(index) {
                        return None;
                    }
                    let kept = self.register(array, *n);
                    part.kept.push((array, index, value, kept));
                }
                _ => return None,
            }
        }
        Some(part)
    }

    /// A register of each of `n` instances, for an element of `tile`.
    fn register(&mut self, tile: ArrayId, n: ExprId) -> ArrayId {
        let id = ArrayId(self.p.arrays.len() as u32);
        let of = self.p.array(tile);
        let name = format!("{}_next{}", of.name, id.0);
        let array = Array { name, len: n, space: Space::Registers, stages: 1, ..of.clone() };
        self.p.arrays.push(array);
        id
    }

    /// Loads the elements of a round into registers.
    fn loads(&mut self, l: &Loop<'_>, parts: &[Part], k: ExprId, round: ExprId) -> Block {
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            let t = self.p.exprs.var(part.var);
            let set = |&(_, _, value, array): &(ArrayId, ExprId, ExprId, ArrayId)| {
                made(StmtKind::Assign { array, index: t, value }, l.span)
            };
            let mut body = part.names.clone();
            body.extend(part.kept.iter().map(set));
            let load = StmtKind::ForAll { level: Level::Block, var: part.var, n: part.n, body };
            out.push(made(load, l.span));
        }
        Rewriter::at(k, round, true).block(self.p, &out)
    }

    /// Stores the elements of the round that begins.
    fn store(&mut self, part: &Part, l: &Loop<'_>) -> Stmt {
        let hi = self.p.exprs.range(part.n).hi - 1;
        let var = self.p.new_var("t", ScalarType::U32, false, Range::new(0, hi.max(0)));
        let (own, t) = (self.p.exprs.var(part.var), self.p.exprs.var(var));
        let mut body = Vec::with_capacity(part.kept.len());
        for &(array, index, _, kept) in &part.kept {
            let value = self.p.exprs.load(kept, own, self.p.array(array).elem);
            let set = vec![made(StmtKind::Assign { array, index, value }, l.span)];
            body.extend(Rewriter::at(own, t, false).block(self.p, &set));
        }
        made(StmtKind::ForAll { level: Level::Block, var, n: part.n, body }, l.span)
    }
}
