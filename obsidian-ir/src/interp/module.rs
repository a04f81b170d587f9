//! Runs a module: its steps in order, each launch as [`super::run`] does, with all checks on. A buffer is what its launch has
//! written, whole; nothing else can be read.

use super::fault::Fault;
use super::run::host_value;
use super::value::{Arg, Args, Buffer, Outputs};
use crate::module::{Argument, BufferId, KernelId, Module, Place, StepKind};
use crate::program::{Const, ExprId, ParamId, ParamKind, Program};

/// Runs a module whose kernels are in any form that [`super::run`] takes.
///
/// # Errors
/// [`Fault::Arguments`] and [`Fault::Refused`] before anything runs; the others name what a kernel did, or a step.
pub fn run(module: &Module, args: &Args) -> Result<Outputs, Fault> {
    watched(module, args, &mut |_, _, _| {})
}

/// Told of a launch: its kernel, what it is given and what it has written.
pub type Watcher<'w> = dyn FnMut(KernelId, &Args, &Outputs) + 'w;

/// As [`run`]; `watch` is told of each launch.
///
/// # Errors
/// As [`run`].
pub fn watched(module: &Module, args: &Args, watch: &mut Watcher<'_>) -> Result<Outputs, Fault> {
    let host = Host { program: &module.host, args };
    for check in &module.host.checks {
        if host.value(check.cond)? == 0 {
            return Err(Fault::Refused { message: check.message.clone(), found: host.value(check.found)? });
        }
    }
    let mut state = State { module, host, buffers: vec![None; module.buffers.len()] };
    for (buffer, i) in module.buffers.iter().zip(0..) {
        if let Place::Param(param) = buffer.place {
            state.buffers[i] = state.given(param)?;
        }
    }
    for step in &module.steps {
        state.step(&step.kind, watch)?;
    }
    state.outputs()
}

/// What the host knows: the entry's arguments.
struct Host<'m> {
    program: &'m Program,
    args: &'m Args,
}

impl Host<'_> {
    fn value(&self, e: ExprId) -> Result<u64, Fault> {
        host_value(self.program, self.args, e)
    }
}

struct State<'m> {
    module: &'m Module,
    host: Host<'m>,
    /// The buffers that have been written, one list of elements per field.
    buffers: Vec<Option<Vec<Buffer>>>,
}

impl State<'_> {
    /// What the caller gives for a parameter of the host's; nothing for an output.
    fn given(&self, param: ParamId) -> Result<Option<Vec<Buffer>>, Fault> {
        let before = &self.module.host.params[..param.0 as usize];
        let at = before.iter().filter(|p| !matches!(p.kind, ParamKind::Output { .. })).count();
        match (&self.module.host.param(param).kind, self.host.args.0.get(at)) {
            (ParamKind::Output { .. }, _) => Ok(None),
            (_, Some(Arg::Buffers(fields))) => Ok(Some(fields.clone())),
            _ => Err(Fault::Arguments(format!("`{}` must be a buffer", self.module.host.param(param).name))),
        }
    }

    fn step(&mut self, step: &StepKind, watch: &mut Watcher<'_>) -> Result<(), Fault> {
        let StepKind::Launch { kernel: id, args, outputs, .. } = step;
        let kernel = self.module.kernel(*id);
        let mut given = Vec::new();
        for (param, arg) in kernel.params.iter().zip(args) {
            given.push(match (&param.kind, arg) {
                (ParamKind::Scalar(ty), Argument::Scalar(e)) => {
                    Arg::Scalar(Const { ty: *ty, bits: self.host.value(*e)? })
                }
                (_, Argument::Buffer(id)) => Arg::Buffers(self.read(*id)?.clone()),
                _ => return Err(Fault::Malformed(format!("`{}` is given something else", param.name))),
            });
        }
        let given = Args(given);
        let written = super::run(kernel, &given)?;
        watch(*id, &given, &written);
        let Outputs(written) = written;
        let updated = kernel.params.iter().zip(args).filter_map(|(param, arg)| match (&param.kind, arg) {
            (ParamKind::InOut { .. }, Argument::Buffer(id)) => Some(*id),
            _ => None,
        });
        for (id, fields) in updated.chain(outputs.iter().copied()).zip(written) {
            let len = self.host.value(self.module.buffer(id).len)?;
            if fields.iter().any(|field| field.bits.len() as u64 != len) {
                let name = &self.module.buffer(id).name;
                return Err(Fault::Malformed(format!("`{name}` is not of {len} elements, as the host has it")));
            }
            self.buffers[id.0 as usize] = Some(fields);
        }
        Ok(())
    }

    fn read(&self, id: BufferId) -> Result<&Vec<Buffer>, Fault> {
        let unwritten = || Fault::Malformed(format!("`{}` is read before it is written", self.module.buffer(id).name));
        self.buffers[id.0 as usize].as_ref().ok_or_else(unwritten)
    }

    /// What it has written for the host: the buffers that it updates, then the outputs.
    fn outputs(&self) -> Result<Outputs, Fault> {
        let is = |update: bool| {
            move |p: &&ParamId| match self.module.host.param(**p).kind {
                ParamKind::InOut { .. } => update,
                ParamKind::Output { .. } => !update,
                _ => false,
            }
        };
        let params: Vec<ParamId> = (0..self.module.host.params.len() as u32).map(ParamId).collect();
        let wanted = params.iter().filter(is(true)).chain(params.iter().filter(is(false)));
        let found = wanted.map(|&param| {
            let id = self.module.buffers.iter().position(|buffer| buffer.place == Place::Param(param));
            let missing = || Fault::Malformed(format!("`{}` has no buffer", self.module.host.param(param).name));
            self.read(BufferId(id.ok_or_else(missing)? as u32)).cloned()
        });
        found.collect::<Result<_, _>>().map(Outputs)
    }
}
