//! The tables of a compiled entry at `Device`, which generated code has as constants: made at run time here. In: a module with its
//! kernels in every form; out: what the runtime walks, and a run of it. Tables live until the process ends, as constants do.

use std::collections::HashMap;

use obsidian_ir::interp::{Args, Buffer, Outputs};
use obsidian_ir::module::{self, Argument, BufferId, Launched, Module, StepKind};
use obsidian_ir::program::{Expr, ExprId, Param, ParamId, ParamKind, walk};
use obsidian_lang::driver;
use obsidian_runtime::abi::module::{
    Branch, BufferInfo, CarriedBuffer, CarriedValue, Chaining, Counter, HostExpr, HostExprId, HostNode, HostVariable,
    JoinedBuffer, JoinedValue, LaunchArg, Launching, Looping, MatrixInfo, ModuleInfo, ModuleVariant, Place, Step,
    ValueId,
};
use obsidian_runtime::abi::{self, KernelInfo, RawBuffer, Text, plan_module};
use obsidian_runtime::{Device, Error, LaunchOptions};

use super::{Uploads, library, row, values};

/// The tables of a variant, its kernels each with the text that a device takes, if one does. `None`: there are more kernels than a
/// [turn](library::Turn) is for.
pub fn of(name: &str, v: &driver::ModuleVariant, texts: &[Text]) -> Option<&'static ModuleInfo> {
    if v.kernels.len() > library::PLACES.len() {
        return None;
    }
    let kernels = v.kernels.iter().enumerate().map(|(k, kernel)| {
        let info: &'static KernelInfo = Box::leak(Box::new(row::of_kernel(kernel, texts.get(k), k)));
        info
    });
    let (m, host) = (&v.module, &v.module.host);
    let mut tables = Tables { module: m, places: HashMap::new(), nodes: Vec::new() };
    let buffers = leak(m.buffers.iter().map(|buffer| tables.buffer(buffer)).collect());
    let matrices = leak(m.matrices().map(|(output, rows, cols)| tables.matrix(output, rows, cols)).collect());
    let mut steps: Vec<Step> = host.checks.iter().map(|c| tables.check(c.cond, &c.message, c.found)).collect();
    steps.extend(m.steps.iter().map(|step| tables.step(step)));
    let variables = m.variables().iter().filter_map(|variable| match variable.kind {
        ParamKind::Scalar(ty) => Some(HostVariable { name: variable.name.clone().leak(), ty }),
        _ => None,
    });
    let variant = ModuleVariant {
        values: &[],
        params: leak(host.params[..m.declared].iter().filter_map(|p| row::param(host, p)).collect()),
        threads: host.threads,
        kernels: leak(kernels.collect()),
        variables: leak(variables.collect()),
        buffers,
        matrices,
        steps: leak(steps),
        exprs: leak(tables.nodes),
        ir: "",
        report: "",
    };
    Some(Box::leak(Box::new(ModuleInfo { name: name.to_string().leak(), variants: leak(vec![variant]) })))
}

/// Runs a module; returns the contents of its outputs. It is the [turn](library::Turn) of its kernels.
///
/// # Errors
/// The runtime's.
pub fn run(info: &'static ModuleInfo, blocks: Option<u32>, device: &Device, args: &Args) -> Result<Outputs, Error> {
    let params = info.variants[0].params;
    let mut uploads = Uploads::new(params, device, args)?;
    let plan = plan_module(info, &LaunchOptions { blocks, ..LaunchOptions::DEFAULT }, device, &values(args))?;
    let count = params.iter().filter(|param| param.kind == abi::ParamKind::Output).count();
    let mut outs = (0..count).map(|i| plan.allocate_untyped(i)).collect::<Result<Vec<RawBuffer>, _>>()?;
    plan.launch(&mut uploads.borrowed(), &mut outs.iter_mut().collect::<Vec<_>>())?;
    let read = |raw: &RawBuffer| {
        let columns = raw.to_bytes()?;
        Ok(columns.iter().zip(raw.fields()).map(|(bytes, &ty)| Buffer::of_bytes(bytes, ty)).collect())
    };
    outs.iter().map(read).collect::<Result<_, Error>>().map(Outputs)
}

fn leak<T>(all: Vec<T>) -> &'static [T] {
    all.leak()
}

/// The expressions of the host that have got their places.
struct Tables<'m> {
    module: &'m Module,
    places: HashMap<ExprId, HostExprId>,
    nodes: Vec<HostNode>,
}

impl Tables<'_> {
    /// The place of an expression.
    fn place(&mut self, e: ExprId) -> HostExprId {
        let host = &self.module.host;
        for id in walk::reachable(&host.exprs, [e], |e| self.places.contains_key(&e)) {
            let at = |e: ExprId| self.places.get(&e).copied().unwrap_or_default();
            let expr = match host.exprs.expr(id) {
                Expr::Const(c) => HostExpr::Const(c.bits),
                Expr::Len(param) | Expr::Scalar(param) => HostExpr::Value(self.value(param)),
                Expr::Un(op, a) => HostExpr::Un(op, at(a)),
                Expr::Bin(op, a, b) => HostExpr::Bin(op, at(a), at(b)),
                Expr::Select(c, a, b) => HostExpr::Select(at(c), at(a), at(b)),
                Expr::Cast(a) => HostExpr::Cast(at(a)),
                Expr::Bits(a) => HostExpr::Bits(at(a)),
                Expr::MulAdd(a, b, c) => HostExpr::MulAdd(at(a), at(b), at(c)),
                // The host has none of these: `module::check`.
                Expr::Var(_) | Expr::Special(_) | Expr::OnGpu | Expr::Load(..) => HostExpr::Const(0),
            };
            self.places.insert(id, self.nodes.len() as HostExprId);
            self.nodes.push(HostNode { ty: host.exprs.ty(id), expr });
        }
        self.places.get(&e).copied().unwrap_or_default()
    }

    /// The number of a parameter's or a variable's value: outputs have none.
    fn value(&self, param: ParamId) -> ValueId {
        self.before(param).filter(|p| !is_output(p)).count() as ValueId
    }

    fn before(&self, param: ParamId) -> impl Iterator<Item = &Param> {
        self.module.host.params[..param.0 as usize].iter()
    }

    fn buffer(&mut self, buffer: &module::Buffer) -> BufferInfo {
        let place = match buffer.place {
            module::Place::Param(param) if is_output(self.module.host.param(param)) => {
                Place::Output(self.before(param).filter(|p| is_output(p)).count() as u32)
            }
            module::Place::Param(ParamId(param)) => Place::Param(param),
            module::Place::Temporary => Place::Temporary,
        };
        let (name, fields) = (buffer.name.clone().leak(), leak(buffer.fields.clone()));
        BufferInfo { name, fields, len: self.place(buffer.len), place }
    }

    fn matrix(&mut self, output: usize, rows: ExprId, cols: ExprId) -> MatrixInfo {
        MatrixInfo { output, rows: self.place(rows), cols: self.place(cols) }
    }

    fn check(&mut self, cond: ExprId, message: &str, found: ExprId) -> Step {
        Step::Check { cond: self.place(cond), message: message.to_string().leak(), found: self.place(found) }
    }

    fn steps(&mut self, steps: &[module::Step<Launched, BufferId>]) -> &'static [Step] {
        leak(steps.iter().map(|step| self.step(step)).collect())
    }

    fn step(&mut self, step: &module::Step<Launched, BufferId>) -> Step {
        match &step.kind {
            StepKind::Launch(launch) => self.launch(launch),
            StepKind::Fetch { from: BufferId(from), index, into } => {
                let into = leak(into.iter().map(|&variable| self.value(variable)).collect());
                Step::Fetch { from: *from, index: self.place(*index), into }
            }
            StepKind::Check(check) => self.check(check.cond, &check.message, check.found),
            StepKind::Chain(chain) => Step::Chain(Chaining {
                once: self.value(chain.once),
                epoch: self.value(chain.epoch),
                patience: self.value(chain.patience),
                cells: chain.cells.0,
            }),
            StepKind::If(branch) => Step::If(self.branch(branch)),
            StepKind::Loop(looping) => Step::Loop(self.looping(looping)),
        }
    }

    fn launch(&mut self, launch: &Launched) -> Step {
        let mut args: Vec<LaunchArg> = Vec::new();
        let kernel = self.module.kernel(launch.kernel);
        for (param, arg) in kernel.params.iter().zip(&launch.args) {
            args.push(match arg {
                Argument::Buffer(id) if matches!(param.kind, ParamKind::InOut { .. }) => LaunchArg::Update(id.0, id.0),
                Argument::Buffer(id) => LaunchArg::Read(id.0),
                Argument::Scalar(e) => LaunchArg::Scalar(self.place(*e)),
            });
        }
        args.extend(launch.outputs.iter().map(|id| LaunchArg::Write(id.0)));
        Step::Launch(Launching { kernel: launch.kernel.0, blocks: self.place(launch.blocks), args: leak(args) })
    }

    fn branch(&mut self, branch: &module::Branch<Launched, BufferId>) -> Branch {
        let cond = self.place(branch.cond);
        let (then, els) = (self.steps(&branch.then), self.steps(&branch.els));
        let joined =
            |j: &module::Joined<BufferId, BufferId>| JoinedBuffer { result: j.result.0, then: j.then.0, els: j.els.0 };
        let buffers = leak(branch.buffers.iter().map(joined).collect());
        let values = leak(
            branch
                .values
                .iter()
                .map(|j| JoinedValue { result: self.value(j.result), then: self.place(j.then), els: self.place(j.els) })
                .collect(),
        );
        Branch { cond, then, els, buffers, values }
    }

    fn looping(&mut self, looping: &module::Looping<Launched, BufferId>) -> Looping {
        let counter = looping.counter.map(|counter| Counter {
            variable: self.value(counter.variable),
            from: self.place(counter.from),
            to: self.place(counter.to),
        });
        let test = looping.test.map(|test| self.place(test));
        let (head, body) = (self.steps(&looping.head), self.steps(&looping.body));
        let buffers = leak(
            looping
                .buffers
                .iter()
                .map(|c| CarriedBuffer { inside: c.inside.0, init: c.init.0, next: c.next.0, result: c.result.0 })
                .collect(),
        );
        let values = leak(
            looping
                .values
                .iter()
                .map(|c| CarriedValue {
                    inside: self.value(c.inside),
                    init: self.place(c.init),
                    next: self.place(c.next),
                    result: self.value(c.result),
                })
                .collect(),
        );
        Looping { counter, head, test, body, buffers, values }
    }
}

fn is_output(param: &Param) -> bool {
    matches!(param.kind, ParamKind::Output { .. })
}
