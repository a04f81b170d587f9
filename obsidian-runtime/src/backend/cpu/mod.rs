//! The CPU: a kernel's native code over rayon, on memory of the host's. A launch is done when the call returns.

mod run;

use std::ptr::NonNull;
use std::sync::{Arc, LazyLock};

use obsidian_abi::{NativeArgs, ParamKind};

use super::host::{HostQueue, borrowed};
use super::{Argument, Device, Found, Launch, Memory, Module, Order, Queue, own};
use crate::error::Error;
use crate::host::{HostBytes, Owner};
use crate::info::{Backend, Limits};

/// The row's driver.
pub(super) struct Driver;

impl super::Driver for Driver {
    fn devices(&self) -> Result<Vec<Found>, Error> {
        let cpu = cpu();
        Ok(vec![Found { name: cpu.name().to_owned(), limits: cpu.limits(), avoided: Vec::new() }])
    }

    fn open(&self, _index: usize) -> Result<Arc<dyn Device>, Error> {
        Ok(cpu())
    }

    fn preferred(&self) -> Option<usize> {
        Some(0)
    }
}

/// The one device. It always works.
pub(crate) fn cpu() -> Arc<dyn Device> {
    static CPU: LazyLock<Arc<Cpu>> =
        LazyLock::new(|| Arc::new(Cpu { queue: Arc::new(HostQueue), module: Arc::new(Native) }));
    CPU.clone()
}

struct Cpu {
    queue: Arc<HostQueue>,
    module: Arc<Native>,
}

impl Device for Cpu {
    fn name(&self) -> &str {
        "the CPU"
    }

    fn kind(&self) -> Backend {
        Backend::Cpu
    }

    fn limits(&self) -> Limits {
        let compute_units = rayon::current_num_threads() as u32;
        Limits { memory: None, compute_units, threads: None, shared_bytes: None }
    }

    fn synchronize(&self) -> Result<(), Error> {
        Ok(())
    }

    fn allocate(self: Arc<Self>, bytes: usize, _queue: Option<&dyn Queue>) -> Result<Box<dyn Memory>, Error> {
        Ok(Box::new(HostBytes::allocate(bytes)?))
    }

    unsafe fn borrow(&self, bytes: &[u8]) -> Option<Box<dyn Memory>> {
        // SAFETY: the caller's promise.
        Some(unsafe { borrowed(bytes) })
    }

    unsafe fn adopt(
        self: Arc<Self>,
        start: NonNull<u8>,
        bytes: usize,
        owner: Option<Owner>,
    ) -> Result<Option<Box<dyn Memory>>, Error> {
        // SAFETY: the caller's promise.
        Ok(Some(Box::new(unsafe { HostBytes::of_others(start, bytes, owner) })))
    }

    fn default_queue(self: Arc<Self>) -> Arc<dyn Queue> {
        self.queue.clone()
    }

    fn new_queue(self: Arc<Self>) -> Result<Arc<dyn Queue>, Error> {
        Ok(self.queue.clone())
    }

    fn load(self: Arc<Self>, _order: &Order) -> Result<Arc<dyn Module>, Error> {
        Ok(self.module.clone())
    }

    fn runs_parts(&self) -> bool {
        true
    }
}

/// The code is a constant of the kernel.
struct Native;

impl Module for Native {
    unsafe fn launch(&self, launch: Launch<'_>) -> Result<(), Error> {
        let (mut buffers, mut lens, mut scalars) = (Vec::new(), Vec::new(), Vec::new());
        let mut bytes = 0u64;
        for (param, arg) in launch.declared() {
            let (fields, len): (&[Box<dyn Memory>], u32) = match arg {
                Argument::Read(fields, len) => (fields, *len),
                Argument::Write(fields, len) => (fields, *len),
                Argument::Scalar(bits) => {
                    scalars.push(*bits);
                    continue;
                }
            };
            if param.is_some_and(|param| matches!(param.kind, ParamKind::Input(_) | ParamKind::InOut(_))) {
                lens.push(len);
            }
            for field in fields {
                let field = own(field.host(), "the buffer")?;
                buffers.push(field.as_ptr());
                bytes = bytes.saturating_add(field.len() as u64);
            }
        }
        let (native, ranges) = (launch.order.variant.native, launch.order.wanted);
        let amount = run::amount(launch.order.variant.cost, launch.blocks.end - launch.blocks.start, bytes);
        let work = run::Work { native, blocks: launch.blocks, ranges, amount };
        let args = NativeArgs { buffers: &buffers, lens: &lens, scalars: &scalars };
        // SAFETY: the caller's promise, for the kernel's own code; the launch borrows the buffers, those that are written
        // mutably, until the run is over.
        unsafe { run::run(&work, &args) };
        Ok(())
    }
}
