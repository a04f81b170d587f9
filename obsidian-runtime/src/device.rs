//! What every device does: allocate, upload, synchronise. How one is chosen is in `select`. Knows nothing of kernels.

use std::fmt;
use std::sync::Arc;

use crate::buffer::{Buffer, RawBuffer};
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::element::Element;
use crate::error::Error;
use crate::opencl;
use crate::stream::Stream;

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

/// Where kernels run and buffers live. Cheap to clone; clones are the same device.
///
/// ```
/// # fn main() -> Result<(), obsidian_runtime::Error> {
/// use obsidian_runtime::Device;
/// let dev = Device::cpu();
/// let buffer = dev.upload(&[(1, 0.5f32), (2, 1.5)])?;
/// assert_eq!(buffer.to_vec()?, [(1, 0.5), (2, 1.5)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Inner,
}

/// The device proper.
#[derive(Clone)]
pub(crate) enum Inner {
    Cpu,
    #[cfg(feature = "check")]
    Check,
    #[cfg(feature = "cuda")]
    Cuda(Arc<cuda::Gpu>),
    OpenCl(Arc<opencl::Accelerator>),
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

impl Device {
    /// The device's name, as its driver gives it.
    pub fn name(&self) -> &str {
        match &self.inner {
            Inner::Cpu => "the CPU",
            #[cfg(feature = "check")]
            Inner::Check => "the reference interpreter",
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => gpu.name(),
            Inner::OpenCl(accelerator) => accelerator.name(),
        }
    }

    /// Its back end.
    pub fn kind(&self) -> Backend {
        match &self.inner {
            Inner::Cpu => Backend::Cpu,
            #[cfg(feature = "check")]
            Inner::Check => Backend::Check,
            #[cfg(feature = "cuda")]
            Inner::Cuda(_) => Backend::Cuda,
            Inner::OpenCl(_) => Backend::OpenCl,
        }
    }

    /// What it has.
    pub fn limits(&self) -> Limits {
        match &self.inner {
            Inner::Cpu => {
                let compute_units = rayon::current_num_threads() as u32;
                Limits { memory: None, compute_units, threads: None, shared_bytes: None }
            }
            #[cfg(feature = "check")]
            Inner::Check => Limits { memory: None, compute_units: 1, threads: None, shared_bytes: None },
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => gpu.limits(),
            Inner::OpenCl(accelerator) => accelerator.limits(),
        }
    }

    /// A buffer with a copy of `values`.
    ///
    /// # Errors
    /// Out of memory, or the driver's error.
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>, Error> {
        let mut buffer = Buffer::new(RawBuffer::unwritten(self, T::FIELDS, values.len(), None)?);
        buffer.write(values)?;
        Ok(buffer)
    }

    /// A buffer of `len` elements, all zero (`false` for bools).
    ///
    /// # Errors
    /// Out of memory, more bytes than an address can count, or the driver's error.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>, Error> {
        let mut raw = RawBuffer::unwritten(self, T::FIELDS, len, None)?;
        raw.fill_zero()?;
        Ok(Buffer::new(raw))
    }

    /// The stream that launches use when none is named.
    pub fn stream(&self) -> Stream {
        Stream::default_of(self)
    }

    /// A stream of its own, whose launches may overlap those of others. On the CPU launches run at once.
    ///
    /// # Errors
    /// The driver's error.
    pub fn new_stream(&self) -> Result<Stream, Error> {
        Stream::new_on(self)
    }

    /// Waits until all launches on the device are done.
    ///
    /// # Errors
    /// The driver's error, also of an earlier launch.
    pub fn synchronize(&self) -> Result<(), Error> {
        match &self.inner {
            Inner::Cpu => Ok(()),
            #[cfg(feature = "check")]
            Inner::Check => Ok(()),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => gpu.synchronize(),
            Inner::OpenCl(accelerator) => accelerator.synchronize(),
        }
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        match (&self.inner, &other.inner) {
            (Inner::Cpu, Inner::Cpu) => true,
            #[cfg(feature = "check")]
            (Inner::Check, Inner::Check) => true,
            #[cfg(feature = "cuda")]
            (Inner::Cuda(a), Inner::Cuda(b)) => Arc::ptr_eq(a, b),
            (Inner::OpenCl(a), Inner::OpenCl(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({}: {})", self.kind(), self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_synchronises() {
        let dev = Device::cpu();
        assert_eq!(dev, dev.clone());
        dev.synchronize().unwrap();
        dev.stream().synchronize().unwrap();
        dev.new_stream().unwrap().synchronize().unwrap();
        assert_eq!(dev.new_stream().unwrap().device(), &dev);
        assert!(dev.limits().compute_units >= 1);
    }
}
