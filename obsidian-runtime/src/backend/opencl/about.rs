//! What drivers say of their devices: which there are, what each has, and what is avoided on it.

use std::sync::Mutex;

use obsidian_abi::Need;

use super::super::locked;
use super::api::{self, Api, Raw, api};
use super::defects::Driver;
use super::handle::{info, number, text};
use super::status::Failure;
use crate::error::Error;
use crate::info::{Backend, Limits};

/// What a driver says of a device.
#[derive(Debug, Clone)]
pub(crate) struct About {
    /// Its name, platform and number.
    pub name: String,
    /// Driver and versions, for the cache.
    pub driver: String,
    /// Those that decide what is avoided.
    pub(super) versions: Driver,
    /// Whether it is the processor itself.
    pub is_cpu: bool,
    /// Whether it is a processor and nothing else: its compiler then makes vectors of the items of a group.
    vectorises: bool,
    /// What it has.
    pub limits: Limits,
    /// Bytes that parts of buffers start at multiples of.
    pub(super) base_alignment: usize,
    float: u64,
    extensions: String,
    /// Of OpenCL: `(3, 0)`.
    version: (u32, u32),
}

/// A device that can be opened.
pub(super) struct Found {
    pub(super) device: Raw,
    pub(super) about: About,
}

pub(super) fn unavailable(reason: String) -> Error {
    Error::BackendUnavailable { backend: Backend::OpenCl, reason }
}

/// All devices of all platforms, in the drivers' order; never none.
pub(super) fn found() -> Result<Vec<Found>, Error> {
    // While one thread makes a loader and its drivers set themselves up, another is told that there is no device (PoCL 3.0).
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = locked(&ONE_AT_A_TIME);
    let api = api().map_err(unavailable)?;
    let refused = |failure| unavailable(format!("the driver reports {failure}"));
    let ids = list(|n, ids, count| {
        // SAFETY: `ids` has room for `n`.
        unsafe { (api.clGetPlatformIDs)(n, ids, count) }
    });
    let platforms = ids.map_err(refused)?;
    let mut found = Vec::new();
    for platform in platforms {
        let devices = list(|n, ids, count| {
            // SAFETY: `ids` has room for `n`.
            unsafe { (api.clGetDeviceIDs)(platform, api::DEVICE_TYPE_ALL, n, ids, count) }
        });
        for device in devices.map_err(refused)? {
            let about = About::ask(api, platform, device, found.len()).map_err(refused)?;
            found.push(Found { device, about });
        }
    }
    if found.is_empty() {
        return Err(unavailable("the loader works, but no driver has a device; install an OpenCL driver".to_owned()));
    }
    Ok(found)
}

/// What a call that lists objects gives; none where the driver says that there are none.
fn list(get: impl Fn(u32, *mut Raw, *mut u32) -> api::Status) -> Result<Vec<Raw>, Failure> {
    let mut count = 0;
    match Failure::check(get(0, std::ptr::null_mut(), &mut count)) {
        Err(Failure(api::DEVICE_NOT_FOUND | api::PLATFORM_NOT_FOUND)) => return Ok(Vec::new()),
        other => other?,
    }
    let mut ids = vec![std::ptr::null_mut(); count as usize];
    if count > 0 {
        Failure::check(get(count, ids.as_mut_ptr(), std::ptr::null_mut()))?;
    }
    Ok(ids)
}

/// What all devices are, in the order of their numbers.
pub(crate) fn devices() -> Result<Vec<About>, Error> {
    Ok(found()?.into_iter().map(|found| found.about).collect())
}

impl About {
    fn ask(api: &Api, platform: Raw, device: Raw, number_of_device: usize) -> Result<About, Failure> {
        let of_platform = |what| {
            // SAFETY: `info` gives room for `size` bytes.
            info(|size, to, needed| unsafe { (api.clGetPlatformInfo)(platform, what, size, to, needed) })
        };
        let of_device = |what| {
            // SAFETY: as above.
            info(|size, to, needed| unsafe { (api.clGetDeviceInfo)(device, what, size, to, needed) })
        };
        let count = |what| Ok::<_, Failure>(number(&of_device(what)?));
        let small = |what| Ok::<_, Failure>(u32::try_from(count(what)?).unwrap_or(u32::MAX));
        let (name, platform_name) = (text(&of_device(api::DEVICE_NAME)?), text(&of_platform(api::PLATFORM_NAME)?));
        let driver = [
            platform_name.clone(),
            text(&of_platform(api::PLATFORM_VERSION)?),
            text(&of_device(api::DEVICE_VENDOR)?),
            name.clone(),
            text(&of_device(api::DRIVER_VERSION)?),
        ];
        let kinds = count(api::DEVICE_TYPE)?;
        Ok(About {
            name: format!("{name} ({platform_name}, device {number_of_device})"),
            versions: Driver::of(&driver[0], &driver[1]),
            driver: driver.join("\n"),
            is_cpu: kinds & api::DEVICE_TYPE_CPU != 0,
            // A simulator says that it is all of them.
            vectorises: kinds & (api::DEVICE_TYPE_CPU | api::DEVICE_TYPE_GPU) == api::DEVICE_TYPE_CPU,
            limits: Limits {
                memory: Some(count(api::DEVICE_GLOBAL_MEM_SIZE)?),
                compute_units: small(api::DEVICE_MAX_COMPUTE_UNITS)?,
                threads: Some(small(api::DEVICE_MAX_WORK_GROUP_SIZE)?),
                shared_bytes: Some(small(api::DEVICE_LOCAL_MEM_SIZE)?),
            },
            // The device says it in bits.
            base_alignment: (small(api::DEVICE_MEM_BASE_ADDR_ALIGN)? as usize / 8).max(16).next_power_of_two(),
            float: count(api::DEVICE_SINGLE_FP_CONFIG)?,
            extensions: text(&of_device(api::DEVICE_EXTENSIONS)?),
            version: version(&text(&of_device(api::DEVICE_VERSION)?)),
        })
    }

    /// Whether the device has what a kernel needs.
    pub(super) fn has(&self, need: Need) -> bool {
        match need {
            Need::F64 => self.extended("cl_khr_fp64"),
            Need::Atomics64 => {
                self.extended("cl_khr_int64_base_atomics") && self.extended("cl_khr_int64_extended_atomics")
            }
            Need::RoundedDivision => self.float & api::FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0,
            Need::Subnormals => self.float & api::FP_DENORM != 0,
        }
    }

    /// Whether its sub-groups may be warps; of which size they are its compiler decides for each kernel.
    pub(super) fn shuffles(&self) -> bool {
        self.version >= (2, 1) && self.extended("cl_khr_subgroup_shuffle") && self.versions.takes_sub_groups()
    }

    /// The options with which every text is compiled for it, each behind a blank.
    pub(super) fn options(&self) -> String {
        let elementwise = if self.vectorises { " -D ELEMENTWISE" } else { "" };
        self.versions.macros() + elementwise
    }

    /// Whether what its driver has compiled is kept for later runs.
    pub(super) fn keeps_programs(&self) -> bool {
        self.versions.is_asked_for_programs()
    }

    /// What its driver is known to get wrong, which is avoided.
    pub(crate) fn avoided(&self) -> Vec<&'static str> {
        self.versions.defects().map(|defect| defect.summary).collect()
    }

    fn extended(&self, name: &str) -> bool {
        self.extensions.split_whitespace().any(|found| found == name)
    }
}

/// That of `OpenCL 3.0 of some vendor`; (0, 0) where it does not read so.
fn version(text: &str) -> (u32, u32) {
    let numbers = text.strip_prefix("OpenCL ").and_then(|rest| rest.split_whitespace().next()?.split_once('.'));
    let number = |text: &str| text.parse().ok();
    numbers.and_then(|(major, minor)| number(major).zip(number(minor))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_has_what_it_says() {
        let limits = Limits { memory: None, compute_units: 1, threads: None, shared_bytes: None };
        let about = |extensions: &str, float| {
            let (name, driver, extensions) = (String::new(), String::new(), extensions.to_owned());
            let versions = Driver::default();
            About {
                name,
                driver,
                versions,
                is_cpu: false,
                vectorises: false,
                limits,
                base_alignment: 16,
                float,
                extensions,
                version: (2, 1),
            }
        };
        let bare = about("cl_khr_fp64_more cl_khr_int64_base_atomics", 0);
        for need in [Need::F64, Need::Atomics64, Need::RoundedDivision, Need::Subnormals] {
            assert!(!bare.has(need), "{need:?}");
        }
        let all = "cl_khr_int64_extended_atomics cl_khr_fp64 cl_khr_int64_base_atomics";
        let full = about(all, api::FP_DENORM | api::FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
        for need in [Need::F64, Need::Atomics64, Need::RoundedDivision, Need::Subnormals] {
            assert!(full.has(need), "{need:?}");
        }
        assert!(!bare.shuffles() && about("cl_khr_subgroup_shuffle", 0).shuffles());
        assert!(!About { version: (1, 2), ..about("cl_khr_subgroup_shuffle", 0) }.shuffles());
        let versions = Driver::of("Portable Computing Language", "OpenCL 3.0 PoCL 7.1  Linux, LLVM 20.1.8");
        assert!(!About { versions, ..about("cl_khr_subgroup_shuffle", 0) }.shuffles());
    }

    #[test]
    fn a_processor_gets_single_elements() {
        let limits = Limits { memory: None, compute_units: 1, threads: None, shared_bytes: None };
        let about = |platform: &str, vectorises| {
            let (name, driver, extensions) = (String::new(), String::new(), String::new());
            let versions = Driver::of("a platform", platform);
            let about = About {
                name,
                driver,
                versions,
                is_cpu: true,
                vectorises,
                limits,
                base_alignment: 16,
                float: 0,
                extensions,
                version: (3, 0),
            };
            about.options()
        };
        assert_eq!(about("OpenCL 3.0 LINUX", true), " -D ELEMENTWISE");
        assert_eq!(
            about("OpenCL 3.0 PoCL 3.0  LLVM 14.0.6", true),
            " -D SPLIT_PHASES -D SPLIT_ROUNDS -D HIDE_PLACES -D ELEMENTWISE"
        );
        assert_eq!(about("OpenCL 1.2 (Oclgrind 19.10)", false), "");
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(version("OpenCL 3.0 PoCL HSTR: x"), (3, 0));
        assert_eq!(version("OpenCL 1.2"), (1, 2));
        assert_eq!(version("OpenCL"), (0, 0));
    }
}
