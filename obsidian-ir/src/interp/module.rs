//! Runs a module: its steps in order, each launch as [`super::run`] does, with all checks on. A buffer is what its launch has
//! written, whole; nothing else can be read. Branches and loops are decided as the host would.

use std::rc::Rc;

use super::fault::Fault;
use super::value::{Arg, Args, Buffer, Outputs};
use crate::module::{
    Argument, Branch, BufferId, Carried, Chaining, KernelId, Launched, Looping, Module, Place, Step, StepKind, evaluate,
};
use crate::program::{Const, Expr, ExprId, LaunchCheck, ParamId, ParamKind, ScalarType, arith};

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
    stepped(module, args, Chains::InLaunches, watch)
}

/// How chains of tiles are gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chains {
    /// As on a device that has several launches for one.
    InLaunches,
    /// As on one that has one pass: a block looks this often for what is not there before it computes that itself.
    InOnePass {
        /// How often.
        patience: u32,
    },
}

/// As [`watched`], with chains as they are asked for.
///
/// # Errors
/// As [`run`].
pub fn stepped(module: &Module, args: &Args, chains: Chains, watch: &mut Watcher<'_>) -> Result<Outputs, Fault> {
    let buffers = vec![None; module.buffers.len()];
    let mut state = State { module, values: Values::new(module, args)?, buffers, chains };
    module.host.checks.iter().try_for_each(|check| state.values.check(check))?;
    for (buffer, i) in module.buffers.iter().zip(0..) {
        if let Place::Param(param) = buffer.place {
            state.buffers[i] = state.given(args, param)?;
        }
    }
    state.steps(&module.steps, watch)?;
    state.outputs()
}

/// A buffer: one list of elements per field, which those that are equal share.
type Fields = Rc<Vec<Buffer>>;

struct State<'m> {
    module: &'m Module,
    values: Values<'m>,
    /// The buffers that have been written.
    buffers: Vec<Option<Fields>>,
    chains: Chains,
}

impl State<'_> {
    /// What the caller gives for a parameter of the host's; nothing for an output.
    fn given(&self, args: &Args, param: ParamId) -> Result<Option<Fields>, Fault> {
        let before = &self.module.host.params[..param.0 as usize];
        let at = before.iter().filter(|p| !matches!(p.kind, ParamKind::Output { .. })).count();
        match (&self.module.host.param(param).kind, args.0.get(at)) {
            (ParamKind::Output { .. }, _) => Ok(None),
            (_, Some(Arg::Buffers(fields))) => Ok(Some(Rc::new(fields.clone()))),
            _ => Err(Fault::Arguments(format!("`{}` must be a buffer", self.module.host.param(param).name))),
        }
    }

    fn steps(&mut self, steps: &[Step<Launched, BufferId>], watch: &mut Watcher<'_>) -> Result<(), Fault> {
        steps.iter().try_for_each(|step| self.step(&step.kind, watch))
    }

    fn step(&mut self, step: &StepKind<Launched, BufferId>, watch: &mut Watcher<'_>) -> Result<(), Fault> {
        match step {
            StepKind::Launch(launch) => self.launch(launch, watch),
            StepKind::Fetch { from, index, into } => {
                let (fields, index) = (self.read(*from)?, self.values.of(*index)?);
                for (field, &variable) in fields.iter().zip(into) {
                    let len = field.bits.len();
                    let name = &self.module.buffer(*from).name;
                    let strays = || Fault::Malformed(format!("element {index} of the {len} of `{name}` is fetched"));
                    let bits = field.bits.get(index as usize).ok_or_else(strays)?;
                    self.values.set(variable, *bits);
                }
                Ok(())
            }
            StepKind::Check(check) => self.values.check(check),
            StepKind::Chain(chain) => self.chain(chain),
            StepKind::If(branch) => self.branch(branch, watch),
            StepKind::Loop(looping) => self.looping(looping, watch),
        }
    }

    fn chain(&mut self, chain: &Chaining<BufferId>) -> Result<(), Fault> {
        let (once, patience) = match self.chains {
            Chains::InLaunches => (0, 0),
            Chains::InOnePass { patience } => (1, patience),
        };
        self.values.set(chain.once, once);
        self.values.set(chain.epoch, 1);
        self.values.set(chain.patience, patience.into());
        let len = self.values.of(self.module.buffer(chain.cells).len)?;
        let bits = vec![0; len as usize];
        self.write(chain.cells, Rc::new(vec![Buffer { ty: ScalarType::U64, bits }]))
    }

    fn branch(&mut self, branch: &Branch<Launched, BufferId>, watch: &mut Watcher<'_>) -> Result<(), Fault> {
        let holds = self.values.of(branch.cond)? != 0;
        self.steps(if holds { &branch.then } else { &branch.els }, watch)?;
        for j in &branch.values {
            let bits = self.values.of(if holds { j.then } else { j.els })?;
            self.values.set(j.result, bits);
        }
        for j in &branch.buffers {
            let fields = self.read(if holds { j.then } else { j.els })?;
            self.write(j.result, fields)?;
        }
        Ok(())
    }

    fn looping(&mut self, looping: &Looping<Launched, BufferId>, watch: &mut Watcher<'_>) -> Result<(), Fault> {
        let mut counted = None;
        if let Some(counter) = looping.counter {
            let (from, to) = (self.values.integer(counter.from)?, self.values.integer(counter.to)?);
            counted = Some((counter.variable, self.module.host.exprs.ty(counter.from), from..to));
        }
        self.carry(looping, |c| c.init, |c| c.init)?;
        loop {
            if let Some((variable, ty, rounds)) = &mut counted {
                let Some(value) = rounds.next() else { break };
                self.values.set(*variable, arith::wrap(*ty, value));
            }
            self.steps(&looping.head, watch)?;
            if let Some(test) = looping.test
                && self.values.of(test)? == 0
            {
                break;
            }
            self.steps(&looping.body, watch)?;
            self.carry(looping, |c| c.next, |c| c.next)?;
        }
        for c in &looping.values {
            let bits = self.values.variable(c.inside)?;
            self.values.set(c.result, bits);
        }
        looping.buffers.iter().try_for_each(|c| {
            let fields = self.read(c.inside)?;
            self.write(c.result, fields)
        })
    }

    /// Sets what a round begins with, all at once.
    fn carry(
        &mut self,
        looping: &Looping<Launched, BufferId>,
        buffer: impl Fn(&Carried<BufferId, BufferId>) -> BufferId,
        value: impl Fn(&Carried<ParamId, ExprId>) -> ExprId,
    ) -> Result<(), Fault> {
        let values = looping.values.iter().map(|c| Ok((c.inside, self.values.of(value(c))?)));
        let values = values.collect::<Result<Vec<_>, Fault>>()?;
        let buffers = looping.buffers.iter().map(|c| Ok((c.inside, self.read(buffer(c))?)));
        let buffers = buffers.collect::<Result<Vec<_>, Fault>>()?;
        values.into_iter().for_each(|(variable, bits)| self.values.set(variable, bits));
        buffers.into_iter().try_for_each(|(inside, fields)| self.write(inside, fields))
    }

    fn launch(&mut self, launch: &Launched, watch: &mut Watcher<'_>) -> Result<(), Fault> {
        let kernel = self.module.kernel(launch.kernel);
        let mut given = Vec::new();
        for (param, arg) in kernel.params.iter().zip(&launch.args) {
            given.push(match (&param.kind, arg) {
                (ParamKind::Scalar(ty), Argument::Scalar(e)) => {
                    Arg::Scalar(Const { ty: *ty, bits: self.values.of(*e)? })
                }
                (_, Argument::Buffer(id)) => Arg::Buffers(self.read(*id)?.to_vec()),
                _ => return Err(Fault::Malformed(format!("`{}` is given something else", param.name))),
            });
        }
        let given = Args(given);
        let written = super::run(kernel, &given)?;
        watch(launch.kernel, &given, &written);
        let Outputs(written) = written;
        let updated = kernel.params.iter().zip(&launch.args).filter_map(|(param, arg)| match (&param.kind, arg) {
            (ParamKind::InOut { .. }, Argument::Buffer(id)) => Some(*id),
            _ => None,
        });
        let places: Vec<BufferId> = updated.chain(launch.outputs.iter().copied()).collect();
        places.into_iter().zip(written).try_for_each(|(id, fields)| self.write(id, Rc::new(fields)))
    }

    /// Gives a buffer its elements, as many as the host has it.
    fn write(&mut self, id: BufferId, fields: Fields) -> Result<(), Fault> {
        let len = self.values.of(self.module.buffer(id).len)?;
        if fields.iter().any(|field| field.bits.len() as u64 != len) {
            let name = &self.module.buffer(id).name;
            return Err(Fault::Malformed(format!("`{name}` is not of {len} elements, as the host has it")));
        }
        self.buffers[id.0 as usize] = Some(fields);
        Ok(())
    }

    fn read(&self, id: BufferId) -> Result<Fields, Fault> {
        let unwritten = || Fault::Malformed(format!("`{}` is read before it is written", self.module.buffer(id).name));
        self.buffers[id.0 as usize].clone().ok_or_else(unwritten)
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
            self.read(BufferId(id.ok_or_else(missing)? as u32)).map(|fields| fields.to_vec())
        });
        found.collect::<Result<_, _>>().map(Outputs)
    }
}

/// What the host knows: the entry's arguments, and its variables as far as the steps have set them.
struct Values<'m> {
    module: &'m Module,
    /// By parameter: the length of a buffer, the bits of a scalar.
    known: Vec<Option<u64>>,
}

impl<'m> Values<'m> {
    fn new(module: &'m Module, args: &Args) -> Result<Values<'m>, Fault> {
        let mut known = vec![None; module.host.params.len()];
        let inputs = module.host.params[..module.declared].iter().enumerate();
        let inputs = inputs.filter(|(_, param)| !matches!(param.kind, ParamKind::Output { .. }));
        for ((i, param), arg) in inputs.zip(&args.0) {
            known[i] = Some(match (&param.kind, arg) {
                (ParamKind::Scalar(_), Arg::Scalar(c)) => c.bits,
                (ParamKind::Input { len, .. } | ParamKind::InOut { len, .. }, Arg::Buffers(fields)) => {
                    let found = fields.first().map_or(0, |field| field.bits.len());
                    if len.is_some_and(|len| len as usize != found) {
                        return Err(Fault::Arguments(format!("`{}` is of another length than is known", param.name)));
                    }
                    found as u64
                }
                _ => return Err(Fault::Arguments(format!("`{}` is given something else", param.name))),
            });
        }
        Ok(Values { module, known })
    }

    fn set(&mut self, variable: ParamId, bits: u64) {
        self.known[variable.0 as usize] = Some(bits);
    }

    fn variable(&self, param: ParamId) -> Result<u64, Fault> {
        let name = || &self.module.host.param(param).name;
        self.known[param.0 as usize].ok_or_else(|| Fault::Malformed(format!("`{}` is not known", name())))
    }

    fn check(&self, check: &LaunchCheck) -> Result<(), Fault> {
        if self.of(check.cond)? == 0 {
            return Err(Fault::Refused { message: check.message.clone(), found: self.of(check.found)? });
        }
        Ok(())
    }

    /// The bits of an expression.
    fn of(&self, e: ExprId) -> Result<u64, Fault> {
        evaluate(&self.module.host.exprs, e, |leaf| match leaf {
            Expr::Len(param) | Expr::Scalar(param) => self.variable(param),
            _ => Err(Fault::Malformed("a value of the host depends on what runs".to_string())),
        })
    }

    /// A value as an integer, for what counts.
    fn integer(&self, e: ExprId) -> Result<i128, Fault> {
        Ok(Const { ty: self.module.host.exprs.ty(e), bits: self.of(e)? }.int())
    }
}
