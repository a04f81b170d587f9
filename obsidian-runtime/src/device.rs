//! Choosing a device, and what every device does: allocate, upload, synchronise. In: a back end's name or number; out:
//! a `Device`, or an error that says why there is none. Knows nothing of kernels.

use std::fmt;
#[cfg(feature = "cuda")]
use std::sync::Arc;

use crate::buffer::{Buffer, RawBuffer};
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::element::Element;
use crate::error::Error;
use crate::stream::Stream;

/// The variable that overrides [`Device::best`].
const BACKEND_VARIABLE: &str = "OBSIDIAN_BACKEND";

/// A way of running kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// The processor, through rayon.
    Cpu,
    /// NVIDIA GPUs, through the driver that is installed.
    Cuda,
}

impl Backend {
    /// The name that `OBSIDIAN_BACKEND` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Cuda => "cuda",
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
    #[cfg(feature = "cuda")]
    Cuda(Arc<cuda::Gpu>),
}

impl Device {
    /// The fastest device that works: CUDA device 0, else the CPU. `OBSIDIAN_BACKEND=cpu|cuda` decides instead.
    ///
    /// # Errors
    /// The variable names no back end, or one that is not available.
    pub fn best() -> Result<Device, Error> {
        let chosen = std::env::var_os(BACKEND_VARIABLE).map(|value| value.to_string_lossy().into_owned());
        Device::choose(chosen.as_deref())
    }

    fn choose(backend: Option<&str>) -> Result<Device, Error> {
        match backend {
            None | Some("") => Ok(Device::cuda(0).unwrap_or_else(|_| Device::cpu())),
            Some("cpu") => Ok(Device::cpu()),
            Some("cuda") => Device::cuda(0),
            Some(found) => Err(Error::UnknownBackend { found: found.to_owned() }),
        }
    }

    /// The CPU. It always works.
    pub fn cpu() -> Device {
        Device { inner: Inner::Cpu }
    }

    /// CUDA device `index`, numbered from 0.
    ///
    /// # Errors
    /// The feature `cuda` is off, there is no driver, it reports an error, or it has no such device.
    #[cfg(feature = "cuda")]
    pub fn cuda(index: usize) -> Result<Device, Error> {
        Ok(Device { inner: Inner::Cuda(cuda::Gpu::open(index)?) })
    }

    /// CUDA device `index`, numbered from 0.
    ///
    /// # Errors
    /// Always: the feature `cuda` is off.
    #[cfg(not(feature = "cuda"))]
    pub fn cuda(_index: usize) -> Result<Device, Error> {
        Err(Error::BackendUnavailable { backend: Backend::Cuda, reason: CUDA_OFF.to_owned() })
    }

    /// The device's name, as its driver gives it.
    pub fn name(&self) -> &str {
        match &self.inner {
            Inner::Cpu => "the CPU",
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => gpu.name(),
        }
    }

    /// Its back end.
    pub fn kind(&self) -> Backend {
        match &self.inner {
            Inner::Cpu => Backend::Cpu,
            #[cfg(feature = "cuda")]
            Inner::Cuda(_) => Backend::Cuda,
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
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => gpu.synchronize(),
        }
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        match (&self.inner, &other.inner) {
            (Inner::Cpu, Inner::Cpu) => true,
            #[cfg(feature = "cuda")]
            (Inner::Cuda(a), Inner::Cuda(b)) => Arc::ptr_eq(a, b),
            #[cfg(feature = "cuda")]
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

#[cfg(not(feature = "cuda"))]
const CUDA_OFF: &str = "this program was built without it; turn on the feature `cuda` of `obsidian`";

/// A back end: its devices, or why it is absent.
#[derive(Debug)]
#[non_exhaustive]
pub struct BackendInfo {
    /// Which one.
    pub backend: Backend,
    /// Names of its devices in the order of their numbers, or why there are none.
    pub devices: Result<Vec<String>, Error>,
}

impl BackendInfo {
    /// Whether a device of it can be opened.
    pub fn is_available(&self) -> bool {
        self.devices.as_ref().is_ok_and(|devices| !devices.is_empty())
    }
}

impl fmt::Display for BackendInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.devices {
            Ok(devices) => write!(f, "{}: {}", self.backend, devices.join(", ")),
            Err(error) => error.fmt(f),
        }
    }
}

/// Every back end that this crate knows, in the order in which [`Device::best`] tries them.
///
/// ```
/// for backend in obsidian_runtime::backends() {
///     println!("{backend}");
/// }
/// ```
pub fn backends() -> Vec<BackendInfo> {
    #[cfg(feature = "cuda")]
    let cuda = cuda::device_names();
    #[cfg(not(feature = "cuda"))]
    let cuda = Device::cuda(0).map(|device| vec![device.name().to_owned()]);
    vec![
        BackendInfo { backend: Backend::Cuda, devices: cuda },
        BackendInfo { backend: Backend::Cpu, devices: Ok(vec![Device::cpu().name().to_owned()]) },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_decides() {
        assert_eq!(Device::choose(Some("cpu")).unwrap().kind(), Backend::Cpu);
        let text = Device::choose(Some("vulkan")).unwrap_err().to_string();
        assert!(text.contains("`vulkan`") && text.contains("`cpu`") && text.contains("`cuda`"), "{text}");
        assert!(Device::choose(None).is_ok());
        assert!(Device::choose(Some("")).is_ok());
    }

    #[test]
    fn absent_cuda_is_an_error_with_a_reason() {
        for index in [0, 1, usize::MAX] {
            if let Err(error) = Device::cuda(index) {
                let text = error.to_string();
                assert!(text.contains("cuda"), "{text}");
                assert!(
                    matches!(
                        error,
                        Error::BackendUnavailable { .. } | Error::NoSuchDevice { .. } | Error::Driver { .. }
                    ),
                    "{text}"
                );
            }
        }
        assert!(Device::cuda(usize::MAX).is_err());
        assert_eq!(Device::choose(Some("cuda")).is_ok(), Device::cuda(0).is_ok());
    }

    #[test]
    fn backends_say_why() {
        let all = backends();
        assert_eq!(all.len(), 2);
        assert!(all[1].is_available());
        assert_eq!(all[1].to_string(), "cpu: the CPU");
        assert_eq!(all[0].is_available(), Device::cuda(0).is_ok());
        assert!(all[0].to_string().contains("cuda"));
    }

    #[test]
    fn the_cpu_synchronises() {
        let dev = Device::cpu();
        assert_eq!(dev, dev.clone());
        dev.synchronize().unwrap();
        dev.stream().synchronize().unwrap();
        dev.new_stream().unwrap().synchronize().unwrap();
        assert_eq!(dev.new_stream().unwrap().device(), &dev);
    }
}
