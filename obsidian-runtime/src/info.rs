//! What can be said of back ends and devices without one at hand: names, limits, lists of what there is.

use std::fmt;

/// A way of running kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// The processor, through rayon.
    Cpu,
    /// NVIDIA GPUs, through the driver that is installed.
    Cuda,
    /// Devices of the OpenCL drivers that are installed.
    OpenCl,
    /// The reference interpreter, which finds what a kernel does wrong.
    Check,
}

impl Backend {
    /// The name that `OBSIDIAN_BACKEND` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Cuda => "cuda",
            Backend::OpenCl => "opencl",
            Backend::Check => "check",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a device has; `None` where nothing limits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Memory for buffers, in bytes.
    pub memory: Option<u64>,
    /// Compute units: multiprocessors of a GPU, threads of the CPU.
    pub compute_units: u32,
    /// Threads per block.
    pub threads: Option<u32>,
    /// Shared memory per block, in bytes.
    pub shared_bytes: Option<u32>,
}

/// A device that can be opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its back end.
    pub backend: Backend,
    /// Its number there, from 0.
    pub index: usize,
    /// Its name, as its driver gives it.
    pub name: String,
    /// What it has.
    pub limits: Limits,
    /// What its driver is known to get wrong; no kernel that this crate launches meets it.
    pub avoided: Vec<&'static str>,
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limits { memory, compute_units, threads, shared_bytes } = self.limits;
        write!(f, "{} {}: {}, {compute_units} compute units", self.backend, self.index, self.name)?;
        if let Some(bytes) = memory {
            write!(f, ", {} MiB", bytes >> 20)?;
        }
        if let (Some(threads), Some(bytes)) = (threads, shared_bytes) {
            write!(f, ", {threads} threads and {bytes} bytes of shared memory a block")?;
        }
        for what in &self.avoided {
            write!(f, "\n    avoided: {what}")?;
        }
        Ok(())
    }
}
