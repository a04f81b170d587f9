//! Once: what many branches would compute is computed once, before them.
//!
//! A side of a choice is evaluated only where it is chosen, so `schedule` writes a guarded load, and what is made of it, in each
//! branch that needs it. A value on several sides of choices inside of choices would be written once for each way to it,
//! and their number doubles with every choice.
//!
//! Before the proofs, what both sides of a choice evaluate has its name ([`name_sure`]). Then for what only some branches need:
//!
//! Needs: a program as `stage` made it, whose launch checks say what its proofs asked for. Ensures: in a statement that would be
//! written so often, every load and choice that several branches need, and whose loads are proved in range without the
//! conditions around it, has a name before the statement; a statement behind it takes that name while nothing changes the
//! value. All other programs stay as they are. Whether a program may read more often than it did is for [`super::prove`] to prove again.
//!
//! ```text
//!                                  a = if op == 0 { x[i] + x[i + 1] } else if x[i + 1] == 0 { x[i] } else { x[i + 1] }
//! out[i] = if op == 0 { a + x[i + 2] } else if x[i + 2] == 0 { a } else { x[i + 2] }
//!                              =>  let t = x[i]  let u = x[i + 1]
//!                                  let a = if op == 0 { t + u } else if u == 0 { t } else { u }  ..
//! ```

mod copies;
#[cfg(test)]
mod tests;

use super::bounds::Unproved;
use super::schedule::facts::{self, Change, Facts, Known};
use super::{bounds, walk};
use crate::program::{ArrayId, Block, ExprId, Program, Space, Stmt, StmtKind};
use crate::tables::HashMap;
use copies::Copies;

/// Which arrays may be read more often than the code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// Any but those in lanes, whose reads are shuffles.
    Stored,
    /// Those that the kernel does not write.
    Given,
}

/// The program with names for what many branches would compute; `None` where there is nothing to name.
pub(super) fn run(program: &Program, unproved: &Unproved, reads: Reads) -> Option<Program> {
    let often = often(program);
    if often.is_empty() {
        return None;
    }
    let facts = Facts::new(program, &program.body);
    let written = facts::changes(&program.body);
    let readable = |array: ArrayId| match reads {
        Reads::Stored => !matches!(program.array(array).space, Space::Lanes),
        Reads::Given => !written.contains(&Change::Array(array)),
    };
    // What is to be guarded is known by its index.
    let updated = unproved.updates.iter().map(|&(_, index)| index);
    let guarded = walk::reachable(&program.exprs, unproved.loads.keys().copied().chain(updated), |_| false);
    let movable = |id: &ExprId| {
        let arrays = facts.depends(*id).iter().filter_map(|c| if let Change::Array(a) = c { Some(*a) } else { None });
        guarded.binary_search(id).is_err() && arrays.into_iter().all(readable)
    };
    let asked: bounds::Asked =
        often.into_iter().map(|(stmt, values)| (stmt, values.into_iter().filter(movable).collect())).collect();
    let early = bounds::early(program, &asked);
    if early.is_empty() {
        return None;
    }
    let mut values = Values::default();
    each_evaluating(program, &mut |stmt| {
        let place = std::ptr::from_ref(stmt);
        let is_early = |id| early.contains(&(place, id));
        let copies = Copies::new(&program.exprs, walk::direct(&stmt.kind), is_early);
        values.insert(place, copies.repeated().filter(|&id| is_early(id)).collect());
    });
    Some(with_names(program, facts, values))
}

/// The program with names for choices between loads that are evaluated whatever the choices around them choose, as the sum so far in
/// `if c { sum += xs[i] }`: before their statement, as it evaluates them in any case. `None` where there are none.
pub(super) fn name_sure(program: &Program) -> Option<Program> {
    if !copies::any_nested(&program.exprs) {
        return None;
    }
    let mut values = Values::default();
    each_evaluating(program, &mut |stmt| {
        let copies = Copies::new(&program.exprs, walk::direct(&stmt.kind), |_| false);
        let sure: Vec<ExprId> = copies.sure().collect();
        if !sure.is_empty() {
            values.insert(std::ptr::from_ref(stmt), sure);
        }
    });
    let facts = || Facts::new(program, &program.body);
    (!values.is_empty()).then(|| with_names(program, facts(), values))
}

/// What gets names before statements, operands first.
type Values = HashMap<*const Stmt, Vec<ExprId>>;

fn with_names(program: &Program, facts: Facts, values: Values) -> Program {
    let mut named = program.clone();
    let mut naming = Naming { program: &mut named, facts, known: Known::default(), values };
    let body = naming.list(&program.body);
    named.body = body;
    named
}

/// Calls `f` for every statement but those whose expressions stay as they are: numbers of instances.
fn each_evaluating(program: &Program, f: &mut dyn FnMut(&Stmt)) {
    walk::each(&program.body, &mut |stmt| {
        if !counts(&stmt.kind) {
            f(stmt);
        }
    });
}

/// Of the statements that would be written too often, the loads and choices that several of their branches need.
fn often(program: &Program) -> bounds::Asked {
    let mut found = HashMap::default();
    let exprs = &program.exprs;
    if !copies::any_nested(exprs) {
        return found;
    }
    each_evaluating(program, &mut |stmt| {
        let copies = Copies::new(exprs, walk::direct(&stmt.kind), |_| false);
        if copies.too_many() {
            found.insert(std::ptr::from_ref(stmt), copies.repeated().collect());
        }
    });
    found
}

/// Whether what a statement evaluates is a number of instances, which stays as it is.
fn counts(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::ForAll { .. } | StmtKind::DistrPar { .. })
}

struct Naming<'a> {
    program: &'a mut Program,
    facts: Facts,
    /// The names of values at this point.
    known: Known<ExprId>,
    values: Values,
}

impl Naming<'_> {
    fn list(&mut self, list: &Block) -> Block {
        let mark = self.known.mark();
        let out = self.open_list(list);
        self.known.forget_since(mark);
        out
    }

    /// A list whose names stay known to its caller.
    fn open_list(&mut self, list: &Block) -> Block {
        let mut out = Vec::with_capacity(list.len());
        for stmt in list {
            self.stmt(stmt, &mut out);
        }
        out
    }

    fn stmt(&mut self, old: &Stmt, out: &mut Block) {
        let mut stmt = walk::shell(old);
        match (&mut stmt.kind, &old.kind) {
            (StmtKind::SeqWhile { head, cond, body }, StmtKind::SeqWhile { head: old_head, body: old_body, .. }) => {
                self.enter_loop(old);
                let mark = self.known.mark();
                *head = self.open_list(old_head);
                let mut new = self.name(old, head);
                *cond = walk::replaced(&mut self.program.exprs, *cond, &mut new);
                *body = self.list(old_body);
                self.known.forget_since(mark);
            }
            (kind, old_kind) => {
                if !counts(kind) {
                    let mut new = self.name(old, out);
                    let exprs = &mut self.program.exprs;
                    walk::direct_mut(kind).for_each(|e| *e = walk::replaced(exprs, *e, &mut new));
                }
                facts::change_of(kind).into_iter().for_each(|change| self.known.change(change));
                if !matches!(kind, StmtKind::If { .. }) {
                    self.enter_loop(old);
                }
                walk::nested_mut(kind).zip(walk::nested(old_kind)).for_each(|(new, old)| *new = self.list(old));
            }
        }
        out.push(stmt);
    }

    /// What a loop changes is unknown from its start.
    fn enter_loop(&mut self, stmt: &Stmt) {
        for change in walk::nested(&stmt.kind).flat_map(facts::changes) {
            self.known.change(change);
        }
    }

    /// Names what is to have a name before a statement; gives what values are replaced by, in it.
    fn name(&mut self, stmt: &Stmt, out: &mut Block) -> HashMap<ExprId, ExprId> {
        let values = self.values.remove(&std::ptr::from_ref(stmt)).unwrap_or_default();
        let mut new: HashMap<ExprId, ExprId> = self.known.iter().collect();
        for id in values {
            if self.known.has(id) {
                continue;
            }
            let value = walk::replaced(&mut self.program.exprs, id, &mut new);
            let (ty, range) = (self.program.exprs.ty(value), self.program.exprs.range(value));
            let var = self.program.new_var("t", ty, false, range);
            out.push(Stmt::new(StmtKind::Let { var, value }, stmt.span));
            let name = self.program.exprs.var(var);
            self.known.learn(&self.facts, id, name);
            new.insert(id, name);
        }
        new
    }
}
