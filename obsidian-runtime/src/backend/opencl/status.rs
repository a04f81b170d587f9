//! The driver's statuses as errors, with the standard's names.

use std::fmt;

use super::api::{INVALID_BUFFER_SIZE, MEM_OBJECT_ALLOCATION_FAILURE, OUT_OF_HOST_MEMORY, OUT_OF_RESOURCES, Status};
use crate::error::Error;

/// A status that is not success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure(pub(super) Status);

impl Failure {
    /// `Err` unless the status is success.
    pub(super) fn check(status: Status) -> Result<(), Failure> {
        if status >= 0 { Ok(()) } else { Err(Failure(status)) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(status, _)| *status == self.0) {
            Some((status, name)) => write!(f, "{name} ({status})"),
            None => write!(f, "OpenCL error {}", self.0),
        }
    }
}

impl std::error::Error for Failure {}

/// The driver's error, with what was being done.
pub(super) fn failed(device: &str, action: impl Into<String>) -> impl FnOnce(Failure) -> Error {
    move |source| Error::Driver { device: device.to_owned(), action: action.into(), source: Box::new(source) }
}

/// As [`failed`], for an allocation of `bytes`.
pub(super) fn not_allocated(device: &str, bytes: usize) -> impl FnOnce(Failure) -> Error {
    move |source| match source.0 {
        MEM_OBJECT_ALLOCATION_FAILURE | OUT_OF_RESOURCES | OUT_OF_HOST_MEMORY | INVALID_BUFFER_SIZE => {
            Error::OutOfMemory { device: device.to_owned(), bytes: bytes as u64 }
        }
        _ => failed(device, format!("allocate {bytes} bytes"))(source),
    }
}

#[rustfmt::skip]
const NAMES: &[(Status, &str)] = &[
    (-1, "CL_DEVICE_NOT_FOUND"), (-2, "CL_DEVICE_NOT_AVAILABLE"), (-3, "CL_COMPILER_NOT_AVAILABLE"),
    (-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"), (-5, "CL_OUT_OF_RESOURCES"), (-6, "CL_OUT_OF_HOST_MEMORY"),
    (-7, "CL_PROFILING_INFO_NOT_AVAILABLE"), (-11, "CL_BUILD_PROGRAM_FAILURE"), (-12, "CL_MAP_FAILURE"),
    (-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"), (-30, "CL_INVALID_VALUE"), (-33, "CL_INVALID_DEVICE"),
    (-34, "CL_INVALID_CONTEXT"), (-36, "CL_INVALID_COMMAND_QUEUE"), (-38, "CL_INVALID_MEM_OBJECT"),
    (-42, "CL_INVALID_BINARY"), (-43, "CL_INVALID_BUILD_OPTIONS"), (-44, "CL_INVALID_PROGRAM"),
    (-45, "CL_INVALID_PROGRAM_EXECUTABLE"), (-46, "CL_INVALID_KERNEL_NAME"), (-48, "CL_INVALID_KERNEL"),
    (-49, "CL_INVALID_ARG_INDEX"), (-50, "CL_INVALID_ARG_VALUE"), (-51, "CL_INVALID_ARG_SIZE"),
    (-52, "CL_INVALID_KERNEL_ARGS"), (-54, "CL_INVALID_WORK_GROUP_SIZE"), (-55, "CL_INVALID_WORK_ITEM_SIZE"),
    (-57, "CL_INVALID_EVENT_WAIT_LIST"), (-58, "CL_INVALID_EVENT"), (-59, "CL_INVALID_OPERATION"),
    (-61, "CL_INVALID_BUFFER_SIZE"), (-63, "CL_INVALID_GLOBAL_WORK_SIZE"), (-1001, "CL_PLATFORM_NOT_FOUND_KHR"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_names() {
        assert_eq!(Failure::check(0), Ok(()));
        assert_eq!(Failure::check(-54), Err(Failure(-54)));
        assert_eq!(Failure(-54).to_string(), "CL_INVALID_WORK_GROUP_SIZE (-54)");
        assert_eq!(Failure(-9999).to_string(), "OpenCL error -9999");
        let error = not_allocated("d", 7)(Failure(-61));
        assert!(matches!(error, Error::OutOfMemory { bytes: 7, .. }), "{error}");
    }
}
