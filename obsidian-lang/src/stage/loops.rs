//! Loops that stay loops: thread code whose state is scalars in variables.

use super::value::{Func, Value};
use super::{Extend, Stage};
use obsidian_ir::diag::Result;
use obsidian_ir::program::{ExprId, Range, StmtKind, VarId};

/// The state of a loop: one mutable variable per scalar.
pub(super) struct State {
    vars: Vec<VarId>,
    shape: Value,
}

impl Stage {
    pub(super) fn loop_state(&mut self, init: &Value) -> Result<State> {
        let mut vars = Vec::new();
        for leaf in init.leaves(self)? {
            let ty = self.p.exprs.ty(leaf);
            let var = self.p.new_var("acc", ty, true, Range::full(ty));
            self.emit(StmtKind::Local { var, init: Some(leaf) })?;
            vars.push(var);
        }
        Ok(State { vars, shape: init.clone() })
    }

    pub(super) fn read_state(&mut self, state: &State) -> Value {
        let leaves: Vec<ExprId> = state.vars.iter().map(|&v| self.p.exprs.var(v)).collect();
        state.shape.rebuild(&mut leaves.into_iter())
    }

    /// Sets all variables at once: each new value is computed from the old ones.
    pub(super) fn write_state(&mut self, state: &State, next: &Value) -> Result<()> {
        let mut values = next.leaves(self)?;
        if values.len() > 1 {
            for value in &mut values {
                let ty = self.p.exprs.ty(*value);
                let var = self.p.new_var("next", ty, false, Range::full(ty));
                self.emit(StmtKind::Let { var, value: *value })?;
                *value = self.p.exprs.var(var);
            }
        }
        for (&var, value) in state.vars.iter().zip(values) {
            if self.p.exprs.var(var) != value {
                self.emit(StmtKind::Set { var, value })?;
            }
        }
        Ok(())
    }

    /// `acc = f(acc, i)` for `i` in `0 .. n`, a loop in one thread.
    pub(super) fn seq_fold(&mut self, n: ExprId, init: Value, f: &Func) -> Result<Value> {
        match self.p.exprs.as_u32(n) {
            Some(0) => return Ok(init),
            Some(1) => {
                let zero = Value::Scalar(self.u32(0));
                return self.apply(f, vec![init, zero]);
            }
            _ => {}
        }
        let state = self.loop_state(&init)?;
        let (var, i) = self.index_var("i", n);
        let acc = self.read_state(&state);
        let (body, ()) = self.capture(|s| {
            let next = s.apply(f, vec![acc, Value::Scalar(i)])?;
            s.write_state(&state, &next)
        })?;
        let (start, step) = (self.u32(0), self.u32(1));
        self.emit(StmtKind::SeqFor { var, start, end: n, step, body })?;
        Ok(self.read_state(&state))
    }

    /// `seq_fold` where an element is computed; elsewhere nobody has asked for one.
    pub(super) fn fold_for_element(&mut self, n: ExprId, init: Value, f: &Func) -> Result<Value> {
        if self.loops_at_run_time() {
            return self.seq_fold(n, init, f);
        }
        Err(self
            .error("OB036", "this is a loop of a thread, and here no thread runs")
            .map_note("in the code of a grid or of the device, every thread that uses the number would go through the whole array".into())
            .map_help(
                "in a `Program<Device, _>`, `xs.sum()` and `reduce(xs, f).first()` are numbers that kernels use; in a closure that gives an element, \
                 each element has a loop of its own",
            ))
    }

    /// `while test(s) { s = next(s) }`, a loop in one thread. `go_on` turns the test's answer into "go on".
    pub(super) fn seq_loop_while(
        &mut self,
        init: Value,
        test: &Func,
        next: &Func,
        go_on: fn(&mut Stage, ExprId) -> ExprId,
    ) -> Result<Value> {
        let state = self.loop_state(&init)?;
        let current = self.read_state(&state);
        let (head, cond) = self.capture(|s| {
            let answer = s.apply(test, vec![current.clone()])?.scalar(s)?;
            Ok(go_on(s, answer))
        })?;
        match self.p.exprs.as_const(cond) {
            Some(c) if c.bits == 0 => return Ok(init),
            Some(_) => {
                return Err(self
                    .error("OB036", "this loop never ends: its test does not depend on the state")
                    .map_help("the test must change with what the loop computes"));
            }
            None => {}
        }
        let (body, ()) = self.capture(|s| {
            let v = s.apply(next, vec![current.clone()])?;
            s.write_state(&state, &v)
        })?;
        self.emit(StmtKind::SeqWhile { head, cond, body })?;
        Ok(self.read_state(&state))
    }
}
