//! A launch on a GPU: the arguments in the order of the PTX's parameters, then the grid.

use std::sync::Arc;

use cudarc::driver::{CudaSlice, LaunchArgs, LaunchConfig, PushKernelArg};

use super::failed;
use super::gpu::{Function, Gpu, Queue};
use super::memory::DeviceBytes;
use crate::abi::{Arg, ParamInfo, ParamKind};
use crate::buffer::RawBuffer;
use crate::error::Error;

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
        let lens: Vec<u32> = args.iter().map(length).collect();
        let stream = self.queue.map_or(gpu.default_stream(), |queue| &queue.stream);
        let mut launch = stream.launch_builder(&self.function.0);
        for ((param, arg), len) in params.iter().zip(args.iter_mut()).zip(&lens) {
            match arg {
                Arg::Buffer(raw) => {
                    for field in raw.cuda_fields() {
                        push(&mut launch, field.slice());
                    }
                    if param.kind == ParamKind::Input(None) {
                        launch.arg(len);
                    }
                }
                Arg::Update(raw) => {
                    for field in raw.cuda_fields_mut() {
                        push_mut(&mut launch, field.slice_mut());
                    }
                    if param.kind == ParamKind::InOut(None) {
                        launch.arg(len);
                    }
                }
                // The driver reads as many low bytes as the parameter has; CUDA hosts are little-endian.
                Arg::Scalar(bits) => {
                    launch.arg(&*bits);
                }
            }
        }
        for out in outs.iter_mut() {
            for field in out.cuda_fields_mut() {
                push_mut(&mut launch, field.slice_mut());
            }
        }
        if self.guarded {
            push_mut(&mut launch, record.slice_mut());
        }
        // Blocks loop by the grid's size, so any grid covers all virtual blocks.
        let grid = self.blocks.min(self.wanted.unwrap_or(u32::MAX)).min(gpu.max_grid()).max(1);
        let config = LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (self.threads, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments are those that the kernel's PTX declares, in its order, with lengths that its geometry
        // accepted, all on this device; the kernel stays inside its buffers. cudarc orders the uses of each buffer.
        unsafe { launch.launch(config) }.map_err(failed(gpu.name(), format!("launch kernel `{name}`")))?;
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

fn push<'a>(launch: &mut LaunchArgs<'a>, slice: Option<&'a CudaSlice<u8>>) {
    match slice {
        Some(slice) => launch.arg(slice),
        None => launch.arg(NULL),
    };
}

fn push_mut<'a>(launch: &mut LaunchArgs<'a>, slice: Option<&'a mut CudaSlice<u8>>) {
    match slice {
        Some(slice) => launch.arg(slice),
        None => launch.arg(NULL),
    };
}
