//! The OpenCL back end: devices of whatever drivers the system's loader finds, which is itself loaded at run time. In:
//! OpenCL C and checked arguments; out: launches in queue order. No type of the driver's leaves this folder; every
//! status becomes an [`Error`](crate::Error).

mod accelerator;
mod api;
mod cache;
mod defects;
mod handle;
mod launch;
mod memory;
mod program;
mod status;

pub(crate) use accelerator::{About, Accelerator, Mark, Queue, devices};
pub(crate) use launch::{Launch, grouping};
pub(crate) use memory::DeviceBytes;
pub(crate) use program::Function;
