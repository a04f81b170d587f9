//! The rules of a module: every buffer and every variable is written before it is read, once and by no one else; what a branch or
//! a loop writes is read within it only, but for what it joins or carries; and kernels are given what their parameters ask for.

use super::{Argument, Branch, BufferId, Launched, Looping, Module, Place, Step, StepKind};
use crate::diag::{Diagnostic, Result};
use crate::program::{ArrayId, BinOp, Expr, ExprId, ParamId, ParamKind, Program, ScalarType, walk};
use crate::tables::HashSet;

/// Checks a module.
///
/// # Errors
/// `OB099` with the rule that is broken.
pub fn check(m: &Module) -> Result<()> {
    let mut checker = Checker { m, seen: Seen::default(), buffers: HashSet::default(), variables: HashSet::default() };
    for (buffer, id) in m.buffers.iter().zip(0..) {
        if is_given(m, buffer.place) {
            checker.define(BufferId(id))?;
        }
    }
    checker.steps(&m.steps)?;
    let missing = m.buffers.iter().zip(0..).find(|(_, id)| !checker.buffers.contains(&BufferId(*id)));
    missing.map_or(Ok(()), |(buffer, _)| broken(format!("no step writes `{}`", buffer.name)))?;
    m.matrices().flat_map(|(_, rows, cols)| [rows, cols]).try_for_each(|side| given_value(m, side))?;
    m.host.checks.iter().try_for_each(|check| given_value(m, check.cond))
}

/// Whether the caller brings it filled.
fn is_given(m: &Module, place: Place) -> bool {
    match place {
        Place::Param(param) => !matches!(m.host.param(param).kind, ParamKind::Output { .. }),
        Place::Temporary => false,
    }
}

/// What may be read.
#[derive(Debug, Default, Clone)]
struct Seen {
    buffers: HashSet<BufferId>,
    variables: HashSet<ParamId>,
}

struct Checker<'m> {
    m: &'m Module,
    seen: Seen,
    /// All that any step so far has written.
    buffers: HashSet<BufferId>,
    variables: HashSet<ParamId>,
}

impl Checker<'_> {
    fn steps(&mut self, steps: &[Step<Launched, BufferId>]) -> Result<()> {
        steps.iter().try_for_each(|step| self.step(&step.kind))
    }

    /// Steps whose definitions end with them.
    fn within(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let outer = self.seen.clone();
        work(self)?;
        self.seen = outer;
        Ok(())
    }

    fn step(&mut self, step: &StepKind<Launched, BufferId>) -> Result<()> {
        match step {
            StepKind::Launch(launch) => self.launch(launch),
            StepKind::Fetch { from, index, into } => {
                self.reads(*from)?;
                self.value(*index, Some(ScalarType::U32))?;
                let fields = &self.m.buffer(*from).fields;
                if fields.len() != into.len() {
                    return broken("a fetch sets another number of variables than its buffer has fields");
                }
                into.iter().zip(fields).try_for_each(|(&variable, &ty)| self.set(variable, Some(ty)))
            }
            StepKind::Check(check) => {
                self.value(check.cond, Some(ScalarType::Bool))?;
                self.value(check.found, None)
            }
            StepKind::Chain(chain) => {
                self.set(chain.once, Some(ScalarType::Bool))?;
                self.set(chain.epoch, Some(ScalarType::U32))?;
                self.set(chain.patience, Some(ScalarType::U32))?;
                self.define(chain.cells)?;
                match self.m.buffer(chain.cells).fields[..] {
                    [ScalarType::U64] => Ok(()),
                    _ => broken("the cells of a chain are no words"),
                }
            }
            StepKind::If(branch) => self.branch(branch),
            StepKind::Loop(looping) => self.looping(looping),
        }
    }

    fn branch(&mut self, branch: &Branch<Launched, BufferId>) -> Result<()> {
        self.value(branch.cond, Some(ScalarType::Bool))?;
        self.within(|c| {
            c.steps(&branch.then)?;
            branch.buffers.iter().try_for_each(|j| c.reads(j.then))?;
            branch.values.iter().try_for_each(|j| c.value(j.then, Some(c.ty(j.result))))
        })?;
        self.within(|c| {
            c.steps(&branch.els)?;
            branch.buffers.iter().try_for_each(|j| c.reads(j.els))?;
            branch.values.iter().try_for_each(|j| c.value(j.els, Some(c.ty(j.result))))
        })?;
        branch.values.iter().try_for_each(|j| self.set(j.result, None))?;
        for j in &branch.buffers {
            [j.then, j.els].into_iter().try_for_each(|side| self.same_elements(side, j.result))?;
            self.define(j.result)?;
        }
        Ok(())
    }

    fn looping(&mut self, looping: &Looping<Launched, BufferId>) -> Result<()> {
        for carried in &looping.buffers {
            self.reads(carried.init)?;
            for other in [carried.inside, carried.next, carried.result] {
                self.same_elements(carried.init, other)?;
                if !self.same_length(self.m.buffer(other).len, self.m.buffer(carried.init).len) {
                    return broken(format!("`{}` changes its length in a loop", self.m.buffer(carried.init).name));
                }
            }
        }
        looping.values.iter().try_for_each(|c| self.value(c.init, Some(self.ty(c.result))))?;
        if let Some(counter) = looping.counter {
            [counter.from, counter.to].into_iter().try_for_each(|e| self.value(e, Some(self.ty(counter.variable))))?;
        }
        self.within(|c| {
            looping.counter.iter().try_for_each(|counter| c.set(counter.variable, None))?;
            looping.values.iter().try_for_each(|carried| c.set(carried.inside, None))?;
            looping.buffers.iter().try_for_each(|carried| c.define(carried.inside))?;
            c.steps(&looping.head)?;
            looping.test.iter().try_for_each(|&test| c.value(test, Some(ScalarType::Bool)))?;
            c.steps(&looping.body)?;
            looping.buffers.iter().try_for_each(|carried| c.reads(carried.next))?;
            looping.values.iter().try_for_each(|carried| c.value(carried.next, Some(c.ty(carried.inside))))
        })?;
        looping.values.iter().try_for_each(|carried| self.set(carried.result, None))?;
        looping.buffers.iter().try_for_each(|carried| self.define(carried.result))
    }

    fn launch(&mut self, launch: &Launched) -> Result<()> {
        let Launched { kernel, blocks, args, outputs } = launch;
        self.value(*blocks, Some(ScalarType::U32))?;
        let Some(kernel) = self.m.kernels.get(kernel.0 as usize) else { return broken("a kernel does not exist") };
        let is_output = |kind: &ParamKind| matches!(kind, ParamKind::Output { .. });
        let params = kernel.params.iter().filter(|p| !matches!(p.kind, ParamKind::Fault(_)));
        let (outs, ins): (Vec<_>, Vec<_>) = params.partition(|p| is_output(&p.kind));
        if (ins.len(), outs.len()) != (args.len(), outputs.len()) {
            return broken(format!("`{}` is given another number of arguments than it takes", kernel.name));
        }
        for (param, arg) in ins.into_iter().zip(args) {
            match (&param.kind, arg) {
                (ParamKind::Scalar(ty), Argument::Scalar(e)) => self.value(*e, Some(*ty))?,
                (ParamKind::Input { arrays, .. } | ParamKind::InOut { arrays, .. }, Argument::Buffer(id)) => {
                    self.reads(*id)?;
                    self.takes(kernel, arrays, *id)?;
                }
                _ => return broken(format!("`{}` of `{}` is given something else", param.name, kernel.name)),
            }
        }
        for (param, &id) in outs.into_iter().zip(outputs) {
            self.define(id)?;
            if let ParamKind::Output { arrays, .. } = &param.kind {
                self.takes(kernel, arrays, id)?;
            }
        }
        Ok(())
    }

    fn reads(&self, id: BufferId) -> Result<()> {
        match self.m.buffers.get(id.0 as usize) {
            Some(_) if self.seen.buffers.contains(&id) => Ok(()),
            Some(buffer) => broken(format!("`{}` is read where nothing has written it", buffer.name)),
            None => broken("a buffer does not exist"),
        }
    }

    /// Notes that a step writes a buffer, whose length is known here.
    fn define(&mut self, id: BufferId) -> Result<()> {
        let Some(buffer) = self.m.buffers.get(id.0 as usize) else { return broken("a buffer does not exist") };
        self.value(buffer.len, Some(ScalarType::U32))?;
        if !self.buffers.insert(id) {
            return broken(format!("`{}` is written twice", buffer.name));
        }
        self.seen.buffers.insert(id);
        Ok(())
    }

    fn same_elements(&self, a: BufferId, b: BufferId) -> Result<()> {
        match [a, b].map(|id| self.m.buffers.get(id.0 as usize)) {
            [Some(a), Some(b)] if a.fields == b.fields => Ok(()),
            _ => broken("a branch or a loop goes on with other elements"),
        }
    }

    /// Whether two lengths are one: a launch condition may say so.
    fn same_length(&self, a: ExprId, b: ExprId) -> bool {
        let exprs = &self.m.host.exprs;
        let says =
            |cond| matches!(exprs.expr(cond), Expr::Bin(BinOp::Eq, x, y) if (x, y) == (a, b) || (x, y) == (b, a));
        a == b || self.m.host.checks.iter().any(|check| says(check.cond))
    }

    fn takes(&self, kernel: &Program, arrays: &[ArrayId], id: BufferId) -> Result<()> {
        let types: Vec<ScalarType> = arrays.iter().map(|&a| kernel.array(a).elem).collect();
        if self.m.buffer(id).fields == types {
            Ok(())
        } else {
            broken(format!("`{}` has other elements than `{}` takes", self.m.buffer(id).name, kernel.name))
        }
    }

    /// The type of a variable.
    fn ty(&self, variable: ParamId) -> ScalarType {
        match self.m.host.params.get(variable.0 as usize).map(|param| &param.kind) {
            Some(ParamKind::Scalar(ty)) => *ty,
            _ => ScalarType::Bool,
        }
    }

    fn set(&mut self, variable: ParamId, ty: Option<ScalarType>) -> Result<()> {
        let declared = (variable.0 as usize) >= self.m.declared && (variable.0 as usize) < self.m.host.params.len();
        if !declared || ty.is_some_and(|ty| ty != self.ty(variable)) {
            return broken("a step sets what is no variable of its type");
        }
        if !self.variables.insert(variable) {
            return broken(format!("`{}` is set twice", self.m.host.param(variable).name));
        }
        self.seen.variables.insert(variable);
        Ok(())
    }

    /// A value that the host knows here.
    fn value(&self, e: ExprId, ty: Option<ScalarType>) -> Result<()> {
        let exprs = &self.m.host.exprs;
        if ty.is_some_and(|ty| ty != exprs.ty(e)) || !exprs.known_at_launch(e) {
            return broken("a value of the host depends on what runs, or has another type");
        }
        let unset = |e: &ExprId| match exprs.expr(*e) {
            Expr::Scalar(param) => (param.0 as usize) >= self.m.declared && !self.seen.variables.contains(&param),
            _ => false,
        };
        if walk::reachable(exprs, [e], |_| false).iter().any(unset) {
            return broken("a variable of the host is read where nothing has set it");
        }
        Ok(())
    }
}

/// A value that the host knows before the first step.
fn given_value(m: &Module, e: ExprId) -> Result<()> {
    Checker { m, seen: Seen::default(), buffers: HashSet::default(), variables: HashSet::default() }.value(e, None)
}

fn broken(what: impl Into<String>) -> Result<()> {
    let message = format!("{}; please report this", what.into());
    Err(Box::new(Diagnostic::new("OB099", crate::diag::Span::NONE, message)))
}
