//! What is put into streams, and how it is done: copies between allocations that are there, kernels by the PTX interpreter.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use obsidian_ptx_interp::Launch;

use crate::context::Context;
use crate::module::{Function, Shape};
use crate::settings::Loss;
use crate::status::{ECC_UNCORRECTABLE, ILLEGAL_ADDRESS, LAUNCH_FAILED, Status, of_fault};
use crate::stream::Marker;

/// An operation of a stream.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    /// An allocation begins, and ends.
    Make {
        at: u64,
        len: usize,
    },
    End {
        at: u64,
    },
    Kernel {
        function: Arc<Function>,
        shape: Shape,
        params: Arc<[u64]>,
    },
    /// To the device, from memory that the driver has copied or from page-locked memory.
    In {
        to: u64,
        from: From,
    },
    /// From the device.
    Out {
        to: To,
        from: u64,
        len: usize,
    },
    Within {
        to: u64,
        from: u64,
        len: usize,
    },
    Fill {
        at: u64,
        byte: u8,
        len: usize,
    },
    Record(Arc<OnceLock<Instant>>),
    Wait(Marker),
    /// All operations of a graph.
    Graph(Arc<[Op]>),
}

/// Where bytes of the host's come from.
#[derive(Debug, Clone)]
pub(crate) enum From {
    Copy(Arc<[u8]>),
    Pinned { at: usize, len: usize },
}

/// Where bytes go on the host.
#[derive(Debug, Clone, Copy)]
pub(crate) enum To {
    /// Any memory: the call that put the copy in has not returned yet.
    Waiting(usize),
    Pinned(usize),
}

impl Context {
    pub(crate) fn execute(&mut self, op: &Op) -> Result<(), Status> {
        match op {
            Op::Make { at, len } => self.memory.make(*at, *len),
            Op::End { at } => self.memory.end(*at)?,
            Op::Kernel { function, shape, params } => self.run(function, *shape, params)?,
            Op::In { to, from: From::Copy(bytes) } => {
                self.memory.slice(*to, bytes.len())?.copy_from_slice(bytes);
            }
            Op::In { to, from: From::Pinned { at, len } } => {
                self.pinned_is_there(*at, *len)?;
                // SAFETY: the bytes are of a live allocation of `pinned`; who writes them meanwhile breaks the driver's
                // contract.
                let from = unsafe { std::slice::from_raw_parts(*at as *const u8, *len) };
                self.memory.slice(*to, *len)?.copy_from_slice(from);
            }
            Op::Out { to, from, len } => {
                let at = match *to {
                    To::Waiting(at) => at,
                    To::Pinned(at) => {
                        self.pinned_is_there(at, *len)?;
                        at
                    }
                };
                let from = self.memory.slice(*from, *len)?;
                // SAFETY: the bytes are of a live allocation of `pinned`, or the caller's who waits.
                unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), at as *mut u8, *len) };
            }
            Op::Within { to, from, len } => {
                let bytes = self.memory.slice(*from, *len)?.to_vec();
                self.memory.slice(*to, *len)?.copy_from_slice(&bytes);
            }
            Op::Fill { at, byte, len } => self.memory.slice(*at, *len)?.fill(*byte),
            Op::Record(reached) => drop(reached.set(Instant::now())),
            Op::Graph(ops) => ops.iter().try_for_each(|op| self.execute(op))?,
            // The stream has waited.
            Op::Wait(_) => {}
        }
        Ok(())
    }

    fn pinned_is_there(&self, at: usize, len: usize) -> Result<(), Status> {
        if self.pinned.has(at, len) {
            return Ok(());
        }
        eprintln!("simulated CUDA: page-locked memory was freed before the copy was done");
        Err(ILLEGAL_ADDRESS)
    }

    fn run(&mut self, function: &Function, shape: Shape, params: &[u64]) -> Result<(), Status> {
        self.launches += 1;
        let loss = Loss { device: self.device, launch: self.launches };
        if self.settings.losses.contains(&loss) {
            return Err(ECC_UNCORRECTABLE);
        }
        let Some(code) = function.code() else {
            eprintln!("simulated CUDA: the module of `{}` was unloaded before the launch was done", function.name);
            return Err(LAUNCH_FAILED);
        };
        let (order, shared) = (self.settings.order, shape.shared as usize);
        let launch = Launch { order, shared, ..Launch::new(shape.grid, shape.threads) };
        code.launch(&function.name, &launch, params, &mut self.memory.bytes).map_err(|fault| {
            eprintln!("simulated CUDA: kernel `{}`: {fault}", function.name);
            of_fault(&fault)
        })
    }
}
