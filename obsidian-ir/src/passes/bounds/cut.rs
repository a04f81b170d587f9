//! R35. Cuts: values of the launch that part the accesses to an array, so that each index is below the cut wherever it is used, or each time
//! at least the cut. Of `xs[i] += xs[i + n]` with `i < n` that is `n`, of `xs[i]` and `xs[len - 1 - i]` with `i < len / 2` it is `len / 2`.

use super::prove::ScopeId;
use super::{Check, Scope};
use crate::passes::walk::{self, known_at_launch, operands, reachable, touch};
use crate::program::scoped::{Around, Visitor, visit};
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Program, ScalarType, Stmt, StmtKind};
use crate::tables::{HashMap, HashSet};

/// The most values that are tried.
const MAX_CUTS: usize = 16;

/// The accesses on the two sides of a cut, by their indices.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Those that are at least the cut; all others are below it.
    pub(crate) above: HashSet<ExprId>,
}

/// The ways in which an array can be cut, so that there are accesses on both sides.
pub(crate) fn cuts(program: &Program, array: ArrayId) -> Vec<Parts> {
    let indices = indices_of(program, array);
    let cuts = candidates(program, &indices).into_iter().map(|at| Cut { at, sides: HashMap::default() });
    let cuts: Vec<Cut> = cuts.filter(|_| indices.len() > 1).collect();
    if cuts.is_empty() {
        return Vec::new();
    }
    let mut parting = Parting { check: Check::new(program, Vec::new()), array, cuts, seen: HashSet::default() };
    let facts = parting.check.prover.checked();
    let top = parting.check.scope(facts);
    if let Err(NoneLeft) = visit(&mut parting, &program.body, top) {
        return Vec::new();
    }
    // Each index has a side, if it was come by at all.
    let whole = parting.cuts.into_iter().filter(|cut| cut.sides.len() == indices.len());
    let parts = whole.map(|cut| cut.sides.into_iter().filter(|(_, side)| *side == Side::Above).map(|(at, _)| at));
    let parts = parts.map(|above| Parts { above: above.collect() });
    parts.filter(|parts| !parts.above.is_empty() && parts.above.len() < indices.len()).collect()
}

/// All indices of an array.
fn indices_of(program: &Program, array: ArrayId) -> Vec<ExprId> {
    let loads = reachable(&program.exprs, walk::evaluated(&program.body), |_| false);
    let mut found: Vec<ExprId> = loads.into_iter().filter_map(|e| index_of(program, e, array)).collect();
    walk::each(&program.body, &mut |stmt| {
        found.extend(touch(&stmt.kind).filter(|t| t.array == array).map(|t| t.index))
    });
    found.sort_unstable();
    found.dedup();
    found
}

fn index_of(program: &Program, load: ExprId, array: ArrayId) -> Option<ExprId> {
    match program.exprs.expr(load) {
        Expr::Load(of, index) if of == array => Some(index),
        _ => None,
    }
}

/// Values of the launch that indices and numbers of rounds are made of, and no constants.
fn candidates(program: &Program, indices: &[ExprId]) -> Vec<ExprId> {
    let exprs = &program.exprs;
    let mut roots = indices.to_vec();
    walk::each(&program.body, &mut |stmt| match stmt.kind {
        StmtKind::ForAll { n, .. } | StmtKind::DistrPar { n, .. } => roots.push(n),
        StmtKind::SeqFor { end, .. } => roots.push(end),
        _ => {}
    });
    let mut found = Vec::new();
    for root in roots {
        for e in reachable(exprs, [root], |_| false) {
            let may = exprs.ty(e) == ScalarType::U32 && exprs.as_const(e).is_none() && known_at_launch(exprs, e);
            if may && !found.contains(&e) && found.len() < MAX_CUTS {
                found.push(e);
            }
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

struct Cut {
    at: ExprId,
    sides: HashMap<ExprId, Side>,
}

/// No cut parts all accesses.
struct NoneLeft;

struct Parting<'p> {
    check: Check<'p>,
    array: ArrayId,
    /// Those that part all accesses so far.
    cuts: Vec<Cut>,
    /// What has been looked at, where this is known.
    seen: HashSet<(ExprId, ScopeId)>,
}

impl<'p> Visitor<'p> for Parting<'p> {
    type Scope = Scope;
    type Stop = NoneLeft;

    fn begin(&mut self, stmt: &'p Stmt, scope: &Scope) -> Result<Option<Scope>, NoneLeft> {
        let Ok(inner) = self.check.begin(stmt, scope);
        Ok(inner)
    }

    fn evaluates(&mut self, _: &'p Stmt, e: ExprId, scope: &Scope) -> Result<(), NoneLeft> {
        self.loads(e, scope.facts);
        if self.cuts.is_empty() { Err(NoneLeft) } else { Ok(()) }
    }

    fn enter(&mut self, around: Around, list: &'p Block, outer: &Scope) -> Result<Option<Scope>, NoneLeft> {
        let Ok(inner) = self.check.enter(around, list, outer);
        Ok(inner)
    }

    fn leave(&mut self, around: Around, outer: &Scope, inner: &Scope) {
        self.check.leave(around, outer, inner);
    }

    fn end(&mut self, stmt: &'p Stmt, scope: Scope) -> Result<Scope, NoneLeft> {
        if let Some(touch) = touch(&stmt.kind).filter(|touch| touch.array == self.array) {
            self.access(touch.index, scope.facts);
        }
        if self.cuts.is_empty() {
            return Err(NoneLeft);
        }
        let Ok(behind) = self.check.end(stmt, scope);
        Ok(behind)
    }
}

impl Parting<'_> {
    /// The loads of a value, each with the conditions that the value itself has around it.
    fn loads(&mut self, e: ExprId, scope: ScopeId) {
        let p = self.check.prover.p;
        if !p.exprs.loads(e) || !self.seen.insert((e, scope)) {
            return;
        }
        match p.exprs.expr(e) {
            Expr::Select(c, a, b) => {
                self.loads(c, scope);
                for (side, truth) in [(a, true), (b, false)] {
                    let prover = &mut self.check.prover;
                    let inner = if prover.has_room() { prover.branch(scope, c, truth) } else { scope };
                    self.loads(side, inner);
                }
            }
            expr => operands(expr).for_each(|part| self.loads(part, scope)),
        }
        if let Some(index) = index_of(p, e, self.array) {
            self.access(index, scope);
        }
    }

    /// With what the launch is asked for only where the loops around go round, which they do here.
    fn with_asked(&mut self, scope: ScopeId) -> ScopeId {
        let Check { prover, extents, .. } = &mut self.check;
        let exprs = &prover.p.exprs;
        let goes_round = |e: ExprId| match exprs.expr(e) {
            Expr::Bin(BinOp::Ne, count, zero) => exprs.as_u32(zero) == Some(0) && extents.contains(&count),
            _ => false,
        };
        let asked = prover.p.checks.iter().filter_map(|check| match exprs.expr(check.cond) {
            Expr::Select(work, asked, other) if exprs.as_const(other)?.bits == 1 && goes_round(work) => Some(asked),
            _ => None,
        });
        let asked: Vec<ExprId> = asked.collect();
        asked.into_iter().fold(scope, |scope, cond| {
            let facts = prover.condition(scope, cond, true);
            prover.with(scope, facts)
        })
    }

    /// Drops the cuts of which it is not proved on which side of them an access is, or which have it on both.
    fn access(&mut self, index: ExprId, scope: ScopeId) {
        let scope = self.with_asked(scope);
        let prover = &mut self.check.prover;
        self.cuts.retain_mut(|cut| {
            let mut is_on = |side| {
                prover.budget.begin();
                match side {
                    Side::Below => prover.less(scope, index, cut.at),
                    Side::Above => {
                        let [index, at] = [index, cut.at].map(|e| prover.form(scope, e));
                        index.combine(1, &at, -1).is_some_and(|left| prover.certain(scope, &left))
                    }
                }
            };
            if let Some(&side) = cut.sides.get(&index) {
                return is_on(side);
            }
            let side = [Side::Below, Side::Above].into_iter().find(|&side| is_on(side));
            cut.sides.extend(side.map(|side| (index, side)));
            side.is_some()
        });
    }
}
