//! Launches: from a kernel's constants, options and lengths to a checked [`Plan`], and from the plan and buffers to a
//! run. Everything that could be refused is refused here (`checks`), so that back ends get arguments they can trust.

mod checks;
mod options;

use std::ops::Range;
use std::slice;
use std::sync::Arc;

use obsidian_abi::assertion::{self, Failed};
use obsidian_abi::{Geometry, KernelInfo, ParamInfo, Variant};

use crate::backend::{Argument, Launch, Memory, Module, Order};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, IndexedArray};
use crate::kernel::select;
use crate::memory::{Buffer, RawBuffer};
use crate::record::{Access, Noted, Recorded, Recorder, Work};
use crate::stream::Stream;

pub use options::LaunchOptions;

pub(crate) use checks::{Signature, geometry, outputs, same_device};

/// An argument for a parameter that is not an output.
#[derive(Debug)]
pub enum Arg<'a> {
    /// For an input.
    Buffer(&'a RawBuffer),
    /// For a buffer that the kernel updates.
    Update(&'a mut RawBuffer),
    /// The bits of a scalar.
    Scalar(u64),
}

impl Arg<'_> {
    /// The buffer, of one.
    pub(crate) fn buffer(&self) -> Option<&RawBuffer> {
        match self {
            Arg::Buffer(raw) => Some(raw),
            Arg::Update(raw) => Some(raw),
            Arg::Scalar(_) => None,
        }
    }

    /// As a back end takes it. Lengths are 32 bits, by the checks of the plan.
    fn lend(&mut self) -> Argument<'_> {
        match self {
            Arg::Buffer(raw) => Argument::Read(raw.memory(), raw.len() as u32),
            Arg::Update(raw) => written(raw),
            Arg::Scalar(bits) => Argument::Scalar(*bits),
        }
    }

    /// As a recording keeps it.
    fn note(&self) -> Noted {
        match self {
            Arg::Buffer(raw) => Noted::Buffer(Access::Read, raw.id()),
            Arg::Update(raw) => Noted::Buffer(Access::Write, raw.id()),
            Arg::Scalar(bits) => Noted::Scalar(*bits),
        }
    }
}

fn written(raw: &mut RawBuffer) -> Argument<'_> {
    let len = raw.len() as u32;
    Argument::Write(raw.memory_mut(), len)
}

/// Bytes of the record of faults: two `u64`.
pub(crate) const RECORD: usize = 16;

/// A launch whose checks on lengths and device are done.
#[derive(Debug, Clone)]
pub struct Plan {
    info: &'static KernelInfo,
    variant: &'static Variant,
    geometry: Geometry,
    /// As given to `geometry`: lengths of inputs, bits of scalars.
    values: Vec<u64>,
    device: Device,
    stream: Option<Stream>,
    blocks: Option<u32>,
    /// The virtual blocks to run where that is not all of them.
    part: Option<Range<u32>>,
    module: Arc<dyn Module>,
}

/// Checks a launch: the variant, the lengths (`values`: the length of each input and the bits of each scalar, in the
/// order of the parameters), the device's limits.
///
/// # Errors
/// See the variants of [`Error`]; the kernel and the numbers are named.
pub fn plan(
    info: &'static KernelInfo,
    options: &LaunchOptions,
    device: &Device,
    values: &[u64],
) -> Result<Plan, Error> {
    let variant = select(info, &options.choice)?;
    if options.blocks == Some(0) {
        return Err(Error::ZeroBlocks { kernel: info.name });
    }
    if let Some(stream) = &options.stream {
        same_device(info.name, "the stream", device, stream.device())?;
    }
    Signature { kernel: info.name, params: variant.params, device }.check_lengths(values)?;
    let geometry = geometry(info, variant, values)?;
    let order = Order { info, variant, blocks: geometry.blocks, wanted: options.blocks };
    let module = device.inner().load(&order)?;
    Ok(Plan {
        info,
        variant,
        geometry,
        values: values.to_vec(),
        device: device.clone(),
        stream: options.stream.clone(),
        blocks: options.blocks,
        part: None,
        module,
    })
}

impl Plan {
    /// A fresh buffer for output `output`, counted from 0.
    ///
    /// # Errors
    /// Out of memory, or the driver's error.
    pub fn allocate<U: Element>(&self, output: usize) -> Result<Buffer<U>, Error> {
        let (parameter, _) = self.output(output)?;
        self.signature().same_fields(parameter, U::FIELDS)?;
        self.allocate_untyped(output).map(Buffer::new)
    }

    /// As [`Plan::allocate`], of the elements that the kernel declares.
    ///
    /// # Errors
    /// As of [`Plan::allocate`].
    pub fn allocate_untyped(&self, output: usize) -> Result<RawBuffer, Error> {
        let (parameter, len) = self.output(output)?;
        let len = usize::try_from(len).map_err(|_| Error::TooLong {
            kernel: self.info.name,
            parameter: parameter.name,
            found: len,
        })?;
        let recorded = self.stream.as_ref().is_some_and(|stream| stream.recorder().is_some());
        // Zero where no block will write it, or only when the graph is launched.
        let zero = self.geometry.blocks == 0 || recorded;
        let allocate = if zero { RawBuffer::zeroed } else { RawBuffer::unwritten };
        allocate(&self.device, parameter.fields, len, self.stream.as_ref().map(Stream::queue))
    }

    /// An output as declared, and its length.
    fn output(&self, output: usize) -> Result<(&'static ParamInfo, u64), Error> {
        let declared = outputs(self.variant.params).nth(output).zip(self.geometry.outputs.get(output).copied());
        declared.ok_or_else(|| {
            let found = format!("a request for output {output}");
            self.signature().arguments(format!("{} outputs", self.geometry.outputs.len()), found)
        })
    }

    /// Checks the arguments (`args` for inputs, updated buffers and scalars, `outs` for outputs, in the order of the parameters), then
    /// launches. On the CPU the work is done when this returns; on a stream that records the launch is only noted.
    ///
    /// # Errors
    /// See the variants of [`Error`]. Nothing is written then.
    pub fn launch(&self, args: &mut [Arg<'_>], outs: &mut [&mut RawBuffer]) -> Result<(), Error> {
        let signature = self.signature();
        let values = signature.check_args(args, &self.values)?;
        if values != self.values && geometry(self.info, self.variant, &values)? != self.geometry {
            return Err(Error::NotAsPrepared { kernel: self.info.name });
        }
        signature.check_updates(args)?;
        signature.check_outs(args, outs, self.geometry.outputs.iter().map(|&len| Some(len)))?;
        if let Some(recorder) = self.stream.as_ref().and_then(Stream::recorder) {
            return self.record(recorder, args, outs);
        }
        let blocks = self.part.clone().unwrap_or(0..self.geometry.blocks);
        if blocks.is_empty() {
            return Ok(());
        }
        let (device, queue) = (self.device.inner(), self.stream.as_ref().map(Stream::queue));
        if self.part.is_some() && !device.runs_parts() {
            let feature = "launches of a part of the blocks";
            return Err(Error::Feature { kernel: self.info.name, device: device.name().to_owned(), feature });
        }
        let mut record = None;
        if !self.variant.guarded.is_empty() {
            record.insert(device.allocate(RECORD, queue)?).fill_zero()?;
        }
        let given = args.iter_mut().map(Arg::lend).chain(outs.iter_mut().map(|out| written(out)));
        let record_of_faults = record.as_mut().map(|record| Argument::Write(slice::from_mut(record), 2));
        let args = given.chain(record_of_faults).collect();
        let order = self.order(blocks.end - blocks.start);
        // SAFETY: the module was loaded for this order. Kinds, field types, lengths, device and aliasing were checked against
        // the kernel's parameters and its geometry; `args` borrows the buffers, those that are written mutably.
        unsafe { self.module.launch(Launch { order, queue, blocks, is_part: self.part.is_some(), args })? };
        record.map_or(Ok(()), |record| faults(self.info.name, self.variant, &*record))
    }

    fn signature(&self) -> Signature<'_> {
        Signature { kernel: self.info.name, params: self.variant.params, device: &self.device }
    }

    /// What the back end is asked for.
    fn order(&self, blocks: u32) -> Order {
        Order { info: self.info, variant: self.variant, blocks, wanted: self.blocks }
    }

    /// Notes a launch whose arguments are checked.
    fn record(&self, recorder: &Recorder, args: &[Arg<'_>], outs: &[&mut RawBuffer]) -> Result<(), Error> {
        let refuse = |reason| Err(Error::NotRecordable { what: format!("kernel `{}`", self.info.name), reason });
        if !self.variant.guarded.is_empty() {
            return refuse(
                "it uses indices from data, and what its guards find is asked for after each launch; launch it by itself",
            );
        }
        if self.part.is_some() {
            return refuse("it is launched on several devices, and a graph is of one stream");
        }
        let outs = outs.iter().map(|out| Noted::Buffer(Access::Write, out.id()));
        let names = self.variant.params.iter().map(|parameter| parameter.name);
        let args = names.zip(args.iter().map(Arg::note).chain(outs)).collect();
        let work = Work::Launch(self.order(self.geometry.blocks), Arc::clone(&self.module));
        recorder.add(Recorded { name: self.info.name, work, args })
    }

    /// The length of output `output`, counted from 0.
    pub fn output_len(&self, output: usize) -> Option<u64> {
        self.geometry.outputs.get(output).copied()
    }

    /// Rows and columns of output `output`, counted from 0, which is a matrix.
    pub fn shape(&self, output: usize) -> (u64, u64) {
        let shape = self.geometry.matrices.iter().find(|shape| shape.output == output);
        shape.map_or((0, 0), |shape| (shape.rows, shape.cols))
    }

    /// The number of virtual blocks.
    pub(crate) fn blocks(&self) -> u32 {
        self.geometry.blocks
    }

    /// The same launch of these virtual blocks alone; they are among those of the launch.
    ///
    /// # Errors
    /// The driver's, where the part asks for another program than the whole.
    pub(crate) fn of_part(self, part: Range<u32>) -> Result<Plan, Error> {
        let module = self.device.inner().load(&self.order(part.end - part.start))?;
        Ok(Plan { part: Some(part), module, ..self })
    }

    /// The elements of output `output` that the plan's blocks write, where that is known.
    pub(crate) fn written(&self, output: usize) -> Option<Range<usize>> {
        let len = usize::try_from(self.output_len(output)?).ok()?;
        let Some(part) = &self.part else { return Some(0..len) };
        let per_block = (*self.variant.parts.get(output)?)? as usize;
        let end = |block: u32| (block as usize).saturating_mul(per_block).min(len);
        Some(end(part.start)..end(part.end))
    }
}

/// The error of what the guards of a kernel have recorded, if anything.
pub(crate) fn faults(kernel: &'static str, variant: &'static Variant, record: &dyn Memory) -> Result<(), Error> {
    let (mut what, mut len) = ([0; 8], [0; 8]);
    record.read(0, &mut what)?;
    record.read(8, &mut len)?;
    let (what, len) = (u64::from_ne_bytes(what), u64::from_ne_bytes(len));
    let Some(number) = (what >> 32).checked_sub(1) else { return Ok(()) };
    let array = usize::try_from(number).ok().and_then(|n| variant.guarded.get(n));
    if let Some(Failed { message, place }) =
        array.and_then(|entry| assertion::failed(entry, what & u64::from(u32::MAX)))
    {
        return Err(Error::Assertion { kernel, place, message });
    }
    let array = array.map_or(IndexedArray::Computed, |entry| IndexedArray::of_entry(entry));
    Err(Error::OutOfRange { kernel, array, index: what & u64::from(u32::MAX), len })
}

#[cfg(test)]
mod tests;
