//! Goes through a scheduled program with its levels still there, and gathers the accesses and computations of a block.

use std::convert::Infallible;

use crate::level::Level;
use crate::passes::access::{Look, Purpose, Site, Sites, Sure, Work, last};
use crate::passes::index::Budget;
use crate::passes::walk;
use crate::program::scoped::{Around, Rounds, Visitor, visit};
use crate::program::{Block, Expr, ExprId, Program, Stmt, StmtKind, VarId};
use crate::tables::HashSet;

/// An access, and where it was found.
pub(super) struct Found {
    pub(super) site: Site,
    /// The number of the loop over threads that it is in, from 1; 0 before the first.
    pub(super) step: u32,
    /// The level of that loop, if it is in one.
    pub(super) level: Option<Level>,
    /// Whether it is in the code of a warp.
    pub(super) in_warp: bool,
}

/// What a program does.
pub(super) struct Collected<'p> {
    pub(super) found: Vec<Found>,
    pub(super) work: Vec<Work>,
    /// The finder, with what is left of its budget.
    pub(super) sites: Sites<'p>,
}

/// Gathers all accesses and computations.
pub(super) fn collect(p: &Program, budget: Budget) -> Collected<'_> {
    let sites = Sites::new(p, Purpose::Costs, budget);
    let mut w = Walk { sites, step: 0, found: Vec::new() };
    let Ok(_) = visit(&mut w, &p.body, Scope::default());
    let work = w.sites.work();
    Collected { found: w.found, work, sites: w.sites }
}

struct Walk<'p> {
    sites: Sites<'p>,
    step: u32,
    found: Vec<Found>,
}

/// What is around a statement.
#[derive(Debug, Clone, Copy, Default)]
struct Scope {
    in_warp: bool,
    /// Whether a condition around it is not known.
    doubtful: bool,
    /// Whether the list is a loop whose rounds are lanes.
    lanes: bool,
    /// Whether the list runs an unknown number of times: one of them is counted.
    open: bool,
}

impl<'p> Visitor<'p> for Walk<'p> {
    type Scope = Scope;
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'p Stmt, scope: &Scope) -> Result<Option<Scope>, Infallible> {
        match &stmt.kind {
            StmtKind::Allocate { .. } | StmtKind::Commit | StmtKind::Await { .. } | StmtKind::Sync { .. } => {
                return Ok(None);
            }
            StmtKind::ForAll { level, .. } => {
                self.step += 1;
                self.leaf(stmt, Some(*level), scope);
                return Ok(None);
            }
            StmtKind::DistrPar { level: Level::Block, var, n, body } => {
                if let Some(sides) = last::sides(self.sites.program(), *var, *n, body) {
                    self.sites.symbol(*var);
                    // All blocks but the last do this.
                    let scope = visit(self, sides.names, *scope)?;
                    visit(self, sides.then, scope)?;
                    return Ok(None);
                }
            }
            StmtKind::DistrPar { .. } => {}
            _ => self.leaf(stmt, None, scope),
        }
        Ok(Some(*scope))
    }

    fn enter(&mut self, around: Around, _: &'p Block, outer: &Scope) -> Result<Option<Scope>, Infallible> {
        let look = match around {
            Around::Count { rounds: Rounds::InTurn { .. }, .. } => Look::Lanes,
            _ => Look::Symbol,
        };
        let lanes = self.sites.enter_around(around, look);
        let once =
            matches!(around, Around::Given { .. } | Around::Count { rounds: Rounds::Instances(Level::Block), .. });
        let open = !lanes && !once;
        if open {
            self.sites.open();
        }
        // All threads take the same side of a branch. It is not known which, or there would be no branch.
        let doubtful = outer.doubtful || matches!(around, Around::Given { .. });
        Ok(Some(Scope { in_warp: outer.in_warp || around.is_warps(), doubtful, lanes, open }))
    }

    fn leave(&mut self, _: Around, _: &Scope, inner: &Scope) {
        if inner.lanes {
            self.sites.leave();
        }
        if inner.open {
            self.sites.close();
        }
    }

    fn end(&mut self, stmt: &'p Stmt, scope: Scope) -> Result<Scope, Infallible> {
        self.sites.name_of(stmt);
        Ok(scope)
    }
}

impl Walk<'_> {
    fn leaf(&mut self, stmt: &Stmt, level: Option<Level>, scope: &Scope) {
        let (step, in_warp) = (self.step, scope.in_warp);
        let mut found = self.sites.leaf(stmt);
        if scope.doubtful {
            found.iter_mut().for_each(|site| site.guard.sure = Sure::Perhaps);
        }
        self.found.extend(found.into_iter().map(|site| Found { site, step, level, in_warp }));
    }
}

/// Which values depend on what is read when the kernel runs.
pub(super) struct DependsOnData {
    exprs: Vec<bool>,
}

impl DependsOnData {
    pub(super) fn of(p: &Program) -> DependsOnData {
        let mut vars: HashSet<VarId> = HashSet::default();
        loop {
            let known = vars.len();
            let d = DependsOnData::given(p, &vars);
            d.bound(&p.body, &mut vars);
            if vars.len() == known {
                return d;
            }
        }
    }

    pub(super) fn holds(&self, e: ExprId) -> bool {
        self.exprs[e.0 as usize]
    }

    /// Operands come before what they are operands of.
    fn given(p: &Program, vars: &HashSet<VarId>) -> DependsOnData {
        let mut exprs: Vec<bool> = Vec::with_capacity(p.exprs.len());
        for id in (0..p.exprs.len() as u32).map(ExprId) {
            let own = match p.exprs.expr(id) {
                Expr::Var(v) => vars.contains(&v),
                Expr::Load(..) => true,
                e => walk::operands(e).any(|o| exprs[o.0 as usize]),
            };
            exprs.push(own);
        }
        DependsOnData { exprs }
    }

    /// Variables that are bound to such values.
    fn bound(&self, list: &Block, vars: &mut HashSet<VarId>) {
        for stmt in list {
            match &stmt.kind {
                StmtKind::Let { var, value } | StmtKind::Set { var, value } if self.holds(*value) => {
                    vars.insert(*var);
                }
                StmtKind::Local { var, init: Some(init) } if self.holds(*init) => {
                    vars.insert(*var);
                }
                StmtKind::SeqFor { var, start, step, .. } if self.holds(*start) || self.holds(*step) => {
                    vars.insert(*var);
                }
                // What they bind comes from other lanes or from memory.
                kind @ (StmtKind::Shuffle { .. } | StmtKind::Atomic { .. } | StmtKind::LoadVector { .. }) => {
                    vars.extend(walk::bound(kind));
                }
                _ => {}
            }
            walk::nested(&stmt.kind).for_each(|inner| self.bound(inner, vars));
        }
    }
}
