//! Choosing a device: by back end, number or name, or the best there is; and lists of what there is. In: what the user
//! asks for, and `OBSIDIAN_BACKEND`; out: a `Device`, or an error that says why there is none.

use std::fmt;
use std::sync::OnceLock;

use super::Device;
use crate::backend::{Found, Row, TABLE, cpu, driver};
use crate::error::Error;
use crate::info::{Backend, DeviceInfo};

/// The variable that overrides [`Device::best`].
const BACKEND_VARIABLE: &str = "OBSIDIAN_BACKEND";

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

    /// [`Device::best`], chosen once in a process: where an entry's `call` runs slices.
    ///
    /// # Errors
    /// As of [`Device::best`]; the next call tries again.
    pub fn shared() -> Result<Device, Error> {
        static SHARED: OnceLock<Device> = OnceLock::new();
        match SHARED.get() {
            Some(device) => Ok(device.clone()),
            None => Device::best().map(|best| SHARED.get_or_init(|| best).clone()),
        }
    }

    fn choose(backend: Option<&str>) -> Result<Device, Error> {
        let Some(name) = backend.filter(|name| !name.is_empty()) else {
            let open = |row: &Row| row.driver().ok().and_then(|driver| driver.open(driver.preferred()?).ok());
            return Ok(TABLE.iter().find_map(open).map_or_else(Device::cpu, Device::of));
        };
        let row = TABLE.iter().find(|row| row.backend.name() == name);
        let driver = row.ok_or_else(|| Error::UnknownBackend { found: name.to_owned() })?.driver()?;
        driver.open(driver.preferred().unwrap_or(0)).map(Device::of)
    }

    /// The device of a number.
    fn open(backend: Backend, index: usize) -> Result<Device, Error> {
        driver(backend)?.open(index).map(Device::of)
    }

    /// The CPU. It always works.
    pub fn cpu() -> Device {
        Device::of(cpu())
    }

    /// The reference interpreter: slow, on one thread, with every check on. A launch that races, strays, reads what nobody
    /// has written or leaves out an element of an output is [`Error::Faulty`].
    ///
    /// # Errors
    /// The feature `check` is off.
    pub fn check() -> Result<Device, Error> {
        Device::open(Backend::Check, 0)
    }

    /// CUDA device `index`, numbered from 0.
    ///
    /// # Errors
    /// The feature `cuda` is off, there is no driver, it reports an error, or it has no such device.
    pub fn cuda(index: usize) -> Result<Device, Error> {
        Device::open(Backend::Cuda, index)
    }

    /// An OpenCL device, by number over all drivers or by a part of its name: `Device::opencl(0)`,
    /// `Device::opencl("radeon")`. The first that matches.
    ///
    /// Programs are kept on disk once compiled, in `OBSIDIAN_CACHE` (`off`: not at all) or the user's folder for caches. On
    /// Unix a folder or a file there that belongs to another user, or that others may write, is not used: programs are
    /// compiled anew then. PoCL keeps its programs itself, so there is none of them there.
    ///
    /// # Errors
    /// There is no loader or driver, it reports an error, or it has no such device.
    pub fn opencl<'a>(which: impl Into<Selector<'a>>) -> Result<Device, Error> {
        let backend = Backend::OpenCl;
        let index = match which.into() {
            Selector::Index(index) => index,
            Selector::Name(name) => {
                let devices: Vec<String> = driver(backend)?.devices()?.into_iter().map(|found| found.name).collect();
                let wanted = name.to_lowercase();
                let index = devices.iter().position(|device| device.to_lowercase().contains(&wanted));
                index.ok_or_else(|| Error::NoSuchName { backend, name: name.to_owned(), devices })?
            }
        };
        Device::open(backend, index)
    }

    /// Every device of every back end that works, in the order in which [`Device::best`] tries back ends.
    pub fn list() -> Vec<DeviceInfo> {
        let mut all = Vec::new();
        for row in &TABLE {
            let devices = row.driver().and_then(|driver| driver.devices()).unwrap_or_default();
            let info = |(index, Found { name, limits, avoided })| {
                let backend = row.backend;
                DeviceInfo { backend, index, name, limits, avoided }
            };
            all.extend(devices.into_iter().enumerate().map(info));
        }
        all
    }
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
    let names = |found: Vec<Found>| found.into_iter().map(|device| device.name).collect();
    let info = |row: &Row| {
        let devices = row.driver().and_then(|driver| driver.devices()).map(names);
        BackendInfo { backend: row.backend, devices }
    };
    TABLE.iter().map(info).collect()
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
