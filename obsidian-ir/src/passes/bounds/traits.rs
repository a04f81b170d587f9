//! Which values hold still: what an expression reads, and the arrays that another thread may write while it is read.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::Level;
use crate::passes::walk::{self, direct, nested, operands};
use crate::program::{ArrayId, Block, Expr, ExprId, Param, ParamKind, Program, Space, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

/// What an expression reads.
#[derive(Debug, Clone, Default)]
pub(super) struct Reads {
    /// Variables that `Set` may change.
    pub(super) mutable: BTreeSet<VarId>,
    /// Arrays.
    pub(super) arrays: BTreeSet<ArrayId>,
}

/// Answers, each found once.
pub(super) struct Traits<'p> {
    p: &'p Program,
    reads: HashMap<ExprId, Rc<Reads>>,
    unsteady: HashSet<ArrayId>,
}

impl<'p> Traits<'p> {
    pub(super) fn new(p: &'p Program) -> Self {
        let mut traits = Traits { p, reads: HashMap::default(), unsteady: HashSet::default() };
        traits.find_unsteady(&p.body);
        traits
    }

    /// What `e` reads.
    pub(super) fn reads(&mut self, e: ExprId) -> Rc<Reads> {
        if let Some(r) = self.reads.get(&e) {
            return r.clone();
        }
        let mut all = Reads::default();
        match self.p.exprs.expr(e) {
            Expr::Var(v) if self.p.var(v).mutable => {
                all.mutable.insert(v);
            }
            Expr::Load(a, _) => {
                all.arrays.insert(a);
            }
            _ => {}
        }
        for operand in operands(self.p.exprs.expr(e)) {
            let r = self.reads(operand);
            all.mutable.extend(&r.mutable);
            all.arrays.extend(&r.arrays);
        }
        let all = Rc::new(all);
        self.reads.insert(e, all.clone());
        all
    }

    /// Whether two evaluations of `e` in one statement give one value.
    pub(super) fn steady(&mut self, e: ExprId) -> bool {
        let reads = self.reads(e);
        reads.arrays.iter().all(|a| !self.unsteady.contains(a))
    }

    /// Whether `e` keeps its value as long as no variable is set: it reads inputs only.
    pub(super) fn lasting(&mut self, e: ExprId) -> bool {
        let reads = self.reads(e);
        reads.arrays.iter().all(|&a| match self.p.array(a).space {
            Space::Global(param) => is_input(self.p.param(param)),
            _ => false,
        })
    }

    /// An array is unsteady where threads that do not wait for one another read and write it: outputs, those with an
    /// atomic, those that one `ForAll` (or, for a block's array, one distribution over warps) both reads and writes.
    fn find_unsteady(&mut self, body: &Block) {
        for (i, a) in self.p.arrays.iter().enumerate() {
            if matches!(a.space, Space::Global(param) if !is_input(self.p.param(param))) {
                self.unsteady.insert(ArrayId(i as u32));
            }
        }
        self.search(body);
    }

    fn search(&mut self, body: &Block) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Atomic { array, .. } => {
                    self.unsteady.insert(*array);
                }
                StmtKind::ForAll { body, .. } => self.together(body, |space| matches!(space, Space::Shared(_))),
                StmtKind::DistrPar { level: Level::Warp, body, .. } => {
                    self.together(body, |space| space == Space::Shared(Level::Block));
                }
                _ => {}
            }
            for inner in nested(&stmt.kind) {
                self.search(inner);
            }
        }
    }

    fn together(&mut self, body: &Block, shared: impl Fn(Space) -> bool) {
        let (mut written, mut read) = (HashSet::default(), BTreeSet::new());
        self.touched(body, &mut written, &mut read);
        let both = written.into_iter().filter(|a| read.contains(a) && shared(self.p.array(*a).space));
        self.unsteady.extend(both);
    }

    fn touched(&mut self, body: &Block, written: &mut HashSet<ArrayId>, read: &mut BTreeSet<ArrayId>) {
        for stmt in body {
            written.extend(walk::written(&stmt.kind));
            for e in direct(&stmt.kind) {
                read.extend(&self.reads(e).arrays);
            }
            for inner in nested(&stmt.kind) {
                self.touched(inner, written, read);
            }
        }
    }
}

fn is_input(p: &Param) -> bool {
    matches!(p.kind, ParamKind::Input { .. })
}
