//! The OpenCL back end: devices of whatever drivers the system's loader finds, which is itself loaded at run time. In:
//! OpenCL C and checked arguments; out: launches in queue order. No type of the driver's leaves this folder; every
//! status becomes an [`Error`](crate::Error).

mod about;
mod accelerator;
mod api;
mod cache;
mod defects;
mod handle;
mod launch;
mod memory;
mod program;
mod queue;
mod room;
mod status;
mod trust;

use std::sync::Arc;

use super::{Device, Found, Memory, Module, Order};
use crate::error::Error;
use crate::info::{Backend, Limits};
use about::{About, devices};
use accelerator::Accelerator;
use memory::DeviceBytes;
use obsidian_abi::Language;

/// The row's driver.
pub(super) struct Driver;

impl super::Driver for Driver {
    fn devices(&self) -> Result<Vec<Found>, Error> {
        let found = |about: About| Found { avoided: about.avoided(), name: about.name, limits: about.limits };
        Ok(devices()?.into_iter().map(found).collect())
    }

    fn open(&self, index: usize) -> Result<Arc<dyn Device>, Error> {
        Ok(Accelerator::open(index)?)
    }

    /// The first that is not the CPU.
    fn preferred(&self) -> Option<usize> {
        devices().ok()?.iter().position(|about| !about.is_cpu)
    }
}

impl Device for Accelerator {
    fn name(&self) -> &str {
        self.name()
    }

    fn kind(&self) -> Backend {
        Backend::OpenCl
    }

    fn limits(&self) -> Limits {
        self.limits()
    }

    fn driver(&self) -> String {
        self.about.driver.replace('\n', ", ")
    }

    fn synchronize(&self) -> Result<(), Error> {
        super::Queue::synchronize(&*self.queue)
    }

    fn allocate(self: Arc<Self>, bytes: usize, _queue: Option<&dyn super::Queue>) -> Result<Box<dyn Memory>, Error> {
        Ok(Box::new(DeviceBytes::unwritten(&self, bytes)?))
    }

    fn default_queue(self: Arc<Self>) -> Arc<dyn super::Queue> {
        self.queue.clone()
    }

    fn new_queue(self: Arc<Self>) -> Result<Arc<dyn super::Queue>, Error> {
        Ok(Arc::new(Accelerator::new_queue(&self)?))
    }

    fn load(self: Arc<Self>, order: &Order) -> Result<Arc<dyn Module>, Error> {
        let rounds = order.text(Language::OpenClC)?.rounds;
        let grouping = launch::grouping((order.blocks, rounds), order.wanted, order.variant.threads);
        let function = self.function(order, grouping)?;
        Ok(Arc::new(launch::Loaded { on: self, function }))
    }

    fn view_alignment(&self) -> usize {
        self.about.base_alignment
    }

    fn part_alignment(&self) -> usize {
        self.about.base_alignment.max(256)
    }

    fn runs_parts(&self) -> bool {
        true
    }
}
