//! Clamps that do nothing: a thread that writes element `x` of an array of `n` elements has `x < n`, so in the same list of statements
//! `min(x, n - 1)` is `x`, and `x < n` is true. A loop that counts up to `n` tells the same of its counter, and a test of what it tests.
//! So the neighbours that a stencil reads are neighbours for `vectorise`, and are read once.
//!
//! Needs: any form, before `schedule`; every write is in range, which `bounds` has proved or `guards` tests. Ensures: the same values.
//!
//! ```text
//! out[t] = xs[max(t, 1) - 1] + xs[min(t + 1, n - 1)]               out[t] = xs[max(t, 1) - 1] + xs[t + 1]
//! out[t + 1] = xs[min(t, n - 1)] + xs[min(t + 2, n - 1)]     =>    out[t + 1] = xs[t] + xs[min(t + 2, n - 1)]
//! ```

use super::blocks;
use super::index::{Facts, Form};
use super::walk;
use crate::level::Level;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Program, ScalarType, Space, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// Places in a list, and in the lists around it, that are looked at: the others tell nothing.
const MAX_KNOWN: usize = 64;

/// Takes them away.
pub(super) fn run(program: &mut Program) {
    if !any(program) {
        return;
    }
    let facts = Facts::of(program);
    let mut body = std::mem::take(&mut program.body);
    Clamps { p: program, facts, known: Vec::new() }.list(&mut body);
    program.body = body;
}

/// Whether there is anything to look at.
fn any(p: &Program) -> bool {
    let is_clamp = |&e: &ExprId| clamp(p, e).is_some();
    walk::reachable(&p.exprs, walk::evaluated(&p.body), |_| false).iter().any(is_clamp)
}

/// A value that is clamped or tested, and the last element that it may be, or the length.
fn clamp(p: &Program, e: ExprId) -> Option<(BinOp, ExprId, ExprId)> {
    match p.exprs.expr(e) {
        Expr::Bin(op @ (BinOp::Min | BinOp::Lt), x, end) => {
            (p.exprs.ty(x) == ScalarType::U32 && p.exprs.known_at_launch(end)).then_some((op, x, end))
        }
        _ => None,
    }
}

/// Whether there is a loop inside of which nobody counts the rounds.
fn may_be_endless(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::SeqWhile { .. }) || walk::nested(&stmt.kind).flatten().any(may_be_endless)
}

struct Clamps<'p> {
    p: &'p mut Program,
    facts: Facts,
    /// What is known where a statement is: lengths, and places below them.
    known: Vec<(ExprId, Form)>,
}

impl Clamps<'_> {
    /// Who does one statement of a list does all, but for what stands behind a loop that may have no end.
    fn list(&mut self, list: &mut Block) {
        for stmt in list.iter().take_while(|stmt| !may_be_endless(stmt)) {
            if let StmtKind::Assign { array, index, .. } = stmt.kind
                && self.counts_alone(array)
            {
                self.know(index, self.p.array(array).len);
            }
        }
        for stmt in list {
            if !self.known.is_empty() {
                let roots: Vec<ExprId> = walk::direct(&stmt.kind).collect();
                let new = self.without(&roots);
                walk::direct_mut(&mut stmt.kind).for_each(|e| *e = new.get(e).copied().unwrap_or(*e));
            }
            let here = self.known.len();
            self.know_inside(&stmt.kind);
            for inner in walk::nested_mut(&mut stmt.kind) {
                self.list(inner);
                // A test holds in the first of its two lists.
                self.known.truncate(here);
            }
        }
    }

    /// What a statement tells of those inside of the first of its lists.
    fn know_inside(&mut self, kind: &StmtKind) {
        match *kind {
            StmtKind::If { cond, .. } => self.know_test(cond),
            // A group of OpenCL goes through the first round of a loop over blocks without a test.
            StmtKind::SeqFor { start, .. } if blocks::begins_at_own(self.p, start) => {}
            StmtKind::SeqFor { var, end, .. } => self.know_counter(var, end),
            StmtKind::ForAll { var, n, .. } | StmtKind::DistrPar { var, n, .. } => self.know_counter(var, n),
            _ => {}
        }
    }

    fn know_test(&mut self, cond: ExprId) {
        match self.p.exprs.expr(cond) {
            Expr::Bin(BinOp::And, a, b) => [a, b].into_iter().for_each(|test| self.know_test(test)),
            // `a && b`, where `b` reads memory.
            Expr::Select(a, b, no) if self.p.exprs.as_const(no).is_some_and(|no| no.bits == 0) => {
                [a, b].into_iter().for_each(|test| self.know_test(test));
            }
            Expr::Bin(BinOp::Lt, x, end) => self.know(x, end),
            _ => {}
        }
    }

    fn know_counter(&mut self, var: VarId, end: ExprId) {
        let counter = self.p.exprs.var(var);
        self.know(counter, end);
    }

    /// That a place is below a length, which all know at launch.
    fn know(&mut self, place: ExprId, len: ExprId) {
        if self.known.len() < MAX_KNOWN
            && self.p.exprs.known_at_launch(len)
            && let Some(form) = self.facts.form(self.p, place)
        {
            self.known.push((len, form));
        }
    }

    /// Whether an index counts the array's own elements: those of a warp's array may lie behind those of other warps.
    fn counts_alone(&self, array: ArrayId) -> bool {
        matches!(self.p.array(array).space, Space::Global(_) | Space::Shared(Level::Block))
    }

    /// What stands for each expression below `roots` that holds a clamp which does nothing.
    fn without(&mut self, roots: &[ExprId]) -> HashMap<ExprId, ExprId> {
        let mut new: HashMap<ExprId, ExprId> = HashMap::default();
        for id in walk::reachable(&self.p.exprs, roots.iter().copied(), |_| false) {
            let plain = clamp(self.p, id).and_then(|(op, x, end)| match op {
                BinOp::Lt => self.is_below(x, end).then(|| self.p.exprs.bool(true)),
                _ => self.plain(x, end),
            });
            if plain.is_none() && !walk::operands(self.p.exprs.expr(id)).any(|operand| new.contains_key(&operand)) {
                continue;
            }
            let instead = match plain {
                Some(plain) => new.get(&plain).copied().unwrap_or(plain),
                None => walk::rebuild(&mut self.p.exprs, id, |x| new.get(&x).copied().unwrap_or(x)),
            };
            self.p.exprs.coordinates.inherit(instead, id);
            new.insert(id, instead);
        }
        new
    }

    /// The value, plainly, if it is at most this last element of an array that is written where the value is.
    fn plain(&mut self, x: ExprId, last: ExprId) -> Option<ExprId> {
        let len = self.one_more(last)?;
        match self.behind_a_place(x, len) {
            None => self.is_below(x, len).then_some(x),
            place => place,
        }
    }

    /// The length of an array whose last element this is.
    fn one_more(&mut self, last: ExprId) -> Option<ExprId> {
        let exprs = &mut self.p.exprs;
        match exprs.expr(last) {
            Expr::Bin(BinOp::Sub, len, one) if exprs.as_u32(one) == Some(1) => Some(len),
            _ => exprs.as_u32(last)?.checked_add(1).map(|len| exprs.u32(len)),
        }
    }

    /// Whether a value is below the length: it is a place that is written, or not above one.
    fn is_below(&mut self, x: ExprId, len: ExprId) -> bool {
        if self.is_place(x, 0, len) {
            return true;
        }
        let exprs = &self.p.exprs;
        let Expr::Bin(BinOp::Sub, from, by) = exprs.expr(x) else { return false };
        match exprs.expr(from) {
            // At most `y` or 0, and one less than that where `by` is not 0.
            Expr::Bin(BinOp::Max, y, least) if least == by => {
                let is_positive = exprs.as_u32(by).is_some_and(|by| by > 0);
                self.is_below(y, len) || is_positive && self.is_place(y, 1, len)
            }
            _ => exprs.as_u32(by).is_some_and(|by| exprs.range(from).lo >= by.into()) && self.is_below(from, len),
        }
    }

    /// `max(y, 1) - 1` where `y - 1` is a place that is written: that place. It is below a length, so one more does not wrap.
    fn behind_a_place(&mut self, x: ExprId, len: ExprId) -> Option<ExprId> {
        let exprs = &self.p.exprs;
        let Expr::Bin(BinOp::Sub, from, one) = exprs.expr(x) else { return None };
        let Expr::Bin(BinOp::Max, y, least) = exprs.expr(from) else { return None };
        let is_one = least == one && exprs.as_u32(one) == Some(1);
        (is_one && self.is_place(y, 1, len)).then(|| self.p.exprs.bin(BinOp::Sub, y, one))
    }

    /// Whether a value is so many behind a place that is written in an array of that length.
    fn is_place(&mut self, x: ExprId, behind: u32, len: ExprId) -> bool {
        let Some(Form { terms, constant }) = self.facts.form(self.p, x) else { return false };
        let place = Form { terms, constant: constant.wrapping_sub(behind) };
        self.known.iter().any(|(written, known)| *written == len && *known == place)
    }
}
