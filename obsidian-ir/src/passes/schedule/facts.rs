//! What `schedule` knows about expressions: what each depends on, which guarded values it is sure to evaluate, and
//! which expressions have a name at a point of the program.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::passes::access::union;
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Exprs, Program, Space, StmtKind, UnOp, VarId};
use crate::tables::{HashMap, HashSet};

/// Something that may change the value of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::passes) enum Change {
    /// A mutable variable is set.
    Var(VarId),
    /// An array is written.
    Array(ArrayId),
    /// Other threads' writes become visible.
    Barrier,
}

/// The most guarded values that are listed for one expression as sure to be evaluated: the outermost ones. The others
/// follow from the lists of these.
const MAX_SURE: usize = 32;

/// Facts of the expressions that a program had before scheduling.
#[derive(Debug)]
pub(in crate::passes) struct Facts {
    depends: Vec<Rc<[Change]>>,
    sure: Vec<Rc<[ExprId]>>,
    sure_loads: Vec<Rc<[ExprId]>>,
}

impl Facts {
    pub(in crate::passes) fn new(program: &Program, body: &Block) -> Facts {
        let exprs = &program.exprs;
        let written = written(body);
        let n = exprs.len();
        let mut facts =
            Facts { depends: Vec::with_capacity(n), sure: Vec::with_capacity(n), sure_loads: Vec::with_capacity(n) };
        let (unchanged, nothing): (Rc<[Change]>, Rc<[ExprId]>) = (Rc::new([]), Rc::new([]));
        for i in 0..exprs.len() {
            let id = ExprId(i as u32);
            let mut depends = own_change(program, exprs.expr(id), &written).unwrap_or_else(|| Rc::clone(&unchanged));
            for x in walk::operands(exprs.expr(id)) {
                depends = union(&depends, &facts.depends[x.0 as usize]);
            }
            facts.depends.push(depends);
            let sure = facts.sure_of(exprs, id, &nothing);
            facts.sure.push(sure);
            let loads = facts.sure_loads_of(exprs, id, &nothing);
            facts.sure_loads.push(loads);
        }
        facts
    }

    fn sure_of(&self, exprs: &Exprs, id: ExprId, nothing: &Rc<[ExprId]>) -> Rc<[ExprId]> {
        let of = |x: ExprId| &self.sure[x.0 as usize];
        let Expr::Select(c, a, b) = exprs.expr(id) else { return all_of(&self.sure, exprs.expr(id), nothing) };
        let set = union(of(c), &common(of(a), of(b)).collect());
        if self.loads(a) || self.loads(b) { cut(union(&set, &Rc::from([id]))) } else { cut(set) }
    }

    /// The loads that an expression is sure to do: the last ones.
    fn sure_loads_of(&self, exprs: &Exprs, id: ExprId, nothing: &Rc<[ExprId]>) -> Rc<[ExprId]> {
        let of = |x: ExprId| &self.sure_loads[x.0 as usize];
        match exprs.expr(id) {
            Expr::Select(c, a, b) => cut(union(of(c), &common(of(a), of(b)).collect())),
            Expr::Load(_, index) => cut(union(of(index), &Rc::from([id]))),
            e => all_of(&self.sure_loads, e, nothing),
        }
    }

    /// The guarded values and the loads that both `a` and `b` are sure to evaluate; a choice between the two need not
    /// guard them.
    pub(in crate::passes) fn sure_both(&self, a: ExprId, b: ExprId) -> impl Iterator<Item = ExprId> {
        let of = |sets: &[Rc<[ExprId]>]| common(&sets[a.0 as usize], &sets[b.0 as usize]).collect::<Vec<_>>();
        of(&self.sure).into_iter().chain(of(&self.sure_loads))
    }

    /// What may change its value.
    pub(in crate::passes) fn depends(&self, id: ExprId) -> &[Change] {
        self.depends.get(id.0 as usize).map_or(&[], |d| d)
    }

    /// Whether an expression holds a load, of whatever array.
    pub(in crate::passes) fn loads(&self, id: ExprId) -> bool {
        self.depends(id).iter().any(|d| matches!(d, Change::Array(_)))
    }

    /// Whether its value changes with a mutable variable.
    pub(in crate::passes) fn changes_with_vars(&self, id: ExprId) -> bool {
        self.depends(id).iter().any(|d| matches!(d, Change::Var(_)))
    }

    /// Whether evaluating it twice costs anything: leaves, and what folds into an instruction or an address, do not.
    pub(in crate::passes) fn costs(&self, exprs: &Exprs, id: ExprId) -> bool {
        let leaf = |x| walk::is_leaf(exprs.expr(x));
        match exprs.expr(id) {
            Expr::Cast(a) | Expr::Un(UnOp::Neg | UnOp::Not, a) => !leaf(a),
            Expr::Bin(BinOp::Add | BinOp::Sub, a, b) if exprs.ty(id).is_int() => {
                !(leaf(a) && exprs.as_const(b).is_some())
            }
            _ => !leaf(id),
        }
    }
}

/// The arrays that a list or a block inside assigns to or updates.
fn written(body: &Block) -> BTreeSet<ArrayId> {
    let mut arrays = BTreeSet::new();
    walk::each(body, &mut |stmt| {
        let touch = walk::touch(&stmt.kind).filter(|touch| touch.kind != walk::Kind::Read);
        arrays.extend(touch.map(|touch| touch.array));
    });
    arrays
}

/// What changes an expression by itself, whatever its operands are; in order.
fn own_change(program: &Program, expr: Expr, written: &BTreeSet<ArrayId>) -> Option<Rc<[Change]>> {
    match expr {
        Expr::Var(v) if program.var(v).mutable => Some(Rc::new([Change::Var(v)])),
        Expr::Load(array, _) => {
            // A buffer that nothing writes is the same on both sides of a barrier.
            let shared = match program.array(array).space {
                Space::Shared(_) => true,
                Space::Global(_) => written.contains(&array),
                Space::Local | Space::Lanes | Space::Registers => false,
            };
            let change = Change::Array(array);
            Some(if shared { Rc::new([change, Change::Barrier]) } else { Rc::new([change]) })
        }
        _ => None,
    }
}

/// The union of the operands' sets.
fn all_of(sets: &[Rc<[ExprId]>], expr: Expr, nothing: &Rc<[ExprId]>) -> Rc<[ExprId]> {
    let mut all = Rc::clone(nothing);
    for x in walk::operands(expr) {
        all = cut(union(&all, &sets[x.0 as usize]));
    }
    all
}

/// What both sorted sets hold.
fn common(a: &[ExprId], b: &[ExprId]) -> impl Iterator<Item = ExprId> {
    a.iter().copied().filter(|x| b.binary_search(x).is_ok())
}

fn cut(set: Rc<[ExprId]>) -> Rc<[ExprId]> {
    if set.len() > MAX_SURE { Rc::from(&set[set.len() - MAX_SURE..]) } else { set }
}

/// What running `list` may change.
pub(in crate::passes) fn changes(list: &Block) -> HashSet<Change> {
    let mut set = HashSet::default();
    walk::each(list, &mut |stmt| {
        if let Some(change) = change_of(&stmt.kind) {
            set.insert(change);
        }
    });
    set
}

/// What a statement itself changes, apart from its nested blocks.
pub(in crate::passes) fn change_of(kind: &StmtKind) -> Option<Change> {
    match kind {
        StmtKind::Local { var, .. } | StmtKind::Set { var, .. } => Some(Change::Var(*var)),
        StmtKind::Sync { .. } => Some(Change::Barrier),
        StmtKind::Allocate { array } => Some(Change::Array(*array)),
        kind => walk::written(kind).map(Change::Array),
    }
}

/// Expressions whose values are available at a point, each with a `T`; an expression is forgotten when something that
/// it depends on changes.
#[derive(Debug)]
pub(in crate::passes) struct Known<T> {
    map: HashMap<ExprId, T>,
    by_change: HashMap<Change, Vec<ExprId>>,
    log: Vec<ExprId>,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Known { map: HashMap::default(), by_change: HashMap::default(), log: Vec::new() }
    }
}

impl<T: Copy> Known<T> {
    pub(in crate::passes) fn get(&self, id: ExprId) -> Option<T> {
        self.map.get(&id).copied()
    }

    pub(in crate::passes) fn has(&self, id: ExprId) -> bool {
        self.map.contains_key(&id)
    }

    pub(in crate::passes) fn iter(&self) -> impl Iterator<Item = (ExprId, T)> {
        self.map.iter().map(|(&id, &value)| (id, value))
    }

    pub(in crate::passes) fn learn(&mut self, facts: &Facts, id: ExprId, value: T) {
        self.map.insert(id, value);
        self.log.push(id);
        for &change in facts.depends(id) {
            self.by_change.entry(change).or_default().push(id);
        }
    }

    pub(in crate::passes) fn change(&mut self, change: Change) {
        for id in self.by_change.remove(&change).unwrap_or_default() {
            self.map.remove(&id);
        }
    }

    /// A point to go back to with [`Known::forget_since`].
    pub(in crate::passes) fn mark(&self) -> usize {
        self.log.len()
    }

    pub(in crate::passes) fn forget_since(&mut self, mark: usize) {
        for id in self.log.split_off(mark) {
            self.map.remove(&id);
        }
    }
}
