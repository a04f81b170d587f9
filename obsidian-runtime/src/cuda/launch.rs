//! A launch on a GPU: the arguments in the order of the PTX's parameters, then the grid.

use cudarc::driver::{CudaSlice, LaunchArgs, LaunchConfig, PushKernelArg};

use super::failed;
use super::gpu::{Function, Gpu, Queue};
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
}

/// The pointer of a field of no bytes. It is never followed.
const NULL: &u64 = &0;

impl Launch<'_> {
    /// Puts the launch of the kernel `name` into the stream. The arguments have been checked against `params`.
    pub(crate) fn run(
        &self,
        gpu: &Gpu,
        name: &str,
        params: &[ParamInfo],
        args: &[Arg<'_>],
        outs: &mut [&mut RawBuffer],
    ) -> Result<(), Error> {
        let lens: Vec<u32> = args.iter().map(length).collect();
        let stream = self.queue.map_or(gpu.default_stream(), |queue| &queue.stream);
        let mut launch = stream.launch_builder(&self.function.0);
        for ((param, arg), len) in params.iter().zip(args).zip(&lens) {
            match arg {
                Arg::Buffer(raw) => {
                    for field in raw.cuda_fields() {
                        push(&mut launch, field.slice());
                    }
                    if param.kind == ParamKind::Input(None) {
                        launch.arg(len);
                    }
                }
                // The driver reads as many low bytes as the parameter has; CUDA hosts are little-endian.
                Arg::Scalar(bits) => {
                    launch.arg(bits);
                }
            }
        }
        for out in outs.iter_mut() {
            for field in out.cuda_fields_mut() {
                match field.slice_mut() {
                    Some(slice) => launch.arg(slice),
                    None => launch.arg(NULL),
                };
            }
        }
        // Blocks loop by the grid's size, so any grid covers all virtual blocks.
        let grid = self.blocks.min(self.wanted.unwrap_or(u32::MAX)).min(gpu.max_grid()).max(1);
        let config = LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (self.threads, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments are those that the kernel's PTX declares, in its order, with lengths that its geometry
        // accepted, all on this device; the kernel stays inside its buffers. cudarc orders the uses of each buffer.
        unsafe { launch.launch(config) }.map_err(failed(gpu.name(), format!("launch kernel `{}`", name)))?;
        Ok(())
    }
}

/// The length of an input (32 bits, by the checks of the plan); unused for a scalar.
fn length(arg: &Arg<'_>) -> u32 {
    match arg {
        Arg::Buffer(raw) => u32::try_from(raw.len()).unwrap_or(u32::MAX),
        Arg::Scalar(_) => 0,
    }
}

fn push<'a>(launch: &mut LaunchArgs<'a>, slice: Option<&'a CudaSlice<u8>>) {
    match slice {
        Some(slice) => launch.arg(slice),
        None => launch.arg(NULL),
    };
}
