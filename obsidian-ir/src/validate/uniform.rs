//! Barriers and shuffles stand where all threads that take part come by.
//!
//! What a value depends on says for whom it is the same: for all threads of a block, for those of a warp, or for nobody. A
//! barrier of the block may stand only under conditions of the first kind, one of a warp and a shuffle under those of the
//! first two. Variables go up in this order until nothing changes. A block of at most 32 threads is one warp: what is the same for its
//! lanes is the same for the block.

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
    if !meets(&p.body) {
        return Ok(());
    }
    let mut u = Uniform { p, vars: HashMap::default(), changed: true, values: Vec::new() };
    while u.changed {
        u.changed = false;
        u.values = vec![None; p.exprs.len()];
        u.list(&p.body, Same::Block);
    }
    u.verify(&p.body, Same::Block)
}

/// Whether there is a barrier or a shuffle inside.
fn meets(list: &Block) -> bool {
    let here = |kind: &StmtKind| matches!(kind, StmtKind::Sync { .. } | StmtKind::Shuffle { .. });
    list.iter().any(|s| here(&s.kind) || walk::nested(&s.kind).any(meets))
}

struct Uniform<'p> {
    p: &'p Program,
    vars: HashMap<VarId, Same>,
    changed: bool,
    /// Of the expressions met in this round, by number. In the last round no variable goes up any more, so all of these hold then.
    values: Vec<Option<Same>>,
}

impl Uniform<'_> {
    fn value(&mut self, root: ExprId) -> Same {
        let known = |values: &[Option<Same>], id: ExprId| values[id.0 as usize];
        if let Some(same) = known(&self.values, root) {
            return same;
        }
        for id in walk::reachable(&self.p.exprs, [root], |id| known(&self.values, id).is_some()) {
            let expr = self.p.exprs.expr(id);
            let own = match expr {
                Expr::Var(v) => self.vars.get(&v).copied().unwrap_or(Same::Block),
                Expr::Special(Special::Tid | Special::Lane) => Same::Nobody,
                Expr::Special(Special::WarpId) => Same::Warp,
                // Each thread has its own.
                Expr::Load(array, _) if self.p.array(array).space == Space::Local => Same::Nobody,
                Expr::Load(array, _) if self.p.array(array).space == Space::Shared(Level::Warp) => Same::Warp,
                _ => Same::Block,
            };
            let operands = walk::operands(expr).filter_map(|x| known(&self.values, x));
            self.values[id.0 as usize] = Some(operands.fold(own, Same::max));
        }
        known(&self.values, root).unwrap_or(Same::Block)
    }

    fn learn(&mut self, var: VarId, same: Same) {
        let known = self.vars.entry(var).or_insert(Same::Block);
        if same > *known {
            *known = same;
            self.changed = true;
        }
    }

    /// For whom what a statement nests is reached together.
    fn inside(&mut self, stmt: &Stmt, here: Same) -> Same {
        match &stmt.kind {
            StmtKind::ForAll { .. } => Same::Nobody,
            StmtKind::DistrPar { level: Level::Warp, .. } => here.max(Same::Warp),
            // Most statements have nothing inside, and it does not matter what these depend on.
            kind if walk::nested(kind).next().is_none() => here,
            kind => walk::direct(kind).fold(here, |most, e| most.max(self.value(e))),
        }
    }

    fn list(&mut self, list: &Block, here: Same) {
        for stmt in list {
            let inside = self.inside(stmt, here);
            match &stmt.kind {
                StmtKind::Set { var, value } => {
                    let same = here.max(self.value(*value));
                    self.learn(*var, same);
                }
                StmtKind::Let { var, value } | StmtKind::Local { var, init: Some(value) } => {
                    let same = self.value(*value);
                    self.learn(*var, same);
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
                    let same = self.value(*start).max(self.value(*step));
                    self.learn(*var, same);
                }
                StmtKind::ForAll { var, .. } => self.learn(*var, Same::Nobody),
                StmtKind::DistrPar { level: Level::Warp, var, .. } => self.learn(*var, Same::Warp),
                _ => {}
            }
            walk::nested(&stmt.kind).for_each(|inner| self.list(inner, inside));
        }
    }

    fn verify(&mut self, list: &Block, here: Same) -> Checked {
        for stmt in list {
            match &stmt.kind {
                StmtKind::Sync { scope: Level::Block } if here > self.whole_block() => {
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

    /// The least that is the same for all threads of the block.
    fn whole_block(&self) -> Same {
        if self.p.threads <= 32 { Same::Warp } else { Same::Block }
    }

    fn splits(&self, here: Same) -> bool {
        here > Same::Warp || self.p.lanes() != 32
    }
}
