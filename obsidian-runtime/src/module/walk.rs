//! The one interpreter of a module's steps: host control, launch values, which buffer is which memory. In: steps and values;
//! out: launches, fills, copies and fetches for a [`Sink`], which only notes them (`prepare`) or does them (`execute`).

use obsidian_abi::module::{
    BufferIndex, BufferInfo, Found, HostExprId, HostValues, LaunchArg, Launching, Looping, ModuleVariant, Place, Step,
    ValueId,
};
use obsidian_abi::{Const, KernelInfo, ParamKind, ScalarType, Variant};

use super::outline::{Node, Outline};
use crate::device::Device;
use crate::error::Error;
use crate::launch::{Signature, geometry};

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
    /// How many buffers are bound to it.
    holders: u32,
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

/// An argument of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    Read(InstanceId),
    Write(InstanceId),
    Scalar(u64),
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
        let mut walk = Walk { entry, variant, device, values, bound, instances: Vec::new(), spare: Vec::new(), sink };
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
                    self.instances.push(Instance { buffer, fields: self.info(buffer)?.fields, len, home, holders: 1 });
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
        let info = self.info(buffer)?;
        let len = self.len(info)?;
        let home = match info.place {
            Place::Temporary => Home::Own,
            Place::Output(output) => Home::Output(output as usize),
            Place::Param(_) => return Err(self.broken(format!("a step that defines the parameter `{}`", info.name))),
        };
        if home != Home::Own && self.instances.iter().any(|other| other.home == home && other.holders > 0) {
            return Err(self.broken(format!("`{}` where another buffer still lies", info.name)));
        }
        let instance = Instance { buffer, fields: info.fields, len, home, holders: 0 };
        let id = self.spare.last().copied().unwrap_or(self.instances.len());
        self.sink.take(id, &instance)?;
        match self.spare.pop() {
            Some(id) => self.instances[id] = instance,
            None => self.instances.push(instance),
        }
        self.bind(buffer, id);
        Ok(id)
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
    fn at(&self, node: &Node, error: Error) -> Error {
        let kernel = |launch: &Launching| self.variant.kernels.get(launch.kernel as usize).map_or("", |k| k.name);
        let name = |&buffer: &BufferIndex| self.variant.buffers.get(buffer as usize).map_or("", |b| b.name);
        let what = match node.step {
            Step::Launch(launch) => format!("launch of `{}`", kernel(launch)),
            Step::Fill { to, .. } => format!("fill of `{}`", name(to)),
            Step::Copy { to, .. } => format!("copy to `{}`", name(to)),
            Step::Fetch { from, .. } => format!("fetch from `{}`", name(from)),
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
                    return Err(Error::Condition { kernel: self.entry, condition: message, found });
                }
            }
            &Step::Fetch { from, index, into } => return self.fetch(from, index, into),
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

    fn rounds(&mut self, node: &Node, looping: &'static Looping) -> Result<Reached, Error> {
        let told = |walk: &Self, error| walk.at(node, error);
        let mut counter = None;
        if let Some(count) = looping.counter {
            let ends = (self.integer(count.from), self.integer(count.to));
            let from = ends.0.map_err(|e| told(self, e))?;
            let to = ends.1.map_err(|e| told(self, e))?;
            counter = Some((count.variable, from..to));
        }
        let capacity: Vec<u32> = {
            let lens = looping.buffers.iter().map(|c| Ok(self.instances[self.instance(c.init)?].len));
            lens.collect::<Result<_, Error>>().map_err(|e| told(self, e))?
        };
        self.carry(looping, |c| c.init, |v| v.init).map_err(|e| told(self, e))?;
        loop {
            if let Some((variable, rounds)) = &mut counter {
                let Some(value) = rounds.next() else { break };
                self.values.set(*variable, Some(Found { bits: value as u64, left: None }));
            }
            if self.list(&node.inner[0])? == Reached::Fetch {
                return Ok(Reached::Fetch);
            }
            if let Some(test) = looping.test
                && self.size(test).map_err(|e| told(self, e))? == 0
            {
                break;
            }
            if self.list(&node.inner[1])? == Reached::Fetch {
                return Ok(Reached::Fetch);
            }
            for (carried, &capacity) in looping.buffers.iter().zip(&capacity) {
                let next = self.instance(carried.next).map_err(|e| told(self, e))?;
                let found = self.instances[next].len;
                if found > capacity {
                    let buffer = self.info(carried.result)?.name;
                    return Err(told(self, Error::Grown { kernel: self.entry, buffer, capacity, found }));
                }
            }
            self.carry(looping, |c| c.next, |v| v.next).map_err(|e| told(self, e))?;
        }
        let buffers: Vec<_> = looping.buffers.iter().map(|c| (c.result, c.inside)).collect();
        // Variables are joined by their values, which no expression need name.
        for carried in looping.values {
            let found = self.values.value(carried.inside);
            self.values.set(carried.result, found);
        }
        self.settle(node, &buffers, &[])?;
        Ok(Reached::End)
    }

    /// Binds what a round begins with, all at once.
    fn carry(
        &mut self,
        looping: &'static Looping,
        buffer: impl Fn(&obsidian_abi::module::CarriedBuffer) -> BufferIndex,
        value: impl Fn(&obsidian_abi::module::CarriedValue) -> HostExprId,
    ) -> Result<(), Error> {
        let buffers = looping.buffers.iter().map(|c| Ok((c.inside, self.instance(buffer(c))?)));
        let buffers = buffers.collect::<Result<Vec<_>, Error>>()?;
        let values = looping.values.iter().map(|v| Ok((v.inside, self.data(value(v))?)));
        let values = values.collect::<Result<Vec<_>, Error>>()?;
        for &(_, id) in &buffers {
            self.instances[id].holders += 1;
        }
        for &(inside, id) in &buffers {
            self.bind(inside, id);
            self.instances[id].holders -= 1;
        }
        for (inside, found) in values {
            self.values.set(inside, Some(found));
        }
        Ok(())
    }

    /// Defines what a branch or a loop leaves: buffers by others, variables by expressions.
    fn settle(
        &mut self,
        node: &Node,
        buffers: &[(BufferIndex, BufferIndex)],
        values: &[(ValueId, HostExprId)],
    ) -> Result<(), Error> {
        let found = values.iter().map(|&(result, expr)| Ok((result, self.data(expr)?)));
        for (result, found) in found.collect::<Result<Vec<_>, Error>>().map_err(|e| self.at(node, e))? {
            self.values.set(result, Some(found));
        }
        for &(result, from) in buffers {
            self.leave(node.number, result, from).map_err(|error| self.at(node, error))?;
        }
        Ok(())
    }

    /// Defines a buffer that is another one: the same memory, but for what the caller wants in a buffer of his.
    fn leave(&mut self, step: u32, result: BufferIndex, from: BufferIndex) -> Result<(), Error> {
        let (id, info) = (self.instance(from)?, self.info(result)?);
        let len = self.len(info)?;
        if self.instances[id].len != len || self.instances[id].fields != info.fields {
            let found = self.instances[id].len;
            return Err(self.broken(format!("{found} elements for `{}`, which has {len}", info.name)));
        }
        let Place::Output(output) = info.place else {
            self.bind(result, id);
            return Ok(());
        };
        let (output, home) = (output as usize, self.instances[id].home);
        if home != Home::Output(output) {
            let free = self.instances.iter().all(|other| other.home != Home::Output(output));
            if !(home == Home::Own && free && self.sink.moves(id, output)) {
                let to = self.define(result)?;
                return self.copied(step, id, to);
            }
            self.instances[id].home = Home::Output(output);
        }
        self.bind(result, id);
        Ok(())
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
            let array = self.info(from)?.name;
            return Err(Error::OutOfRange { kernel: self.entry, array, index: index.into(), len: len.into() });
        }
        let Some(bits) = self.sink.fetch(id, index, fields)? else { return Ok(Reached::Fetch) };
        for (&value, bits) in into.iter().zip(bits) {
            self.values.set(value, Some(Found { bits, left: None }));
        }
        Ok(Reached::End)
    }

    fn launch(&mut self, step: u32, launch: &'static Launching) -> Result<(), Error> {
        let kernel = self.variant.kernels.get(launch.kernel as usize).copied();
        let kernel = kernel.ok_or_else(|| self.broken(format!("kernel {}, which there is not", launch.kernel)))?;
        let Some(variant) = kernel.variants.first().filter(|v| v.params.len() == launch.args.len()) else {
            return Err(self.broken(format!("{} arguments for `{}`", launch.args.len(), kernel.name)));
        };
        let blocks = self.count(launch.blocks)?;
        let args = self.passed((kernel, variant), launch)?;
        self.check(kernel, variant, blocks, &args)?;
        if blocks == 0 {
            // Nobody writes what it defines.
            let written = variant.params.iter().zip(&args).filter(|(param, _)| param.kind == ParamKind::Output);
            return written.into_iter().try_for_each(|(_, arg)| match *arg {
                Passed::Write(id) if self.instances[id].len > 0 => self.sink.fill(step, id, 0),
                _ => Ok(()),
            });
        }
        self.sink.launch(Launched { step, kernel, blocks, args })
    }

    /// The arguments of a launch: what it defines is bound, and what it reads may end there only after it.
    fn passed(
        &mut self,
        (kernel, variant): (&'static KernelInfo, &'static Variant),
        launch: &'static Launching,
    ) -> Result<Vec<Passed>, Error> {
        let mut args = Vec::with_capacity(launch.args.len());
        for (param, arg) in variant.params.iter().zip(launch.args) {
            args.push(match (param.kind, *arg) {
                (ParamKind::Input(_), LaunchArg::Read(buffer)) => Passed::Read(self.instance(buffer)?),
                (ParamKind::Scalar, LaunchArg::Scalar(expr)) => Passed::Scalar(self.data(expr)?.bits),
                (ParamKind::Output, LaunchArg::Write(buffer)) => Passed::Write(self.define(buffer)?),
                (ParamKind::InOut(_), LaunchArg::Update(before, after)) => {
                    let id = self.instance(before)?;
                    if self.instances[id].holders > 1 {
                        return Err(
                            self.broken(format!("an update of `{}`, which others share", self.info(before)?.name))
                        );
                    }
                    if let Home::Argument(argument) = self.instances[id].home {
                        let declared = self.variant.arguments().nth(argument);
                        if !declared.is_some_and(|param| matches!(param.kind, ParamKind::InOut(_))) {
                            return Err(self.broken(format!("an update of the input `{}`", self.info(before)?.name)));
                        }
                    }
                    self.bind(after, id);
                    Passed::Write(id)
                }
                _ => return Err(self.broken(format!("another argument for `{}` of `{}`", param.name, kernel.name))),
            });
        }
        Ok(args)
    }

    /// Whether the kernel's own geometry accepts the arguments and says the same of them as the module.
    fn check(
        &self,
        kernel: &'static KernelInfo,
        variant: &'static Variant,
        blocks: u32,
        args: &[Passed],
    ) -> Result<(), Error> {
        let (mut values, mut lens) = (Vec::new(), Vec::new());
        for (param, arg) in variant.params.iter().zip(args) {
            let (Passed::Read(id) | Passed::Write(id)) = *arg else {
                if let Passed::Scalar(bits) = *arg {
                    values.push(bits);
                }
                continue;
            };
            let instance = &self.instances[id];
            if instance.fields != param.fields {
                return Err(self.broken(format!("elements {:?} for `{}`", instance.fields, param.name)));
            }
            (if param.kind == ParamKind::Output { &mut lens } else { &mut values }).push(u64::from(instance.len));
            let shares = |other: &Passed| match *other {
                Passed::Read(other) | Passed::Write(other) => other == id,
                Passed::Scalar(_) => false,
            };
            if matches!(arg, Passed::Write(_)) && args.iter().filter(|other| shares(other)).count() > 1 {
                return Err(self.broken(format!("`{}` twice in a launch that writes it", param.name)));
            }
        }
        Signature { kernel: kernel.name, params: variant.params, device: self.device }.check_lengths(&values)?;
        let own = geometry(kernel, variant, &values)?;
        if own.blocks != blocks || own.outputs != lens {
            let found = format!("{blocks} blocks and outputs of {lens:?}, not {} and {:?}", own.blocks, own.outputs);
            return Err(self.broken(found));
        }
        Ok(())
    }
}
