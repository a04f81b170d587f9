//! The driver's codes (`CUresult`) with their names, and which of them the interpreter's faults are.

use std::ffi::CStr;

use obsidian_ptx_interp::Fault;

/// A `CUresult`.
pub(crate) type Status = u32;

macro_rules! statuses {
    ($($name:ident $code:literal $text:literal;)+) => {
        $(pub(crate) const $name: Status = $code;)+

        /// The name, as `cuGetErrorName` gives it.
        pub(crate) fn name(status: Status) -> Option<&'static CStr> {
            const NAMES: &[(Status, &CStr)] = &[$(($code, $text)),+];
            NAMES.iter().find(|(code, _)| *code == status).map(|(_, name)| *name)
        }
    };
}

statuses! {
    SUCCESS 0 c"CUDA_SUCCESS";
    INVALID_VALUE 1 c"CUDA_ERROR_INVALID_VALUE";
    OUT_OF_MEMORY 2 c"CUDA_ERROR_OUT_OF_MEMORY";
    NOT_INITIALIZED 3 c"CUDA_ERROR_NOT_INITIALIZED";
    NO_DEVICE 100 c"CUDA_ERROR_NO_DEVICE";
    INVALID_DEVICE 101 c"CUDA_ERROR_INVALID_DEVICE";
    INVALID_CONTEXT 201 c"CUDA_ERROR_INVALID_CONTEXT";
    ECC_UNCORRECTABLE 214 c"CUDA_ERROR_ECC_UNCORRECTABLE";
    INVALID_PTX 218 c"CUDA_ERROR_INVALID_PTX";
    UNSUPPORTED_PTX_VERSION 222 c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
    INVALID_HANDLE 400 c"CUDA_ERROR_INVALID_HANDLE";
    ILLEGAL_STATE 401 c"CUDA_ERROR_ILLEGAL_STATE";
    NOT_FOUND 500 c"CUDA_ERROR_NOT_FOUND";
    NOT_READY 600 c"CUDA_ERROR_NOT_READY";
    ILLEGAL_ADDRESS 700 c"CUDA_ERROR_ILLEGAL_ADDRESS";
    LAUNCH_OUT_OF_RESOURCES 701 c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
    LAUNCH_TIMEOUT 702 c"CUDA_ERROR_LAUNCH_TIMEOUT";
    MISALIGNED_ADDRESS 716 c"CUDA_ERROR_MISALIGNED_ADDRESS";
    LAUNCH_FAILED 719 c"CUDA_ERROR_LAUNCH_FAILED";
    NOT_SUPPORTED 801 c"CUDA_ERROR_NOT_SUPPORTED";
    STREAM_CAPTURE_UNSUPPORTED 900 c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
    STREAM_CAPTURE_INVALIDATED 901 c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED";
    STREAM_CAPTURE_ISOLATION 905 c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION";
    STREAM_CAPTURE_IMPLICIT 906 c"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT";
    CAPTURED_EVENT 907 c"CUDA_ERROR_CAPTURED_EVENT";
    STREAM_CAPTURE_WRONG_THREAD 908 c"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD";
    UNKNOWN 999 c"CUDA_ERROR_UNKNOWN";
}

/// What a GPU says where the interpreter finds a fault.
pub(crate) fn of_fault(fault: &Fault) -> Status {
    match fault {
        Fault::Access { what, .. } if what.contains("does not divide") => MISALIGNED_ADDRESS,
        Fault::Access { .. } => ILLEGAL_ADDRESS,
        // Threads that wait for others who never come.
        Fault::Divergence { .. } | Fault::Endless { .. } => LAUNCH_TIMEOUT,
        _ => LAUNCH_FAILED,
    }
}
