//! Guards: a read, an atomic update or a write in `unsafe` whose index is not proved in range is done only if the index
//! is in range. If it is not, the first such access is recorded, a read gives zero, and the others do nothing. An assertion
//! is recorded as a read that is out of range, with the value that it shows in place of the index.
//!
//! Needs: the accesses that `bounds` could not prove, in a program as `stage` made it. Ensures: every access is in range;
//! where any is guarded, the last parameter is the record ([`ParamKind::Fault`]). A program without such accesses stays
//! as it is. In code for machines a thread writes the record once, at its end ([`record`]). Source: reference.md §4 (Safety).
//!
//! ```text
//! out[i] = xs[at[i]]                  =>  if at[i] >= len(xs) { note the array, the index and the length in the record }
//!                                         out[i] = if at[i] < len(xs) { xs[at[i]] } else { 0 }
//! ```

pub(super) mod ahead;
pub(super) mod join;
pub mod record;

use super::bounds::Unproved;
use super::walk;
use crate::diag::{Diagnostic, Result, Span};
use crate::program::{
    Array, ArrayId, AtomicOp, BinOp, Block, Claim, Const, Coordinate, Expr, ExprId, Param, ParamId, ParamKind, Program,
    Range, ScalarType, Side, Space, StandsFor, Stmt, StmtKind, UnOp, VarId,
};
use crate::tables::{HashMap, HashSet};

/// The most visits of expressions in one program: guards behind many nested choices are not worth their code.
const MAX_VISITS: usize = 20_000;

/// Guards what is unproved.
///
/// # Errors
/// `OB050` where a guard would be in the count of a parallel loop, or grows out of proportion.
pub fn run(program: &mut Program, unproved: &Unproved) -> Result<()> {
    let Some(first) = unproved.first.clone() else { return Ok(()) };
    let record = add_record(program);
    let body = std::mem::take(&mut program.body);
    let mut guarding = HashSet::default();
    for i in 0..program.exprs.len() {
        let id = ExprId(i as u32);
        let inside = walk::operands(program.exprs.expr(id)).any(|x| guarding.contains(&x));
        if inside || unproved.loads.contains_key(&id) {
            guarding.insert(id);
        }
    }
    let (loads, updates) = (unproved.loads.clone(), unproved.updates.clone());
    let (new, shown) = (HashMap::default(), HashMap::default());
    let sides = HashMap::default();
    let mut g = Guards { p: program, record, loads, updates, guarding, new, sides, shown, first, visits: 0 };
    let body = g.block(body)?;
    program.body = body;
    Ok(())
}

/// The buffer that holds the record, as the last parameter.
fn add_record(p: &mut Program) -> ArrayId {
    let (array, param) = (ArrayId(p.arrays.len() as u32), ParamId(p.params.len() as u32));
    let mut name = "fault".to_string();
    while p.params.iter().any(|q| q.name == name) || p.arrays.iter().any(|a| a.name == name) {
        name.push('_');
    }
    let len = p.exprs.u32(2);
    let (elem, space) = (ScalarType::U64, Space::Global(param));
    p.arrays.push(Array {
        name: name.clone(),
        elem,
        len,
        space,
        rows: None,
        stages: 1,
        filled: None,
        offset: None,
        span: Span::NONE,
        stands_for: None,
    });
    p.params.push(Param::new(name, ParamKind::Fault(array)));
    array
}

struct Guards<'p> {
    p: &'p mut Program,
    record: ArrayId,
    /// Loads, with the coordinates that are tested; of others the index is.
    loads: HashMap<ExprId, Vec<Coordinate>>,
    updates: HashSet<(ArrayId, ExprId)>,
    /// Expressions with a guarded load in them.
    guarding: HashSet<ExprId>,
    /// What each expression has become.
    new: HashMap<ExprId, ExprId>,
    /// What the record calls the sides of matrices.
    sides: HashMap<(ArrayId, Side), ArrayId>,
    /// The value that an assertion shows where it fails.
    shown: HashMap<ArrayId, ExprId>,
    /// The error for the first access, used where guards are not possible.
    first: Box<Diagnostic>,
    visits: usize,
}

impl Guards<'_> {
    fn block(&mut self, body: Block) -> Result<Block> {
        let mut out = Vec::with_capacity(body.len());
        for stmt in body {
            self.stmt(stmt, &mut out)?;
        }
        Ok(out)
    }

    fn stmt(&mut self, stmt: Stmt, out: &mut Block) -> Result<()> {
        if self.assertion(&stmt, out)? {
            return Ok(());
        }
        let Stmt { kind, span, claim } = stmt;
        let roots: Vec<ExprId> = walk::direct(&kind).collect();
        let parallel = matches!(kind, StmtKind::ForAll { .. } | StmtKind::DistrPar { .. });
        if parallel && roots.iter().any(|e| self.guarding.contains(e)) {
            return Err(self.first.clone());
        }
        let mut before = Vec::new();
        let mut seen = HashSet::default();
        for &root in &roots {
            self.report(root, span, &mut seen, &mut before)?;
        }
        let now = |g: &mut Self, e: ExprId| g.value(e);
        let kind = match kind {
            StmtKind::SeqWhile { head, cond, body } => {
                // The test is evaluated after the head, in every round.
                let mut head = self.block(head)?;
                head.append(&mut before);
                StmtKind::SeqWhile { head, cond: now(self, cond), body: self.block(body)? }
            }
            StmtKind::Assign { array, index, value } => {
                let guarded = claim != Claim::ByConstruction && self.updates.contains(&(array, index));
                let (index, value) = (now(self, index), now(self, value));
                let kind = StmtKind::Assign { array, index, value };
                if guarded {
                    out.append(&mut before);
                    return self.guard_update(Stmt { kind, span, claim }, (array, index), None, out);
                }
                kind
            }
            StmtKind::Atomic { op, array, index, value, expected, old } => {
                let guarded = self.updates.contains(&(array, index));
                let (index, value) = (now(self, index), now(self, value));
                let expected = expected.map(|e| now(self, e));
                let inner = old.filter(|_| guarded).map(|old| self.renamed(old));
                let kind = StmtKind::Atomic { op, array, index, value, expected, old: inner.or(old) };
                if guarded {
                    out.append(&mut before);
                    let pair = old.zip(inner);
                    return self.guard_update(Stmt { kind, span, claim }, (array, index), pair, out);
                }
                kind
            }
            mut kind => {
                walk::direct_mut(&mut kind).for_each(|e| *e = now(self, *e));
                for list in walk::nested_mut(&mut kind) {
                    *list = self.block(std::mem::take(list))?;
                }
                kind
            }
        };
        out.append(&mut before);
        out.push(Stmt { kind, span, claim });
        Ok(())
    }

    /// Whether the statement is of an assertion; what is left of it is `if !condition { record }`.
    fn assertion(&mut self, stmt: &Stmt, out: &mut Block) -> Result<bool> {
        let is_assertion = |g: &Self, array: ArrayId| g.p.array(array).assertion().is_some();
        match stmt.kind {
            StmtKind::Allocate { array } => Ok(is_assertion(self, array)),
            StmtKind::Assign { array, value, .. } if is_assertion(self, array) => {
                self.report(value, stmt.span, &mut HashSet::default(), out)?;
                let value = self.value(value);
                self.shown.insert(array, value);
                Ok(true)
            }
            StmtKind::Let { value, .. } => {
                let Expr::Load(array, index) = self.p.exprs.expr(value) else { return Ok(false) };
                if !is_assertion(self, array) {
                    return Ok(false);
                }
                self.report(index, stmt.span, &mut HashSet::default(), out)?;
                let index = self.value(index);
                let cond = match self.p.exprs.expr(index) {
                    Expr::Select(holds, ..) => self.p.exprs.un(UnOp::Not, holds),
                    _ => {
                        let len = self.p.array(array).len;
                        self.p.exprs.bin(BinOp::Ge, index, len)
                    }
                };
                let shown = self.shown.get(&array).copied().unwrap_or(index);
                let then = self.note((array, self.p.array(array).len), shown, stmt.span);
                out.push(Stmt::new(StmtKind::If { cond, then, els: Vec::new() }, stmt.span));
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// A variable for the old value inside the guard; the one that is read outside becomes one that is set.
    fn renamed(&mut self, old: VarId) -> VarId {
        let ty = self.p.var(old).ty;
        self.p.vars[old.0 as usize].mutable = true;
        self.p.new_var("seen", ty, false, Range::full(ty))
    }

    /// `if index < len { update; old = seen } else { record; old = 0 }`.
    fn guard_update(
        &mut self,
        update: Stmt,
        (array, index): (ArrayId, ExprId),
        old: Option<(VarId, VarId)>,
        out: &mut Block,
    ) -> Result<()> {
        let span = update.span;
        let at = |kind| Stmt::new(kind, span);
        let len = self.p.array(array).len;
        let cond = self.p.exprs.bin(BinOp::Lt, index, len);
        let (mut then, mut els) = (vec![update], self.note((array, len), index, span));
        if let Some((var, seen)) = old {
            let zero = self.p.exprs.constant(Const { ty: self.p.var(var).ty, bits: 0 });
            let value = self.p.exprs.var(seen);
            out.push(at(StmtKind::Local { var, init: None }));
            then.push(at(StmtKind::Set { var, value }));
            els.push(at(StmtKind::Set { var, value: zero }));
        }
        out.push(at(StmtKind::If { cond, then, els }));
        Ok(())
    }

    /// Statements that record the accesses out of range that evaluating `root` makes.
    fn report(&mut self, root: ExprId, span: Span, seen: &mut HashSet<ExprId>, out: &mut Block) -> Result<()> {
        if !self.guarding.contains(&root) || !seen.insert(root) {
            return Ok(());
        }
        self.visits += 1;
        if self.visits > MAX_VISITS {
            return Err(self.first.clone());
        }
        match self.p.exprs.expr(root) {
            Expr::Select(c, a, b) => {
                self.report(c, span, seen, out)?;
                let (mut then, mut els) = (Vec::new(), Vec::new());
                self.report(a, span, &mut seen.clone(), &mut then)?;
                self.report(b, span, &mut seen.clone(), &mut els)?;
                if !then.is_empty() || !els.is_empty() {
                    let cond = self.value(c);
                    out.push(Stmt::new(StmtKind::If { cond, then, els }, span));
                }
            }
            expr => {
                for x in walk::operands(expr) {
                    self.report(x, span, seen, out)?;
                }
                if let (Expr::Load(array, index), true) = (expr, self.loads.contains_key(&root)) {
                    let span = self.p.exprs.place(root).or(span);
                    for (array, index, len) in self.tested(root, array, index) {
                        let cond = self.p.exprs.bin(BinOp::Ge, index, len);
                        let then = self.note((array, len), index, span);
                        out.push(Stmt::new(StmtKind::If { cond, then, els: Vec::new() }, span));
                    }
                }
            }
        }
        Ok(())
    }

    /// What is tested of a load, and recorded: that an index is below a length.
    fn tested(&mut self, load: ExprId, array: ArrayId, index: ExprId) -> Vec<(ArrayId, ExprId, ExprId)> {
        let coordinates = self.loads.get(&load).cloned().unwrap_or_default();
        if coordinates.is_empty() {
            return vec![(array, self.value(index), self.p.array(array).readable())];
        }
        let of_side = |Coordinate { side, at, len }| (self.side(array, side, len), self.value(at), len);
        coordinates.into_iter().map(of_side).collect()
    }

    /// What the record calls a side of the matrix in an array.
    fn side(&mut self, array: ArrayId, side: Side, len: ExprId) -> ArrayId {
        if let Some(&known) = self.sides.get(&(array, side)) {
            return known;
        }
        let id = ArrayId(self.p.arrays.len() as u32);
        let mut made = self.p.array(array).clone();
        made.name.push_str(if side == Side::Rows { "_row" } else { "_column" });
        while self.p.arrays.iter().any(|other| other.name == made.name) {
            made.name.push('_');
        }
        self.p.arrays.push(Array { len, space: Space::Local, stands_for: Some(StandsFor::Side(side, array)), ..made });
        self.sides.insert((array, side), id);
        id
    }

    /// Records an access, if it is the first: the thread that changes element 0 from zero also writes element 1.
    fn note(&mut self, (array, len): (ArrayId, ExprId), index: ExprId, span: Span) -> Block {
        let record = self.record;
        let old = self.p.new_var("before", ScalarType::U64, false, Range::full(ScalarType::U64));
        let e = &mut self.p.exprs;
        let wide = |bits| Const { ty: ScalarType::U64, bits };
        let (zero, one, none) = (e.u32(0), e.u32(1), e.constant(wide(0)));
        let number = e.constant(wide((u64::from(array.0) + 1) << 32));
        let index = e.cast(index, ScalarType::U64);
        let value = e.bin(BinOp::Or, index, number);
        let len = e.cast(len, ScalarType::U64);
        let before = e.var(old);
        let cond = e.bin(BinOp::Eq, before, none);
        let op = AtomicOp::CompareExchange;
        let swap = StmtKind::Atomic { op, array: record, index: zero, value, expected: Some(none), old: Some(old) };
        let then = vec![Stmt::new(StmtKind::Assign { array: record, index: one, value: len }, span)];
        vec![Stmt::new(swap, span), Stmt::new(StmtKind::If { cond, then, els: Vec::new() }, span)]
    }

    /// The value, its guarded loads chosen against zero.
    fn value(&mut self, root: ExprId) -> ExprId {
        if !self.guarding.contains(&root) {
            return root;
        }
        let known = |id| self.new.contains_key(&id) || !self.guarding.contains(&id);
        for id in walk::reachable(&self.p.exprs, [root], known) {
            let new = &self.new;
            let plain = walk::rebuild(&mut self.p.exprs, id, |x| new.get(&x).copied().unwrap_or(x));
            self.keep_coordinates(plain, id);
            let guarded = match self.p.exprs.expr(plain) {
                Expr::Load(array, index) if self.loads.contains_key(&id) => {
                    let tested = self.tested(id, array, index);
                    self.guarded(plain, (array, index), &tested)
                }
                _ => plain,
            };
            self.new.insert(id, guarded);
        }
        self.new.get(&root).copied().unwrap_or(root)
    }

    /// A load made anew reads the row and the column of the one before, which are as guarded as its index.
    fn keep_coordinates(&mut self, made: ExprId, load: ExprId) {
        let Some(pair) = self.p.exprs.coordinates.of(load).filter(|_| made != load) else { return };
        let guarded = |e: ExprId| self.new.get(&e).copied().unwrap_or(e);
        let pair = pair.map(|side| Coordinate { at: guarded(side.at), ..side });
        self.p.exprs.coordinates.note(made, pair);
    }

    /// `load` where its index is in range, else zero; of lanes, which must all come by, else the first lane's.
    fn guarded(
        &mut self,
        load: ExprId,
        (array, index): (ArrayId, ExprId),
        tested: &[(ArrayId, ExprId, ExprId)],
    ) -> ExprId {
        let Array { space, elem, .. } = *self.p.array(array);
        let exprs = &mut self.p.exprs;
        let inside = tested.iter().map(|&(_, index, len)| exprs.bin(BinOp::Lt, index, len)).collect::<Vec<_>>();
        let Some(cond) = inside.into_iter().reduce(|a, b| exprs.bin(BinOp::And, a, b)) else { return load };
        if space == Space::Lanes {
            let first = exprs.u32(0);
            let lane = exprs.select(cond, index, first);
            return exprs.load(array, lane, elem);
        }
        let zero = exprs.constant(Const { ty: elem, bits: 0 });
        exprs.select(cond, load, zero)
    }
}
