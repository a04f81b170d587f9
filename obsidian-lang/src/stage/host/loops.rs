//! Loops of the host's: what a round assigns is carried in buffers and variables of the host's.

use super::{HostStep, Part};
use crate::stage::eval::Frame;
use crate::stage::iterate::{Assigned, For};
use crate::stage::value::Value;
use crate::stage::{Extend, Stage};
use crate::syntax::ast::RangeEnd;
use crate::types::TExpr;
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::module::{Carried, Counter, Launch, Looping, StepKind};
use obsidian_ir::program::{Expr, ExprId, ParamId, walk};

/// The variables of a loop of the host's: slots of the frame, what they are before it and in a round.
struct HostCarried {
    slots: Vec<usize>,
    init: Value,
    parts: Vec<Part>,
    inside: Vec<ParamId>,
}

impl Stage {
    /// `for` of the host's.
    pub(in crate::stage) fn host_for(&mut self, l: &For<'_>, start: ExprId, end: ExprId, f: &mut Frame) -> Result<()> {
        let from = self.host_known(start, "the first round of this loop")?;
        let end = self.host_known(end, "the number of rounds of this loop")?;
        let to = if l.inclusive == RangeEnd::Inclusive { self.plus_one(end) } else { end };
        let mut assigned = Assigned::default();
        assigned.expr(l.body);
        let carried = self.host_carry(&assigned, f)?;
        let (variable, index) = self.host_variable("round", self.p.exprs.ty(start));
        let (body, next) = self.capture_host(|s| {
            s.bind(l.pat, Value::Scalar(index), f)?;
            s.eval(l.body, f)?;
            s.host_next(&carried, f)
        })?;
        let counter = Some(Counter { variable, from, to });
        self.host_loop(
            Looping { counter, head: Vec::new(), test: None, body, buffers: vec![], values: vec![] },
            carried,
            next,
            f,
        )
    }

    /// `while` of the host's.
    pub(in crate::stage) fn host_while(&mut self, cond: &TExpr, body: &TExpr, f: &mut Frame) -> Result<()> {
        let mut assigned = Assigned::default();
        assigned.expr(cond);
        if !assigned.outer().is_empty() {
            let d = self.error("OB038", "the condition of a `while` of the host's cannot assign variables");
            return Err(d.map_help("assign them in the body, and before the loop"));
        }
        assigned.expr(body);
        let first = self.p.params.len();
        let carried = self.host_carry(&assigned, f)?;
        let (head, test) = self.capture_host(|s| s.eval(cond, f)?.scalar(s))?;
        let test = self.host_known(test, "the condition of this `while`")?;
        if !self.changes(test, first, &head) {
            return Err(self
                .error("OB036", "this loop never ends: no round changes what its condition tests")
                .map_note("the host would launch its body again and again".to_string())
                .map_help("count the rounds, `for _k in 0..n { .. }`, or test what a round computes, `while left.fetch(0) > 0`"));
        }
        let (body, next) = self.capture_host(|s| {
            s.eval(body, f)?;
            s.host_next(&carried, f)
        })?;
        let test = Some(test);
        self.host_loop(Looping { counter: None, head, test, body, buffers: vec![], values: vec![] }, carried, next, f)
    }

    /// Whether a test may change from round to round: it is made of what the loop carries, or of what is fetched from that.
    fn changes(&self, test: ExprId, first: usize, head: &[HostStep]) -> bool {
        let fetched_before = |variable: ParamId| {
            head.iter().any(|step| match &step.kind {
                StepKind::Fetch { from, into, .. } => into.contains(&variable) && (from.0 as usize) < first,
                _ => false,
            })
        };
        walk::reachable(&self.p.exprs, [test], |_| false).into_iter().any(|e| match self.p.exprs.expr(e) {
            Expr::Scalar(param) => param.0 as usize >= first && !fetched_before(param),
            _ => false,
        })
    }

    /// Makes variables and buffers of what a loop assigns, and lets the frame read them.
    fn host_carry(&mut self, assigned: &Assigned, f: &mut Frame) -> Result<HostCarried> {
        let (mut slots, mut values) = (Vec::new(), Vec::new());
        for slot in assigned.outer() {
            let Some(value) = f.slots.get(slot).cloned().flatten() else { continue };
            slots.push(slot);
            values.push(value);
        }
        let init = Value::Tuple(values.into());
        let mut parts = Vec::new();
        self.host_parts(&init, "a loop of the host's carries", &mut parts)?;
        let mut carried = HostCarried { slots, init, parts, inside: Vec::new() };
        carried.inside = self.host_versions(&carried, f)?;
        Ok(carried)
    }

    /// New versions of all that is carried, which the frame reads from now on.
    fn host_versions(&mut self, carried: &HostCarried, f: &mut Frame) -> Result<Vec<ParamId>> {
        let mut ids = Vec::new();
        let mut values = Vec::new();
        for part in &carried.parts {
            let (id, value) = self.host_version(part, None)?;
            ids.push(id);
            values.push(value);
        }
        if let Value::Tuple(values) = self.host_rebuilt(&carried.init, &mut values.into_iter()) {
            for (&slot, value) in carried.slots.iter().zip(values.iter()) {
                if let Some(name) = f.names.get(&slot) {
                    self.name_stored(value, name);
                }
                f.slots[slot] = Some(value.clone());
            }
        }
        Ok(ids)
    }

    /// What the next round begins with.
    fn host_next(&mut self, carried: &HostCarried, f: &Frame) -> Result<Vec<Part>> {
        let values: Option<Vec<Value>> = carried.slots.iter().map(|&slot| f.slots[slot].clone()).collect();
        let Some(values) = values else {
            return Err(self.error("OB099", "a variable lost its value in a loop; please report this"));
        };
        let mut parts = Vec::new();
        self.host_parts(&Value::Tuple(values.into()), "a loop of the host's carries", &mut parts)?;
        for pair in carried.parts.iter().zip(&parts) {
            if let (Part::Array(before, _), Part::Array(after, _)) = pair
                && before.len != after.len
            {
                return Err(self.length_changes(before.len, after.len));
            }
        }
        Ok(parts)
    }

    fn length_changes(&self, before: ExprId, after: ExprId) -> Box<Diagnostic> {
        let size =
            |len: ExprId| self.p.exprs.as_u32(len).map_or_else(|| self.describe(len), |n| format!("{n} elements"));
        self.error("OB038", "an array that a loop of the host's carries changes its length")
            .map_note(format!("before a round it is {}, after it {}", size(before), size(after)))
            .map_note("the arrays of a loop take turns in memory that is laid out before the first round".to_string())
            .map_help(
                "carry an array of one length, and the number of elements that count beside it: `xs.pad_to(n, 0)`",
            )
    }

    /// Emits a loop, and lets the frame read what it leaves.
    fn host_loop(
        &mut self,
        mut looping: Looping<Launch, ParamId>,
        carried: HostCarried,
        next: Vec<Part>,
        f: &mut Frame,
    ) -> Result<()> {
        let results = self.host_versions(&carried, f)?;
        let rounds = carried.parts.into_iter().zip(next).zip(carried.inside.into_iter().zip(results));
        for ((init, next), (inside, result)) in rounds {
            match (init, next) {
                (Part::Scalar(init), Part::Scalar(next)) => {
                    looping.values.push(Carried { inside, init, next, result });
                }
                (Part::Array(_, init), Part::Array(_, next)) => {
                    looping.buffers.push(Carried { inside, init, next, result });
                }
                _ => return Err(self.error("OB099", "a loop goes on with another form; please report this")),
            }
        }
        self.host_step(StepKind::Loop(looping));
        Ok(())
    }
}
