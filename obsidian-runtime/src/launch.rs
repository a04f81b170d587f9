//! Launches: from a kernel's constants, options and lengths to a checked [`Plan`], and from the plan and buffers to a
//! run. Everything that could be refused is refused here (`checks`), so that `cpu` and `cuda` get arguments they can trust.

mod checks;
mod recorded;

use std::ops::Range;
use std::sync::Arc;

use crate::buffer::{Buffer, RawBuffer};
#[cfg(feature = "check")]
use crate::check;
use crate::choice::select;
use crate::cpu;
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::device::{Device, Inner};
use crate::element::Element;
use crate::error::Error;
use crate::kernel::LaunchOptions;
use crate::opencl;
use crate::stream::Stream;
use obsidian_abi::{Geometry, KernelInfo, NativeArgs, ParamInfo, Variant};
pub(crate) use recorded::Recorded;

use checks::{check_lengths, geometry, outputs, same_device};

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

    /// The buffer, of one that is updated.
    #[cfg(feature = "check")]
    pub(crate) fn updated(&mut self) -> Option<&mut RawBuffer> {
        match self {
            Arg::Update(raw) => Some(raw),
            Arg::Buffer(_) | Arg::Scalar(_) => None,
        }
    }

    /// The bits of a scalar; of a buffer none.
    #[cfg(feature = "check")]
    pub(crate) fn bits(&self) -> u64 {
        match self {
            Arg::Scalar(bits) => *bits,
            Arg::Buffer(_) | Arg::Update(_) => 0,
        }
    }
}

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
    function: Function,
}

/// What the device runs.
#[derive(Debug, Clone)]
enum Function {
    Native,
    #[cfg(feature = "check")]
    Check(Arc<obsidian_ir::program::Program>),
    #[cfg(feature = "cuda")]
    Cuda(cuda::Function),
    OpenCl(Arc<opencl::Function>),
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
        same_device(info, "the stream", device, stream.device())?;
    }
    check_lengths(info, variant, values)?;
    let geometry = geometry(info, variant, values)?;
    let blocks = geometry.blocks;
    Ok(Plan {
        info,
        variant,
        geometry,
        values: values.to_vec(),
        device: device.clone(),
        stream: options.stream.clone(),
        blocks: options.blocks,
        part: None,
        function: match &device.inner {
            Inner::Cpu => Function::Native,
            #[cfg(feature = "check")]
            Inner::Check => Function::Check(check::program(info, place(info, variant))?),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => Function::Cuda(gpu.function(info.name, variant)?),
            Inner::OpenCl(accelerator) => {
                let grouping = opencl::grouping(blocks, options.blocks, variant.threads);
                Function::OpenCl(accelerator.function(info.name, variant, grouping)?)
            }
        },
    })
}

impl Plan {
    /// A fresh buffer for output `output`, counted from 0.
    ///
    /// # Errors
    /// Out of memory, or the driver's error.
    pub fn allocate<U: Element>(&self, output: usize) -> Result<Buffer<U>, Error> {
        let (parameter, _) = self.output(output)?;
        self.same_fields(parameter, U::FIELDS)?;
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
        let mut raw = RawBuffer::unwritten(&self.device, parameter.fields, len, self.stream.as_ref())?;
        let recorded = self.stream.as_ref().is_some_and(|stream| stream.recorder().is_some());
        if self.geometry.blocks == 0 || recorded {
            // No block will write it, or only when the graph is launched.
            raw.fill_zero()?;
        }
        Ok(raw)
    }

    /// An output as declared, and its length.
    fn output(&self, output: usize) -> Result<(&'static ParamInfo, u64), Error> {
        let declared = outputs(self.variant).nth(output).zip(self.geometry.outputs.get(output).copied());
        declared.ok_or_else(|| {
            let found = format!("a request for output {output}");
            self.arguments(format!("{} outputs", self.geometry.outputs.len()), found)
        })
    }

    /// Checks the arguments (`args` for inputs, updated buffers and scalars, `outs` for outputs, in the order of the parameters), then
    /// launches. On the CPU the work is done when this returns; on a stream that records the launch is only noted.
    ///
    /// # Errors
    /// See the variants of [`Error`]. Nothing is written then.
    pub fn launch(&self, args: &mut [Arg<'_>], outs: &mut [&mut RawBuffer]) -> Result<(), Error> {
        self.check_args(args)?;
        self.check_updates(args)?;
        self.check_outs(args, outs)?;
        if let Some((stream, recorder)) = self.stream.as_ref().and_then(|stream| Some((stream, stream.recorder()?))) {
            return self.record(stream, recorder, (args, outs));
        }
        let Range { start: first, end } = self.part.clone().unwrap_or(0..self.geometry.blocks);
        let blocks = end - first;
        if blocks == 0 {
            return Ok(());
        }
        match (&self.device.inner, &self.function) {
            #[cfg(feature = "cuda")]
            (Inner::Cuda(gpu), Function::Cuda(function)) => {
                if self.part.is_some() {
                    let feature = "launches of a part of the blocks";
                    return Err(Error::Feature { kernel: self.info.name, device: gpu.name().to_owned(), feature });
                }
                let launch = cuda::Launch {
                    function,
                    queue: self.stream.as_ref().and_then(Stream::queue).map(Arc::as_ref),
                    blocks,
                    wanted: self.blocks,
                    threads: self.variant.threads,
                    guarded: !self.variant.guarded.is_empty(),
                };
                self.in_range(launch.run(gpu, self.info.name, self.variant.params, args, outs)?)
            }
            (Inner::OpenCl(accelerator), Function::OpenCl(function)) => {
                let launch = opencl::Launch {
                    function,
                    queue: self.stream.as_ref().and_then(Stream::opencl_queue),
                    blocks,
                    skipped: self.part.as_ref().map(|part| part.start),
                    wanted: self.blocks,
                    threads: self.variant.threads,
                    guarded: !self.variant.guarded.is_empty(),
                };
                self.in_range(launch.run(accelerator, self.info.name, self.variant.params, args, outs)?)
            }
            #[cfg(feature = "check")]
            (Inner::Check, Function::Check(program)) => {
                if self.part.is_some() {
                    let (device, feature) = (self.device.name().to_owned(), "launches of a part of the blocks");
                    return Err(Error::Feature { kernel: self.info.name, device, feature });
                }
                check::run(self.info, program, args, outs)
            }
            (Inner::Cpu, Function::Native) => self.run_on_cpu(first..end, args, outs),
            // A plan's function is made for its device.
            _ => Err(self.arguments("a function of the device".into(), "another's".into())),
        }
    }

    /// The length of output `output`, counted from 0.
    pub fn output_len(&self, output: usize) -> Option<u64> {
        self.geometry.outputs.get(output).copied()
    }

    /// The number of virtual blocks.
    pub(crate) fn blocks(&self) -> u32 {
        self.geometry.blocks
    }

    /// The same launch of these virtual blocks alone; they are among those of the launch.
    ///
    /// # Errors
    /// The driver's, where the part asks for another program than the whole.
    pub(crate) fn of_part(mut self, part: Range<u32>) -> Result<Plan, Error> {
        if let (Inner::OpenCl(accelerator), Function::OpenCl(function)) = (&self.device.inner, &mut self.function) {
            let grouping = opencl::grouping(part.end - part.start, self.blocks, self.variant.threads);
            *function = accelerator.function(self.info.name, self.variant, grouping)?;
        }
        Ok(Plan { part: Some(part), ..self })
    }

    /// The elements of output `output` that the plan's blocks write, where that is known.
    pub(crate) fn written(&self, output: usize) -> Option<Range<usize>> {
        let len = usize::try_from(self.output_len(output)?).ok()?;
        let Some(part) = &self.part else { return Some(0..len) };
        let per_block = (*self.variant.parts.get(output)?)? as usize;
        let end = |block: u32| (block as usize).saturating_mul(per_block).min(len);
        Some(end(part.start)..end(part.end))
    }

    fn run_on_cpu(&self, part: Range<u32>, args: &[Arg<'_>], outs: &mut [&mut RawBuffer]) -> Result<(), Error> {
        let mut buffers = Vec::new();
        let (mut lens, mut scalars) = (Vec::new(), Vec::new());
        let mut bytes = 0u64;
        for arg in args {
            if let Arg::Scalar(bits) = arg {
                scalars.push(*bits);
            }
            if let Some(raw) = arg.buffer() {
                buffers.extend(raw.host_pointers());
                // `check_lengths` has refused more than `u32::MAX`.
                lens.push(raw.len() as u32);
                bytes = bytes.saturating_add(raw.bytes());
            }
        }
        for out in outs.iter() {
            buffers.extend(out.host_pointers());
            bytes = bytes.saturating_add(out.bytes());
        }
        let mut record = [0u64; 2];
        if !self.variant.guarded.is_empty() {
            buffers.push(record.as_mut_ptr().cast());
        }
        let (first, blocks) = (part.start, part.end - part.start);
        let work = cpu::Work { native: self.variant.native, first, blocks, ranges: self.blocks, bytes };
        let args = NativeArgs { buffers: &buffers, lens: &lens, scalars: &scalars };
        // SAFETY: kinds, field types, lengths, device and aliasing were checked against the kernel's parameters and its
        // geometry; the buffers stay borrowed, those that are written mutably, until the run is over.
        unsafe { cpu::run(&work, &args) };
        self.in_range(record)
    }

    /// The error of what the guards have recorded, if anything.
    fn in_range(&self, [what, len]: [u64; 2]) -> Result<(), Error> {
        let Some(number) = (what >> 32).checked_sub(1) else { return Ok(()) };
        let array = usize::try_from(number).ok().and_then(|n| self.variant.guarded.get(n));
        let (array, index) = (array.copied().unwrap_or("an array"), what & u64::from(u32::MAX));
        Err(Error::OutOfRange { kernel: self.info.name, array, index, len })
    }
}

/// Which of the kernel's variants it is.
#[cfg(feature = "check")]
fn place(info: &'static KernelInfo, variant: &'static Variant) -> usize {
    info.variants.iter().position(|v| std::ptr::eq(v, variant)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
