//! Entries at `Device`: several launches, their temporary memory, what the host decides between them. In: a module's constants,
//! options and lengths; out: a checked [`ModulePlan`], and from that and buffers a run. Steps are data, which `walk` interprets;
//! `prepare` notes what they ask for, lays memory out once (`arena`), and `execute` does it.

mod arena;
mod execute;
mod outline;
mod prepare;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use obsidian_abi::module::{HostValues, ModuleInfo, ModuleVariant, Place};
use obsidian_abi::{ParamInfo, ParamValue};

use crate::backend::{Memory, Queue, locked};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::kernel::{Kernel, select_module};
use crate::launch::{Arg, LaunchOptions, Signature, outputs, same_device};
use crate::memory::{Buffer, RawBuffer};
use crate::record::{Access, Kept, Noted, Recorded, Recorder, Work};
use crate::stream::Stream;

use execute::{Fields, Given, Live, Pool, Replay, Target, guarded, record};
use outline::Outline;
use prepare::{Command, Dry, Loader, Recording};
use walk::{Home, Passed, Reached, Walk};

/// A compiled entry at `Device`: a program of several launches.
#[derive(Debug, Clone, Copy)]
pub struct Module {
    info: &'static ModuleInfo,
}

impl Module {
    /// Wraps the constants that the macro embeds.
    #[doc(hidden)]
    pub const fn new(info: &'static ModuleInfo) -> Module {
        Module { info }
    }

    /// The constants.
    #[doc(hidden)]
    pub const fn info(&self) -> &'static ModuleInfo {
        self.info
    }

    /// The entry's name in source.
    pub const fn name(&self) -> &'static str {
        self.info.name
    }

    /// The printed IR of the first variant: kernels, buffers and steps.
    pub const fn ir(&self) -> &'static str {
        self.info.variants[0].ir
    }

    /// What the first variant costs on a GPU, as a table.
    pub const fn report(&self) -> &'static str {
        self.info.variants[0].report
    }

    /// Real threads per block of the first variant's kernels.
    pub const fn threads(&self) -> u32 {
        self.info.variants[0].threads
    }

    /// The kernels of the first variant, each with its texts. How many launches there are is another matter: a kernel may be
    /// launched in a loop.
    pub fn kernels(&self) -> impl ExactSizeIterator<Item = Kernel> + use<> {
        self.info.variants[0].kernels.iter().map(|&info| Kernel::new(info))
    }

    /// What the generics of each variant stand for; the first is the default.
    pub fn variants(&self) -> impl ExactSizeIterator<Item = &'static [(&'static str, ParamValue)]> + use<> {
        self.info.variants.iter().map(|variant| variant.values)
    }
}

/// A run of a module whose checks on lengths and device are done, with its temporary memory.
pub struct ModulePlan {
    info: &'static ModuleInfo,
    variant: &'static ModuleVariant,
    device: Device,
    stream: Option<Stream>,
    queue: Arc<dyn Queue>,
    blocks: Option<u32>,
    /// Lengths of inputs, bits of scalars.
    values: Vec<u64>,
    outline: Outline,
    /// The length of each output, where it is known before the run.
    lens: Vec<Option<u64>>,
    /// What is done; `None` where that is found out at each run.
    recording: Option<Recording>,
    /// The part of each instance in the module's own memory.
    part_of: Vec<usize>,
    held: Mutex<Held>,
}

/// Memory that a plan keeps. A run has all of it to itself.
struct Held {
    // Parts go before what they are parts of.
    parts: Vec<Fields>,
    _whole: Option<Box<dyn Memory>>,
    pool: Pool,
    record: Option<Box<dyn Memory>>,
}

impl fmt::Debug for ModulePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModulePlan(`{}` on {:?})", self.info.name, self.device)
    }
}

/// Checks a run up to its first fetch, and allocates its temporary memory: the variant, the lengths (`values`: the length of each
/// input and the bits of each scalar, in the order of the parameters), the device's limits.
///
/// # Errors
/// See the variants of [`Error`]; the entry, the step and the numbers are named.
pub fn plan(
    info: &'static ModuleInfo,
    options: &LaunchOptions,
    device: &Device,
    values: &[u64],
) -> Result<ModulePlan, Error> {
    let variant = select_module(info, &options.choice)?;
    if options.blocks == Some(0) {
        return Err(Error::ZeroBlocks { kernel: info.name });
    }
    if let Some(stream) = &options.stream {
        same_device(info.name, "the stream", device, stream.device())?;
    }
    Signature { kernel: info.name, params: variant.params, device }.check_lengths(values)?;
    let kept: Vec<u32> = (0..variant.buffers.len() as u32).filter(|&b| is_result(variant, b)).collect();
    let outline = Outline::of(variant.steps, &kept).map_err(|found| {
        let expected = "steps that fit together".to_owned();
        Error::Arguments { kernel: info.name, expected, found }
    })?;
    let stream = options.stream.clone();
    let queue = stream.as_ref().map_or_else(|| device.inner().default_queue(), |s| Arc::clone(s.shared_queue()));
    let held = Mutex::new(Held { parts: Vec::new(), _whole: None, pool: Pool::default(), record: None });
    let mut plan = ModulePlan {
        info,
        variant,
        device: device.clone(),
        stream,
        queue,
        blocks: options.blocks,
        values: values.to_vec(),
        outline,
        lens: Vec::new(),
        recording: None,
        part_of: Vec::new(),
        held,
    };
    plan.prepare()?;
    Ok(plan)
}

/// Whether a buffer is a result and defined by no step within another.
fn is_result(variant: &ModuleVariant, buffer: u32) -> bool {
    let place = variant.buffers.get(buffer as usize).map(|buffer| buffer.place);
    matches!(place, Some(Place::Output(_))) && outline::defines(variant.steps, buffer)
}

impl ModulePlan {
    fn signature(&self) -> Signature<'_> {
        Signature { kernel: self.info.name, params: self.variant.params, device: &self.device }
    }

    fn named(&self) -> (&'static str, &'static ModuleVariant) {
        (self.info.name, self.variant)
    }

    /// Debug builds spoil fresh memory, where it is the host's.
    fn spoils(&self) -> bool {
        cfg!(any(test, debug_assertions))
    }

    /// The dry run for these values: what is done, or nothing where it is too much or something is fetched; and as much of the
    /// module's own memory as it saw.
    fn dry(&self, values: &[u64]) -> Result<(Option<Recording>, usize), Error> {
        let loader = Loader::new(&self.device, self.blocks);
        let sink = Dry::new(loader, self.device.inner().part_alignment(), self.spoils());
        let mut walk = Walk::new(self.named(), &self.device, values, sink)?;
        let reached = walk.run(&self.outline)?;
        let Walk { instances, sink, .. } = walk;
        match reached {
            Reached::End => Ok((sink.finish(instances)?, 0)),
            Reached::Fetch => Ok((None, sink.bytes(&instances)?)),
        }
    }

    fn prepare(&mut self) -> Result<(), Error> {
        let (recording, bytes) = self.dry(&self.values)?;
        self.lens = self.output_lens(&self.values)?;
        let (device, queue) = (self.device.clone(), Arc::clone(&self.queue));
        let held = self.held.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        if guarded(self.variant.kernels) {
            held.record = Some(record(&device, &*queue)?);
        }
        match &recording {
            Some(recording) => {
                let whole = device.inner().allocate(recording.bytes, Some(&*queue))?;
                (self.part_of, held.parts) = parts(recording, &*whole, &*queue)?;
                held._whole = Some(whole);
            }
            None if bytes > 0 => held.pool.grow(bytes, &device, &*queue)?,
            None => {}
        }
        self.recording = recording;
        Ok(())
    }

    /// Makes the parts anew, of a recording that a test has changed.
    #[cfg(test)]
    fn respread(&mut self) -> Result<(), Error> {
        let held = self.held.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let (Some(recording), Some(whole)) = (&self.recording, &held._whole) {
            (self.part_of, held.parts) = parts(recording, &**whole, &*self.queue)?;
        }
        Ok(())
    }

    /// The length of each output, where lengths and scalars of the arguments tell it.
    fn output_lens(&self, values: &[u64]) -> Result<Vec<Option<u64>>, Error> {
        let variant = self.variant;
        let mut host = HostValues::new(variant.exprs, values, variant.variables.len());
        let len = |at: usize| {
            let mut results = (0..variant.buffers.len() as u32).filter(|&buffer| {
                variant.buffers[buffer as usize].place == Place::Output(at as u32) && is_result(variant, buffer)
            });
            let Some(buffer) = results.next().and_then(|buffer| variant.buffers.get(buffer as usize)) else {
                let (expected, found) = ("a buffer for each result".to_owned(), format!("none for result {at}"));
                return Err(Error::Arguments { kernel: self.info.name, expected, found });
            };
            let size = host.size(buffer.len, |value| variant.value_name(value));
            size.map_err(|overflow| Error::Overflow { kernel: self.info.name, overflow })
        };
        (0..outputs(variant.params).count()).map(len).collect()
    }

    /// A fresh buffer for output `output`, counted from 0. Where its length comes of a fetch, the run makes it.
    ///
    /// # Errors
    /// Out of memory, or the driver's error.
    pub fn allocate<U: Element>(&self, output: usize) -> Result<Buffer<U>, Error> {
        let (parameter, len) = self.output(output)?;
        self.signature().same_fields(parameter, U::FIELDS)?;
        let Some(len) = len else { return Ok(Buffer::new(RawBuffer::pending(&self.device, parameter.fields))) };
        let recorded = self.stream.as_ref().is_some_and(|stream| stream.recorder().is_some());
        // Zero where it is written only when the graph is launched.
        let allocate = if recorded { RawBuffer::zeroed } else { RawBuffer::unwritten };
        Ok(Buffer::new(allocate(&self.device, parameter.fields, len as usize, Some(&*self.queue))?))
    }

    /// An output as declared, and its length.
    fn output(&self, output: usize) -> Result<(&'static ParamInfo, Option<u64>), Error> {
        let declared = outputs(self.variant.params).nth(output).zip(self.lens.get(output).copied());
        declared.ok_or_else(|| {
            let found = format!("a request for output {output}");
            self.signature().arguments(format!("{} outputs", self.lens.len()), found)
        })
    }

    /// Checks the arguments (`args` for inputs, updated buffers and scalars, `outs` for outputs, in the order of the parameters),
    /// then does all steps. On the CPU the work is done when this returns; elsewhere where something is fetched or guarded.
    ///
    /// # Errors
    /// See the variants of [`Error`]. Nothing is written where a check fails that comes before the first fetch; inputs are as
    /// they were in any case, outputs may be written in part.
    pub fn launch(&self, args: &mut [Arg<'_>], outs: &mut [&mut RawBuffer]) -> Result<(), Error> {
        let signature = self.signature();
        let values = signature.check_args(args, &self.values)?;
        let changed = if values == self.values { None } else { self.changed(&values)? };
        signature.check_updates(args)?;
        signature.check_outs(args, outs, self.lens.iter().copied())?;
        if let Some(recorder) = self.stream.as_ref().and_then(Stream::recorder) {
            return self.note(recorder, changed.as_ref().or(self.recording.as_ref()), args, outs);
        }
        let mut held = locked(&self.held);
        let Held { parts, pool, record, .. } = &mut *held;
        if let Some(record) = record {
            record.fill(0, &*self.queue)?;
        }
        let mut target = Target { device: &self.device, queue: &*self.queue, record: record.as_mut() };
        let (given, loader) = (Given::new(args, outs), Loader::new(&self.device, self.blocks));
        if let Some(recording) = changed.as_ref().or(self.recording.as_ref()) {
            let recording = (recording, &*self.part_of);
            return Replay::new(self.named(), recording, given, parts, loader).run(&mut target);
        }
        pool.clear(self.device.inner().part_alignment());
        let sink = Live::new(self.named(), (target, given), pool, loader, self.spoils());
        let mut walk = Walk::new(self.named(), &self.device, &values, sink)?;
        walk.sink.know(&walk.instances);
        walk.run(&self.outline).map(|_| ())
    }

    /// Notes all that is done, with memory of the recording's own.
    fn note(
        &self,
        recorder: &Recorder,
        recording: Option<&Recording>,
        args: &[Arg<'_>],
        outs: &[&mut RawBuffer],
    ) -> Result<(), Error> {
        let what = || format!("entry `{}`", self.info.name);
        let refuse = |reason| Err(Error::NotRecordable { what: what(), reason });
        let Some(recording) = recording else {
            return refuse(
                "it fetches elements, or has too many steps, and so waits or decides while it runs; run it by itself",
            );
        };
        if guarded(self.variant.kernels) {
            return refuse(
                "it uses indices from data, and what its guards find is asked for after each launch; run it by itself",
            );
        }
        let whole = self.device.inner().allocate(recording.bytes, Some(&*self.queue))?;
        let (part_of, parts) = parts(recording, &*whole, &*self.queue)?;
        let memory = recorder.keep(self.info.name, Kept { parts, _whole: whole })?;
        let buffer = |access, id: usize| {
            let instance = &recording.instances[id];
            let names = |mut all: Box<dyn Iterator<Item = &'static ParamInfo>>, at| all.nth(at).map_or("", |p| p.name);
            match instance.home {
                Home::Own => ("", Noted::Kept(access, [memory, part_of[id]], instance.len)),
                Home::Argument(at) => {
                    let id = args.get(at).and_then(Arg::buffer).map(RawBuffer::id);
                    let noted = id.map_or(Noted::Scalar(0), |id| Noted::Buffer(access, id));
                    (names(Box::new(self.variant.arguments()), at), noted)
                }
                Home::Output(at) => {
                    let noted = outs.get(at).map_or(Noted::Scalar(0), |out| Noted::Buffer(access, out.id()));
                    (names(Box::new(outputs(self.variant.params)), at), noted)
                }
            }
        };
        let loader = Loader::new(&self.device, self.blocks);
        for command in &recording.commands {
            let (name, (work, args)) = match command {
                Command::Launch(launch, module) => {
                    let args = launch.args.iter().map(|arg| match *arg {
                        Passed::Read(id) => buffer(Access::Read, id),
                        Passed::Write(id) => buffer(Access::Write, id),
                        Passed::Scalar(bits) => ("", Noted::Scalar(bits)),
                    });
                    let work = Work::Launch(loader.order(launch.kernel, launch.blocks), Arc::clone(module));
                    (launch.kernel.name, (work, args.collect()))
                }
                &Command::Fill { to, byte, .. } => {
                    (self.info.name, (Work::Fill(byte), vec![buffer(Access::Write, to)]))
                }
                &Command::Copy { from, to, .. } => {
                    (self.info.name, (Work::Copy, vec![buffer(Access::Read, from), buffer(Access::Write, to)]))
                }
                Command::Spoil(_) => continue,
            };
            recorder.add(Recorded { name, work, args })?;
        }
        Ok(())
    }

    /// What is done for other scalars than the prepared ones, where memory and launches stay as they are.
    fn changed(&self, values: &[u64]) -> Result<Option<Recording>, Error> {
        let (recording, _) = self.dry(values)?;
        let alike = match (&recording, &self.recording) {
            (Some(now), Some(then)) => now.is_alike(then),
            (None, None) => true,
            _ => false,
        };
        if alike && self.output_lens(values)? == self.lens {
            return Ok(recording);
        }
        Err(Error::NotAsPrepared { kernel: self.info.name })
    }

    /// The length of output `output`, counted from 0, where it is known before the run.
    pub fn output_len(&self, output: usize) -> Option<u64> {
        self.lens.get(output).copied().flatten()
    }

    /// Bytes of temporary memory.
    pub fn temporary_bytes(&self) -> u64 {
        self.recording.as_ref().map_or_else(|| locked(&self.held).pool.bytes(), |recording| recording.bytes as u64)
    }
}

/// Parts of the module's own memory, each once, and the part of each instance that lies there.
fn parts(recording: &Recording, whole: &dyn Memory, queue: &dyn Queue) -> Result<(Vec<usize>, Vec<Fields>), Error> {
    let (mut part_of, mut parts) = (vec![usize::MAX; recording.instances.len()], Vec::new());
    let mut known = HashMap::new();
    for (id, (instance, ranges)) in recording.instances.iter().zip(&recording.ranges).enumerate() {
        if instance.home != Home::Own {
            continue;
        }
        if let Some(&part) = known.get(ranges) {
            part_of[id] = part;
            continue;
        }
        // SAFETY: the plan keeps the whole longer than its parts, uses them on this queue alone, and lends at one time
        // only parts of instances that live at one time, which lie apart.
        let fields = ranges.iter().map(|range| unsafe { whole.part(range.clone(), queue) });
        parts.push(fields.collect::<Result<Fields, Error>>()?);
        part_of[id] = parts.len() - 1;
        known.insert(ranges.clone(), parts.len() - 1);
    }
    Ok((part_of, parts))
}
