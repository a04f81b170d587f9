//! Join: one test for a guarded read and for what its guard notes, for OpenCL. Compilers for processors make moves under a
//! condition of what a guard notes, in each round of a loop; on the side of a branch that is not taken they cost nothing.
//!
//! Needs: scheduled code. Ensures: it means the same.
//!
//! ```text
//! if i >= len(xs) & stray is 0 { stray = .. }
//! local x                             =>  local x
//! if i < len(xs) { x = xs[i] }            if i < len(xs) { x = xs[i] }
//! else { x = 0 }                          else { x = 0; if stray is 0 { stray = .. } }
//! ```

use crate::passes::walk;
use crate::program::{BinOp, Block, Expr, ExprId, Exprs, Program, Stmt, StmtKind, UnOp, VarId};

/// Joins what stands behind one another.
pub(in crate::passes) fn run(program: &mut Program) {
    let body = std::mem::take(&mut program.body);
    program.body = joined(&mut program.exprs, body);
}

fn joined(exprs: &mut Exprs, list: Block) -> Block {
    let mut out: Block = Vec::with_capacity(list.len());
    for mut stmt in list {
        for inner in walk::nested_mut(&mut stmt.kind) {
            *inner = joined(exprs, std::mem::take(inner));
        }
        if let Some((at, cond)) = note(exprs, &out, &stmt) {
            let mut note = out.remove(at);
            if let (StmtKind::If { els, .. }, StmtKind::If { cond: rest, .. }) = (&mut stmt.kind, &mut note.kind) {
                *rest = cond;
                els.push(note);
            }
        }
        out.push(stmt);
    }
    out
}

/// Where among the statements before a branch a note for its other side stands, and what else that asks for.
fn note(exprs: &mut Exprs, before: &Block, branch: &Stmt) -> Option<(usize, ExprId)> {
    let StmtKind::If { cond, els, .. } = &branch.kind else { return None };
    let at = before.iter().rposition(|stmt| !matches!(stmt.kind, StmtKind::Let { .. } | StmtKind::Local { .. }))?;
    let StmtKind::If { cond: noted, then, els: none } = &before[at].kind else { return None };
    let Expr::Bin(BinOp::And, first, rest) = exprs.expr(*noted) else { return None };
    if !none.is_empty() || exprs.un(UnOp::Not, first) != *cond {
        return None;
    }
    // What is passed by neither reads what the note writes, nor writes what it reads.
    let own: Vec<VarId> = then.iter().map(target).collect::<Option<_>>()?;
    let others: Vec<VarId> = els.iter().map(target).collect::<Option<_>>()?;
    let passed = before[at + 1..].iter().chain(els).flat_map(|stmt| walk::direct(&stmt.kind));
    let read = then.iter().flat_map(|stmt| walk::direct(&stmt.kind)).chain([rest]);
    let apart = !reads(exprs, passed.chain([*cond]), &own) && !reads(exprs, read, &others);
    (apart && others.iter().all(|var| !own.contains(var))).then_some((at, rest))
}

/// The variable that a statement does nothing but set.
fn target(stmt: &Stmt) -> Option<VarId> {
    match stmt.kind {
        StmtKind::Set { var, .. } => Some(var),
        _ => None,
    }
}

fn reads(exprs: &Exprs, roots: impl IntoIterator<Item = ExprId>, vars: &[VarId]) -> bool {
    let found = walk::reachable(exprs, roots, |_| false);
    found.into_iter().any(|id| matches!(exprs.expr(id), Expr::Var(var) if vars.contains(&var)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::fixture::{self, Make, stmt};
    use crate::program::{Range, ScalarType};

    /// A note under `limit <= x && !done`, and a branch on `x < other`, which sets `y`; the note sets `done`, or what is asked.
    fn behind_one_another(other: u32, noted: &dyn Fn(VarId, VarId) -> VarId) -> (Program, usize) {
        let mut p = fixture::program(32);
        let mut var = |name| p.new_var(name, ScalarType::U32, true, Range::full(ScalarType::U32));
        let (x, y, done) = (var("x"), var("y"), var("done"));
        let [limit, zero, five] = [other, 0, 5].map(|v| Make::u32(&mut p, v));
        let ten = Make::u32(&mut p, 10);
        let (read, set) = (p.exprs.var(x), p.exprs.var(done));
        let (inside, none) = (p.op(BinOp::Lt, read, limit), p.op(BinOp::Eq, set, zero));
        let within = p.op(BinOp::Lt, read, ten);
        let outside = p.exprs.un(UnOp::Not, within);
        let both = p.op(BinOp::And, outside, none);
        let set = |var, value| stmt(StmtKind::Set { var, value });
        let note = StmtKind::If { cond: both, then: vec![set(noted(y, done), five)], els: Vec::new() };
        let branch = StmtKind::If { cond: inside, then: vec![set(y, read)], els: vec![set(y, zero)] };
        p.body = vec![stmt(note), stmt(StmtKind::Local { var: y, init: None }), stmt(branch)];
        run(&mut p);
        let left = p.body.len();
        (p, left)
    }

    #[test]
    fn a_note_goes_to_the_side_on_which_it_is_taken() {
        let (p, left) = behind_one_another(10, &|_, done| done);
        assert_eq!(left, 2);
        let StmtKind::If { els, .. } = &p.body[1].kind else { panic!("a branch") };
        assert!(matches!(els[..], [Stmt { kind: StmtKind::Set { .. }, .. }, Stmt { kind: StmtKind::If { .. }, .. }]));
    }

    #[test]
    fn another_test_and_another_variable_stay_where_they_are() {
        assert_eq!(behind_one_another(11, &|_, done| done).1, 3);
        assert_eq!(behind_one_another(10, &|y, _| y).1, 3);
    }
}
