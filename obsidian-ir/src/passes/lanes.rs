//! Lanes: keeps a warp's `Space::Lanes` arrays in registers, element `i` in lane `i % 32`, and reads them by shuffles.
//!
//! Needs: a program as `stage` makes it, before `layout`. Ensures: no statement touches an array in `Lanes`. Arrays
//! that can stay in lanes become variables, set by their lanes; `ForAll`s that touch them have 32 instances, one per
//! lane, with all rounds unrolled. The other arrays go to `Shared(Warp)`, which means the same. A shuffle stands where
//! all lanes reach it, never in a branch; if there are fewer instances than lanes, the left-over lanes repeat the last
//! one without effects.
//!
//! ```text
//! lanes v: u32[32]                        local v: u32
//! forall Warp i < 32 { v[i] = xs[i] } =>  forall Warp i < 32 { v = xs[i] }
//! forall Warp i < 32 { out[i] = v[31 - i] }   forall Warp i < 32 { let x = v of lane lane ^ 31; out[i] = x }
//! ```

mod fetch;
mod reads;
mod votes;

use std::collections::BTreeMap;

use super::access::{Effects, Loads};
use super::index::{Budget, Eval};
use super::virtualise::Rewriter;
use super::walk;
use crate::diag::Span;
use crate::level::Level;
use crate::program::{
    Array, ArrayId, BinOp, Block, Expr, ExprId, Program, Range, ScalarType, Space, Stmt, StmtKind, VarId,
};
use crate::tables::{HashMap, HashSet};

/// Lanes of a warp.
pub(super) const LANES: u32 = 32;
/// The most registers of an array, and the most rounds of a loop that touches one: both are unrolled.
const MAX_ROUNDS: u32 = 16;

/// `Err` is an array that cannot stay in lanes.
type Kept<T> = Result<T, ArrayId>;

/// Whether a program asks for lanes at all.
pub fn any(program: &Program) -> bool {
    program.arrays.iter().any(|a| a.space == Space::Lanes)
}

/// The same program with the arrays in shared memory.
pub fn in_memory(program: &mut Program) {
    program.arrays.iter_mut().filter(|a| a.space == Space::Lanes).for_each(demote);
}

fn demote(array: &mut Array) {
    array.space = Space::Shared(Level::Warp);
}

/// Keeps arrays in lanes where that is possible.
pub fn run(program: &mut Program) {
    let (exprs, whole_warps) = (&program.exprs, program.lanes() == LANES);
    let fits = |a: &Array| exprs.as_u32(a.len).is_some_and(|n| n <= LANES * MAX_ROUNDS);
    for array in program.arrays.iter_mut().filter(|a| a.space == Space::Lanes) {
        if !whole_warps || !fits(array) {
            demote(array);
        }
    }
    while any(program) {
        let mut trial = program.clone();
        match Keeper::new(&mut trial).program() {
            Ok(()) => {
                *program = trial;
                return;
            }
            Err(array) => demote(&mut program.arrays[array.0 as usize]),
        }
    }
}

/// The instances that the lanes are at.
struct Round {
    /// Lanes `0 .. valid` have an instance of their own.
    valid: u32,
    /// Holds in those lanes; `None` where all have one.
    guard: Option<ExprId>,
    /// Variables that may differ between lanes.
    varying: HashSet<VarId>,
}

struct Keeper<'p> {
    p: &'p mut Program,
    loads: Loads,
    registers: BTreeMap<ArrayId, Vec<VarId>>,
    /// What is known of indices: a box of the 32 lanes.
    eval: Eval,
    /// In code of the lanes, not of the warp as one.
    round: Option<Round>,
    /// What was read in this round, by array and index.
    done: Vec<((ArrayId, ExprId), ExprId)>,
}

impl<'p> Keeper<'p> {
    fn new(p: &'p mut Program) -> Keeper<'p> {
        let ids = (0..p.arrays.len() as u32).map(ArrayId).filter(|&a| p.array(a).space == Space::Lanes);
        let mut registers = BTreeMap::new();
        for id in ids.collect::<Vec<_>>() {
            let (name, ty, len) = (format!("{}_", p.array(id).name), p.array(id).elem, p.array(id).len);
            let count = p.exprs.as_u32(len).unwrap_or(0).div_ceil(LANES);
            registers.insert(id, (0..count).map(|_| p.new_var(&name, ty, true, Range::full(ty))).collect());
        }
        let loads = Loads::new(&p.exprs);
        let eval = Eval::over(vec![LANES], Budget::new(u64::MAX));
        Keeper { p, loads, registers, eval, round: None, done: Vec::new() }
    }

    fn program(&mut self) -> Kept<()> {
        let body = std::mem::take(&mut self.p.body);
        self.p.body = self.outside(body)?;
        Ok(())
    }

    /// Code outside of warps: it contains code of warps, and touches none of their arrays.
    fn outside(&mut self, list: Block) -> Kept<Block> {
        let mut out = Vec::with_capacity(list.len());
        for stmt in list {
            let kind = match stmt.kind {
                StmtKind::DistrPar { level: Level::Warp, var, n, body } => {
                    StmtKind::DistrPar { level: Level::Warp, var, n, body: self.list(body)? }
                }
                kind @ StmtKind::ForAll { .. } => self.untouched(kind, stmt.span)?,
                mut kind => {
                    let shallow = walk::direct(&kind).find_map(|e| self.kept_in(e)).or_else(|| self.kept_by(&kind));
                    shallow.map_or(Ok(()), Err)?;
                    for list in walk::nested_mut(&mut kind) {
                        *list = self.outside(std::mem::take(list))?;
                    }
                    kind
                }
            };
            out.push(Stmt::new(kind, stmt.span));
        }
        Ok(out)
    }

    fn untouched(&self, kind: StmtKind, span: Span) -> Kept<StmtKind> {
        let stmt = Stmt::new(kind, span);
        self.touched(&stmt).map_or(Ok(stmt.kind), Err)
    }

    /// Code that all lanes run together.
    fn list(&mut self, list: Block) -> Kept<Block> {
        let mut out = Vec::with_capacity(list.len());
        let mark = self.done.len();
        for stmt in list {
            self.stmt(stmt, &mut out)?;
        }
        self.done.truncate(mark);
        Ok(out)
    }

    fn stmt(&mut self, stmt: Stmt, out: &mut Block) -> Kept<()> {
        let span = stmt.span;
        if self.round.is_none() {
            // Between the rounds arrays change.
            self.done.clear();
        }
        let kind = match stmt.kind {
            StmtKind::Allocate { array } if self.registers.contains_key(&array) => {
                let locals = self.registers[&array].iter().map(|&var| StmtKind::Local { var, init: None });
                out.extend(locals.map(|kind| Stmt::new(kind, span)));
                return Ok(());
            }
            StmtKind::Assign { array, index, value } if self.registers.contains_key(&array) => {
                let var = self.own_register(array, index)?;
                let value = self.value(value, out, span)?;
                StmtKind::Set { var, value }
            }
            StmtKind::ForAll { level: Level::Warp, var, n, body } => return self.for_all((var, n, body), out, span),
            kind @ (StmtKind::ForAll { .. } | StmtKind::DistrPar { .. }) => self.untouched(kind, span)?,
            StmtKind::SeqFor { var, start, end, step, body } if self.uniform(&[start, end, step]) => {
                let [start, end, step] = [start, end, step].map(|e| self.value(e, out, span));
                if let Some(round) = &mut self.round {
                    round.varying.remove(&var);
                }
                StmtKind::SeqFor { var, start: start?, end: end?, step: step?, body: self.list(body)? }
            }
            StmtKind::If { cond, then, els } if self.round.is_none() => {
                let cond = self.value(cond, out, span)?;
                StmtKind::If { cond, then: self.list(then)?, els: self.list(els)? }
            }
            StmtKind::SeqWhile { head, cond, body } if self.round.is_none() => {
                let mut head = self.list(head)?;
                let cond = self.value(cond, &mut head, span)?;
                StmtKind::SeqWhile { head, cond, body: self.list(body)? }
            }
            kind @ (StmtKind::If { .. } | StmtKind::SeqFor { .. } | StmtKind::SeqWhile { .. }) => {
                return self.apart(Stmt::new(kind, span), out);
            }
            mut kind => {
                let roots: Vec<ExprId> = walk::direct(&kind).collect();
                let new = self.values(&roots, out, span)?;
                walk::direct_mut(&mut kind).for_each(|e| *e = new.get(e).copied().unwrap_or(*e));
                kind
            }
        };
        if let (StmtKind::Let { var, value }, Some(_)) = (&kind, &self.round) {
            self.eval.bind_value(&self.p.exprs, *var, *value);
        }
        self.emit(Stmt::new(kind, span), out);
        Ok(())
    }

    /// Adds a statement; one with effects on memory behind the round's guard.
    fn emit(&self, stmt: Stmt, out: &mut Block) {
        let guard = self.round.as_ref().and_then(|r| r.guard);
        let Some(cond) = guard.filter(|_| self.has_effect(&stmt.kind)) else { return out.push(stmt) };
        if let Some(Stmt { kind: StmtKind::If { cond: c, then, els }, .. }) = out.last_mut()
            && (*c, els.is_empty()) == (cond, true)
        {
            return then.push(stmt);
        }
        let span = stmt.span;
        out.push(Stmt::new(StmtKind::If { cond, then: vec![stmt], els: Vec::new() }, span));
    }

    fn has_effect(&self, kind: &StmtKind) -> bool {
        walk::written(kind).is_some_and(|array| self.p.array(array).space != Space::Local)
    }

    /// The register that an assignment sets. Each lane must write an element of its own, all in one register.
    fn own_register(&mut self, array: ArrayId, index: ExprId) -> Kept<VarId> {
        let registers = &self.registers[&array];
        let Some(round) = &self.round else {
            // Code of the warp as one: every lane sets the only element.
            return registers.first().copied().filter(|_| self.len(array) == 1).ok_or(array);
        };
        let valid = round.valid;
        let table = self.eval.list(&self.p.exprs, index).ok_or(array)?;
        let first = table[0] / LANES;
        let own = (0..valid).all(|lane| table[lane as usize] == first * LANES + lane);
        self.registers[&array].get(first as usize).copied().filter(|_| own).ok_or(array)
    }

    fn len(&self, array: ArrayId) -> u32 {
        self.p.exprs.as_u32(self.p.array(array).len).unwrap_or(0)
    }

    /// Thread code of a warp: all rounds, one after the other, in 32 instances.
    fn for_all(&mut self, (var, n, body): (VarId, ExprId, Block), out: &mut Block, span: Span) -> Kept<()> {
        let Some(array) = body.iter().find_map(|s| self.touched(s)) else {
            out.push(Stmt::new(StmtKind::ForAll { level: Level::Warp, var, n, body }, span));
            return Ok(());
        };
        let n = self.p.exprs.as_u32(n).filter(|n| n.div_ceil(LANES) <= MAX_ROUNDS).ok_or(array)?;
        self.check_rounds(&body, n, array)?;
        let name = self.p.var(var).name.trim_end_matches(|c: char| c.is_ascii_digit()).to_string();
        let lane = self.p.new_var(&name, ScalarType::U32, false, Range::new(0, i128::from(LANES) - 1));
        self.eval.bind_counter(lane, 0);
        let mut code = Vec::new();
        for round in 0..n.div_ceil(LANES) {
            let (index, valid) = (self.instance(lane, round * LANES, n), (n - round * LANES).min(LANES));
            let mut list = Vec::new();
            let own = if index == self.p.exprs.var(lane) { lane } else { self.named(&name, index, &mut list, span) };
            list.extend(Rewriter::instance(var, own, round > 0).block(self.p, &body));
            let mut varying = HashSet::from_iter([lane]);
            bound(&list, &mut varying);
            let (lane, limit) = (self.p.exprs.var(lane), self.p.exprs.u32(valid));
            let guard = (valid < LANES).then(|| self.p.exprs.bin(BinOp::Lt, lane, limit));
            self.round = Some(Round { valid, guard, varying });
            self.done.clear();
            code.extend(self.list(list)?);
        }
        self.round = None;
        let n = self.p.exprs.u32(LANES);
        out.push(Stmt::new(StmtKind::ForAll { level: Level::Warp, var: lane, n, body: code }, span));
        Ok(())
    }

    fn named(&mut self, name: &str, value: ExprId, out: &mut Block, span: Span) -> VarId {
        let range = self.p.exprs.range(value);
        let var = self.p.new_var(name, ScalarType::U32, false, range);
        out.push(Stmt::new(StmtKind::Let { var, value }, span));
        var
    }

    /// The lane's instance in the round that begins at `base`; in lanes left over, the last one.
    fn instance(&mut self, lane: VarId, base: u32, n: u32) -> ExprId {
        let lane = self.p.exprs.var(lane);
        let base = self.p.exprs.u32(base);
        let own = self.p.exprs.bin(BinOp::Add, lane, base);
        let last = self.p.exprs.u32(n - 1);
        self.p.exprs.bin(BinOp::Min, own, last)
    }

    /// A round must not change what it reads from lanes, and doing an instance twice must have the same effect as doing
    /// it once.
    fn check_rounds(&self, body: &Block, n: u32, array: ArrayId) -> Kept<()> {
        let effects = Effects::of_block(body, &self.loads);
        let changed = |a: &&ArrayId| effects.writes.contains(a) || effects.atomics.contains(a);
        let mut both = effects.reads.iter().filter(changed);
        if let Some(&a) = both.clone().find(|a| self.registers.contains_key(a)) {
            return Err(a);
        }
        let repeats =
            n.is_multiple_of(LANES) || (both.all(|&a| self.p.array(a).space == Space::Local) && !keeps_old(body));
        if repeats { Ok(()) } else { Err(array) }
    }

    /// The array in lanes that an expression loads from.
    fn kept_in(&self, e: ExprId) -> Option<ArrayId> {
        if !self.p.exprs.loads(e) {
            return None;
        }
        let all = walk::reachable(&self.p.exprs, [e], |id| !self.p.exprs.loads(id));
        all.into_iter().find_map(|id| match self.p.exprs.expr(id) {
            Expr::Load(a, _) if self.registers.contains_key(&a) => Some(a),
            _ => None,
        })
    }

    /// The array in lanes that a statement itself writes or makes.
    fn kept_by(&self, kind: &StmtKind) -> Option<ArrayId> {
        walk::array(kind).filter(|a| self.registers.contains_key(a))
    }

    /// An array in lanes that a statement touches, anywhere in it.
    fn touched(&self, stmt: &Stmt) -> Option<ArrayId> {
        let own = self.kept_by(&stmt.kind).or_else(|| walk::direct(&stmt.kind).find_map(|e| self.kept_in(e)));
        own.or_else(|| walk::nested(&stmt.kind).flatten().find_map(|s| self.touched(s)))
    }
}

/// Whether an atomic update binds the old value: it cannot be guarded as it stands.
fn keeps_old(list: &Block) -> bool {
    list.iter().any(|s| matches!(s.kind, StmtKind::Atomic { old: Some(_), .. }) || walk::nested(&s.kind).any(keeps_old))
}

/// The variables that a list binds or sets.
fn bound(list: &[Stmt], vars: &mut HashSet<VarId>) {
    for stmt in list {
        vars.extend(walk::bound(&stmt.kind));
        walk::nested(&stmt.kind).for_each(|b| bound(b, vars));
    }
}

/// Expressions and what stands for them.
type Map = HashMap<ExprId, ExprId>;
