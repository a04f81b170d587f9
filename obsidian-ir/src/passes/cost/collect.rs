//! Goes through a scheduled program with its levels still there, and gathers the accesses and computations of a block.

use crate::level::Level;
use crate::passes::access::{Purpose, Site, Sites, Sure, Work, last};
use crate::passes::index::Budget;
use crate::passes::walk;
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
    let mut w = Walk { sites, step: 0, in_warp: false, doubts: 0, found: Vec::new() };
    w.list(&p.body);
    let work = w.sites.work();
    Collected { found: w.found, work, sites: w.sites }
}

struct Walk<'p> {
    sites: Sites<'p>,
    step: u32,
    in_warp: bool,
    /// How many of the conditions around this point are not known.
    doubts: u32,
    found: Vec<Found>,
}

impl Walk<'_> {
    fn list(&mut self, list: &[Stmt]) {
        list.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Allocate { .. } | StmtKind::Sync { .. } => {}
            StmtKind::ForAll { level, .. } => {
                self.step += 1;
                self.leaf(stmt, Some(*level));
            }
            StmtKind::DistrPar { level: Level::Warp, var, n, body } => {
                let before = std::mem::replace(&mut self.in_warp, true);
                if self.sites.enter_warps(*var, *n).is_some() {
                    self.list(body);
                    self.sites.leave();
                } else {
                    self.sites.unknown(*var);
                    self.once(body);
                }
                self.in_warp = before;
            }
            StmtKind::DistrPar { var, n, body, .. } => {
                self.sites.symbol(*var);
                match last::sides(self.sites.program(), *var, *n, body) {
                    // All blocks but the last do this.
                    Some(sides) => {
                        self.list(sides.names);
                        self.list(sides.then);
                    }
                    None => self.list(body),
                }
            }
            StmtKind::SeqFor { var, start, end, step, body } => {
                self.leaf(stmt, None);
                if self.sites.enter(*var, *start, *end, *step).is_some() {
                    self.list(body);
                    self.sites.leave();
                } else {
                    self.sites.symbol(*var);
                    self.once(body);
                }
            }
            StmtKind::SeqWhile { head, body, .. } => {
                self.leaf(stmt, None);
                self.once(head);
                self.once(body);
            }
            StmtKind::If { then, els, .. } => {
                self.leaf(stmt, None);
                // All threads take the same side. It is not known which, or there would be no branch.
                self.doubts += 1;
                self.list(then);
                self.list(els);
                self.doubts -= 1;
            }
            _ => {
                self.leaf(stmt, None);
                if let StmtKind::Let { var, value } = &stmt.kind {
                    self.sites.name(*var, *value);
                }
            }
        }
    }

    /// Code that runs an unknown number of times: one of them is counted.
    fn once(&mut self, list: &Block) {
        self.sites.open();
        self.list(list);
        self.sites.close();
    }

    fn leaf(&mut self, stmt: &Stmt, level: Option<Level>) {
        let (step, in_warp) = (self.step, self.in_warp);
        let mut found = self.sites.leaf(stmt);
        if self.doubts > 0 {
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
