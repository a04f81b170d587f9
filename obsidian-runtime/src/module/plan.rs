//! A module's run, planned: what is checked and allocated before, and how a run is begun. In: constants, options, lengths; out: a
//! [`ModulePlan`], which takes buffers.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use obsidian_abi::module::{HostExprId, HostValues, MatrixInfo, ModuleInfo, ModuleVariant, Place};
use obsidian_abi::{ParamInfo, Shape};

use super::execute::{Fields, Given, Target, guarded, record};
use super::live::{Live, Pool};
use super::outline::{Outline, defines};
use super::prepare::{Dry, Loader, Recording};
use super::replay::Replay;
use super::walk::{Home, Lasting, Reached, Walk};
use crate::backend::{Memory, Queue, locked};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::kernel::select_module;
use crate::launch::{Arg, LaunchOptions, Signature, outputs, same_device};
use crate::memory::{Buffer, RawBuffer};
use crate::stream::Stream;

/// A run of a module whose checks on lengths and device are done, with its temporary memory.
pub struct ModulePlan {
    pub(super) info: &'static ModuleInfo,
    pub(super) variant: &'static ModuleVariant,
    pub(super) device: Device,
    pub(super) stream: Option<Stream>,
    pub(super) queue: Arc<dyn Queue>,
    pub(super) blocks: Option<u32>,
    /// Lengths of inputs, bits of scalars.
    pub(super) values: Vec<u64>,
    pub(super) outline: Outline,
    /// The length of each output, where it is known before the run.
    pub(super) lens: Vec<Option<u64>>,
    /// Of each output that is a matrix its number, rows and columns.
    shapes: Vec<Shape>,
    /// What is done; `None` where that is found out at each run.
    pub(super) recording: Option<Recording>,
    /// The part of each instance in the module's own memory.
    pub(super) part_of: Vec<usize>,
    pub(super) held: Mutex<Held>,
}

/// Memory that a plan keeps. A run has all of it to itself.
pub(super) struct Held {
    // Parts go before what they are parts of.
    parts: Vec<Fields>,
    _whole: Option<Box<dyn Memory>>,
    pool: Pool,
    record: Option<Box<dyn Memory>>,
    /// The epoch of the last launch that took one: no cell has a later one.
    epoch: u32,
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
    let held = Mutex::new(Held { parts: Vec::new(), _whole: None, pool: Pool::default(), record: None, epoch: 0 });
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
        shapes: Vec::new(),
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
    matches!(place, Some(Place::Output(_))) && defines(variant.steps, buffer)
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
        self.lens = self.output_lens(&self.values, recording.as_ref())?;
        self.shapes = self.output_shapes(&self.values)?;
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
                clear_cells(recording, &self.part_of, &mut held.parts, &*queue)?;
            }
            None if bytes > 0 => held.pool.grow(bytes, &device, &*queue)?,
            None => {}
        }
        self.recording = recording;
        Ok(())
    }

    /// Makes the parts anew, of a recording that a test has changed.
    #[cfg(test)]
    pub(super) fn respread(&mut self) -> Result<(), Error> {
        let held = self.held.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let (Some(recording), Some(whole)) = (&self.recording, &held._whole) {
            (self.part_of, held.parts) = parts(recording, &**whole, &*self.queue)?;
        }
        Ok(())
    }

    /// The length of each output, where lengths and scalars of the arguments tell it, or a dry run to the end has found it.
    fn output_lens(&self, values: &[u64], recording: Option<&Recording>) -> Result<Vec<Option<u64>>, Error> {
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
            let size = size.map_err(|overflow| Error::Overflow { kernel: self.info.name, overflow })?;
            // Where no fetch is on the way, branches and what they join are settled.
            let found = || recording?.instances.iter().find(|instance| instance.home == Home::Output(at));
            Ok(size.or_else(|| found().map(|instance| instance.len.into())))
        };
        (0..outputs(variant.params).count()).map(len).collect()
    }

    /// The shape of each output that is a matrix.
    fn output_shapes(&self, values: &[u64]) -> Result<Vec<Shape>, Error> {
        let variant = self.variant;
        let mut host = HostValues::new(variant.exprs, values, variant.variables.len());
        let mut side = |e: HostExprId| {
            let size = host.size(e, |value| variant.value_name(value));
            let size = size.map_err(|overflow| Error::Overflow { kernel: self.info.name, overflow })?;
            size.ok_or_else(|| {
                let (expected, found) = ("a shape that the arguments tell", "one that follows from what is fetched");
                Error::Arguments { kernel: self.info.name, expected: expected.to_owned(), found: found.to_owned() }
            })
        };
        let shape = |m: &MatrixInfo| Ok(Shape { output: m.output, rows: side(m.rows)?, cols: side(m.cols)? });
        variant.matrices.iter().map(shape).collect()
    }

    /// A fresh buffer for output `output`, counted from 0. Where its length comes of a fetch, the run makes it.
    ///
    /// # Errors
    /// Out of memory, or the driver's error.
    pub fn allocate<U: Element>(&self, output: usize) -> Result<Buffer<U>, Error> {
        self.signature().same_fields(self.output(output)?.0, U::FIELDS)?;
        self.allocate_untyped(output).map(Buffer::new)
    }

    /// As [`ModulePlan::allocate`], of the elements that the module declares.
    ///
    /// # Errors
    /// As of [`ModulePlan::allocate`].
    pub fn allocate_untyped(&self, output: usize) -> Result<RawBuffer, Error> {
        let (parameter, len) = self.output(output)?;
        let Some(len) = len else { return Ok(RawBuffer::pending(&self.device, parameter.fields)) };
        let recorded = self.stream.as_ref().is_some_and(|stream| stream.recorder().is_some());
        // Zero where it is written only when the graph is launched.
        let allocate = if recorded { RawBuffer::zeroed } else { RawBuffer::unwritten };
        allocate(&self.device, parameter.fields, len as usize, Some(&*self.queue))
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
        let Held { parts, pool, record, epoch, .. } = &mut *held;
        if let Some(record) = record {
            record.fill(0, &*self.queue)?;
        }
        let mut target = Target { device: &self.device, queue: &*self.queue, record: record.as_mut() };
        let (given, loader) = (Given::new(args, outs), Loader::new(&self.device, self.blocks));
        if let Some(recording) = changed.as_ref().or(self.recording.as_ref()) {
            if epoch.checked_add(recording.epochs()).is_none() {
                clear_cells(recording, &self.part_of, parts, &*self.queue)?;
                *epoch = 0;
            }
            let recording = (recording, &*self.part_of);
            let mut replay = Replay::new(self.named(), recording, (given, *epoch), parts, loader);
            let done = replay.run(&mut target);
            *epoch = replay.epoch;
            return done;
        }
        pool.clear(self.device.inner().part_alignment());
        let sink = Live::new(self.named(), (target, given), pool, loader, self.spoils());
        let mut walk = Walk::new(self.named(), &self.device, &values, sink)?;
        walk.sink.know(&walk.instances);
        walk.run(&self.outline).map(|_| ())
    }

    /// What is done for other scalars than the prepared ones, where memory and launches stay as they are.
    fn changed(&self, values: &[u64]) -> Result<Option<Recording>, Error> {
        let (recording, _) = self.dry(values)?;
        let alike = match (&recording, &self.recording) {
            (Some(now), Some(then)) => now.is_alike(then),
            (None, None) => true,
            _ => false,
        };
        let fits = |plan: &Self| {
            let lens = plan.output_lens(values, recording.as_ref())?;
            Ok::<bool, Error>(lens == plan.lens && plan.output_shapes(values)? == plan.shapes)
        };
        if alike && fits(self)? {
            return Ok(recording);
        }
        Err(Error::NotAsPrepared { kernel: self.info.name })
    }

    /// The length of output `output`, counted from 0, where it is known before the run.
    pub fn output_len(&self, output: usize) -> Option<u64> {
        self.lens.get(output).copied().flatten()
    }

    /// Rows and columns of output `output`, counted from 0, which is a matrix.
    pub fn shape(&self, output: usize) -> (u64, u64) {
        let shape = self.shapes.iter().find(|shape| shape.output == output);
        shape.map_or((0, 0), |shape| (shape.rows, shape.cols))
    }

    /// Bytes of temporary memory.
    pub fn temporary_bytes(&self) -> u64 {
        self.recording.as_ref().map_or_else(|| locked(&self.held).pool.bytes(), |recording| recording.bytes as u64)
    }
}

/// Makes the cells of chains zero.
fn clear_cells(recording: &Recording, part_of: &[usize], parts: &mut [Fields], queue: &dyn Queue) -> Result<(), Error> {
    for (instance, &part) in recording.instances.iter().zip(part_of) {
        if instance.lasting == Lasting::Runs
            && instance.len > 0
            && let Some(fields) = parts.get_mut(part)
        {
            fields.iter_mut().try_for_each(|field| field.fill(0, queue))?;
        }
    }
    Ok(())
}

/// Parts of the module's own memory, each once, and the part of each instance that lies there.
pub(super) fn parts(
    recording: &Recording,
    whole: &dyn Memory,
    queue: &dyn Queue,
) -> Result<(Vec<usize>, Vec<Fields>), Error> {
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
