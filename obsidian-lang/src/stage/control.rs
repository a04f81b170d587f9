//! `if`, `&&`: decided while compiling if the condition is known, else a select or a branch.

use std::rc::Rc;

use super::arrays::Stored;
use super::eval::{Frame, native};
use super::value::{Pull, Value};
use super::{Extend, Stage};
use crate::types::TExpr;
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::program::{BinOp, Block, ExprId, Range, StmtKind};

/// One side of an `if` on an unknown condition: its statements, its value, and the variables after it.
pub(super) struct Side {
    code: Block,
    pub(super) value: Value,
    pub(super) slots: Vec<Option<Value>>,
}

impl Side {
    /// A side without statements.
    pub(super) fn new(value: Value, slots: Vec<Option<Value>>) -> Side {
        Side { code: Block::new(), value, slots }
    }
}

impl Stage {
    pub(super) fn logic(&mut self, op: BinOp, a: &TExpr, b: &TExpr, f: &mut Frame) -> Result<Value> {
        let a = self.eval(a, f)?.scalar(self)?;
        let decides = u64::from(op == BinOp::Or);
        if self.p.exprs.as_const(a).is_some_and(|c| c.bits == decides) {
            return Ok(Value::Scalar(a));
        }
        // `i < n && xs[i] > 0`: the right side may be evaluated only where the left side holds.
        let slots = f.slots.clone();
        let (steps, (code, b)) = self.capture_host(|s| s.capture(|s| s.eval(b, f)?.scalar(s)))?;
        if !steps.is_empty() {
            let stop = Value::Scalar(self.p.exprs.bool(op == BinOp::Or));
            let done = (steps, Side::new(Value::Scalar(b), std::mem::take(&mut f.slots)));
            let not = (Vec::new(), Side::new(stop, slots));
            let (yes, no) = if op == BinOp::Or { (not, done) } else { (done, not) };
            let (value, slots) = self.host_join(a, yes, no)?;
            f.slots = slots;
            return Ok(value);
        }
        if !code.is_empty() {
            let stop = self.p.exprs.bool(op == BinOp::Or);
            let done = Side { code, value: Value::Scalar(b), slots: std::mem::take(&mut f.slots) };
            let not = Side { code: Block::new(), value: Value::Scalar(stop), slots };
            let (yes, no) = if op == BinOp::Or { (not, done) } else { (done, not) };
            let (value, slots) = self.join(a, yes, no)?;
            f.slots = slots;
            // The value is the right side's alone; proofs look for what the left one says.
            let value = value.scalar(self)?;
            return Ok(Value::Scalar(self.bin(op, a, value)));
        }
        if !self.p.exprs.loads(b) {
            return Ok(Value::Scalar(self.bin(op, a, b)));
        }
        let stop = self.p.exprs.bool(op == BinOp::Or);
        let (yes, no) = if op == BinOp::Or { (stop, b) } else { (b, stop) };
        Ok(Value::Scalar(self.p.exprs.select(a, yes, no)))
    }

    pub(super) fn if_expr(&mut self, c: &TExpr, then: &TExpr, els: Option<&TExpr>, f: &mut Frame) -> Result<Value> {
        let cond = self.eval(c, f)?.scalar(self)?;
        if let Some(k) = self.p.exprs.as_const(cond) {
            return match (k.bits != 0, els) {
                (true, _) => self.eval(then, f),
                (false, Some(els)) => self.eval(els, f),
                (false, None) => Ok(Value::unit()),
            };
        }
        self.undecided = Some(cond);
        if self.at_host() {
            return self.host_if(cond, then, els, f);
        }
        let before = f.slots.clone();
        let (code, value) = self.capture(|s| s.given(cond, true, |s| s.eval(then, f)))?;
        let yes = Side { code, value, slots: std::mem::replace(&mut f.slots, before) };
        let (code, value) =
            self.capture(|s| s.given(cond, false, |s| els.map_or_else(|| Ok(Value::unit()), |e| s.eval(e, f))))?;
        let no = Side { code, value, slots: std::mem::take(&mut f.slots) };
        let (value, slots) = self.join(cond, yes, no)?;
        f.slots = slots;
        Ok(value)
    }

    pub(super) fn join(&mut self, cond: ExprId, yes: Side, no: Side) -> Result<(Value, Vec<Option<Value>>)> {
        if yes.code.is_empty() && no.code.is_empty() {
            let value = self.merge(cond, &yes.value, &no.value)?;
            let mut slots = Vec::with_capacity(no.slots.len());
            for pair in yes.slots.into_iter().zip(no.slots) {
                slots.push(match pair {
                    (Some(a), Some(b)) => Some(self.merge(cond, &a, &b)?),
                    _ => None,
                });
            }
            return Ok((value, slots));
        }
        // Code of a block or a warp knows nothing that differs between its threads, so they all take one side.
        if !matches!(self.ambient, Some(Level::Thread | Level::Warp | Level::Block)) {
            return Err(self
                .error("OB037", "the code of a grid cannot branch on a value that is unknown at compile time")
                .map_note("which blocks there are is settled before the launch".to_string())
                .map_help("branch inside the blocks, or launch one kernel or the other"));
        }
        self.branch(cond, yes, no)
    }

    /// A branch with statements: results go through variables.
    fn branch(&mut self, cond: ExprId, mut yes: Side, mut no: Side) -> Result<(Value, Vec<Option<Value>>)> {
        let value = self.through_locals(&mut yes.code, &mut no.code, &yes.value, &no.value)?;
        let mut slots = Vec::with_capacity(no.slots.len());
        for pair in yes.slots.into_iter().zip(no.slots) {
            slots.push(match pair {
                (Some(a), Some(b)) => Some(self.through_locals(&mut yes.code, &mut no.code, &a, &b)?),
                _ => None,
            });
        }
        self.emit(StmtKind::If { cond, then: yes.code, els: no.code })?;
        Ok((value, slots))
    }

    fn through_locals(&mut self, yes: &mut Block, no: &mut Block, a: &Value, b: &Value) -> Result<Value> {
        if a.same(b) {
            return Ok(a.clone());
        }
        if !a.is_scalars() || !b.is_scalars() {
            return match (a, b) {
                (Value::Tuple(xs), Value::Tuple(ys)) if xs.len() == ys.len() => {
                    let parts = xs.iter().zip(ys.iter()).map(|(a, b)| self.through_locals(yes, no, a, b));
                    Ok(Value::Tuple(parts.collect::<Result<Vec<_>>>()?.into()))
                }
                (Value::Pull(x), Value::Pull(y)) => self.through_memory(yes, no, x, y),
                _ => Err(self.given_by_no_branch(a.kind())),
            };
        }
        let (xs, ys) = (a.leaves(self)?, b.leaves(self)?);
        let mut vars = Vec::new();
        for (x, y) in xs.into_iter().zip(ys) {
            let ty = self.p.exprs.ty(x);
            let var = self.p.new_var("t", ty, true, Range::full(ty));
            self.emit(StmtKind::Local { var, init: None })?;
            for (list, value) in [(&mut *yes, x), (&mut *no, y)] {
                list.push(obsidian_ir::program::Stmt::new(StmtKind::Set { var, value }, self.span));
            }
            vars.push(self.p.exprs.var(var));
        }
        Ok(a.rebuild(&mut vars.into_iter()))
    }

    pub(super) fn given_by_no_branch(&self, what: &str) -> Box<Diagnostic> {
        self.error("OB037", format!("a branch that computes cannot give {what}"))
            .map_help("let its sides give scalars or pull arrays of scalars: `push()` what they give, or cut it up, after the branch")
    }

    /// What is one of two arrays after a branch with statements: each side stores its own in one array of the level's memory.
    fn through_memory(&mut self, yes: &mut Block, no: &mut Block, x: &Pull, y: &Pull) -> Result<Value> {
        let level = self.ambient.unwrap_or(Level::Thread);
        let (most_x, most_y) = (self.most(x.len)?, self.most(y.len)?);
        let most = self.bin(BinOp::Max, most_x, most_y);
        let len = match self.through_locals(yes, no, &Value::Scalar(x.len), &Value::Scalar(y.len))? {
            Value::Scalar(len) if x.len == y.len => len,
            joined => {
                let joined = joined.scalar(self)?;
                self.bin(BinOp::Min, joined, most)
            }
        };
        let mut stored: Option<Rc<Stored>> = None;
        for (list, array) in [(yes, x), (no, y)] {
            let (code, made) = self.capture(|s| s.store_side(array.clone(), stored.clone(), most, level))?;
            list.extend(code);
            stored = stored.or(made);
        }
        let Some(stored) = stored else {
            return Ok(Value::Pull(x.clone()));
        };
        for &(array, _) in &stored.arrays {
            self.emit(StmtKind::Allocate { array })?;
            self.p.arrays[array.0 as usize].filled = Some(len).filter(|len| self.p.exprs.as_u32(*len).is_none());
        }
        Ok(Value::Pull(Pull::new(len, move |s, i| Ok(stored.load(s, i)))))
    }

    /// A choice between values, without statements.
    pub(super) fn merge(&mut self, cond: ExprId, a: &Value, b: &Value) -> Result<Value> {
        if a.same(b) {
            return Ok(a.clone());
        }
        match (a, b) {
            (Value::Scalar(x), Value::Scalar(y)) => Ok(Value::Scalar(self.p.exprs.select(cond, *x, *y))),
            (Value::Tuple(x), Value::Tuple(y)) if x.len() == y.len() => {
                let parts = x.iter().zip(y.iter()).map(|(x, y)| self.merge(cond, x, y)).collect::<Result<Vec<_>>>()?;
                Ok(Value::Tuple(parts.into()))
            }
            (Value::Pull(x), Value::Pull(y)) => {
                if let (Some(n), Some(m)) = (self.p.exprs.as_u32(x.len), self.p.exprs.as_u32(y.len))
                    && n != m
                {
                    return Err(self.unequal(n, m));
                }
                let len = self.p.exprs.select(cond, x.len, y.len);
                let (x, y) = (x.clone(), y.clone());
                Ok(Value::Pull(Pull::new(len, move |s, i| {
                    let (a, b) = ((x.get)(s, i)?, (y.get)(s, i)?);
                    s.merge(cond, &a, &b)
                })))
            }
            (Value::Fn(x), Value::Fn(y)) => {
                let (x, y) = (x.clone(), y.clone());
                Ok(Value::Fn(native(move |s, args| {
                    let (a, b) = (s.apply(&x, args.clone())?, s.apply(&y, args)?);
                    s.merge(cond, &a, &b)
                })))
            }
            _ => Err(self
                .error("OB037", "a value that is unknown at compile time cannot choose between push arrays")
                .map_help("choose between pull arrays, then `push()` the result")),
        }
    }

    /// Arrays that are joined must be equally long.
    pub(super) fn unequal(&self, n: u32, m: u32) -> Box<Diagnostic> {
        self.error("OB031", format!("inner arrays of unequal length, {n} and {m}"))
            .map_help("arrays that are joined or chosen between have one length; `pad_to` or `take` makes them equal")
    }
}
