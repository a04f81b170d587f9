//! Barriers and shuffles stand where all threads that take part come by.
//!
//! What a value depends on says for whom it is the same: for all threads of a block, for those of a warp, or for nobody. A
//! barrier of the block may stand only under conditions of the first kind, one of a warp and a shuffle under those of the
//! first two. Variables go up in this order until nothing changes.

use super::{Checked, broken};
use crate::level::Level;
use crate::program::{Block, Expr, ExprId, Program, ShuffleKind, Space, Special, Stmt, StmtKind, VarId, walk};
use crate::tables::HashMap;

/// For whom a value is the same, or a place is reached together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Same {
    Block,
    Warp,
    Nobody,
}

/// Checks every barrier and shuffle.
pub(super) fn check(p: &Program) -> Checked {
    let mut waits = false;
    walk::each(&p.body, &mut |s| waits |= matches!(s.kind, StmtKind::Sync { .. } | StmtKind::Shuffle { .. }));
    if !waits {
        return Ok(());
    }
    let mut u = Uniform { p, vars: HashMap::default(), changed: true };
    while u.changed {
        u.changed = false;
        u.list(&p.body, Same::Block);
    }
    u.verify(&p.body, Same::Block)
}

struct Uniform<'p> {
    p: &'p Program,
    vars: HashMap<VarId, Same>,
    changed: bool,
}

impl Uniform<'_> {
    fn value(&self, root: ExprId) -> Same {
        let mut most = Same::Block;
        for id in walk::reachable(&self.p.exprs, [root], |_| false) {
            most = most.max(match self.p.exprs.expr(id) {
                Expr::Var(v) => self.vars.get(&v).copied().unwrap_or(Same::Block),
                Expr::Special(Special::Tid | Special::Lane) => Same::Nobody,
                Expr::Special(Special::WarpId) => Same::Warp,
                // Each thread has its own.
                Expr::Load(array, _) if self.p.array(array).space == Space::Local => Same::Nobody,
                Expr::Load(array, _) if self.p.array(array).space == Space::Shared(Level::Warp) => Same::Warp,
                _ => Same::Block,
            });
        }
        most
    }

    fn learn(&mut self, var: VarId, same: Same) {
        let known = self.vars.entry(var).or_insert(Same::Block);
        if same > *known {
            *known = same;
            self.changed = true;
        }
    }

    /// For whom what a statement nests is reached together.
    fn inside(&self, stmt: &Stmt, here: Same) -> Same {
        match &stmt.kind {
            StmtKind::ForAll { .. } => Same::Nobody,
            StmtKind::DistrPar { level: Level::Warp, .. } => here.max(Same::Warp),
            kind => walk::direct(kind).map(|e| self.value(e)).fold(here, Same::max),
        }
    }

    fn list(&mut self, list: &Block, here: Same) {
        for stmt in list {
            let inside = self.inside(stmt, here);
            match &stmt.kind {
                StmtKind::Set { var, value } => self.learn(*var, here.max(self.value(*value))),
                StmtKind::Let { var, value } | StmtKind::Local { var, init: Some(value) } => {
                    self.learn(*var, self.value(*value));
                }
                StmtKind::Atomic { old: Some(var), .. } => self.learn(*var, Same::Nobody),
                StmtKind::Shuffle { var, value, kind, lane } => {
                    let one = match kind {
                        ShuffleKind::All(_) | ShuffleKind::Ballot => true,
                        ShuffleKind::Index => self.value(*lane) <= Same::Warp,
                        _ => self.value(*value) <= Same::Warp,
                    };
                    self.learn(*var, if one { Same::Warp } else { Same::Nobody });
                }
                StmtKind::LoadVector { vars, index, .. } => {
                    let same = self.value(*index);
                    vars.iter().for_each(|v| self.learn(*v, same));
                }
                StmtKind::SeqFor { var, start, step, .. } => {
                    self.learn(*var, self.value(*start).max(self.value(*step)));
                }
                StmtKind::ForAll { var, .. } => self.learn(*var, Same::Nobody),
                StmtKind::DistrPar { level: Level::Warp, var, .. } => self.learn(*var, Same::Warp),
                _ => {}
            }
            walk::nested(&stmt.kind).for_each(|inner| self.list(inner, inside));
        }
    }

    fn verify(&self, list: &Block, here: Same) -> Checked {
        for stmt in list {
            match &stmt.kind {
                StmtKind::Sync { scope: Level::Block } if here > Same::Block => {
                    return broken(stmt.span, "a barrier that not all threads of the block reach together");
                }
                StmtKind::Sync { .. } if here > Same::Warp => {
                    return broken(stmt.span, "a barrier that not all lanes of the warp reach together");
                }
                StmtKind::Shuffle { .. } if self.splits(here) => {
                    return broken(stmt.span, "a shuffle that not all lanes of the warp reach together");
                }
                _ => {}
            }
            let inside = match (&stmt.kind, here) {
                // Its lanes go through a warp's thread code together, a lane an instance.
                (StmtKind::ForAll { level: Level::Warp, n, .. }, here) if self.p.exprs.as_u32(*n) == Some(32) => {
                    here.max(Same::Warp)
                }
                _ => self.inside(stmt, here),
            };
            walk::nested(&stmt.kind).try_for_each(|inner| self.verify(inner, inside))?;
        }
        Ok(())
    }

    fn splits(&self, here: Same) -> bool {
        here > Same::Warp || self.p.lanes() != 32
    }
}
