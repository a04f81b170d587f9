//! The one interpreter of a module's steps: host control, launch values, which buffer is which memory. In: steps and values;
//! out: launches, fills, copies and fetches for a [`Sink`], which only notes them (`prepare`) or does them (`execute`).

mod control;
mod destined;
mod launch;

use obsidian_abi::module::{
    BufferIndex, BufferInfo, Chaining, Found, HostExprId, HostValues, LaunchArg, Launching, ModuleVariant, Place, Step,
    ValueId,
};
use obsidian_abi::{Const, KernelInfo, ParamKind, ScalarType};

use super::names::in_words_of_module;
use super::outline::{Node, Outline};
use crate::device::Device;
use crate::error::{Error, IndexedArray};

/// The epoch of those who find cells zero.
pub(super) const FIRST_EPOCH: u64 = 1;
/// How often a block looks for what another has not written yet. Blocks start in order, so that those it waits for run already.
const PATIENCE: u64 = 64;

/// Which memory: a place in [`Walk::instances`].
pub(super) type InstanceId = usize;

/// The memory of a buffer, and of all that bear its bytes on: versions that are updated, what branches join and loops carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instance {
    /// The buffer that it was made for.
    pub buffer: BufferIndex,
    pub fields: &'static [ScalarType],
    pub len: u32,
    pub home: Home,
    pub lasting: Lasting,
    /// How many buffers are bound to it.
    holders: u32,
}

#[cfg(test)]
impl Instance {
    /// One for tests, which no buffer is bound to.
    pub fn of(fields: &'static [ScalarType], len: u32, home: Home) -> Instance {
        Instance { buffer: 0, fields, len, home, lasting: Lasting::Run, holders: 0 }
    }
}

/// Where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// The caller's argument, counted among those that are not outputs.
    Argument(usize),
    /// The caller's output.
    Output(usize),
    /// The module's own memory.
    Own,
}

/// How long what is in an instance matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasting {
    /// From a step of a run to another.
    Run,
    /// From run to run: cells of a chain, which are zero before the first.
    Runs,
}

/// An argument of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    Read(InstanceId),
    Write(InstanceId),
    Scalar(u64),
    /// What tells a run's words in cells from those of all runs before.
    Epoch,
}

/// A launch of at least one block, checked.
#[derive(Debug)]
pub(super) struct Launched {
    /// The number of its step.
    pub step: u32,
    pub kernel: &'static KernelInfo,
    pub blocks: u32,
    /// One per parameter of the kernel.
    pub args: Vec<Passed>,
}

/// The buffer that argument `at` of a launch is, if it reads or updates one.
fn read_by(launch: &Launching, at: usize) -> Option<BufferIndex> {
    match *launch.args.get(at)? {
        LaunchArg::Read(buffer) | LaunchArg::Update(buffer, _) => Some(buffer),
        LaunchArg::Write(_) | LaunchArg::Scalar(_) => None,
    }
}

/// What is done with what the steps ask for.
pub(super) trait Sink {
    /// Makes room for an instance at home in the module's own memory or in an output.
    fn take(&mut self, id: InstanceId, instance: &Instance) -> Result<(), Error>;
    /// Nothing uses an instance of the module's own memory any more.
    fn give(&mut self, id: InstanceId);
    /// Whether an instance can lie in an output from its beginning on.
    fn moves(&mut self, id: InstanceId, output: usize) -> bool;
    /// Whether an instance that nothing uses any more may stand for another buffer.
    fn reuses(&self) -> bool;
    fn launch(&mut self, launch: Launched) -> Result<(), Error>;
    fn fill(&mut self, step: u32, to: InstanceId, byte: u8) -> Result<(), Error>;
    /// Cells are to be zero, or what earlier runs have left in them.
    fn clear(&mut self, step: u32, cells: InstanceId) -> Result<(), Error>;
    fn copy(&mut self, step: u32, from: InstanceId, to: InstanceId) -> Result<(), Error>;
    /// An element, as bits; `None` where it is not known now.
    fn fetch(&mut self, from: InstanceId, index: u32, fields: &[ScalarType]) -> Result<Option<Vec<u64>>, Error>;
}

/// How far a list of steps was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    End,
    /// A fetch of what is not known now.
    Fetch,
}

/// A walk over the steps.
pub(super) struct Walk<'a, S> {
    entry: &'static str,
    variant: &'static ModuleVariant,
    device: &'a Device,
    values: HostValues,
    /// The instance of each buffer that is defined and still used.
    bound: Vec<Option<InstanceId>>,
    pub instances: Vec<Instance>,
    /// Instances that nothing uses any more, to be used again.
    spare: Vec<InstanceId>,
    /// The variables that are epochs.
    epochs: Vec<ValueId>,
    /// For each buffer the output that it becomes, if a branch leaves it as one.
    destined: Vec<Option<usize>>,
    pub sink: S,
}

impl<'a, S: Sink> Walk<'a, S> {
    /// A walk with these values of the parameters, lengths checked.
    pub fn new(
        (entry, variant): (&'static str, &'static ModuleVariant),
        device: &'a Device,
        values: &[u64],
        sink: S,
    ) -> Result<Walk<'a, S>, Error> {
        let values = HostValues::new(variant.exprs, values, variant.variables.len());
        let bound = vec![None; variant.buffers.len()];
        let (instances, spare, epochs) = (Vec::new(), Vec::new(), Vec::new());
        let destined = destined::destined(variant);
        let mut walk = Walk { entry, variant, device, values, bound, instances, spare, epochs, destined, sink };
        walk.bind_arguments()?;
        Ok(walk)
    }

    /// Does all steps.
    pub fn run(&mut self, outline: &Outline) -> Result<Reached, Error> {
        self.list(outline)
    }

    fn bind_arguments(&mut self) -> Result<(), Error> {
        for (index, buffer) in self.variant.buffers.iter().enumerate() {
            let Place::Param(param) = buffer.place else { continue };
            let declared = self.variant.params.get(param as usize);
            let declared = declared.filter(|declared| declared.fields == buffer.fields);
            let before = self.variant.params.iter().take(param as usize);
            let argument = before.filter(|param| param.kind != ParamKind::Output).count();
            match declared.map(|declared| declared.kind) {
                Some(ParamKind::Input(_) | ParamKind::InOut(_)) => {
                    let (len, buffer) = (self.len(buffer)?, index as BufferIndex);
                    let home = Home::Argument(argument);
                    let id = self.instances.len();
                    let (fields, lasting) = (self.info(buffer)?.fields, Lasting::Run);
                    self.instances.push(Instance { buffer, fields, len, home, lasting, holders: 1 });
                    self.bound[index] = Some(id);
                }
                _ => return Err(self.broken(format!("buffer `{}` is no parameter of its type", buffer.name))),
            }
        }
        Ok(())
    }

    /// What only a table that no compiler printed can be wrong in.
    fn broken(&self, found: String) -> Error {
        Error::Arguments { kernel: self.entry, expected: "steps that fit together".to_owned(), found }
    }

    fn info(&self, buffer: BufferIndex) -> Result<&'static BufferInfo, Error> {
        let found = self.variant.buffers.get(buffer as usize);
        found.ok_or_else(|| self.broken(format!("buffer {buffer}, which there is not")))
    }

    fn instance(&self, buffer: BufferIndex) -> Result<InstanceId, Error> {
        let found = self.bound.get(buffer as usize).copied().flatten();
        found.ok_or_else(|| self.broken(format!("a use of buffer {buffer} where it is not defined")))
    }

    /// A size use.
    fn size(&mut self, expr: HostExprId) -> Result<u64, Error> {
        let variant = self.variant;
        match self.values.size(expr, |value| variant.value_name(value)) {
            Ok(Some(bits)) => Ok(bits),
            Ok(None) => Err(self.broken(format!("a use of expression {expr} before its values are set"))),
            Err(overflow) => Err(Error::Overflow { kernel: self.entry, overflow }),
        }
    }

    /// A size use of a `u32`.
    fn count(&mut self, expr: HostExprId) -> Result<u32, Error> {
        let size = self.size(expr)?;
        u32::try_from(size).map_err(|_| self.broken(format!("{size} as a number of elements")))
    }

    fn len(&mut self, buffer: &BufferInfo) -> Result<u32, Error> {
        self.count(buffer.len)
    }

    /// A size use as an integer, for what counts.
    fn integer(&mut self, expr: HostExprId) -> Result<i128, Error> {
        let ty = self.variant.exprs.get(expr as usize).map_or(ScalarType::U32, |node| node.ty);
        Ok(Const { ty, bits: self.size(expr)? }.int())
    }

    fn data(&mut self, expr: HostExprId) -> Result<Found, Error> {
        let found = self.values.data(expr);
        found.ok_or_else(|| self.broken(format!("a use of expression {expr} before its values are set")))
    }

    fn bind(&mut self, buffer: BufferIndex, id: InstanceId) {
        self.instances[id].holders += 1;
        self.unbind(buffer);
        if let Some(slot) = self.bound.get_mut(buffer as usize) {
            *slot = Some(id);
        }
    }

    fn unbind(&mut self, buffer: BufferIndex) {
        let Some(id) = self.bound.get_mut(buffer as usize).and_then(Option::take) else { return };
        let instance = &mut self.instances[id];
        instance.holders -= 1;
        if instance.holders == 0 && instance.home == Home::Own {
            self.sink.give(id);
            if self.sink.reuses() {
                self.spare.push(id);
            }
        }
    }

    /// A new instance for a buffer that a step defines.
    fn define(&mut self, buffer: BufferIndex) -> Result<InstanceId, Error> {
        self.define_for(buffer, Lasting::Run)
    }

    fn define_for(&mut self, buffer: BufferIndex, lasting: Lasting) -> Result<InstanceId, Error> {
        let info = self.info(buffer)?;
        let len = self.len(info)?;
        let home = match info.place {
            Place::Temporary if lasting == Lasting::Run => self.home_of_temporary(buffer),
            Place::Temporary => Home::Own,
            Place::Output(output) => Home::Output(output as usize),
            Place::Param(_) => return Err(self.broken(format!("a step that defines the parameter `{}`", info.name))),
        };
        if home != Home::Own && self.instances.iter().any(|other| other.home == home && other.holders > 0) {
            return Err(self.broken(format!("`{}` where another buffer still lies", info.name)));
        }
        let instance = Instance { buffer, fields: info.fields, len, home, lasting, holders: 0 };
        let id = self.spare.last().copied().unwrap_or(self.instances.len());
        self.sink.take(id, &instance)?;
        match self.spare.pop() {
            Some(id) => self.instances[id] = instance,
            None => self.instances.push(instance),
        }
        self.bind(buffer, id);
        Ok(id)
    }

    /// The output that the buffer becomes, unless another lies there; else the module's own memory.
    fn home_of_temporary(&self, buffer: BufferIndex) -> Home {
        let output = self.destined.get(buffer as usize).copied().flatten().map(Home::Output);
        let free = |home: &Home| !self.instances.iter().any(|other| other.home == *home && other.holders > 0);
        output.filter(free).unwrap_or(Home::Own)
    }

    fn list(&mut self, outline: &Outline) -> Result<Reached, Error> {
        outline.first.iter().for_each(|&buffer| self.unbind(buffer));
        for node in &outline.nodes {
            let reached = match self.step(node) {
                Err(error) if node.inner.is_empty() => return Err(self.at(node, error)),
                other => other?,
            };
            if reached == Reached::Fetch {
                return Ok(reached);
            }
            node.after.iter().for_each(|&buffer| self.unbind(buffer));
        }
        Ok(Reached::End)
    }

    /// The error of a step, with its number.
    fn at(&self, node: &Node, mut error: Error) -> Error {
        let kernel = |launch: &Launching| self.variant.kernels.get(launch.kernel as usize).map_or("", |k| k.name);
        let name = |&buffer: &BufferIndex| self.variant.buffers.get(buffer as usize).map_or("", |b| b.name);
        let what = match node.step {
            Step::Launch(launch) => {
                if let Some(kernel) = self.variant.kernels.get(launch.kernel as usize) {
                    error = in_words_of_module(error, self.variant, kernel, |at| read_by(launch, at));
                }
                format!("launch of `{}`", kernel(launch))
            }
            Step::Fill { to, .. } => format!("fill of `{}`", name(to)),
            Step::Copy { to, .. } => format!("copy to `{}`", name(to)),
            Step::Fetch { from, .. } => format!("fetch from `{}`", name(from)),
            Step::Chain(chain) => format!("cells `{}`", name(&chain.cells)),
            Step::Check { .. } => "check".to_owned(),
            Step::If(_) => "branch".to_owned(),
            Step::Loop(_) => "loop".to_owned(),
        };
        Error::Step { entry: self.entry, step: node.number, what, source: Box::new(error) }
    }

    fn step(&mut self, node: &Node) -> Result<Reached, Error> {
        match node.step {
            Step::Launch(launch) => self.launch(node.number, launch)?,
            &Step::Fill { to, byte } => {
                let to = self.define(to)?;
                self.sink.fill(node.number, to, byte)?;
            }
            &Step::Copy { from, to } => {
                let from = self.instance(from)?;
                let to = self.define(to)?;
                self.copied(node.number, from, to)?;
            }
            &Step::Check { cond, message, found } => {
                if self.size(cond)? == 0 {
                    let found = self.data(found)?.bits;
                    return Err(Error::of_condition(self.entry, message, found));
                }
            }
            &Step::Fetch { from, index, into } => return self.fetch(from, index, into),
            Step::Chain(chain) => self.chain(node.number, chain)?,
            Step::If(branch) => {
                // The condition itself is the branch's, not a step's within.
                let holds = self.size(branch.cond).map_err(|error| self.at(node, error))? != 0;
                if self.list(&node.inner[usize::from(!holds)])? == Reached::Fetch {
                    return Ok(Reached::Fetch);
                }
                let side = |then: u32, els: u32| if holds { then } else { els };
                let buffers = branch.buffers.iter().map(|j| (j.result, side(j.then, j.els)));
                let values = branch.values.iter().map(|j| (j.result, side(j.then, j.els)));
                self.settle(node, &buffers.collect::<Vec<_>>(), &values.collect::<Vec<_>>())?;
            }
            Step::Loop(looping) => return self.rounds(node, looping),
        }
        Ok(Reached::End)
    }

    fn chain(&mut self, step: u32, chain: &Chaining) -> Result<(), Error> {
        let once = self.device.inner().chains_in_one_pass();
        let mut set = |value, bits| self.values.set(value, Some(Found { bits, left: None }));
        set(chain.once, once.into());
        // What a kernel is given is the run's own.
        set(chain.epoch, FIRST_EPOCH);
        set(chain.patience, PATIENCE);
        self.epochs.push(chain.epoch);
        let cells = self.define_for(chain.cells, Lasting::Runs)?;
        if self.instances[cells].len > 0 { self.sink.clear(step, cells) } else { Ok(()) }
    }

    fn copied(&mut self, step: u32, from: InstanceId, to: InstanceId) -> Result<(), Error> {
        let [a, b] = [from, to].map(|id| (self.instances[id].fields, self.instances[id].len));
        if a != b {
            return Err(self.broken(format!("a copy of {} elements to {}", a.1, b.1)));
        }
        self.sink.copy(step, from, to)
    }

    fn fetch(&mut self, from: BufferIndex, index: HostExprId, into: &'static [ValueId]) -> Result<Reached, Error> {
        let (id, index) = (self.instance(from)?, self.count(index)?);
        let (fields, len) = (self.instances[id].fields, self.instances[id].len);
        if index >= len {
            let array = IndexedArray::Named(self.info(from)?.name);
            return Err(Error::OutOfRange { kernel: self.entry, array, index: index.into(), len: len.into() });
        }
        let Some(bits) = self.sink.fetch(id, index, fields)? else { return Ok(Reached::Fetch) };
        for (&value, bits) in into.iter().zip(bits) {
            self.values.set(value, Some(Found { bits, left: None }));
        }
        Ok(Reached::End)
    }
}
