//! R32. Places that an atomic sum reserves: `at = atomic_add(count[0], n)`, and then writes at `at + r` with `r` below `n`. Changes nothing;
//! tells [`bounds`](super::bounds) that such a write may have a guard, and [`verify`](super::verify) that no two of them meet.
//!
//! ```text
//! let at = atomic_add(count[0], n)
//! forall Block i < 256
//!   if i < n
//!     out[at + i] = ..          out[at] to out[at + n - 1] are of this block alone
//! ```
//!
//! *Why:* nothing else is done to `count` in the kernel, so the sums follow one another in some order, and each gives what the one before
//! has left. Where all that is taken in a launch is below 2^32, the intervals from `at` to `at + n` are disjoint, also modulo 2^32. Each is
//! known to one instance of the code around, which writes each of its elements once.

mod path;
#[cfg(test)]
mod tests;

use crate::passes::walk;
use crate::program::scoped::{Around, Rounds};
use crate::program::{ArrayId, AtomicOp, BinOp, Expr, ExprId, ParamKind, Program, ScalarType, Space, StmtKind, VarId};
use crate::tables::HashMap;
use path::Path;

/// A number that the launch must keep below 2^32: the product of `factors` and `times`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Total {
    pub(super) factors: Vec<ExprId>,
    pub(super) times: u32,
}

/// Whether all that a program does to an array is to write places that atomic sums have reserved: what may be taken in a launch, then.
pub(super) fn totals(p: &Program, array: ArrayId) -> Option<Vec<Total>> {
    if !is_updated(p, array) {
        return None;
    }
    let search = Search { p, paths: path::all(p), lets: walk::lets(&p.body) };
    let mut found: Vec<(Ticket<'_>, Place)> = Vec::new();
    for path in search.touching(array) {
        let StmtKind::Assign { array: to, index, .. } = path.stmt().kind else { return None };
        let (ticket, place) = search.ticket(path, index).filter(|_| to == array && !path.loads(p, array))?;
        let meets = |(other, taken): &(Ticket<'_>, Place)| {
            std::ptr::eq(other.taken.stmt(), ticket.taken.stmt()) && !taken.is_beside(place)
        };
        if found.iter().any(meets) {
            return None;
        }
        found.push((ticket, place));
    }
    let counter = found.first()?.0.counter;
    if found.iter().any(|(ticket, _)| ticket.counter != counter) || counter == array {
        return None;
    }
    search.taken_of(counter)
}

/// Whether an array is of a buffer that the kernel updates.
fn is_updated(p: &Program, array: ArrayId) -> bool {
    let Space::Global(param) = p.array(array).space else { return false };
    matches!(p.param(param).kind, ParamKind::InOut { .. })
}

struct Search<'p> {
    p: &'p Program,
    /// Every statement.
    paths: Vec<Path<'p>>,
    lets: HashMap<VarId, ExprId>,
}

/// What an atomic sum has reserved.
struct Ticket<'p> {
    counter: ArrayId,
    amount: ExprId,
    /// The sum.
    taken: Path<'p>,
    /// The list, by its place in the path, of which each execution takes one ticket.
    unit: usize,
}

/// Which of its places the holder of a ticket writes with one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The one so far behind the first.
    One(u32),
    /// One in each round of a loop.
    Each,
}

impl Place {
    /// Whether another statement writes elsewhere.
    fn is_beside(self, other: Place) -> bool {
        matches!((self, other), (Place::One(a), Place::One(b)) if a != b)
    }
}

impl<'p> Search<'p> {
    /// The statements that read, write or update an array.
    fn touching(&self, array: ArrayId) -> impl Iterator<Item = &Path<'p>> {
        let touches = move |path: &&Path<'p>| {
            walk::touch(&path.stmt().kind).is_some_and(|touch| touch.array == array) || path.loads(self.p, array)
        };
        self.paths.iter().filter(touches)
    }

    /// The ticket that lets a statement write at an index, and what it writes of it.
    fn ticket(&self, path: &Path<'p>, index: ExprId) -> Option<(Ticket<'p>, Place)> {
        let mut splits = vec![(index, None)];
        if let Expr::Bin(BinOp::Add, a, b) = self.p.exprs.expr(index) {
            splits.extend([(a, Some(b)), (b, Some(a))]);
        }
        splits.into_iter().find_map(|(base, rest)| {
            let ticket = self.known_as(path, base)?;
            let place = self.written_once(path, &ticket, rest).filter(|_| self.is_steady(&ticket))?;
            Some((ticket, place))
        })
    }

    /// The ticket that a value is the first place of: a sum's old value, or what one thread has stored of that for all.
    fn known_as(&self, path: &Path<'p>, base: ExprId) -> Option<Ticket<'p>> {
        match self.p.exprs.expr(base) {
            Expr::Var(var) => match self.lets.get(&var).map(|&value| self.p.exprs.expr(value)) {
                Some(Expr::Load(array, index)) => {
                    let named = |path: &&Path<'p>| matches!(path.stmt().kind, StmtKind::Let { var: v, .. } if v == var);
                    self.stored(self.paths.iter().find(named)?, array, index)
                }
                Some(_) => None,
                None => self.old(var).map(|ticket| Ticket { unit: ticket.taken.depth(), ..ticket }),
            },
            Expr::Load(array, index) => self.stored(path, array, index),
            _ => None,
        }
    }

    /// The sum that gives `var` the old value.
    fn old(&self, var: VarId) -> Option<Ticket<'p>> {
        self.paths.iter().find_map(|path| match path.stmt().kind {
            StmtKind::Atomic { op: AtomicOp::Add, array, value, old: Some(old), .. } if old == var => {
                Some(Ticket { counter: array, amount: value, taken: path.clone(), unit: 0 })
            }
            _ => None,
        })
    }

    /// The ticket in an element of shared memory, where `reader` reads it: stored by the one thread that took it, in the list that
    /// allocates the array, and by nobody after it.
    fn stored(&self, reader: &Path<'p>, array: ArrayId, index: ExprId) -> Option<Ticket<'p>> {
        let (p, at) = (self.p, self.p.exprs.as_u32(index)?);
        if !matches!(p.array(array).space, Space::Shared(_)) {
            return None;
        }
        let allocates = |path: &&Path<'p>| matches!(path.stmt().kind, StmtKind::Allocate { array: a } if a == array);
        let mut allocated = self.paths.iter().filter(allocates);
        let (Some(list), None) = (allocated.next(), allocated.next()) else { return None };
        let unit = list.depth();
        let written = |path: &&Path<'p>| walk::written(&path.stmt().kind) == Some(array);
        let (mut kept, others): (Vec<_>, Vec<_>) = self.paths.iter().filter(written).partition(|path| {
            let StmtKind::Assign { index, value, .. } = path.stmt().kind else { return false };
            let old = match p.exprs.expr(value) {
                Expr::Var(var) => self.old(var),
                _ => None,
            };
            old.is_some_and(|ticket| {
                p.exprs.as_u32(index) == Some(at)
                    && path.depth() == unit + 1
                    && path.is_in_list_of(list, unit)
                    && ticket.taken.is_in_list_of(path, unit + 1)
                    && ticket.taken.comes_before(path)
                    && is_of_one_thread(p, path.at(unit))
            })
        });
        let (Some(kept), None) = (kept.pop(), kept.pop()) else { return None };
        let StmtKind::Assign { value, .. } = kept.stmt().kind else { return None };
        let Expr::Var(var) = p.exprs.expr(value) else { return None };
        let in_time = others.iter().all(|other| other.comes_before(kept))
            && reader.is_in_list_of(list, unit)
            && kept.comes_before_at(reader, unit);
        in_time.then(|| self.old(var)).flatten().map(|ticket| Ticket { unit, ..ticket })
    }

    /// Whether the amount is the same where the ticket is taken and where it is used.
    fn is_steady(&self, ticket: &Ticket<'p>) -> bool {
        let exprs = &self.p.exprs;
        walk::reachable(exprs, [ticket.amount], |_| false).into_iter().all(|e| match exprs.expr(e) {
            Expr::Var(var) => !self.p.var(var).mutable,
            Expr::Load(array, _) => {
                let mut writers = self.paths.iter().filter(|path| walk::written(&path.stmt().kind) == Some(array));
                match self.p.array(array).space {
                    Space::Global(_) => writers.next().is_none(),
                    Space::Shared(_) => writers.all(|writer| writer.comes_before(&ticket.taken)),
                    _ => false,
                }
            }
            _ => true,
        })
    }

    /// What the holder of a ticket writes, each place once: the first, or that which is `rest` places behind it.
    fn written_once(&self, path: &Path<'p>, ticket: &Ticket<'p>, rest: Option<ExprId>) -> Option<Place> {
        if !path.is_in_list_of(&ticket.taken, ticket.unit) || !ticket.taken.comes_before_at(path, ticket.unit) {
            return None;
        }
        let (exprs, amount) = (&self.p.exprs, ticket.amount);
        let (mut loops, mut given) = (Vec::new(), Vec::new());
        for around in path.around(ticket.unit) {
            match around {
                Around::Count { var, end, rounds } if is_from_zero(self.p, rounds) => {
                    if exprs.as_u32(end) != Some(1) {
                        loops.push((var, end));
                    }
                }
                Around::Given { cond, truth: true } => conjuncts(self.p, cond, &mut given),
                Around::Given { .. } => {}
                _ => return None,
            }
        }
        let least = exprs.range(amount).lo;
        match (rest, &loops[..]) {
            (_, []) => {
                let behind = rest.map_or(Some(0), |rest| exprs.as_u32(rest))?;
                (i128::from(behind) < least).then_some(Place::One(behind))
            }
            (Some(rest), &[(var, end)]) if exprs.expr(rest) == Expr::Var(var) => {
                let few = exprs.as_u32(end).is_some_and(|end| i128::from(end) <= least);
                let below = |&cond: &ExprId| exprs.expr(cond) == Expr::Bin(BinOp::Lt, rest, amount);
                (end == amount || few || given.iter().any(below)).then_some(Place::Each)
            }
            _ => None,
        }
    }

    /// What a launch takes of a counter, of which nothing is done but to take; `None` where it may be anything.
    fn taken_of(&self, counter: ArrayId) -> Option<Vec<Total>> {
        let (p, exprs) = (self.p, &self.p.exprs);
        if !is_updated(p, counter) || p.array(counter).elem != ScalarType::U32 {
            return None;
        }
        let (mut totals, mut element) = (Vec::new(), None);
        for path in self.touching(counter) {
            let StmtKind::Atomic { op: AtomicOp::Add, array, index, value, .. } = path.stmt().kind else { return None };
            let place = exprs.as_u32(index)?;
            if array != counter || path.loads(p, counter) || element.is_some_and(|other| other != place) {
                return None;
            }
            element = Some(place);
            let mut total = Total { factors: Vec::new(), times: 1 };
            for around in path.around(0) {
                match around {
                    Around::Count { end, rounds, .. } if is_from_zero(p, rounds) => total.take(p, end)?,
                    Around::Given { .. } => {}
                    _ => return None,
                }
            }
            total.take(p, value)?;
            totals.push(total);
        }
        let share = u32::try_from(totals.len()).ok()?;
        totals.iter_mut().try_for_each(|total| {
            total.times = total.times.checked_mul(share)?;
            Some(())
        })?;
        Some(totals)
    }
}

impl Total {
    /// Takes in another factor, or the most that it can be.
    fn take(&mut self, p: &Program, factor: ExprId) -> Option<()> {
        if p.exprs.as_u32(factor).is_none() && p.exprs.known_at_launch(factor) {
            self.factors.push(factor);
            return Some(());
        }
        self.times = self.times.checked_mul(u32::try_from(p.exprs.range(factor).hi).ok()?)?;
        Some(())
    }
}

/// Whether a statement is a loop over one thread.
fn is_of_one_thread(p: &Program, stmt: &crate::program::Stmt) -> bool {
    matches!(stmt.kind, StmtKind::ForAll { n, .. } if p.exprs.as_u32(n) == Some(1))
}

/// Whether a loop counts from 0 on, one by one.
fn is_from_zero(p: &Program, rounds: Rounds) -> bool {
    match rounds {
        Rounds::Instances(_) => true,
        Rounds::InTurn { start, step } => [start, step].map(|e| p.exprs.as_u32(e)) == [Some(0), Some(1)],
    }
}

/// The conditions that hold together.
fn conjuncts(p: &Program, cond: ExprId, all: &mut Vec<ExprId>) {
    match p.exprs.expr(cond) {
        Expr::Bin(BinOp::And, a, b) => [a, b].into_iter().for_each(|side| conjuncts(p, side, all)),
        _ => all.push(cond),
    }
}
