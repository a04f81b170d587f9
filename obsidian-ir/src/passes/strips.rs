//! Strips: where the threads of a phase read columns and write rows, a thread does what 16 threads did, one row after the other, so that what
//! it reads lies side by side: a processor reads 16 such rows at once, and turns them (`backend/rust/groups/rows.rs`).
//!
//! Needs: the structured form. Ensures: the same assignments, each by one thread; no two threads of a phase meet, so it does not matter which of
//! them does what. For processors alone: on a GPU the banks of shared memory do without it.
//!
//! ```text
//! forall t < 1024 { y[(t / 32) * n + t % 32] = s[(t % 32) * 33 + t / 32] }
//!   =>  forall u < 64 { seq k in 0..16 { y[(16 * (u / 32) + k) * n + u % 32] = s[(u % 32) * 33 + 16 * (u / 32) + k] } }
//! ```

use super::index::{Budget, Eval, Table};
use super::walk;
use crate::diag::Span;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Program, Range, ScalarType, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// Rows of a strip, and threads that go over them side by side.
const STRIP: u32 = 16;
/// Instances of a phase that are looked at, at most.
const MAX_INSTANCES: u32 = 1 << 14;
/// Assignments of a phase, at most: each is written out `STRIP` times.
const MAX_ASSIGNMENTS: usize = 4;
/// Values that are looked at in a program, at most.
const BUDGET: u64 = 1 << 20;

/// Lets threads go over strips wherever they read columns.
pub(super) fn run(p: &mut Program) {
    let found = found(p);
    if found.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut p.body);
    in_list(p, &mut body, &found);
    p.body = body;
}

/// Whether any phase has threads that do.
pub(super) fn any(p: &Program) -> bool {
    !found(p).is_empty()
}

/// The phases, by their variables, and how many threads on the next element of a column is.
fn found(p: &Program) -> HashMap<VarId, u32> {
    let mut found = HashMap::default();
    look(p, &p.body, &mut Eval::new(Budget::new(BUDGET)), &mut found);
    found
}

fn look(p: &Program, list: &Block, eval: &mut Eval, found: &mut HashMap<VarId, u32>) {
    for stmt in list {
        match &stmt.kind {
            StmtKind::ForAll { var, n, body, .. } => {
                let instances = p.exprs.as_u32(*n).filter(|&n| n <= MAX_INSTANCES && n.is_multiple_of(STRIP * STRIP));
                let period = instances.and_then(|n| period(p, (*var, n), body, eval));
                found.extend(period.map(|period| (*var, period)));
            }
            StmtKind::Let { var, value } => eval.bind_value(&p.exprs, *var, *value),
            StmtKind::DistrPar { var, .. } | StmtKind::SeqFor { var, .. } => eval.bind_symbol(*var),
            _ => {}
        }
        if !matches!(stmt.kind, StmtKind::ForAll { .. }) {
            walk::nested(&stmt.kind).for_each(|inner| look(p, inner, eval, found));
        }
    }
}

/// How many threads on the next element of a column is, where the threads read columns and everything else that they access is in rows.
fn period(p: &Program, (var, n): (VarId, u32), body: &Block, eval: &mut Eval) -> Option<u32> {
    let accesses = accesses(p, body)?;
    eval.enter(var, n, 0, 1);
    let lanes = |access: &(bool, ExprId)| {
        let index = eval.value(&p.exprs, access.1)?;
        let moves = index.terms.iter().any(|(_, c)| c.as_uniform().is_none());
        (!moves && eval.budget.take(n.into())).then_some((access.0, index.rest))
    };
    let tables: Option<Vec<(bool, Table)>> = accesses.iter().map(lanes).collect();
    eval.leave();
    let tables: Vec<(bool, Vec<u32>)> =
        tables?.into_iter().map(|(stored, table)| (stored, table.spread(&[n], 1).to_vec())).collect();
    let columns: Vec<&Vec<u32>> = tables.iter().filter(|(_, at)| !is_row(at)).map(|(_, at)| at).collect();
    let is_strip = |&period: &u32| columns.iter().all(|at| is_column(at, period as usize));
    let stores_rows = tables.iter().all(|(stored, at)| !stored || is_row(at));
    let mut periods =
        (4..).map(|bits| 1 << bits).take_while(|period| n.is_multiple_of(period * STRIP) && period * STRIP <= n);
    (stores_rows && !columns.is_empty()).then(|| periods.find(is_strip)).flatten()
}

/// The indices of words that assignments touch, and whether they store there; none of what does more than assign.
fn accesses(p: &Program, body: &Block) -> Option<Vec<(bool, ExprId)>> {
    let is_word = |array: ArrayId| p.array(array).elem.bytes() == 4;
    let mut accesses = Vec::new();
    for Stmt { kind, .. } in body {
        let StmtKind::Assign { array, index, value } = *kind else { return None };
        accesses.push((true, index));
        for e in walk::reachable(&p.exprs, [index, value], |_| false) {
            match p.exprs.expr(e) {
                Expr::Load(array, at) if is_word(array) => accesses.push((false, at)),
                Expr::Load(..) | Expr::Select(..) => return None,
                _ => {}
            }
        }
        if !is_word(array) {
            return None;
        }
    }
    (body.len() <= MAX_ASSIGNMENTS && accesses.len() <= 4 * MAX_ASSIGNMENTS).then_some(accesses)
}

/// Whether each 16 neighbours touch one element, or neighbours.
fn is_row(at: &[u32]) -> bool {
    at.chunks(STRIP as usize).all(|group| {
        let step = group[1].wrapping_sub(group[0]);
        step < 2 && group.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step)
    })
}

/// Whether each 16 neighbours touch elements far apart, and those `period` further on the elements behind these, 16 times.
fn is_column(at: &[u32], period: usize) -> bool {
    let far = at.chunks(STRIP as usize).all(|group| {
        let step = group[1].wrapping_sub(group[0]);
        (STRIP..1 << 20).contains(&step) && group.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step)
    });
    let follows = |strip: &[u32]| (period..strip.len()).all(|t| strip[t] == strip[t - period].wrapping_add(1));
    far && at.chunks(period * STRIP as usize).all(follows)
}

fn in_list(p: &mut Program, list: &mut Block, found: &HashMap<VarId, u32>) {
    for stmt in list {
        match &mut stmt.kind {
            StmtKind::ForAll { var, n, body, .. } => {
                if let Some(&period) = found.get(var) {
                    (*var, *n, *body) = strips(p, (*var, *n), body, period);
                }
            }
            kind => walk::nested_mut(kind).for_each(|inner| in_list(p, inner, found)),
        }
    }
}

/// The phase in which a thread does what `STRIP` of them did, each `period` behind the one before.
fn strips(p: &mut Program, (var, n): (VarId, ExprId), body: &Block, period: u32) -> (VarId, ExprId, Block) {
    let count = p.exprs.as_u32(n).unwrap_or(0) / STRIP;
    let own = p.new_var("u", ScalarType::U32, false, Range::new(0, i128::from(count) - 1));
    let counter = p.new_var("row", ScalarType::U32, false, Range::new(0, i128::from(STRIP) - 1));
    let [old, own_value, counted] = [var, own, counter].map(|var| p.exprs.var(var));
    let [every, strip] = [period, STRIP].map(|n| p.exprs.u32(n));
    let exprs = &mut p.exprs;
    let [over, beside] = [BinOp::Div, BinOp::Rem].map(|op| exprs.bin(op, old, every));
    let [down, across] = [BinOp::Div, BinOp::Rem].map(|op| exprs.bin(op, own_value, every));
    let first = exprs.bin(BinOp::Mul, down, strip);
    let row = exprs.bin(BinOp::Add, first, counted);
    let rows = exprs.bin(BinOp::Mul, row, every);
    let instance = exprs.bin(BinOp::Add, rows, across);
    // As the row and the column of a strip they say more than as an instance taken apart again.
    let mut known = HashMap::from_iter([(old, instance), (over, row), (beside, across)]);
    let mut body = body.clone();
    for stmt in &mut body {
        walk::direct_mut(&mut stmt.kind).for_each(|e| *e = walk::replaced(exprs, *e, &mut known));
    }
    let [none, one] = [0, 1].map(|k| exprs.u32(k));
    let span = body.first().map_or(Span::NONE, |stmt| stmt.span);
    let rounds = StmtKind::SeqFor { var: counter, start: none, end: strip, step: one, body };
    (own, p.exprs.u32(count), vec![Stmt::new(rounds, span)])
}
