//! Devices: what each does whatever its back end. How one is chosen is in `select`. Knows nothing of buffers and kernels.

mod select;

use std::fmt;
use std::sync::Arc;

use crate::backend;
use crate::error::Error;
use crate::info::{Backend, Limits};

pub use select::{BackendInfo, Selector, backends};

/// Where kernels run and buffers live. Cheap to clone; clones are the same device. It may be used by several threads at once.
///
/// On the CPU a launch is done when `run` returns. On CUDA and OpenCL it is then in a queue: what reads a buffer waits for the launches
/// that write it, [`synchronize`](Device::synchronize) for all of them, and an error of the device may come with a later call.
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
    inner: Arc<dyn backend::Device>,
}

impl Device {
    pub(crate) fn of(inner: Arc<dyn backend::Device>) -> Device {
        Device { inner }
    }

    /// What the back end has of it.
    pub(crate) fn inner(&self) -> Arc<dyn backend::Device> {
        Arc::clone(&self.inner)
    }

    /// The back end's own type of it.
    #[cfg(feature = "cudarc")]
    pub(crate) fn behind<D: backend::Device>(&self) -> Option<&D> {
        (&*self.inner as &dyn std::any::Any).downcast_ref()
    }

    /// The device's name, as its driver gives it.
    pub fn name(&self) -> &str {
        self.inner.name()
    }

    /// Its back end.
    pub fn kind(&self) -> Backend {
        self.inner.kind()
    }

    /// What drives it, with versions, as the driver gives it: results of measurements hold for this. The runtime's own version
    /// on the CPU.
    pub fn driver(&self) -> String {
        self.inner.driver()
    }

    /// What it has.
    pub fn limits(&self) -> Limits {
        self.inner.limits()
    }

    /// Waits until all launches on the device are done.
    ///
    /// # Errors
    /// The driver's error, also of an earlier launch.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.inner.synchronize()
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
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
    fn the_cpu_is_one_device() {
        let dev = Device::cpu();
        assert_eq!((&dev, &dev), (&dev.clone(), &Device::cpu()));
        dev.synchronize().unwrap();
        assert!(dev.limits().compute_units >= 1);
    }
}
