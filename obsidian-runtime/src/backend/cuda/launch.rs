//! A launch on a GPU: the arguments in the order of the PTX's parameters, then the grid.

use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaView, CudaViewMut, LaunchArgs, LaunchConfig, PushKernelArg};

use super::failed;
use super::gpu::{Gpu, Queue};
use super::memory::DeviceBytes;
use crate::backend::{self, Launch, Module};
use crate::error::Error;

use obsidian_abi::{Language, dynamic_shared};

/// A loaded kernel.
pub(super) struct Loaded {
    pub(super) gpu: Arc<Gpu>,
    pub(super) function: CudaFunction,
}

/// The pointer of a field of no bytes. It is never followed.
const NULL: &u64 = &0;

impl Module for Loaded {
    /// Puts the launch into the stream.
    unsafe fn launch(&self, mut launch: Launch<'_>) -> Result<(), Error> {
        let (gpu, kernel, order) = (&self.gpu, launch.kernel(), launch.order);
        let queue = launch.queue.map(Queue::behind).transpose()?;
        let grid = gpu.grid(launch.blocks.end - launch.blocks.start, order.wanted);
        let mut words = launch.words().into_iter().map(Word::new).collect::<Result<Vec<_>, _>>()?;
        let mut call = queue.map_or(gpu.default_stream(), Queue::stream).launch_builder(&self.function);
        words.iter_mut().for_each(|word| word.push(&mut call));
        let threads = order.variant.threads;
        let shared_mem_bytes = dynamic_shared(order.text(Language::Ptx)?.shared_bytes);
        let config = LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes };
        // SAFETY: the arguments are those that the kernel's PTX declares, in its order, by the caller's promise; the kernel
        // stays inside its buffers. cudarc orders the uses of each buffer.
        unsafe { call.launch(config) }.map_err(failed(gpu.name(), format!("launch kernel `{kernel}`")))?;
        Ok(())
    }
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
    fn new(word: backend::Word<'a>) -> Result<Word<'a>, Error> {
        Ok(match word {
            backend::Word::Read(memory) => Word::Read(DeviceBytes::behind(memory)?.view()),
            backend::Word::Write(memory) => Word::Write(DeviceBytes::behind_mut(memory)?.view_mut()),
            backend::Word::Length(len) => Word::Length(len),
            backend::Word::Scalar(bits, _) => Word::Scalar(bits),
        })
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
