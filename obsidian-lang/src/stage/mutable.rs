//! Mutable arrays: stored by `new_mut` or the host's; reads, writes and atomic updates stay in the order of the code.
//!
//! Expressions of the IR are evaluated where a statement uses them. A read of a mutable array must not move past a
//! write, so it is bound by a `Let` where it stands.

use super::arrays::Place;
use super::registers::Elements;
use super::value::{Mut, Pull, Value};
use super::{Extend, Stage};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::passes::walk;
use obsidian_ir::program::{AtomicOp, BinOp, Block, Claim, Expr, ExprId, Program, Range, StmtKind, VarId};
use obsidian_ir::tables::HashSet;

/// An atomic update of one element.
pub(super) struct Update {
    pub(super) op: AtomicOp,
    pub(super) index: ExprId,
    /// Of compare and exchange.
    pub(super) expected: Option<ExprId>,
    pub(super) value: ExprId,
}

impl Stage {
    /// The claim of a write whose index the author chose.
    pub(super) fn chosen(&self) -> Claim {
        self.claim.max(Claim::MustProve)
    }

    /// Makes a `Mut` known as one.
    pub(super) fn mutable_array(&mut self, m: Mut) -> Value {
        if let Elements::Memory(stored) = &m.elements {
            self.mutable.extend(stored.arrays.iter().map(|&(array, _)| array));
        }
        Value::Mut(m)
    }

    /// Stores an array as a mutable one.
    pub(super) fn new_mut(&mut self, v: Value, level: Level) -> Result<Value> {
        match self.store(v, level, Place::at(level))? {
            (Some(stored), len) => Ok(self.mutable_array(Mut::in_memory(len, stored))),
            (None, _) => Err(self.error("OB035", "a mutable array of no elements").map_help("give it one or more")),
        }
    }

    /// The array as a view: an element is read when it is asked for by its index, or when it is copied elsewhere.
    pub(super) fn view(m: &Mut) -> Pull {
        let own = m.clone();
        Pull::new(m.len, move |s, i| own.load(s, i))
    }

    /// `base[i]`, for both kinds of array that have it.
    pub(super) fn element(&mut self, base: &Value, i: ExprId) -> Result<Value> {
        let array = match base {
            Value::Mut(m) => Stage::view(m),
            other => other.pull(self)?,
        };
        let v = self.index(&array, i)?;
        let storable = matches!(v, Value::Scalar(_) | Value::Tuple(_));
        // At the grid there is no code that could read, and in a pure function of an entry there is none yet.
        let here = matches!(self.ambient, Some(Level::Thread | Level::Warp | Level::Block));
        if self.mutable.is_empty() || !storable || !here {
            return Ok(v);
        }
        let Ok(mut leaves) = v.leaves(self) else { return Ok(v) };
        self.read_now(&mut leaves)?;
        Ok(v.rebuild(&mut leaves.into_iter()))
    }

    /// Binds the values that depend on mutable arrays, so that later writes do not change them.
    pub(super) fn read_now(&mut self, values: &mut [ExprId]) -> Result<()> {
        for value in values {
            if self.reads_mutable(*value) {
                let ty = self.p.exprs.ty(*value);
                let var = self.p.new_var("m", ty, false, self.p.exprs.range(*value));
                self.emit(StmtKind::Let { var, value: *value })?;
                *value = self.p.exprs.var(var);
            }
        }
        Ok(())
    }

    fn reads_mutable(&mut self, root: ExprId) -> bool {
        if self.mutable.is_empty() || !self.p.exprs.loads(root) {
            return false;
        }
        for id in walk::reachable(&self.p.exprs, [root], |id| self.reads_mutable.contains_key(&id)) {
            let expr = self.p.exprs.expr(id);
            let own = matches!(expr, Expr::Load(array, _) if self.mutable.contains(&array));
            let reads = own || walk::operands(expr).any(|x| self.reads_mutable.get(&x).copied().unwrap_or(false));
            self.reads_mutable.insert(id, reads);
        }
        self.reads_mutable.get(&root).copied().unwrap_or(false)
    }

    /// `m[i] = v`, or `m[i] = m[i] op v`.
    pub(super) fn assign_element(&mut self, m: &Mut, i: ExprId, op: Option<BinOp>, v: Value) -> Result<()> {
        let v = match op {
            None => v,
            Some(op) => {
                let old = self.element(&Value::Mut(m.clone()), i)?.scalar(self)?;
                let new = v.scalar(self)?;
                Value::Scalar(self.bin(op, old, new))
            }
        };
        self.claiming(self.chosen(), |s| s.write_element(m, &v, i))
    }

    /// An assignment under any claim. A known index is checked against a known length.
    pub(super) fn write_element(&mut self, m: &Mut, v: &Value, i: ExprId) -> Result<()> {
        self.inside(m, i)?;
        m.assign(self, v, i)
    }

    fn inside(&mut self, m: &Mut, i: ExprId) -> Result<()> {
        let nothing = Pull::new(m.len, |_, _| Ok(Value::unit()));
        self.index(&nothing, i).map(|_| ())
    }

    /// An atomic update; gives the value before.
    pub(super) fn atomic(&mut self, name: &str, update: Update, m: &Mut) -> Result<Value> {
        let Update { op, index, expected, value } = update;
        let Elements::Memory(stored) = &m.elements else {
            return Err(self
                .error("OB047", format!("there is no `{name}` of a register"))
                .map_note("one thread alone touches it, so nothing disturbs it".to_string())
                .map_help("an assignment does it: `own[q] += x`"));
        };
        let [(array, ty)] = stored.arrays[..] else {
            return Err(self.error("OB099", "an atomic update of a tuple; please report this"));
        };
        if !op.takes(ty) {
            return Err(self
                .error("OB027", format!("there is no `{name}` on `{}`", ty.name()))
                .map_note(format!("`{name}` works on {}", types_of(op)))
                .map_help("keep the array in a type that has it"));
        }
        self.inside(m, index)?;
        let index = stored.place(self, index);
        let var = self.p.new_var("old", ty, false, Range::full(ty));
        self.emit(StmtKind::Atomic { op, array, index, value, expected, old: Some(var) })?;
        Ok(Value::Scalar(self.p.exprs.var(var)))
    }
}

fn types_of(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Add | AtomicOp::Exchange => "`i32`, `u32`, `i64`, `u64`, `f32` and `f64`",
        _ => "`i32`, `u32`, `i64` and `u64`",
    }
}

/// Drops the old value of an atomic update if nothing reads it: an update without a result is cheaper.
pub(super) fn drop_unread(p: &mut Program) {
    let mut roots = Vec::new();
    roots_of(&p.body, &mut roots);
    let read: HashSet<VarId> = walk::reachable(&p.exprs, roots, |_| false)
        .into_iter()
        .filter_map(|id| match p.exprs.expr(id) {
            Expr::Var(v) => Some(v),
            _ => None,
        })
        .collect();
    let mut body = std::mem::take(&mut p.body);
    drop_in(&mut body, &read);
    p.body = body;
}

fn roots_of(body: &Block, roots: &mut Vec<ExprId>) {
    for stmt in body {
        roots.extend(walk::direct(&stmt.kind));
        walk::nested(&stmt.kind).for_each(|b| roots_of(b, roots));
    }
}

fn drop_in(body: &mut Block, read: &HashSet<VarId>) {
    for stmt in body {
        match &mut stmt.kind {
            StmtKind::Atomic { old, .. } => *old = old.filter(|v| read.contains(v)),
            StmtKind::If { then, els, .. } => [then, els].into_iter().for_each(|b| drop_in(b, read)),
            StmtKind::SeqWhile { head, body, .. } => [head, body].into_iter().for_each(|b| drop_in(b, read)),
            StmtKind::SeqFor { body, .. } | StmtKind::ForAll { body, .. } | StmtKind::DistrPar { body, .. } => {
                drop_in(body, read);
            }
            _ => {}
        }
    }
}
