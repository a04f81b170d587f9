//! Virtualisation: shares virtual threads, warps and blocks out over the real ones. Needs: structured form. Ensures: no
//! `ForAll` or `DistrPar` is left; machine registers instead; right for any number of real blocks and for 1 to 1024
//! threads. Arrays of warps are indexed by warp: element `i` is at `WarpId * len + i`. Barriers of a block stay where
//! all its threads reach them. Arrays in registers become variables of the real thread, one for each instance that it does, so
//! rounds over these are always written out. Source: JFP 2016.
//!
//! ```text
//! distribute Block b < n                  seq b in block..n by blocks
//!   forall Block i < 40               =>    out[b * 40 + tid] = ..
//!     out[b * 40 + i] = ..                  if tid < 8 { out[b * 40 + (tid + 32)] = .. }      (32 threads)
//! ```

use super::registers::Held;
use super::{converge, walk};
use crate::diag::Span;
use crate::level::Level;
use crate::program::{
    ArrayId, BinOp, Block, Expr, ExprId, Program, Range, ScalarType, Space, Special, Stmt, StmtKind, VarId,
};
use crate::tables::HashMap;

/// The most full rounds that are unrolled instead of being a loop.
const MAX_UNROLLED: u32 = 8;
/// The most statements and operations that unrolled rounds may have: ptxas takes more than linear time.
const MAX_UNROLLED_SIZE: usize = 1024;

/// Which threads can wait for one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Those of a warp, and those of a block.
    Warps,
    /// Only those of a block.
    Blocks,
}

/// Turns structured form into machine form. If only blocks can wait, all barriers are those of the block.
pub fn run(program: &mut Program, waiting: Waiting) {
    let body = std::mem::take(&mut program.body);
    let mut v = Virtualiser { program, waiting, votes: None, held: Held::default() };
    let mut out = Vec::new();
    for stmt in body {
        v.machine(stmt, &mut out);
    }
    program.body = out;
}

struct Virtualiser<'p> {
    program: &'p mut Program,
    waiting: Waiting,
    /// What `converge` counts in.
    votes: Option<ArrayId>,
    /// The arrays in registers.
    held: Held,
}

impl Virtualiser<'_> {
    fn list(&mut self, list: Block) -> Block {
        let mut out = Vec::with_capacity(list.len());
        for stmt in list {
            self.machine(stmt, &mut out);
        }
        out
    }

    /// Code that all threads of a block, or of a warp, run together.
    fn machine(&mut self, stmt: Stmt, out: &mut Block) {
        let span = stmt.span;
        let kind = match stmt.kind {
            StmtKind::DistrPar { level: Level::Warp, var, n, body } => return self.warps(var, n, body, span, out),
            StmtKind::DistrPar { var, n, body, .. } => {
                let start = self.program.exprs.special(Special::BlockIdx, i32::MAX as u32);
                let step = self.program.exprs.special(Special::GridDim, i32::MAX as u32);
                StmtKind::SeqFor { var, start, end: n, step, body: self.list(body) }
            }
            StmtKind::ForAll { level, var, n, body } => return self.threads(level, (var, n, body), span, out),
            StmtKind::Allocate { array } => {
                let declared = self.held.declare(self.program, array);
                let kinds = declared.unwrap_or_else(|| vec![StmtKind::Allocate { array }]);
                out.extend(kinds.into_iter().map(|kind| Stmt::new(kind, span)));
                return;
            }
            StmtKind::Sync { .. } if self.waiting == Waiting::Blocks => StmtKind::Sync { scope: Level::Block },
            mut kind => {
                walk::nested_mut(&mut kind).for_each(|list| *list = self.list(std::mem::take(list)));
                kind
            }
        };
        out.push(Stmt::new(kind, span));
    }

    /// A register whose greatest value is `hi`; the constant 0 if `hi` is 0.
    fn register(&mut self, s: Special, hi: u32) -> ExprId {
        if hi == 0 { self.program.exprs.u32(0) } else { self.program.exprs.special(s, hi) }
    }

    fn warp_id(&mut self) -> ExprId {
        let hi = self.program.threads.div_ceil(32).max(1) - 1;
        self.register(Special::WarpId, hi)
    }

    /// Shares `n` warp programs out over the whole warps of the block; left-over threads skip them.
    fn warps(&mut self, var: VarId, n: ExprId, body: Block, span: Span, out: &mut Block) {
        let body = self.list(body);
        let body = self.warp_indices(body);
        let (id, real) = (self.warp_id(), self.program.warps());
        if self.waiting == Waiting::Blocks && self.program.threads > 32 && walk::waits(&body) {
            return self.warps_together((var, n, body), span, out);
        }
        let (inner, guard) = match self.program.exprs.as_u32(n) {
            Some(0) => return,
            Some(k) if k <= real => {
                let mut inner = vec![Stmt::new(StmtKind::Let { var, value: id }, span)];
                inner.extend(body);
                (inner, k)
            }
            _ => {
                let step = self.program.exprs.u32(real);
                (vec![Stmt::new(StmtKind::SeqFor { var, start: id, end: n, step, body }, span)], real)
            }
        };
        self.guarded(id, guard, inner, span, out);
    }

    /// As `warps`, but every barrier of the body is reached by the whole block.
    fn warps_together(&mut self, (var, n, body): (VarId, ExprId, Block), span: Span, out: &mut Block) {
        let (id, real) = (self.warp_id(), self.program.warps());
        let known = self.program.exprs.as_u32(n);
        if known == Some(0) {
            return;
        }
        let real_id = self.program.exprs.u32(real);
        let whole = self.program.exprs.bin(BinOp::Lt, id, real_id);
        if known.is_some_and(|k| k <= real) {
            let at_work = self.program.exprs.bin(BinOp::Lt, id, n);
            out.extend(self.warp_together((var, id, body), (whole, at_work), span));
            return;
        }
        let hi = self.program.exprs.range(n).hi - 1;
        let first = self.program.new_var("first", ScalarType::U32, false, Range::new(0, hi));
        let base = self.program.exprs.var(first);
        // Written so that it cannot wrap: `n - base` is at least 1.
        let left = self.program.exprs.bin(BinOp::Sub, n, base);
        let even = known.is_some_and(|n| n.is_multiple_of(real));
        let at_work = if even { whole } else { self.program.exprs.bin(BinOp::Lt, id, left) };
        let index = self.program.exprs.bin(BinOp::Add, base, id);
        let body = self.warp_together((var, index, body), (whole, at_work), span);
        let start = self.program.exprs.u32(0);
        out.push(Stmt::new(StmtKind::SeqFor { var: first, start, end: n, step: real_id, body }, span));
    }

    /// One round: `body` with `var` bound to `index`, in the threads where both conditions hold.
    fn warp_together(
        &mut self,
        (var, index, body): (VarId, ExprId, Block),
        (whole, at_work): (ExprId, ExprId),
        span: Span,
    ) -> Block {
        let active = self.program.exprs.bin(BinOp::And, whole, at_work);
        let always = self.program.exprs.as_const(active).is_some_and(|c| c.bits != 0);
        let mut code = vec![Stmt::new(StmtKind::Let { var, value: index }, span)];
        code.extend(body);
        converge::together(self.program, &mut self.votes, code, (!always).then_some(active), span)
    }

    /// `if id < limit { body }`, without the test if it always holds.
    fn guarded(&mut self, id: ExprId, limit: u32, body: Block, span: Span, out: &mut Block) {
        let limit = self.program.exprs.u32(limit);
        let cond = self.program.exprs.bin(BinOp::Lt, id, limit);
        if self.program.exprs.as_const(cond).is_some_and(|c| c.bits != 0) {
            out.extend(body);
        } else {
            out.push(Stmt::new(StmtKind::If { cond, then: body, els: Vec::new() }, span));
        }
    }

    /// `n` instances of thread code over the threads of a block or the lanes of a warp: full rounds, guarded rest.
    fn threads(&mut self, level: Level, (var, n, body): (VarId, ExprId, Block), span: Span, out: &mut Block) {
        let (special, real) = match level {
            Level::Warp => (Special::Lane, self.program.lanes()),
            _ => (Special::Tid, self.program.threads),
        };
        let id = self.register(special, real - 1);
        let step = self.program.exprs.u32(real);
        let Some(n) = self.program.exprs.as_u32(n) else {
            // The number is not known while compiling; one guarded loop is right for all numbers.
            out.push(Stmt::new(StmtKind::SeqFor { var, start: id, end: n, step, body }, span));
            return;
        };
        let (rounds, rest) = (n / real, n % real);
        if self.held.touched(self.program, &body) {
            return self.held_threads((var, &body), id, (rounds, rest), span, out);
        }
        let copy = |v: &mut Self, base: ExprId, first: bool| {
            let index = v.program.exprs.bin(BinOp::Add, base, id);
            v.instance(var, index, &body, first, span)
        };
        if rounds == 1 {
            let base = self.program.exprs.u32(0);
            out.extend(copy(self, base, true));
        } else if rounds <= MAX_UNROLLED
            && size(self.program, &body).saturating_mul(rounds as usize) <= MAX_UNROLLED_SIZE
        {
            for round in 0..rounds {
                let base = self.program.exprs.u32(round * real);
                let index = self.program.exprs.bin(BinOp::Add, base, id);
                out.extend(self.round(var, index, &body, round == 0));
            }
        } else {
            let range = Range::new(0, i128::from((rounds - 1) * real));
            let round = self.program.new_var("round", ScalarType::U32, false, range);
            let base = self.program.exprs.var(round);
            let body = copy(self, base, true);
            let (start, end) = (self.program.exprs.u32(0), self.program.exprs.u32(rounds * real));
            out.push(Stmt::new(StmtKind::SeqFor { var: round, start, end, step, body }, span));
        }
        if rest > 0 {
            let base = self.program.exprs.u32(rounds * real);
            let code = copy(self, base, rounds == 0);
            self.guarded(id, rest, code, span, out);
        }
    }

    /// As `threads`, of code that touches registers: each round has its own.
    fn held_threads(
        &mut self,
        (var, body): (VarId, &Block),
        id: ExprId,
        (rounds, rest): (u32, u32),
        span: Span,
        out: &mut Block,
    ) {
        for round in 0..rounds + u32::from(rest > 0) {
            let base = self.program.exprs.u32(round * self.program.threads);
            let index = self.program.exprs.bin(BinOp::Add, base, id);
            let own = self.held.replaced(self.program, body, round);
            if round < rounds {
                out.extend(self.round(var, index, &own, round == 0));
            } else {
                let code = self.instance(var, index, &own, round == 0, span);
                self.guarded(id, rest, code, span, out);
            }
        }
    }

    /// One of several unrolled rounds: `index` replaces `var`, so that values common to the rounds become one
    /// expression.
    fn round(&mut self, var: VarId, index: ExprId, body: &Block, first: bool) -> Block {
        let var = self.program.exprs.var(var);
        Rewriter::at(var, index, !first).block(self.program, body)
    }

    /// One instance of thread code, with `var` bound to `index`. Copies after the first get variables and local arrays
    /// of their own; their index has the narrower range of `index`, so that guards inside may fold.
    fn instance(&mut self, var: VarId, index: ExprId, body: &Block, first: bool, span: Span) -> Block {
        let mut r = Rewriter::default();
        let own = if first { var } else { self.fresh_index(var, index) };
        if own != var {
            r.vars.insert(var, own);
        }
        r.fresh = !first;
        let mut code = vec![Stmt::new(StmtKind::Let { var: own, value: index }, span)];
        code.extend(if first { body.clone() } else { r.block(self.program, body) });
        code
    }

    fn fresh_index(&mut self, var: VarId, index: ExprId) -> VarId {
        let range = self.program.exprs.range(index);
        let name = stem(&self.program.var(var).name).to_string();
        self.program.new_var(&name, ScalarType::U32, false, range)
    }

    /// Rewrites the indices of the warp's arrays in `body` to its copy.
    fn warp_indices(&mut self, body: Block) -> Block {
        let mut r = Rewriter { warp: Some(self.warp_id()), ..Rewriter::default() };
        r.block(self.program, &body)
    }
}

/// A variable's name without the number that makes it unique.
fn stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.is_empty() { "i" } else { stem }
}

/// The number of statements and distinct operations of a list: the cost of one more copy.
pub(super) fn size(program: &Program, list: &Block) -> usize {
    let mut statements = 0;
    walk::each(list, &mut |_| statements += 1);
    statements + walk::reachable(&program.exprs, walk::evaluated(list), |_| false).len()
}

/// Copies statements, with variables, arrays and the indices of warp arrays replaced.
#[derive(Default)]
pub(super) struct Rewriter {
    vars: HashMap<VarId, VarId>,
    arrays: HashMap<ArrayId, ArrayId>,
    /// Whether variables that are bound inside get new names.
    fresh: bool,
    /// The real warp, where the indices of its arrays are to be rewritten.
    warp: Option<ExprId>,
    /// The variables of arrays in registers.
    held: HashMap<ArrayId, VarId>,
    memo: HashMap<ExprId, ExprId>,
}

impl Rewriter {
    /// Copies an instance of thread code, with its index `var` replaced by `own`.
    pub(super) fn instance(var: VarId, own: VarId, fresh: bool) -> Rewriter {
        Rewriter { vars: HashMap::from_iter([(var, own)]), fresh, ..Rewriter::default() }
    }

    /// Copies statements with variables for the elements of these arrays.
    pub(super) fn holding(held: HashMap<ArrayId, VarId>) -> Rewriter {
        Rewriter { held, ..Rewriter::default() }
    }

    /// Copies the body of a loop, with its index `var` replaced by `to`.
    pub(super) fn at(var: ExprId, to: ExprId, fresh: bool) -> Rewriter {
        Rewriter { memo: HashMap::from_iter([(var, to)]), fresh, ..Rewriter::default() }
    }

    /// From here on puts these in the place of expressions; variables that were bound keep their new names.
    pub(super) fn knowing(&mut self, known: impl IntoIterator<Item = (ExprId, ExprId)>) {
        self.memo = known.into_iter().collect();
    }

    pub(super) fn block(&mut self, p: &mut Program, list: &Block) -> Block {
        let mut out = Vec::with_capacity(list.len());
        for stmt in list {
            match self.stmt(p, &stmt.kind) {
                // At one index a condition may be known that is not known at all.
                StmtKind::If { cond, then, els } if p.exprs.as_const(cond).is_some() => {
                    out.extend(if p.exprs.as_const(cond).is_some_and(|c| c.bits != 0) { then } else { els });
                }
                kind => out.push(Stmt::new(kind, stmt.span)),
            }
        }
        out
    }

    fn stmt(&mut self, p: &mut Program, kind: &StmtKind) -> StmtKind {
        match kind {
            StmtKind::Assign { array, value, .. } if self.held.contains_key(array) => {
                StmtKind::Set { var: self.held[array], value: self.expr(p, *value) }
            }
            StmtKind::Assign { array, index, value } => {
                let value = self.expr(p, *value);
                StmtKind::Assign { array: self.array(*array), index: self.index(p, *array, *index), value }
            }
            StmtKind::Copy { array, index, value, count } => {
                let value = self.expr(p, *value);
                StmtKind::Copy { array: self.array(*array), index: self.index(p, *array, *index), value, count: *count }
            }
            StmtKind::Atomic { op, array, index, value, expected, old } => {
                let (index, value) = (self.index(p, *array, *index), self.expr(p, *value));
                let expected = expected.map(|e| self.expr(p, e));
                let old = old.map(|v| self.bind(p, v));
                StmtKind::Atomic { op: *op, array: self.array(*array), index, value, expected, old }
            }
            StmtKind::Set { var, value } => StmtKind::Set { var: self.var(*var), value: self.expr(p, *value) },
            StmtKind::SeqWhile { head, cond, body } => {
                let head = self.block(p, head);
                let cond = self.expr(p, *cond);
                StmtKind::SeqWhile { head, cond, body: self.block(p, body) }
            }
            StmtKind::Allocate { array } => StmtKind::Allocate { array: self.allocate(p, *array) },
            // In machine code none of the others names an array.
            other => {
                let mut kind = other.clone();
                walk::direct_mut(&mut kind).for_each(|e| *e = self.expr(p, *e));
                walk::bound_mut(&mut kind).for_each(|var| *var = self.bind(p, *var));
                walk::nested_mut(&mut kind).for_each(|list| *list = self.block(p, list));
                kind
            }
        }
    }

    fn var(&self, var: VarId) -> VarId {
        self.vars.get(&var).copied().unwrap_or(var)
    }

    fn array(&self, array: ArrayId) -> ArrayId {
        self.arrays.get(&array).copied().unwrap_or(array)
    }

    fn bind(&mut self, p: &mut Program, var: VarId) -> VarId {
        if !self.fresh {
            return var;
        }
        let old = p.var(var).clone();
        let e = p.exprs.var(var);
        let range = p.exprs.range(e);
        let new = p.new_var(stem(&old.name), old.ty, old.mutable, range);
        self.vars.insert(var, new);
        new
    }

    fn allocate(&mut self, p: &mut Program, array: ArrayId) -> ArrayId {
        if !self.fresh || p.array(array).space != Space::Local {
            return array;
        }
        let new = ArrayId(p.arrays.len() as u32);
        let mut copy = p.array(array).clone();
        copy.name = format!("{}_{}", copy.name, new.0);
        p.arrays.push(copy);
        self.arrays.insert(array, new);
        new
    }

    fn index(&mut self, p: &mut Program, array: ArrayId, index: ExprId) -> ExprId {
        let index = self.expr(p, index);
        self.place(p, array, index)
    }

    /// The index into all copies of a warp's array.
    fn place(&mut self, p: &mut Program, array: ArrayId, index: ExprId) -> ExprId {
        match self.warp {
            Some(warp) if p.array(array).space == Space::Shared(Level::Warp) => {
                let len = p.array(array).len;
                let base = p.exprs.bin(BinOp::Mul, warp, len);
                p.exprs.bin(BinOp::Add, base, index)
            }
            _ => index,
        }
    }

    pub(super) fn expr(&mut self, p: &mut Program, root: ExprId) -> ExprId {
        for id in walk::reachable(&p.exprs, [root], |id| self.memo.contains_key(&id)) {
            let new = match p.exprs.expr(id) {
                Expr::Var(v) => p.exprs.var(self.var(v)),
                Expr::Load(array, _) if self.held.contains_key(&array) => p.exprs.var(self.held[&array]),
                Expr::Load(array, i) => {
                    let ty = p.exprs.ty(id);
                    let index = self.memo[&i];
                    let before = p.exprs.make_as(id);
                    let index = self.place(p, array, index);
                    let new = p.exprs.load(self.array(array), index, ty);
                    p.exprs.make_for(before);
                    p.exprs.inherit_place(new, id);
                    new
                }
                _ => walk::rebuild(&mut p.exprs, id, |operand| self.memo[&operand]),
            };
            self.memo.insert(id, new);
        }
        self.memo[&root]
    }
}
