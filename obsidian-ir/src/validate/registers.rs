//! The rule of registers: an element is touched only by the instance, of as many threads as there are elements, whose number it has.

use super::{Checked, broken};
use crate::level::Level;
use crate::program::{ArrayId, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId, walk};
use crate::tables::HashSet;

/// Checks every access to such an array.
pub(super) fn check(p: &Program) -> Checked {
    if p.arrays.iter().any(|a| a.space == Space::Registers) { list(p, &p.body, None) } else { Ok(()) }
}

/// The instance whose code it is: its variable, and how many there are.
type Instance = Option<(VarId, ExprId)>;

fn list(p: &Program, body: &Block, own: Instance) -> Checked {
    let mut seen = HashSet::default();
    body.iter().try_for_each(|stmt| check_stmt(p, stmt, own, &mut seen))
}

fn check_stmt(p: &Program, stmt: &Stmt, own: Instance, seen: &mut HashSet<ExprId>) -> Checked {
    if let Some(touch) = walk::touch(&stmt.kind) {
        element(p, (touch.array, touch.index), stmt, own)?;
    }
    for id in walk::reachable(&p.exprs, walk::direct(&stmt.kind), |id| seen.contains(&id) || !p.exprs.loads(id)) {
        if let Expr::Load(array, index) = p.exprs.expr(id) {
            element(p, (array, index), stmt, own)?;
        }
        seen.insert(id);
    }
    let inside = match stmt.kind {
        StmtKind::ForAll { level: Level::Block, var, n, .. } => Some((var, n)),
        StmtKind::ForAll { .. } | StmtKind::DistrPar { .. } => None,
        _ => own,
    };
    walk::nested(&stmt.kind).try_for_each(|inner| list(p, inner, inside))
}

fn element(p: &Program, (array, index): (ArrayId, ExprId), stmt: &Stmt, own: Instance) -> Checked {
    let a = p.array(array);
    if a.space != Space::Registers {
        return Ok(());
    }
    // The only instance has the number 0, which `stage` writes for its variable.
    let of_own = |(var, n): (VarId, ExprId)| match p.exprs.expr(index) {
        Expr::Var(v) => v == var,
        _ => p.exprs.as_u32(index) == Some(0) && p.exprs.as_u32(n) == Some(1),
    };
    match own {
        Some((var, n)) if of_own((var, n)) && p.exprs.as_u32(n) == p.exprs.as_u32(a.len) => Ok(()),
        _ => broken(stmt.span, format!("`{}` is in registers of other threads", a.name)),
    }
}
