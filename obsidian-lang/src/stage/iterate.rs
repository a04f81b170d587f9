//! `for` and `while`: unrolled where what they test is known while compiling; in the code of threads, warps and blocks a loop at
//! run time where it is not. The variables of such a loop are the `let mut` ones that its body assigns.

use std::collections::BTreeSet;

use super::eval::Frame;
use super::loops::State;
use super::value::{Mut, Value};
use super::{Extend, Stage};
use crate::syntax::ast::RangeEnd;
use crate::types::{TExpr, TKind, TPat, TStmt};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{BinOp, Const, ExprId, Range, ScalarType, StmtKind, arith};

/// A `for`.
pub(super) struct For<'a> {
    pub pat: &'a TPat,
    pub start: &'a TExpr,
    pub end: &'a TExpr,
    pub inclusive: RangeEnd,
    pub body: &'a TExpr,
}

/// The variables that a run-time loop changes: slots of the frame, and the places of their scalars between rounds.
struct Carried {
    slots: Vec<usize>,
    state: State,
    /// Slots that hold arrays, and where these are between the rounds.
    arrays: Vec<(usize, Mut)>,
}

impl Stage {
    pub(super) fn for_loop(&mut self, l: &For<'_>, f: &mut Frame) -> Result<()> {
        let start = self.eval(l.start, f)?.scalar(self)?;
        let end = self.eval(l.end, f)?.scalar(self)?;
        let (Some(a), Some(b)) = (self.p.exprs.as_const(start), self.p.exprs.as_const(end)) else {
            if self.loops_at_run_time() {
                return self.run_time_for(l, start, end, f);
            }
            if self.at_host() {
                return self.host_for(l, start, end, f);
            }
            let unknown = if self.p.exprs.as_const(start).is_some() { end } else { start };
            let value = self.describe(unknown);
            let d = self.error("OB036", "`for` unrolls while compiling: its bounds must be known");
            return Err(d.map_note(format!("{value} is only known at launch")).map_help(INSIDE));
        };
        let last = b.int() + i128::from(l.inclusive == RangeEnd::Inclusive);
        let mut i = a.int();
        while i < last {
            self.step()?;
            let index = self.p.exprs.constant(Const { ty: a.ty, bits: arith::wrap(a.ty, i) });
            self.bind(l.pat, Value::Scalar(index), f)?;
            self.eval(l.body, f)?;
            i += 1;
        }
        Ok(())
    }

    /// A `for` whose bounds are not known. `u32` indices have a statement of their own; others count in a variable.
    fn run_time_for(&mut self, l: &For<'_>, start: ExprId, end: ExprId, f: &mut Frame) -> Result<()> {
        let ty = self.p.exprs.ty(start);
        let exclusive = match l.inclusive {
            RangeEnd::Exclusive => Some(end),
            // The end plus one must not wrap.
            RangeEnd::Inclusive if self.p.exprs.range(end).hi < Range::full(ty).hi => Some(self.plus_one(end)),
            RangeEnd::Inclusive => None,
        };
        match exclusive {
            Some(end) if ty == ScalarType::U32 => self.counted(l, start, end, f),
            _ => self.counting(l, start, end, f),
        }
    }

    /// `start .. end` over `u32`.
    fn counted(&mut self, l: &For<'_>, start: ExprId, end: ExprId, f: &mut Frame) -> Result<()> {
        let carried = self.carry(l.body, f)?;
        let (lo, hi) = (self.p.exprs.range(start).lo, self.p.exprs.range(end).hi - 1);
        let var = self.p.new_var("i", ScalarType::U32, false, Range::new(lo, hi.max(lo)));
        let index = self.p.exprs.var(var);
        let (body, ()) = self.capture(|s| {
            s.name_counter(l.pat, index);
            s.bind(l.pat, Value::Scalar(index), f)?;
            s.round(l.body, &carried, f)
        })?;
        let step = self.u32(1);
        self.emit(StmtKind::SeqFor { var, start, end, step, body })?;
        self.settle(&carried, f);
        Ok(())
    }

    /// Any other range: a `while` over the index, which stops before it could wrap.
    fn counting(&mut self, l: &For<'_>, start: ExprId, end: ExprId, f: &mut Frame) -> Result<()> {
        let carried = self.carry(l.body, f)?;
        let test = if l.inclusive == RangeEnd::Inclusive { BinOp::Le } else { BinOp::Lt };
        let go_on = self.bin(test, start, end);
        let counter = self.loop_state(&Value::Tuple([Value::Scalar(start), Value::Scalar(go_on)].into()))?;
        let now = self.read_state(&counter).leaves(self)?;
        let (index, cond) = (now[0], now[1]);
        let (body, ()) = self.capture(|s| {
            s.name_counter(l.pat, index);
            s.bind(l.pat, Value::Scalar(index), f)?;
            s.round(l.body, &carried, f)?;
            let next = s.plus_one(index);
            let (a, b) = if l.inclusive == RangeEnd::Inclusive { (index, end) } else { (next, end) };
            let more = s.bin(BinOp::Lt, a, b);
            s.write_state(&counter, &Value::Tuple([Value::Scalar(next), Value::Scalar(more)].into()))
        })?;
        self.emit(StmtKind::SeqWhile { head: Vec::new(), cond, body })?;
        self.settle(&carried, f);
        Ok(())
    }

    pub(super) fn plus_one(&mut self, e: ExprId) -> ExprId {
        let one = self.p.exprs.constant(Const { ty: self.p.exprs.ty(e), bits: 1 });
        self.bin(BinOp::Add, e, one)
    }

    pub(super) fn while_loop(&mut self, cond: &TExpr, body: &TExpr, f: &mut Frame) -> Result<()> {
        loop {
            self.step()?;
            let before = f.slots.clone();
            let launches = self.host.launches;
            let (steps, (code, c)) = self.capture_host(|s| s.capture(|s| s.eval(cond, f)?.scalar(s)))?;
            match self.p.exprs.as_const(c) {
                Some(k) => {
                    self.host.steps.extend(steps);
                    if let Some(list) = self.lists.last_mut() {
                        list.extend(code);
                    }
                    if k.bits == 0 {
                        return Ok(());
                    }
                    self.eval(body, f)?;
                }
                None if self.loops_at_run_time() => {
                    f.slots = before;
                    return self.run_time_while(cond, body, f);
                }
                None if self.at_host() => {
                    // The condition is evaluated again for what a round begins with.
                    f.slots = before;
                    self.host.launches = launches;
                    return self.host_while(cond, body, f);
                }
                None => {
                    let d = self.error("OB036", "`while` unrolls while compiling: its condition must be known");
                    return Err(d.map_help(INSIDE));
                }
            }
        }
    }

    /// Whether this is code of a thread, a warp or a block. All threads of a warp or a block go round together: its code knows nothing
    /// that differs between them.
    pub(super) fn loops_at_run_time(&self) -> bool {
        matches!(self.ambient, Some(Level::Thread | Level::Warp | Level::Block))
    }

    fn run_time_while(&mut self, cond: &TExpr, body: &TExpr, f: &mut Frame) -> Result<()> {
        let mut assigned = Assigned::default();
        assigned.expr(cond);
        if !assigned.outer().is_empty() {
            let d = self.error("OB038", "the condition of a `while` at run time cannot assign variables");
            return Err(d.map_help("assign them in the body, and before the loop"));
        }
        let carried = self.carry(body, f)?;
        let (head, c) = self.capture(|s| s.eval(cond, f)?.scalar(s))?;
        if self.p.exprs.as_const(c).is_some_and(|c| c.bits != 0) {
            return Err(self
                .error("OB036", "this loop never ends: its condition does not depend on what it computes")
                .map_help("the condition must change with the variables that the body assigns"));
        }
        let (code, ()) = self.capture(|s| s.round(body, &carried, f))?;
        self.emit(StmtKind::SeqWhile { head, cond: c, body: code })?;
        self.settle(&carried, f);
        Ok(())
    }

    /// Makes variables of what the body assigns, and lets the frame read them.
    fn carry(&mut self, body: &TExpr, f: &mut Frame) -> Result<Carried> {
        let mut assigned = Assigned::default();
        assigned.expr(body);
        let mut slots = Vec::new();
        let mut values = Vec::new();
        let mut arrays = Vec::new();
        for slot in assigned.outer() {
            let Some(value) = f.slots.get(slot).cloned().flatten() else { continue };
            if value.is_scalars() {
                slots.push(slot);
                values.push(value);
            } else {
                arrays.push((slot, self.array_between_rounds(value)?));
            }
        }
        let state = self.loop_state(&Value::Tuple(values.into()))?;
        let carried = Carried { slots, state, arrays };
        self.settle(&carried, f);
        for slot in &carried.slots {
            if let (Some(name), Some(Value::Scalar(e))) = (f.names.get(slot), &f.slots[*slot]) {
                self.p.exprs.note_name(*e, name);
            }
        }
        Ok(carried)
    }

    /// One round: the body, then the variables' new values.
    fn round(&mut self, body: &TExpr, carried: &Carried, f: &mut Frame) -> Result<()> {
        self.eval(body, f)?;
        let mut values = Vec::new();
        for &slot in &carried.slots {
            match f.slots[slot].clone() {
                Some(v) if v.is_scalars() => values.push(v),
                Some(v) => return Err(self.not_carried(&v)),
                None => return Err(self.error("OB099", "a variable lost its value in a loop; please report this")),
            }
        }
        let arrays = self.arrays_after_round(&carried.arrays, f)?;
        self.write_state(&carried.state, &Value::Tuple(values.into()))?;
        carried.arrays.iter().zip(&arrays).try_for_each(|((_, m), array)| self.copy_to(m, array))
    }

    /// Lets the frame read the variables.
    fn settle(&mut self, carried: &Carried, f: &mut Frame) {
        for (slot, m) in &carried.arrays {
            f.slots[*slot] = Some(Value::Pull(Stage::view(m)));
        }
        if let Value::Tuple(values) = self.read_state(&carried.state) {
            for (&slot, v) in carried.slots.iter().zip(values.iter()) {
                f.slots[slot] = Some(v.clone());
            }
        }
    }
}

/// The help for a loop over values that are not known.
const INSIDE: &str = "inside of a block, a warp or a thread, such as in `exec_block(..)`, it is a loop at run time; elsewhere let the bounds be known";

/// The slots that code assigns, and those that it makes itself.
#[derive(Default)]
pub(super) struct Assigned {
    assigned: BTreeSet<u32>,
    made: BTreeSet<u32>,
}

impl Assigned {
    /// Slots of variables that were there before.
    pub(super) fn outer(&self) -> Vec<usize> {
        self.assigned.difference(&self.made).map(|&slot| slot as usize).collect()
    }

    /// Closures have frames of their own and assign no slot of this one.
    pub(super) fn expr(&mut self, e: &TExpr) {
        match &e.kind {
            TKind::Block(stmts, value) => {
                stmts.iter().for_each(|s| self.stmt(s));
                value.iter().for_each(|v| self.expr(v));
            }
            TKind::Call { args, .. } | TKind::Builtin { args, .. } | TKind::Tuple(args) | TKind::Array(args) => {
                args.iter().for_each(|a| self.expr(a));
            }
            TKind::Apply(callee, args) => {
                self.expr(callee);
                args.iter().for_each(|a| self.expr(a));
            }
            TKind::Unary(_, a) | TKind::Cast(a) | TKind::Unsafe(a) | TKind::Field(a, _) => self.expr(a),
            TKind::Binary(_, a, b) | TKind::Logic(_, a, b) | TKind::Index(a, b) | TKind::Repeat(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            TKind::Assert(cond, message) => {
                self.expr(cond);
                message.values.iter().for_each(|v| self.expr(v));
            }
            TKind::Print(message) => message.values.iter().for_each(|v| self.expr(v)),
            TKind::If(c, then, els) => {
                self.expr(c);
                self.expr(then);
                els.iter().for_each(|e| self.expr(e));
            }
            TKind::Int(_)
            | TKind::Float(_)
            | TKind::Bool(_)
            | TKind::NamedConst(..)
            | TKind::ConstGeneric(_)
            | TKind::Local(_)
            | TKind::Closure(_) => {}
        }
    }

    fn stmt(&mut self, s: &TStmt) {
        match s {
            TStmt::Let(pat, e) => {
                self.pat(pat);
                self.expr(e);
            }
            TStmt::Assign(slot, e) => {
                self.assigned.insert(*slot);
                self.expr(e);
            }
            TStmt::AssignElement { base, index, value, .. } => {
                [base, index, value].into_iter().for_each(|e| self.expr(e));
            }
            TStmt::For { pat, start, end, body, .. } => {
                self.pat(pat);
                [start, end, body].into_iter().for_each(|e| self.expr(e));
            }
            TStmt::While(_, cond, body) => [cond, body].into_iter().for_each(|e| self.expr(e)),
            TStmt::Expr(e) => self.expr(e),
        }
    }

    fn pat(&mut self, pat: &TPat) {
        match pat {
            TPat::Slot(slot, _) => {
                self.made.insert(*slot);
            }
            TPat::Tuple(pats) => pats.iter().for_each(|p| self.pat(p)),
            TPat::Sized(inner, _) => self.pat(inner),
            TPat::Wild => {}
        }
    }
}
