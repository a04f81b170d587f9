//! Loops of the host's: what a round assigns is carried in buffers and variables of the host's.

use super::{Extent, HostStep, Part};
use crate::stage::eval::Frame;
use crate::stage::iterate::{Assigned, For};
use crate::stage::value::{Func, Value};
use crate::stage::{Extend, Stage};
use crate::syntax::ast::RangeEnd;
use crate::types::TExpr;
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::module::{Carried, Counter, Launch, Looping, StepKind};
use obsidian_ir::program::{BinOp, Expr, ExprId, ParamId, ScalarType, walk};

/// What a loop of the host's carries: what it is before the loop and in a round.
struct HostCarried {
    init: Value,
    parts: Vec<Part>,
    /// The variables and buffers of a round.
    inside: Vec<ParamId>,
    /// The value that they are.
    within: Value,
}

impl Stage {
    /// `for` of the host's.
    pub(in crate::stage) fn host_for(&mut self, l: &For<'_>, start: ExprId, end: ExprId, f: &mut Frame) -> Result<()> {
        let from = self.host_known(start, "the first round of this loop")?;
        let end = self.host_known(end, "the number of rounds of this loop")?;
        let to = if l.inclusive == RangeEnd::Inclusive { self.plus_one(end) } else { end };
        let mut assigned = Assigned::default();
        assigned.expr(l.body);
        let (slots, init) = assigned_slots(&assigned, f);
        let carried = self.host_carry(init)?;
        self.assign_slots(&slots, &carried.within, f);
        let (variable, index) = self.host_variable("round", self.p.exprs.ty(start));
        let (body, next) = self.capture_host(|s| {
            s.bind(l.pat, Value::Scalar(index), f)?;
            s.eval(l.body, f)?;
            let next = s.slot_values(&slots, f)?;
            s.host_next(&carried, &next)
        })?;
        let counter = Some(Counter { variable, from, to });
        let looping = Looping { counter, head: Vec::new(), test: None, body, buffers: vec![], values: vec![] };
        let after = self.host_loop(looping, carried, next)?;
        self.assign_slots(&slots, &after, f);
        Ok(())
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
        let (slots, init) = assigned_slots(&assigned, f);
        let carried = self.host_carry(init)?;
        self.assign_slots(&slots, &carried.within, f);
        let (head, test) = self.capture_host(|s| s.eval(cond, f)?.scalar(s))?;
        let test = self.host_known(test, "the condition of this loop")?;
        let (body, next) = self.capture_host(|s| {
            s.eval(body, f)?;
            let next = s.slot_values(&slots, f)?;
            s.host_next(&carried, &next)
        })?;
        self.demand_change(test, first, &head)?;
        let looping = Looping { counter: None, head, test: Some(test), body, buffers: vec![], values: vec![] };
        let after = self.host_loop(looping, carried, next)?;
        self.assign_slots(&slots, &after, f);
        Ok(())
    }

    /// `acc = next(acc, i)` for `i` in `0 .. n`, by the host.
    pub(in crate::stage) fn host_fold(&mut self, n: ExprId, init: Value, next: &Func) -> Result<Value> {
        let to = self.host_known(n, "the number of rounds of this loop")?;
        let from = self.u32(0);
        let carried = self.host_carry(init)?;
        let (variable, index) = self.host_variable("round", ScalarType::U32);
        let (body, next) = self.capture_host(|s| {
            let next = s.apply(next, vec![carried.within.clone(), Value::Scalar(index)])?;
            s.host_next(&carried, &next)
        })?;
        let counter = Some(Counter { variable, from, to });
        let looping = Looping { counter, head: Vec::new(), test: None, body, buffers: vec![], values: vec![] };
        self.host_loop(looping, carried, next)
    }

    /// `s = next(s)` while what `test` makes of it, by `goes_on`, holds, by the host.
    pub(in crate::stage) fn host_iterate(
        &mut self,
        init: Value,
        test: &Func,
        next: &Func,
        goes_on: fn(&mut Stage, ExprId) -> ExprId,
    ) -> Result<Value> {
        let first = self.p.params.len();
        let carried = self.host_carry(init)?;
        let (head, test) = self.capture_host(|s| s.apply(test, vec![carried.within.clone()])?.scalar(s))?;
        let test = goes_on(self, test);
        let test = self.host_known(test, "the condition of this loop")?;
        let (body, next) = self.capture_host(|s| {
            let next = s.apply(next, vec![carried.within.clone()])?;
            s.host_next(&carried, &next)
        })?;
        self.demand_change(test, first, &head)?;
        let looping = Looping { counter: None, head, test: Some(test), body, buffers: vec![], values: vec![] };
        self.host_loop(looping, carried, next)
    }

    /// Some round must change the condition of a loop. Asked for behind the body, whose own mistake comes first: that it changes what a loop
    /// must not.
    fn demand_change(&self, test: ExprId, first: usize, head: &[HostStep]) -> Result<()> {
        if self.changes(test, first, head) {
            return Ok(());
        }
        Err(self
            .error("OB036", "this loop never ends: no round changes what its condition tests")
            .map_note("the host would launch its body again and again".to_string())
            .map_help(
                "count the rounds, `for _k in 0..n { .. }`, or test what a round computes, `while left.fetch(0) > 0`",
            ))
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

    /// Makes variables and buffers of what a loop carries.
    fn host_carry(&mut self, init: Value) -> Result<HostCarried> {
        let mut parts = Vec::new();
        self.host_parts(&init, "a loop of the host's carries", &mut parts)?;
        let (inside, within) = self.host_versions(&init, &parts)?;
        Ok(HostCarried { init, parts, inside, within })
    }

    /// A new version of all that is carried.
    fn host_versions(&mut self, init: &Value, parts: &[Part]) -> Result<(Vec<ParamId>, Value)> {
        let (mut ids, mut values) = (Vec::new(), Vec::new());
        for part in parts {
            let (id, value) = self.host_version(part)?;
            ids.push(id);
            values.push(value);
        }
        Ok((ids, self.host_rebuilt(init, &mut values.into_iter())))
    }

    /// Lets the frame read a version of what a loop assigns.
    fn assign_slots(&mut self, slots: &[usize], values: &Value, f: &mut Frame) {
        let Value::Tuple(values) = values else { return };
        for (&slot, value) in slots.iter().zip(values.iter()) {
            if let Some(name) = f.names.get(&slot) {
                self.name_stored(value, name);
            }
            f.slots[slot] = Some(value.clone());
        }
    }

    /// What a loop has assigned.
    fn slot_values(&self, slots: &[usize], f: &Frame) -> Result<Value> {
        let values: Option<Vec<Value>> = slots.iter().map(|&slot| f.slots[slot].clone()).collect();
        let lost = || self.error("OB099", "a variable lost its value in a loop; please report this");
        values.map(|values| Value::Tuple(values.into())).ok_or_else(lost)
    }

    /// What the next round begins with.
    fn host_next(&mut self, carried: &HostCarried, next: &Value) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        self.host_parts(next, "a loop of the host's carries", &mut parts)?;
        for pair in carried.parts.iter().zip(&parts) {
            if let (Part::Array(before), Part::Array(after)) = pair
                && before.extent != after.extent
            {
                return Err(self.extent_changes(before.extent, after.extent));
            }
        }
        Ok(parts)
    }

    /// The lengths of which this is the least.
    fn least_of(&self, len: ExprId) -> Vec<ExprId> {
        match self.p.exprs.expr(len) {
            Expr::Bin(BinOp::Min, a, b) => [self.least_of(a), self.least_of(b)].concat(),
            _ => vec![len],
        }
    }

    fn extent_changes(&self, before: Extent, after: Extent) -> Box<Diagnostic> {
        let number = |n: ExprId| self.p.exprs.as_u32(n).map(|n| n.to_string());
        let size = |extent: Extent| match extent {
            Extent::Length(len) => number(len).map_or_else(|| self.describe(len), |n| format!("{n} elements")),
            Extent::Shape(sides) => {
                let [rows, cols] = sides.map(|n| number(n).unwrap_or_else(|| self.describe(n)));
                format!("{rows} by {cols}")
            }
        };
        let (what, help) = match (before, after) {
            (Extent::Length(before), Extent::Length(after)) if self.least_of(after).contains(&before) => (
                "an array that a loop of the host's carries changes its length",
                "take as many elements of what it is zipped with, which the launch asks for: `zs.zip_with(ys.take(zs.len()), f)`",
            ),
            (Extent::Length(_), _) => (
                "an array that a loop of the host's carries changes its length",
                "carry an array of one length, and the number of elements that count beside it: `xs.pad_to(n, 0)`",
            ),
            (Extent::Shape(_), _) => (
                "a matrix that a loop of the host's carries changes its rows or columns",
                "give as many rows and columns as there were; what a round turns it can turn back before it is stored",
            ),
        };
        self.error("OB038", what)
            .map_note(format!("before a round it is {}, after it {}", size(before), size(after)))
            .map_note("the arrays of a loop take turns in memory that is laid out before the first round".to_string())
            .map_help(help)
    }

    /// Emits a loop, and gives what it leaves.
    fn host_loop(
        &mut self,
        mut looping: Looping<Launch, ParamId>,
        carried: HostCarried,
        next: Vec<Part>,
    ) -> Result<Value> {
        let (results, after) = self.host_versions(&carried.init, &carried.parts)?;
        let rounds = carried.parts.into_iter().zip(next).zip(carried.inside.into_iter().zip(results));
        for ((init, next), (inside, result)) in rounds {
            match (init, next) {
                (Part::Scalar(init), Part::Scalar(next)) => {
                    looping.values.push(Carried { inside, init, next, result });
                }
                (Part::Array(init), Part::Array(next)) => {
                    looping.buffers.push(Carried { inside, init: init.buffer, next: next.buffer, result });
                }
                _ => return Err(self.error("OB099", "a loop goes on with another form; please report this")),
            }
        }
        self.host_step(StepKind::Loop(looping));
        Ok(after)
    }
}

/// The slots of the frame that a loop assigns, and what they are before it.
fn assigned_slots(assigned: &Assigned, f: &Frame) -> (Vec<usize>, Value) {
    let set = |slot| Some((slot, f.slots.get(slot).cloned().flatten()?));
    let (slots, values): (Vec<usize>, Vec<Value>) = assigned.outer().into_iter().filter_map(set).unzip();
    (slots, Value::Tuple(values.into()))
}
