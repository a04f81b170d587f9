//! Choosing a device: by back end, number or name, or the best there is; and lists of what there is. In: what the user
//! asks for, and `OBSIDIAN_BACKEND`; out: a `Device`, or an error that says why there is none.

use std::fmt;

#[cfg(feature = "cuda")]
use crate::cuda;
use crate::device::{Backend, Device, Inner, Limits};
use crate::error::Error;
use crate::opencl;

/// The variable that overrides [`Device::best`].
const BACKEND_VARIABLE: &str = "OBSIDIAN_BACKEND";

#[cfg(not(feature = "check"))]
const CHECK_OFF: &str = "this program was built without it; turn on the feature `check` of `obsidian`";

#[cfg(not(feature = "cuda"))]
const CUDA_OFF: &str = "this program was built without it; turn on the feature `cuda` of `obsidian`";

/// Which device of a back end: by number from 0, or by a part of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selector<'a> {
    /// Its number.
    Index(usize),
    /// A part of its name or of its platform's; upper and lower case are the same.
    Name(&'a str),
}

impl From<usize> for Selector<'_> {
    fn from(index: usize) -> Self {
        Selector::Index(index)
    }
}

impl<'a> From<&'a str> for Selector<'a> {
    fn from(name: &'a str) -> Self {
        Selector::Name(name)
    }
}

impl Device {
    /// The fastest device that works: CUDA device 0, else the first OpenCL device that is not the CPU, else the CPU
    /// itself, by this crate's own code. `OBSIDIAN_BACKEND=cpu|check|opencl|cuda` decides instead.
    ///
    /// An OpenCL driver for the CPU runs a block work-item by work-item; kernels that share memory are many times slower
    /// there than the native code that a kernel carries. It has to be asked for.
    ///
    /// # Errors
    /// The variable names no back end, or one that is not available.
    pub fn best() -> Result<Device, Error> {
        let chosen = std::env::var_os(BACKEND_VARIABLE).map(|value| value.to_string_lossy().into_owned());
        Device::choose(chosen.as_deref())
    }

    fn choose(backend: Option<&str>) -> Result<Device, Error> {
        match backend {
            None | Some("") => {
                let gpu = Device::cuda(0).ok().or_else(|| Device::opencl(opencl_gpu()?).ok());
                Ok(gpu.unwrap_or_else(Device::cpu))
            }
            Some("cpu") => Ok(Device::cpu()),
            Some("check") => Device::check(),
            Some("opencl") => Device::opencl(opencl_gpu().unwrap_or(0)),
            Some("cuda") => Device::cuda(0),
            Some(found) => Err(Error::UnknownBackend { found: found.to_owned() }),
        }
    }

    /// The CPU. It always works.
    pub fn cpu() -> Device {
        Device { inner: Inner::Cpu }
    }

    /// The reference interpreter: slow, on one thread, with every check on. A launch that races, strays, reads what nobody
    /// has written or leaves out an element of an output is [`Error::Faulty`]. Kernels carry their text for it.
    ///
    /// # Errors
    /// The feature `check` is off.
    pub fn check() -> Result<Device, Error> {
        #[cfg(feature = "check")]
        return Ok(Device { inner: Inner::Check });
        #[cfg(not(feature = "check"))]
        Err(Error::BackendUnavailable { backend: Backend::Check, reason: CHECK_OFF.to_owned() })
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

    /// An OpenCL device, by number over all drivers or by a part of its name: `Device::opencl(0)`,
    /// `Device::opencl("radeon")`. The first that matches.
    ///
    /// Programs are kept on disk once compiled, in `OBSIDIAN_CACHE` (`off`: not at all) or the user's folder for caches.
    ///
    /// # Errors
    /// There is no loader or driver, it reports an error, or it has no such device.
    pub fn opencl<'a>(which: impl Into<Selector<'a>>) -> Result<Device, Error> {
        let index = match which.into() {
            Selector::Index(index) => index,
            Selector::Name(name) => {
                let devices: Vec<String> = opencl::devices()?.into_iter().map(|about| about.name).collect();
                let wanted = name.to_lowercase();
                let index = devices.iter().position(|device| device.to_lowercase().contains(&wanted));
                let backend = Backend::OpenCl;
                index.ok_or_else(|| Error::NoSuchName { backend, name: name.to_owned(), devices })?
            }
        };
        Ok(Device { inner: Inner::OpenCl(opencl::Accelerator::open(index)?) })
    }

    /// Every device of every back end that works, in the order in which [`Device::best`] tries back ends.
    pub fn list() -> Vec<DeviceInfo> {
        let mut all = Vec::new();
        for (backend, devices) in every() {
            let devices = devices.unwrap_or_default().into_iter().enumerate();
            all.extend(devices.map(|(index, found)| {
                let Found { name, limits, avoided } = found;
                DeviceInfo { backend, index, name, limits, avoided }
            }));
        }
        all
    }
}

/// The number of the first OpenCL device that is not the CPU.
fn opencl_gpu() -> Option<usize> {
    opencl::devices().ok()?.iter().position(|about| !about.is_cpu)
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

/// A device of a list.
struct Found {
    name: String,
    limits: Limits,
    avoided: Vec<&'static str>,
}

type Devices = Result<Vec<Found>, Error>;

/// The devices of every back end, in the order in which `best` tries them.
fn every() -> [(Backend, Devices); 4] {
    let named = |device: Device| Found { name: device.name().to_owned(), limits: device.limits(), avoided: Vec::new() };
    #[cfg(feature = "cuda")]
    let cuda = cuda::device_count().and_then(|count| (0..count).map(|i| Device::cuda(i).map(named)).collect());
    #[cfg(not(feature = "cuda"))]
    let cuda = Device::cuda(0).map(|device| vec![named(device)]);
    let opencl = opencl::devices().map(|all| {
        let found = |about: opencl::About| Found { avoided: about.avoided(), name: about.name, limits: about.limits };
        all.into_iter().map(found).collect()
    });
    let (cpu, check) = (Ok(vec![named(Device::cpu())]), Device::check().map(|device| vec![named(device)]));
    [(Backend::Cuda, cuda), (Backend::OpenCl, opencl), (Backend::Cpu, cpu), (Backend::Check, check)]
}

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
    let names = |devices: Vec<Found>| devices.into_iter().map(|found| found.name).collect();
    every().map(|(backend, devices)| BackendInfo { backend, devices: devices.map(names) }).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_decides() {
        assert_eq!(Device::choose(Some("cpu")).unwrap().kind(), Backend::Cpu);
        let text = Device::choose(Some("vulkan")).unwrap_err().to_string();
        for name in ["`vulkan`", "`cpu`", "`opencl`", "`cuda`"] {
            assert!(text.contains(name), "{text}");
        }
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
        assert_eq!(all.len(), 4);
        assert!(all[2].is_available());
        assert_eq!(all[2].to_string(), "cpu: the CPU");
        assert_eq!(all[0].is_available(), Device::cuda(0).is_ok());
        assert_eq!(all[1].is_available(), Device::opencl(0).is_ok());
        assert_eq!(all[3].is_available(), cfg!(feature = "check"));
        assert!(all[0].to_string().contains("cuda") && all[1].to_string().contains("opencl"));
        let count = |backend: &BackendInfo| backend.devices.as_ref().map_or(0, Vec::len);
        assert_eq!(Device::list().len(), all.iter().map(count).sum::<usize>());
    }

    #[test]
    fn a_missing_opencl_device_is_an_error_with_a_reason() {
        for which in [Selector::Index(usize::MAX), Selector::Name("no such device")] {
            let error = Device::opencl(which).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("opencl"), "{text}");
            assert!(
                matches!(
                    error,
                    Error::BackendUnavailable { .. } | Error::NoSuchDevice { .. } | Error::NoSuchName { .. }
                ),
                "{text}"
            );
        }
        assert_eq!(Device::choose(Some("opencl")).is_ok(), Device::opencl(0).is_ok());
        for device in Device::list().iter().filter(|device| device.backend == Backend::OpenCl) {
            assert_eq!(Device::opencl(device.index).unwrap().name(), device.name);
            assert_eq!(Device::opencl(device.name.as_str()).unwrap().limits(), device.limits);
        }
    }
}
