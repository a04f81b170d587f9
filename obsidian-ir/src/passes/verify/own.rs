//! A thread's own arrays: what is read of one has been written before by the same thread, on every path.
//!
//! Walks thread code in order, with what is certain to have been written at each place; loops of known length are lanes,
//! as everywhere in this pass. What a loop or a branch that may not be taken writes is forgotten behind it.

mod counted;
mod written;

use std::convert::Infallible;

use super::report::{Fault, Verdict};
use crate::diag::Span;
use crate::passes::access::{Effects, Loads, Sites};
use crate::passes::index::Table;
use crate::passes::walk;
use crate::program::scoped::{Around, Rounds, Visitor, visit};
use crate::program::{ArrayId, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};
use crate::tables::HashSet;
use written::{Missing, Written};

/// Rounds of loops that are gone through one after another in one leaf, at most.
const MAX_ROUNDS: u32 = 512;

/// Whether a program has such arrays.
pub(super) fn any(p: &Program) -> bool {
    p.arrays.iter().any(|array| array.space == Space::Local)
}

/// What is wrong with a read.
pub(super) struct Unwritten {
    pub(super) array: ArrayId,
    pub(super) span: Span,
    pub(super) verdict: Verdict,
}

/// The reads of a `ForAll` that are not proved to see a value. Around it are the loops that `sites` has entered.
pub(super) fn unwritten(p: &Program, loads: &Loads, stmt: &Stmt, sites: &mut Sites<'_>) -> Vec<Unwritten> {
    let StmtKind::ForAll { var, n, body, .. } = &stmt.kind else { return Vec::new() };
    let entered = sites.enter_all(*var, *n).is_some();
    if !entered {
        sites.unknown(*var);
    }
    let mut walker = Walker {
        p,
        loads,
        sites,
        written: Written::default(),
        mask: Table::uniform(1),
        sure: entered,
        found: Vec::new(),
        left: MAX_ROUNDS,
        before: Vec::new(),
        branches: Vec::new(),
    };
    let scope = Scope { mask: walker.mask.clone(), sure: entered, runs: Runs::Once };
    let Ok(_) = visit(&mut walker, body, scope);
    let found = walker.found;
    if entered {
        sites.leave();
    }
    found
}

struct Walker<'w, 'p> {
    p: &'w Program,
    loads: &'w Loads,
    sites: &'w mut Sites<'p>,
    written: Written,
    /// The lanes that come by.
    mask: Table,
    /// Whether all lanes of the mask do.
    sure: bool,
    found: Vec<Unwritten>,
    /// Rounds that may still be gone through one after another.
    left: u32,
    /// What had been written before the loops and branches that are being gone through.
    before: Vec<Written>,
    /// The lanes that take each side of these branches, where that is known.
    branches: Vec<Option<[Table; 2]>>,
}

/// What is around a statement of thread code.
#[derive(Debug, Clone)]
struct Scope {
    mask: Table,
    sure: bool,
    runs: Runs,
}

/// How a list runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// Once, by the lanes of its mask.
    Once,
    /// As a loop whose rounds are lanes: this many.
    InLanes(u32),
    /// By nobody knows which lanes, or nobody knows how often.
    Perhaps,
}

impl<'s> Visitor<'s> for Walker<'_, '_> {
    type Scope = Scope;
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'s Stmt, scope: &Scope) -> Result<Option<Scope>, Infallible> {
        if !matches!(stmt.kind, StmtKind::SeqWhile { .. }) {
            self.reads(stmt);
        }
        match &stmt.kind {
            StmtKind::Allocate { array } => self.allocate(*array),
            StmtKind::Assign { array, index, .. } => self.write(*array, *index),
            StmtKind::SeqFor { var, start, end, step, body } if self.feeds_itself(body) => {
                if let Some(rounds) = self.rounds((*start, *end, *step)) {
                    self.one_by_one((*var, body), rounds, scope);
                    return Ok(None);
                }
            }
            _ => {}
        }
        Ok(Some(scope.clone()))
    }

    /// The condition of a `while`, behind its head.
    fn evaluates(&mut self, stmt: &'s Stmt, _: ExprId, _: &Scope) -> Result<(), Infallible> {
        if matches!(stmt.kind, StmtKind::SeqWhile { .. }) {
            self.reads(stmt);
        }
        Ok(())
    }

    fn enter(&mut self, around: Around, _: &'s Block, outer: &Scope) -> Result<Option<Scope>, Infallible> {
        let perhaps = Scope { sure: false, runs: Runs::Perhaps, ..outer.clone() };
        let inner = match around {
            Around::Given { cond, truth } => {
                if truth {
                    let sides = self.sides(cond);
                    self.branches.push(sides);
                }
                match self.branches.last() {
                    Some(Some(sides)) => {
                        let mask = sides[usize::from(!truth)].clone();
                        if mask.as_uniform() == Some(0) {
                            return Ok(None);
                        }
                        Scope { mask, sure: outer.sure, runs: Runs::Once }
                    }
                    _ => {
                        if truth {
                            self.before.push(self.written.clone());
                        }
                        perhaps
                    }
                }
            }
            Around::Count { var, end, rounds: Rounds::InTurn { start, step } } => {
                self.before.push(self.written.clone());
                match self.sites.enter(var, start, end, step) {
                    Some(rounds) => Scope { runs: Runs::InLanes(rounds), ..outer.clone() },
                    None => {
                        self.sites.unknown(var);
                        perhaps
                    }
                }
            }
            Around::While { .. } => {
                self.before.push(self.written.clone());
                perhaps
            }
            Around::Head | Around::Count { .. } | Around::Is { .. } => Scope { runs: Runs::Once, ..outer.clone() },
        };
        (self.mask, self.sure) = (inner.mask.clone(), inner.sure);
        Ok(Some(inner))
    }

    fn leave(&mut self, around: Around, outer: &Scope, inner: &Scope) {
        (self.mask, self.sure) = (outer.mask.clone(), outer.sure);
        match around {
            Around::Given { truth, .. } if inner.runs == Runs::Perhaps => self.leave_side(truth),
            Around::Count { rounds: Rounds::InTurn { .. }, .. } | Around::While { .. } => self.leave_loop(inner.runs),
            _ => {}
        }
    }

    fn end(&mut self, stmt: &'s Stmt, scope: Scope) -> Result<Scope, Infallible> {
        self.sites.name_of(stmt);
        match &stmt.kind {
            StmtKind::If { .. } => drop(self.branches.pop()),
            StmtKind::SeqFor { .. } if self.mask.as_uniform() == Some(1) => {
                let filled = counted::filled(self.p, stmt);
                filled.into_iter().for_each(|(array, part)| self.written.fill(self.p, array, part));
            }
            _ => {}
        }
        Ok(scope)
    }
}

impl Walker<'_, '_> {
    /// A loop whose rounds may read what earlier ones have written.
    fn one_by_one(&mut self, (var, body): (VarId, &Block), rounds: impl Iterator<Item = u32>, scope: &Scope) {
        for at in rounds {
            self.sites.enter_round(var, at);
            let Ok(_) = visit(self, body, scope.clone());
            self.sites.leave();
            self.written.close(self.sites.extents().len());
        }
    }

    /// The end of a side of a branch where it is not known who takes which: what both write is written.
    fn leave_side(&mut self, truth: bool) {
        let Some(before) = self.before.pop() else { return };
        if truth {
            let then = std::mem::replace(&mut self.written, before);
            self.before.push(then);
        } else {
            self.written.both(&before);
        }
    }

    /// The end of a loop. Where its rounds are lanes, none of them sees what another writes.
    fn leave_loop(&mut self, runs: Runs) {
        let Some(before) = self.before.pop() else { return };
        if let Runs::InLanes(_) = runs {
            self.sites.leave();
        }
        match runs {
            Runs::InLanes(0) => self.written = before,
            Runs::InLanes(_) => self.written.close(self.sites.extents().len()),
            Runs::Once | Runs::Perhaps => self.written = before.doubting(&self.written),
        }
    }

    /// Whether a loop reads and writes one of the arrays: then its rounds are gone through one after another, as far as there are few.
    fn feeds_itself(&self, body: &Block) -> bool {
        let effects = Effects::of_block(body, self.loads);
        effects.reads.intersection(&effects.writes).any(|&array| self.written.is_open(array))
    }

    /// What the counter of a loop with few rounds goes through.
    fn rounds(&mut self, (start, end, step): (ExprId, ExprId, ExprId)) -> Option<impl Iterator<Item = u32> + use<>> {
        let number = |e| self.p.exprs.as_u32(e);
        let (start, end, step) = (number(start)?, number(end)?, number(step).filter(|&step| step > 0)?);
        let rounds = end.saturating_sub(start).div_ceil(step);
        self.left = self.left.checked_sub(rounds)?;
        Some((0..rounds).map(move |k| start + k * step))
    }

    fn allocate(&mut self, array: ArrayId) {
        let array_of = self.p.array(array);
        if let (Space::Local, Some(len)) = (array_of.space, self.p.exprs.as_u32(array_of.len)) {
            self.written.allocate(array, len);
        }
    }

    fn write(&mut self, array: ArrayId, index: ExprId) {
        if !self.written.is_open(array) {
            return;
        }
        let index = self.sites.value(index);
        match index.as_ref().and_then(|i| i.as_known()) {
            Some(index) => self.written.write(array, index, &self.mask, self.sites.extents()),
            None => self.written.doubt(array),
        }
    }

    /// The lanes that come by and in which a condition holds, and the others; `None` where it is not known while compiling.
    fn sides(&mut self, cond: ExprId) -> Option<[Table; 2]> {
        let value = self.sites.value(cond)?;
        let cond = value.as_known()?;
        let extents = self.sites.extents().to_vec();
        let narrowed = |yes: u32| match (cond.as_uniform(), self.mask.as_uniform()) {
            (Some(c), _) if c == yes => self.mask.clone(),
            (Some(_), _) => Table::uniform(0),
            (None, Some(1)) if yes == 1 => cond.clone(),
            _ => self.mask.map2(cond, &extents, |m, c| m & u32::from(c == yes)),
        };
        Some([narrowed(1), narrowed(0)])
    }

    /// What a statement itself reads.
    fn reads(&mut self, stmt: &Stmt) {
        let roots: Vec<ExprId> = walk::direct(&stmt.kind).filter(|&e| self.asks(e)).collect();
        let mut seen = HashSet::default();
        for root in roots {
            self.read(root, (0, stmt.span), &mut seen);
        }
    }

    /// Whether an expression reads an array that may hold what nobody wrote.
    fn asks(&self, e: ExprId) -> bool {
        self.loads.of(e).iter().any(|&array| self.written.is_open(array))
    }

    /// The loads of an expression; `side` numbers the choices that it lies in.
    fn read(&mut self, e: ExprId, (side, span): (u64, Span), seen: &mut HashSet<(ExprId, u64)>) {
        if !self.asks(e) || !seen.insert((e, side)) {
            return;
        }
        match self.p.exprs.expr(e) {
            Expr::Select(c, a, b) => {
                self.read(c, (side, span), seen);
                let sides = self.sides(c);
                for (k, x) in [a, b].into_iter().enumerate() {
                    let Some(mask) = sides.as_ref().map(|sides| sides[k].clone()) else {
                        let outer = std::mem::replace(&mut self.sure, false);
                        self.read(x, (side, span), seen);
                        self.sure = outer;
                        continue;
                    };
                    let outer = std::mem::replace(&mut self.mask, mask);
                    let inner = (u64::from(c.0) << 1 | k as u64).wrapping_add(side.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    self.read(x, (inner, span), seen);
                    self.mask = outer;
                }
            }
            expr => {
                walk::operands(expr).for_each(|x| self.read(x, (side, span), seen));
                if let Expr::Load(array, index) = expr {
                    let place = self.p.exprs.place(e).or(span);
                    self.element(array, index, place);
                }
            }
        }
    }

    fn element(&mut self, array: ArrayId, index: ExprId, span: Span) {
        if !self.written.is_open(array) || self.mask.as_uniform() == Some(0) {
            return;
        }
        let value = self.sites.value(index);
        let index = value.as_ref().and_then(|i| i.as_known());
        let extents = self.sites.extents().to_vec();
        let verdict = match self.written.missing(array, (index, &self.mask), &extents, self.sites.budget()) {
            Missing::Nothing => return,
            Missing::TooMuch => Verdict::Unproved("there are too many elements to look at".to_string()),
            Missing::Element(e) => {
                let element = e.to_string();
                if index.is_none() {
                    let needed = "it may be read: that index is not known while compiling".to_string();
                    Verdict::Doubtful(Fault::Missing { element, needed })
                } else if self.sure && !self.written.is_doubtful(array) {
                    Verdict::Refuted(Fault::Missing { element, needed: "and it is read".to_string() })
                } else {
                    let needed =
                        "it is read, and may be written only where a condition holds that is not known".to_string();
                    Verdict::Doubtful(Fault::Missing { element, needed })
                }
            }
        };
        self.found.push(Unwritten { array, span, verdict });
    }
}
