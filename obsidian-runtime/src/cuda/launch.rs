//! A launch on a GPU: the arguments in the order of the PTX's parameters, then the grid.

use std::sync::Arc;

use cudarc::driver::{CudaView, CudaViewMut, LaunchArgs, LaunchConfig, PushKernelArg};

use super::failed;
use super::gpu::{Function, Gpu, Queue};
use super::memory::DeviceBytes;
use crate::abi::Arg;
use crate::buffer::RawBuffer;
use crate::error::Error;
use obsidian_abi::{ParamInfo, ParamKind};

/// What is to be launched.
pub(crate) struct Launch<'a> {
    /// The loaded kernel.
    pub function: &'a Function,
    /// The stream; the device's default where `None`.
    pub queue: Option<&'a Queue>,
    /// Virtual blocks, at least one.
    pub blocks: u32,
    /// Real blocks asked for.
    pub wanted: Option<u32>,
    /// Threads per block.
    pub threads: u32,
    /// Whether the kernel records accesses out of range.
    pub guarded: bool,
}

/// The pointer of a field of no bytes. It is never followed.
const NULL: &u64 = &0;
/// Bytes of the record of faults.
const RECORD: usize = 16;

impl Launch<'_> {
    /// Puts the launch of the kernel `name` into the stream; waits for it only where there is a record to be read, and
    /// gives that. The arguments have been checked against `params`.
    pub(crate) fn run(
        &self,
        gpu: &Arc<Gpu>,
        name: &str,
        params: &[ParamInfo],
        args: &mut [Arg<'_>],
        outs: &mut [&mut RawBuffer],
    ) -> Result<[u64; 2], Error> {
        let mut record = DeviceBytes::unwritten(gpu, self.queue, if self.guarded { RECORD } else { 0 })?;
        record.fill_zero()?;
        let mut words = Vec::new();
        for (param, arg) in params.iter().zip(args.iter_mut()) {
            let len = length(arg);
            match arg {
                Arg::Buffer(raw) => words.extend(raw.cuda_fields().iter().map(Word::read)),
                Arg::Update(raw) => words.extend(raw.cuda_fields_mut().iter_mut().map(Word::write)),
                Arg::Scalar(bits) => words.push(Word::Scalar(*bits)),
            }
            if matches!(param.kind, ParamKind::Input(None) | ParamKind::InOut(None)) {
                words.push(Word::Length(len));
            }
        }
        for out in outs.iter_mut() {
            words.extend(out.cuda_fields_mut().iter_mut().map(Word::write));
        }
        if self.guarded {
            words.push(Word::write(&mut record));
        }
        let stream = self.queue.map_or(gpu.default_stream(), |queue| &queue.stream);
        let mut launch = stream.launch_builder(&self.function.0);
        words.iter_mut().for_each(|word| word.push(&mut launch));
        let grid = gpu.grid(self.blocks, self.wanted);
        let config = LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (self.threads, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments are those that the kernel's PTX declares, in its order, with lengths that its geometry
        // accepted, all on this device; the kernel stays inside its buffers. cudarc orders the uses of each buffer.
        unsafe { launch.launch(config) }.map_err(failed(gpu.name(), format!("launch kernel `{name}`")))?;
        drop(words);
        if !self.guarded {
            return Ok([0; 2]);
        }
        let found = record.download()?;
        Ok([0, 1].map(|i| found.values::<u64>().get(i).copied().unwrap_or(0)))
    }
}

/// The length of a buffer (32 bits, by the checks of the plan); unused for a scalar.
fn length(arg: &Arg<'_>) -> u32 {
    arg.buffer().map_or(0, |raw| u32::try_from(raw.len()).unwrap_or(u32::MAX))
}

/// One argument of the kernel's entry.
enum Word<'a> {
    /// A pointer that is read through; of no bytes, none.
    Read(Option<CudaView<'a, u8>>),
    /// A pointer that is written through.
    Write(Option<CudaViewMut<'a, u8>>),
    /// Elements of the buffer before it.
    Length(u32),
    /// The bits of a scalar. The driver reads as many low bytes as the parameter has; CUDA hosts are little-endian.
    Scalar(u64),
}

impl<'a> Word<'a> {
    fn read(bytes: &'a DeviceBytes) -> Word<'a> {
        Word::Read(bytes.view())
    }

    fn write(bytes: &'a mut DeviceBytes) -> Word<'a> {
        Word::Write(bytes.view_mut())
    }

    fn push<'w>(&'w mut self, launch: &mut LaunchArgs<'w>) {
        match self {
            Word::Read(Some(view)) => launch.arg(&*view),
            Word::Write(Some(view)) => launch.arg(view),
            Word::Read(None) | Word::Write(None) => launch.arg(NULL),
            Word::Length(len) => launch.arg(&*len),
            Word::Scalar(bits) => launch.arg(&*bits),
        };
    }
}
