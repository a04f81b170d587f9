//! Arrays of a thread's own that can be registers: loops that go through their elements are written out, so that every index is a constant.
//! Arrays with other indices lie in the local memory of a GPU, which is no nearer than any other.
//!
//! Needs: machine form, before `schedule`. Ensures: the same statements in the same order, at most [`MAX_SIZE`] operations from one loop.
//!
//! ```text
//! seq i in 0..4                       own[0] = xs[tid * 4]
//!   own[i] = xs[tid * 4 + i]    =>    own[1] = xs[tid * 4 + 1]      (and 2, 3)
//! ```

use super::unroll::{Copies, is_wait};
use super::virtualise::size;
use super::walk::{self, Kind, Touch};
use crate::program::{ArrayId, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

/// The most rounds of a loop that is written out.
const MAX_ROUNDS: u32 = 32;
/// The most statements and operations that a loop may become.
const MAX_SIZE: usize = 2048;

/// The arrays of a thread that a GPU keeps in memory: those with an index that is not known.
pub fn in_memory(p: &Program) -> Vec<ArrayId> {
    let mut found: Vec<ArrayId> = indices(p)
        .into_iter()
        .filter(|(_, i)| !i.is_some_and(|i| p.exprs.as_u32(i).is_some()))
        .map(|(a, _)| a)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Writes out the loops over the elements of such arrays.
pub fn run(program: &mut Program) {
    let loops = wanted(program);
    if !loops.is_empty() {
        let body = std::mem::take(&mut program.body);
        program.body = list(program, &loops, body);
    }
}

fn list(p: &mut Program, loops: &HashMap<VarId, u32>, block: Block) -> Block {
    let mut out = Vec::with_capacity(block.len());
    for mut stmt in block {
        for inner in walk::nested_mut(&mut stmt.kind) {
            *inner = list(p, loops, std::mem::take(inner));
        }
        match stmt.kind {
            StmtKind::SeqFor { var, start, ref body, .. }
                if let (Some(&rounds), Some(first)) = (loops.get(&var), p.exprs.as_u32(start))
                    && size(p, body).saturating_mul(rounds as usize) <= MAX_SIZE =>
            {
                Copies::of(p, var, body).write(p, first..first + rounds, &mut out);
            }
            kind => out.push(Stmt { kind, ..stmt }),
        }
    }
    out
}

/// The variables of short loops that index arrays of which nothing else but constants is an index, and how many rounds these have.
fn wanted(p: &Program) -> HashMap<VarId, u32> {
    let mut short = HashMap::default();
    walk::each(&p.body, &mut |stmt| {
        let StmtKind::SeqFor { var, start, end, step, ref body } = stmt.kind else { return };
        let known = (p.exprs.as_u32(start), p.exprs.as_u32(end), p.exprs.as_u32(step));
        if let (Some(start), Some(end), Some(1)) = known
            && (1..=MAX_ROUNDS).contains(&end.saturating_sub(start))
            && !waits(body)
        {
            short.insert(var, end - start);
        }
    });
    let indices = indices(p).into_iter();
    let vars: Vec<(ArrayId, Option<HashSet<VarId>>)> =
        indices.map(|(array, index)| (array, index.and_then(|index| counted(p, &short, index)))).collect();
    let open: HashSet<ArrayId> = vars.iter().filter(|(_, vars)| vars.is_none()).map(|&(array, _)| array).collect();
    let of_known = vars.into_iter().filter(|(array, _)| !open.contains(array)).flat_map(|(_, vars)| vars);
    of_known.flatten().map(|var| (var, short[&var])).collect()
}

/// Every index into an array of a thread's own; none for what updates an element in one step, which registers cannot.
fn indices(p: &Program) -> Vec<(ArrayId, Option<ExprId>)> {
    let own = |array: ArrayId| p.array(array).space == Space::Local;
    let mut found = Vec::new();
    walk::each(&p.body, &mut |stmt| {
        let Some(Touch { array, kind, index, .. }) = walk::touch(&stmt.kind).filter(|touch| own(touch.array)) else {
            return;
        };
        found.push((array, (kind != Kind::Atomic).then_some(index)));
    });
    for e in walk::reachable(&p.exprs, walk::evaluated(&p.body), |_| false) {
        if let Expr::Load(array, index) = p.exprs.expr(e)
            && own(array)
        {
            found.push((array, Some(index)));
        }
    }
    found
}

/// The loops that count an index, if nothing else is in it.
fn counted(p: &Program, short: &HashMap<VarId, u32>, index: ExprId) -> Option<HashSet<VarId>> {
    let mut vars = HashSet::default();
    for e in walk::reachable(&p.exprs, [index], |_| false) {
        match p.exprs.expr(e) {
            Expr::Var(var) if short.contains_key(&var) => drop(vars.insert(var)),
            Expr::Var(_) | Expr::Load(..) | Expr::Len(_) | Expr::Scalar(_) | Expr::Special(_) => return None,
            _ => {}
        }
    }
    Some(vars)
}

/// Whether threads wait for one another in a list of statements.
fn waits(body: &Block) -> bool {
    let mut found = false;
    walk::each(body, &mut |stmt| found |= is_wait(&stmt.kind));
    found
}
