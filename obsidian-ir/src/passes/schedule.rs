//! Scheduling: turns the shared graph of expressions into trees that a printer can print unchanged.
//!
//! Needs: structured or machine form. Ensures: within a list of statements nothing that costs work is printed twice; no
//! tree is higher than `MAX_HEIGHT`, or exponentially larger than its graph; no branch of a `Select` holds a `Load` (it
//! becomes a mutable variable set in two branches, so that a guarded load stays guarded); the end and step of a
//! `SeqFor` do not change while it runs. A named value is dropped once a variable, an array or a barrier it depends on
//! may have changed it. Work is linear in the graph, but for guarded values that different guards share: of these `once` leaves few.
//!
//! ```text
//! out[i] = (xs[i] * 5) * (xs[i] * 5)      let a = xs[i] * 5
//!        + if i > 0 { xs[i - 1] } else { 7 }   local b; if i > 0 { b = xs[i - 1] } else { b = 7 }
//!                                     =>  out[i] = (a * a) + b
//! ```

pub(super) mod facts;
mod plan;

use super::walk;
use crate::diag::Span;
use crate::program::{Block, Expr, ExprId, Program, Stmt, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};
use facts::{Facts, Known};
use plan::Plan;

/// Higher trees are cut by a `Let`, so that neither a printer nor the compiler after it recurses too deep.
const MAX_HEIGHT: u32 = 48;

/// Names shared subexpressions and turns guarded loads into branches.
pub fn run(program: &mut Program) {
    let body = std::mem::take(&mut program.body);
    let facts = Facts::new(program, &body);
    let mut s =
        Scheduler { program, known: Known::default(), facts, height: HashMap::default(), joins: HashSet::default() };
    let body = s.list(body);
    program.body = body;
}

/// Where a value is needed.
struct Site<'a> {
    plan: &'a Plan,
    /// Number of the statement in its list.
    at: usize,
    span: Span,
    /// The value that the statement itself gives a name.
    own: Option<ExprId>,
}

struct Scheduler<'p> {
    program: &'p mut Program,
    facts: Facts,
    /// The expressions, as they were before the pass, whose value a variable holds at this point.
    known: Known<ExprId>,
    /// Height of rebuilt expressions.
    height: HashMap<ExprId, u32>,
    /// Variables that the sides of branches set, and nothing else.
    joins: HashSet<VarId>,
}

impl Scheduler<'_> {
    fn list(&mut self, list: Block) -> Block {
        let mark = self.known.mark();
        let out = self.open_list(list);
        self.known.forget_since(mark);
        out
    }

    /// A list whose names stay known to its caller.
    fn open_list(&mut self, list: Block) -> Block {
        let plan = Plan::new(&self.program.exprs, &self.facts, &self.known, &list);
        let mut out = Vec::with_capacity(list.len());
        for (at, stmt) in list.into_iter().enumerate() {
            self.stmt(stmt, at, &plan, &mut out);
        }
        out
    }

    fn stmt(&mut self, stmt: Stmt, at: usize, plan: &Plan, out: &mut Block) {
        let (span, claim) = (stmt.span, stmt.claim);
        let own = match stmt.kind {
            StmtKind::Let { value, .. } => Some(value),
            _ => None,
        };
        let site = Site { plan, at, span, own };
        let mut now = |s: &mut Self, id: ExprId| s.value(id, &site, out);
        let kind = match stmt.kind {
            StmtKind::Let { var, value } => {
                let new = now(self, value);
                if self.is_join(new) {
                    // That has a name already, which keeps its value.
                    let name = self.program.exprs.var(var);
                    self.known.learn(&self.facts, name, new);
                    return;
                }
                if self.facts.costs(&self.program.exprs, value) && !self.known.has(value) {
                    let name = self.program.exprs.var(var);
                    self.known.learn(&self.facts, value, name);
                }
                StmtKind::Let { var, value: new }
            }
            StmtKind::SeqFor { var, start, end, step, body } => {
                let start = now(self, start);
                let (end, step) = (self.fixed(end, &site, out), self.fixed(step, &site, out));
                self.enter_loop(&[&body]);
                StmtKind::SeqFor { var, start, end, step, body: self.list(body) }
            }
            StmtKind::SeqWhile { head, cond, body } => self.seq_while(head, cond, body, span),
            StmtKind::Copy { array, index, value, count } => {
                let index = now(self, index);
                let kind = StmtKind::Copy { array, index, value: self.copied(value, &site, out), count };
                facts::change_of(&kind).into_iter().for_each(|change| self.known.change(change));
                kind
            }
            StmtKind::ForAll { level, var, n, body } => {
                self.enter_loop(&[&body]);
                StmtKind::ForAll { level, var, n, body: self.list(body) }
            }
            StmtKind::DistrPar { level, var, n, body } => {
                self.enter_loop(&[&body]);
                StmtKind::DistrPar { level, var, n, body: self.list(body) }
            }
            mut kind => {
                walk::direct_mut(&mut kind).for_each(|e| *e = now(self, *e));
                facts::change_of(&kind).into_iter().for_each(|change| self.known.change(change));
                walk::nested_mut(&mut kind).for_each(|list| *list = self.list(std::mem::take(list)));
                kind
            }
        };
        out.push(Stmt { kind, span, claim });
    }

    /// Whether an expression is what [`Scheduler::branch`] makes.
    fn is_join(&self, e: ExprId) -> bool {
        matches!(self.program.exprs.expr(e), Expr::Var(var) if self.joins.contains(&var))
    }

    /// The test's names go to the end of the head, and stay known in the body.
    fn seq_while(&mut self, mut head: Block, cond: ExprId, body: Block, span: Span) -> StmtKind {
        self.enter_loop(&[&head, &body]);
        let mark = self.known.mark();
        head.push(Stmt::new(StmtKind::If { cond, then: Vec::new(), els: Vec::new() }, span));
        let mut head = self.open_list(head);
        let cond = match head.pop() {
            Some(Stmt { kind: StmtKind::If { cond, .. }, .. }) => cond,
            _ => cond,
        };
        let body = self.list(body);
        self.known.forget_since(mark);
        StmtKind::SeqWhile { head, cond, body }
    }

    /// What a loop changes is unknown from its start: the second round sees the first one's changes.
    fn enter_loop(&mut self, bodies: &[&Block]) {
        for change in bodies.iter().flat_map(|b| facts::changes(b)) {
            self.known.change(change);
        }
    }

    /// What a copy reads: it stays a load, whoever else reads it.
    fn copied(&mut self, value: ExprId, site: &Site<'_>, out: &mut Block) -> ExprId {
        let Expr::Load(from, at) = self.program.exprs.expr(value) else { return value };
        let (at, ty) = (self.value(at, site, out), self.program.exprs.ty(value));
        let load = self.program.exprs.load(from, at, ty);
        self.program.exprs.coordinates.inherit(load, value);
        self.program.exprs.inherit_place(load, value);
        load
    }

    /// A value that must not change while the loop after it runs, and is not computed in each round.
    fn fixed(&mut self, id: ExprId, site: &Site<'_>, out: &mut Block) -> ExprId {
        let new = self.value(id, site, out);
        let stable = match self.program.exprs.expr(new) {
            Expr::Var(v) => !self.program.var(v).mutable,
            _ => !self.facts.costs(&self.program.exprs, new) && !self.facts.changes_with_vars(id),
        };
        if stable { new } else { self.name(id, new, site.span, out) }
    }

    /// The tree for `root`; `out` gets the statements that name parts of it before.
    fn value(&mut self, root: ExprId, site: &Site<'_>, out: &mut Block) -> ExprId {
        let mut done: HashMap<ExprId, ExprId> = HashMap::default();
        for id in site.plan.needed(&self.program.exprs, &self.facts, &self.known, root, site.at) {
            let new = if site.plan.branches(site.at, id) {
                self.branch(id, &done, site.span, out)
            } else {
                self.tree(id, &done, site, out)
            };
            done.insert(id, new);
        }
        self.known.get(root).or_else(|| done.get(&root).copied()).unwrap_or(root)
    }

    fn tree(&mut self, id: ExprId, done: &HashMap<ExprId, ExprId>, site: &Site<'_>, out: &mut Block) -> ExprId {
        let known = &self.known;
        let map = |x: ExprId| known.get(x).or_else(|| done.get(&x).copied()).unwrap_or(x);
        let new = walk::rebuild(&mut self.program.exprs, id, map);
        self.program.exprs.coordinates.inherit(new, id);
        let mut below = walk::operands(self.program.exprs.expr(new)).peekable();
        if below.peek().is_none() {
            return new;
        }
        let height = 1 + below.map(|x| self.height.get(&x).copied().unwrap_or(0)).fold(0, u32::max);
        self.height.insert(new, height);
        let shared = site.plan.uses(id) >= 2 && self.facts.costs(&self.program.exprs, id) && site.own != Some(id);
        if shared || height > MAX_HEIGHT { self.name(id, new, site.span, out) } else { new }
    }

    /// `let v = new`; from here on `v` stands for `id`.
    fn name(&mut self, id: ExprId, new: ExprId, span: Span, out: &mut Block) -> ExprId {
        let (ty, range) = (self.program.exprs.ty(new), self.program.exprs.range(new));
        let var = self.program.new_var("t", ty, false, range);
        out.push(Stmt::new(StmtKind::Let { var, value: new }, span));
        let name = self.program.exprs.var(var);
        self.known.learn(&self.facts, id, name);
        name
    }

    /// A `Select` that guards a load: `local v; if c { v = a } else { v = b }`.
    fn branch(&mut self, id: ExprId, done: &HashMap<ExprId, ExprId>, span: Span, out: &mut Block) -> ExprId {
        let Expr::Select(c, a, b) = self.program.exprs.expr(id) else { return id };
        let cond = self.known.get(c).or_else(|| done.get(&c).copied()).unwrap_or(c);
        let (ty, range) = (self.program.exprs.ty(id), self.program.exprs.range(id));
        let var = self.program.new_var("t", ty, true, range);
        self.joins.insert(var);
        let mut side = |value| self.list(vec![Stmt::new(StmtKind::Set { var, value }, span)]);
        let (then, els) = (side(a), side(b));
        out.push(Stmt::new(StmtKind::Local { var, init: None }, span));
        out.push(Stmt::new(StmtKind::If { cond, then, els }, span));
        let name = self.program.exprs.var(var);
        self.known.learn(&self.facts, id, name);
        name
    }
}

#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;
