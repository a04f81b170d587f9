//! The back ends, one per row, in the order in which `Device::best` tries them.

use std::sync::Arc;

use super::{Device, cpu, opencl};
use crate::error::Error;
use crate::info::{Backend, Limits};

/// Finds and opens the devices of a back end.
pub(crate) trait Driver: Sync {
    /// Its devices, in the order of their numbers, or why there are none.
    fn devices(&self) -> Result<Vec<Found>, Error>;
    /// The device of a number, opened at its first use.
    fn open(&self, index: usize) -> Result<Arc<dyn Device>, Error>;
    /// The number of the device that is taken where nobody asks for this back end.
    fn preferred(&self) -> Option<usize>;
}

/// A device that can be opened.
pub(crate) struct Found {
    /// Its name.
    pub name: String,
    /// What it has.
    pub limits: Limits,
    /// What its driver is known to get wrong, and is avoided.
    pub avoided: Vec<&'static str>,
}

/// A row of the table.
pub(crate) struct Row {
    /// Which back end.
    pub backend: Backend,
    /// `None` where this build is without it. The feature that turns it on is called as the back end.
    driver: Option<&'static dyn Driver>,
}

impl Row {
    const fn of(backend: Backend, driver: &'static dyn Driver) -> Row {
        Row { backend, driver: Some(driver) }
    }

    const fn without(backend: Backend) -> Row {
        Row { backend, driver: None }
    }

    /// Its driver.
    ///
    /// # Errors
    /// This build is without it.
    pub fn driver(&self) -> Result<&'static dyn Driver, Error> {
        self.driver.ok_or_else(|| {
            let name = self.backend.name();
            let reason = format!("this program was built without it; turn on the feature `{name}` of `obsidian`");
            Error::BackendUnavailable { backend: self.backend, reason }
        })
    }
}

/// The driver of a back end.
///
/// # Errors
/// This build is without it.
pub(crate) fn driver(backend: Backend) -> Result<&'static dyn Driver, Error> {
    let row = TABLE.iter().find(|row| row.backend == backend);
    row.unwrap_or(&Row::without(backend)).driver()
}

/// All back ends.
pub(crate) static TABLE: [Row; 4] = [
    #[cfg(feature = "cudarc")]
    Row::of(Backend::Cuda, &super::cuda::Driver),
    #[cfg(not(feature = "cudarc"))]
    Row::without(Backend::Cuda),
    Row::of(Backend::OpenCl, &opencl::Driver),
    Row::of(Backend::Cpu, &cpu::Driver),
    #[cfg(feature = "check")]
    Row::of(Backend::Check, &super::check::Driver),
    #[cfg(not(feature = "check"))]
    Row::without(Backend::Check),
];
