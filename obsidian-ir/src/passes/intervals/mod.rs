//! Where the variables of loops lie (R36): takes the program as `stage` made it, which knows no more of a variable that a loop changes than its
//! type; gives these variables, and what is bound to values made of them, the range of all that they are ever given.
//!
//! ```text
//! j = i                                    0 < i < 16, so 0 < j < 16
//! while j > 0 && xs[t * 16 + j - 1] > x    0 <= j < 16: what is given to `j` below is at least 0, and less than it was
//!   j = j - 1
//! ```
//!
//! This is interval analysis. Ranges grow from the first values on until nothing that is given lies outside; a side that goes on growing goes to
//! the next number of the program, in the end to that of the type, and then shrinks to what the conditions around the changes leave of it.

mod names;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use super::access::limits;
use super::walk::{bound, direct_mut, nested_mut, reachable, replaced, set_in};
use crate::program::scoped::{Around, Rounds, Visitor, visit};
use crate::program::{Block, Coordinate, Expr, ExprId, Exprs, Program, Range, Stmt, StmtKind, VarId, ranges, walk};
use crate::tables::HashMap;

pub(super) use names::named;

/// How often ranges may grow before their growing sides go to the next number of the program, or of its type.
const MAX_GROWTHS: usize = 2;
/// How often they may go to the next number before they go to that of the type.
const MAX_STEPS: usize = 6;
/// How often they are looked at in all; a program whose ranges have not come to rest keeps those it has.
const MAX_ROUNDS: usize = 16;
/// How often they shrink.
const SHRINKS: usize = 2;
/// How many operations deep a value is looked into.
const MAX_DEPTH: usize = 32;
/// How many choices deep each side is looked at where its condition says so.
const MAX_CHOICES: usize = 3;

/// Gives variables the ranges of what they are given.
pub(super) fn narrow(p: &mut Program) {
    if !changes(p) {
        return;
    }
    let Some(found) = Intervals::of(p) else { return };
    let mut new = HashMap::default();
    for (var, range) in found {
        if range != p.exprs.var_range(var) {
            let before = p.exprs.var(var);
            new.insert(before, p.exprs.narrow_var(var, range));
        }
    }
    if new.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut p.body);
    put(p, &mut body, &mut new);
    p.body = body;
    for k in 0..p.arrays.len() {
        p.arrays[k].filled = p.arrays[k].filled.map(|filled| replaced(&mut p.exprs, filled, &mut new));
    }
}

/// Whether integers change.
pub(super) fn changes(p: &Program) -> bool {
    let mut changes = false;
    let is_int = |e| p.exprs.ty(e).is_int();
    walk::each(&p.body, &mut |stmt| changes |= matches!(stmt.kind, StmtKind::Set { value, .. } if is_int(value)));
    changes
}

/// Puts expressions in the place of others.
fn put(p: &mut Program, list: &mut [Stmt], new: &mut HashMap<ExprId, ExprId>) {
    put_in(&mut p.exprs, list, new);
    tell(p, new);
}

/// What is told of expressions is told of what stands in their place.
fn tell(p: &mut Program, new: &mut HashMap<ExprId, ExprId>) {
    let mut again: Vec<(ExprId, ExprId)> =
        new.iter().map(|(&old, &made)| (old, made)).filter(|(a, b)| a != b).collect();
    // Where one is made of several, it is told what the first is told.
    again.sort_unstable();
    for (old, made) in again {
        p.exprs.inherit(made, old);
        if let Some(pair) = p.exprs.coordinates.of(old) {
            let pair = pair.map(|side| Coordinate { at: replaced(&mut p.exprs, side.at, new), ..side });
            p.exprs.coordinates.note(made, pair);
        }
    }
}

fn put_in(exprs: &mut Exprs, list: &mut [Stmt], new: &mut HashMap<ExprId, ExprId>) {
    for stmt in list {
        direct_mut(&mut stmt.kind).for_each(|e| *e = replaced(exprs, *e, new));
        nested_mut(&mut stmt.kind).for_each(|inner| put_in(exprs, inner, new));
    }
}

/// What is known of variables at a place beyond the ranges of all their values.
type Known = BTreeMap<VarId, Range>;

struct Intervals<'p> {
    exprs: &'p Exprs,
    /// Where the values lie that variables are given, as far as they were found.
    ranges: BTreeMap<VarId, Range>,
    /// The same by the statements that were looked at last, where ranges shrink.
    shrunk: Option<BTreeMap<VarId, Range>>,
}

impl<'p> Intervals<'p> {
    /// Where nothing is found yet: variables lie in the ranges that they have.
    fn new(exprs: &'p Exprs) -> Intervals<'p> {
        Intervals { exprs, ranges: BTreeMap::new(), shrunk: None }
    }

    /// The ranges of all variables that are integers; `None` where they do not come to rest.
    fn of(p: &'p Program) -> Option<BTreeMap<VarId, Range>> {
        let mut all = Intervals::new(&p.exprs);
        let numbers = numbers(p);
        let mut at_rest = false;
        for round in 0..MAX_ROUNDS {
            let before = all.ranges.clone();
            let Ok(_) = visit(&mut all, &p.body, Known::new());
            at_rest = all.ranges == before;
            if at_rest {
                break;
            }
            if round >= MAX_GROWTHS {
                all.widen(&before, if round < MAX_GROWTHS + MAX_STEPS { &numbers } else { &[] });
            }
        }
        if !at_rest {
            return None;
        }
        for _ in 0..SHRINKS {
            all.shrunk = Some(BTreeMap::new());
            let Ok(_) = visit(&mut all, &p.body, Known::new());
            let shrunk = all.shrunk.take().unwrap_or_default();
            for (var, range) in &mut all.ranges {
                *range = shrunk.get(var).and_then(|smaller| range.both(*smaller)).unwrap_or(*range);
            }
        }
        Some(all.ranges)
    }

    /// Sides that have grown go to the next of the numbers, or to that of the variable.
    fn widen(&mut self, before: &BTreeMap<VarId, Range>, numbers: &[i128]) {
        for (var, range) in &mut self.ranges {
            let (all, old) = (self.exprs.var_range(*var), before.get(var).unwrap_or(range));
            let below = || numbers.iter().rev().find(|&&n| n <= range.lo).copied().unwrap_or(all.lo);
            let above = || numbers.iter().find(|&&n| n >= range.hi).copied().unwrap_or(all.hi);
            let lo = if range.lo < old.lo { below().max(all.lo) } else { range.lo };
            let hi = if range.hi > old.hi { above().min(all.hi) } else { range.hi };
            *range = Range::new(lo, hi);
        }
    }

    /// A variable is given a value that lies here.
    fn give(&mut self, var: VarId, range: Range) {
        let own = self.exprs.var_range(var);
        let range = own.both(range).unwrap_or(own);
        let all = self.shrunk.as_mut().unwrap_or(&mut self.ranges);
        all.entry(var).and_modify(|known| *known = either(*known, range)).or_insert(range);
    }

    /// Where a value lies.
    fn value(&self, e: ExprId, known: &Known) -> Range {
        self.choice(e, known, 0)
    }

    /// The same; of a choice each side where the condition says so.
    fn choice(&self, e: ExprId, known: &Known, depth: usize) -> Range {
        match self.exprs.expr(e) {
            Expr::Select(cond, a, b) if depth < MAX_CHOICES => {
                let side = |side, truth| self.choice(side, &self.where_is(cond, truth, known), depth + 1);
                either(side(a, true), side(b, false))
            }
            _ => self.operation(e, known, &mut HashMap::default(), 0),
        }
    }

    fn operation(&self, e: ExprId, known: &Known, memo: &mut HashMap<ExprId, Range>, depth: usize) -> Range {
        let (exprs, all) = (self.exprs, self.exprs.range(e));
        if let Some(found) = memo.get(&e) {
            return *found;
        }
        if depth > MAX_DEPTH {
            return all;
        }
        let mut of = |e| self.operation(e, known, memo, depth + 1);
        let range = match exprs.expr(e) {
            Expr::Var(var) => known.get(&var).or(self.ranges.get(&var)).copied().unwrap_or(all),
            Expr::Bin(op, a, b) if !exprs.ty(a).is_float() => ranges::of(op, exprs.ty(a), of(a), of(b)),
            Expr::Cast(a) if exprs.ty(a).is_int() && exprs.ty(e).is_int() => {
                let range = of(a);
                if range.within(Range::full(exprs.ty(e))) { range } else { all }
            }
            Expr::Select(_, a, b) => either(of(a), of(b)),
            _ => all,
        };
        let range = all.both(range).unwrap_or(all);
        memo.insert(e, range);
        range
    }

    /// What is known where a condition holds, or does not.
    fn where_is(&self, cond: ExprId, truth: bool, known: &Known) -> Known {
        let mut narrower = known.clone();
        for e in reachable(self.exprs, [cond], |_| false) {
            let Expr::Var(var) = self.exprs.expr(e) else { continue };
            let of = |e| self.operation(e, known, &mut HashMap::default(), 0);
            let range = limits(self.exprs, e, (cond, truth), &of).into_iter().try_fold(of(e), Range::both);
            narrower.extend(range.filter(|_| self.exprs.ty(e).is_int()).map(|range| (var, range)));
        }
        narrower
    }
}

/// The numbers that values are compared with, and those next to them, ascending.
fn numbers(p: &Program) -> Vec<i128> {
    let compared = walk::reachable(&p.exprs, walk::evaluated(&p.body), |_| false).into_iter().filter_map(|e| {
        let Expr::Bin(op, _, with) = p.exprs.expr(e) else { return None };
        p.exprs.as_const(with).filter(|k| op.is_comparison() && k.ty.is_int()).map(|k| k.int())
    });
    let all: BTreeSet<i128> = compared.flat_map(|k| [k - 1, k, k + 1]).collect();
    all.into_iter().collect()
}

/// The least range of what lies in the one or the other.
fn either(a: Range, b: Range) -> Range {
    Range::new(a.lo.min(b.lo), a.hi.max(b.hi))
}

/// Without what was known of the variables that a statement changes.
fn forget(stmt: &Stmt, known: &mut Known) {
    let mut vars = BTreeSet::new();
    set_in(std::slice::from_ref(stmt), &mut vars);
    known.retain(|var, _| !vars.contains(var));
}

impl<'p> Visitor<'p> for Intervals<'p> {
    type Scope = Known;
    type Stop = Infallible;

    /// Later rounds of a loop see what earlier ones have changed.
    fn begin(&mut self, stmt: &'p Stmt, known: &Known) -> Result<Option<Known>, Infallible> {
        let mut known = known.clone();
        if !matches!(stmt.kind, StmtKind::If { .. }) {
            forget(stmt, &mut known);
        }
        Ok(Some(known))
    }

    fn enter(&mut self, around: Around, _: &'p Block, known: &Known) -> Result<Option<Known>, Infallible> {
        Ok(Some(match around {
            Around::Given { cond, truth } => self.where_is(cond, truth, known),
            Around::While { cond } => self.where_is(cond, true, known),
            Around::Count { var, end, rounds } => {
                let lo = if let Rounds::InTurn { start, .. } = rounds { self.value(start, known).lo } else { 0 };
                // A body that runs has a counter below the end.
                self.give(var, Range::new(lo, (self.value(end, known).hi - 1).max(lo)));
                known.clone()
            }
            Around::Head | Around::Is { .. } => known.clone(),
        }))
    }

    fn end(&mut self, stmt: &'p Stmt, mut known: Known) -> Result<Known, Infallible> {
        match stmt.kind {
            StmtKind::Let { var, value }
            | StmtKind::Set { var, value }
            | StmtKind::Local { var, init: Some(value) } => {
                if self.exprs.ty(value).is_int() {
                    let range = self.value(value, &known);
                    self.give(var, range);
                    known.insert(var, range);
                }
            }
            // The counters of loops have theirs where the loops begin, and what has no first value has none here.
            StmtKind::SeqFor { .. } | StmtKind::ForAll { .. } | StmtKind::DistrPar { .. } | StmtKind::Local { .. } => {
                forget(stmt, &mut known);
            }
            _ => {
                forget(stmt, &mut known);
                bound(&stmt.kind).for_each(|var| self.give(var, self.exprs.var_range(var)));
            }
        }
        Ok(known)
    }
}
