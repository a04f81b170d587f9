//! The accesses to an array, each with the loops and the conditions around it.

use std::convert::Infallible;

use crate::level::Level;
use crate::passes::walk;
use crate::program::scoped::{Around, Rounds, Visitor, visit};
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Exprs, Program, ScalarType, Stmt, VarId};

/// A loop from 0 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) var: VarId,
    pub(super) rounds: ExprId,
    /// Whose instances its rounds are; `None`: they follow one another.
    pub(super) instances: Option<Level>,
}

/// A condition: a number is below another.
pub(super) type Below = (ExprId, ExprId);

/// An access to the array, and what is around it.
#[derive(Debug)]
pub(super) struct Touch {
    pub(super) index: ExprId,
    /// The conditions that hold.
    pub(super) given: Vec<ExprId>,
    pub(super) loops: Vec<Loop>,
    /// What is below what, by the conditions around.
    pub(super) limits: Vec<Below>,
    /// Whether nothing but loops and these limits is around it.
    pub(super) sure: bool,
    /// Whether it is an assignment.
    pub(super) writes: bool,
}

/// All accesses to an array.
pub(super) fn touches(p: &Program, array: ArrayId) -> Vec<Touch> {
    let mut search = Search { p, array, loops: Vec::new(), limits: Vec::new(), given: Vec::new(), found: Vec::new() };
    let Ok(_) = visit(&mut search, &p.body, true);
    search.found
}

struct Search<'p> {
    p: &'p Program,
    array: ArrayId,
    /// Those around the place that is looked at.
    loops: Vec<Loop>,
    limits: Vec<Below>,
    given: Vec<ExprId>,
    found: Vec<Touch>,
}

impl<'p> Visitor<'p> for Search<'p> {
    /// Whether nothing but loops and limits is around.
    type Scope = bool;
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'p Stmt, &sure: &bool) -> Result<Option<bool>, Infallible> {
        for index in loads(self.p, stmt, self.array) {
            self.find(index, sure, false);
        }
        if let Some(touch) = walk::touch(&stmt.kind).filter(|touch| touch.array == self.array) {
            let writes = touch.kind == walk::Kind::Write;
            self.find(touch.index, sure, writes);
        }
        Ok(Some(sure))
    }

    fn enter(&mut self, around: Around, _: &'p Block, &sure: &bool) -> Result<Option<bool>, Infallible> {
        let counted = counted(self.p, around);
        self.loops.extend(counted);
        let limits = limits(&self.p.exprs, around);
        // A limit and nothing else.
        let limited = matches!((around, &limits[..]), (Around::Given { cond, truth: true }, [limit]) if is(&self.p.exprs, cond, *limit));
        self.limits.extend(limits);
        self.given.extend(given(around));
        Ok(Some(sure && (counted.is_some() || limited)))
    }

    fn leave(&mut self, around: Around, _: &bool, _: &bool) {
        self.loops.truncate(self.loops.len() - usize::from(counted(self.p, around).is_some()));
        self.limits.truncate(self.limits.len() - limits(&self.p.exprs, around).len());
        self.given.truncate(self.given.len() - usize::from(given(around).is_some()));
    }
}

impl Search<'_> {
    fn find(&mut self, index: ExprId, sure: bool, writes: bool) {
        let (loops, limits, given) = (self.loops.clone(), self.limits.clone(), self.given.clone());
        self.found.push(Touch { index, given, loops, limits, sure, writes });
    }
}

/// The condition that holds in a branch.
fn given(around: Around) -> Option<ExprId> {
    match around {
        Around::Given { cond, truth: true } => Some(cond),
        _ => None,
    }
}

/// What a condition around says of numbers that the launch limits. Such numbers do not change while the condition holds: they are made of
/// counters.
fn limits(exprs: &Exprs, around: Around) -> Vec<Below> {
    let Around::Given { cond, truth: true } = around else { return Vec::new() };
    let mut found = Vec::new();
    let mut open = vec![cond];
    while let Some(cond) = open.pop() {
        match exprs.expr(cond) {
            Expr::Bin(BinOp::And, a, b) => open.extend([a, b]),
            Expr::Select(a, b, none) if exprs.as_const(none).is_some_and(|none| none.bits == 0) => open.extend([a, b]),
            Expr::Bin(BinOp::Lt, a, b) if exprs.known_at_launch(b) => found.push((a, b)),
            Expr::Bin(BinOp::Gt, b, a) if exprs.known_at_launch(b) => found.push((a, b)),
            _ => {}
        }
    }
    found.retain(|&(a, _)| exprs.ty(a) == ScalarType::U32);
    found
}

/// Whether a condition is this and nothing else.
fn is(exprs: &Exprs, cond: ExprId, (less, more): Below) -> bool {
    matches!(exprs.expr(cond), Expr::Bin(BinOp::Lt, a, b) | Expr::Bin(BinOp::Gt, b, a) if (a, b) == (less, more))
}

/// What is around a place as a loop from 0 on.
fn counted(p: &Program, around: Around) -> Option<Loop> {
    let Around::Count { var, end, rounds } = around else { return None };
    let instances = match rounds {
        Rounds::Instances(level) => Some(level),
        Rounds::InTurn { start, step } if [start, step].map(|e| p.exprs.as_u32(e)) == [Some(0), Some(1)] => None,
        Rounds::InTurn { .. } => return None,
    };
    Some(Loop { var, rounds: end, instances })
}

/// The indices at which a statement itself loads from an array.
fn loads(p: &Program, stmt: &Stmt, array: ArrayId) -> Vec<ExprId> {
    let all = walk::reachable(&p.exprs, walk::direct(&stmt.kind), |e| !p.exprs.loads(e));
    let index = |e| match p.exprs.expr(e) {
        Expr::Load(from, index) if from == array => Some(index),
        _ => None,
    };
    all.into_iter().filter_map(index).collect()
}
