//! The functions of OpenCL 1.2 that the runtime calls, and one of 2.1, looked up in the system's loader at run time. In: nothing, or a
//! path in `OPENCL_DYLIB_PATH`; out: the table of functions, or why there is none. Names and values are the standard's.

use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

use libloading::Library;

/// Anything the driver hands out: a platform, a device, a context, a queue, a buffer, a program, a kernel, an event.
pub(super) type Raw = *mut c_void;
/// A status: 0 or a negative error.
pub(super) type Status = i32;

pub(super) const DEVICE_NOT_FOUND: Status = -1;
pub(super) const MEM_OBJECT_ALLOCATION_FAILURE: Status = -4;
pub(super) const OUT_OF_RESOURCES: Status = -5;
pub(super) const OUT_OF_HOST_MEMORY: Status = -6;
pub(super) const INVALID_BUFFER_SIZE: Status = -61;
pub(super) const PLATFORM_NOT_FOUND: Status = -1001;

pub(super) const PLATFORM_NAME: u32 = 0x0902;
pub(super) const PLATFORM_VERSION: u32 = 0x0901;
pub(super) const DEVICE_TYPE_ALL: u64 = 0xFFFF_FFFF;
pub(super) const DEVICE_TYPE_CPU: u64 = 1 << 1;
pub(super) const DEVICE_TYPE_GPU: u64 = 1 << 2;
pub(super) const DEVICE_TYPE: u32 = 0x1000;
pub(super) const DEVICE_MAX_COMPUTE_UNITS: u32 = 0x1002;
pub(super) const DEVICE_MAX_WORK_GROUP_SIZE: u32 = 0x1004;
pub(super) const DEVICE_MEM_BASE_ADDR_ALIGN: u32 = 0x1019;
pub(super) const DEVICE_SINGLE_FP_CONFIG: u32 = 0x101B;
pub(super) const DEVICE_GLOBAL_MEM_SIZE: u32 = 0x101F;
pub(super) const DEVICE_LOCAL_MEM_SIZE: u32 = 0x1023;
pub(super) const DEVICE_NAME: u32 = 0x102B;
pub(super) const DEVICE_VENDOR: u32 = 0x102C;
pub(super) const DRIVER_VERSION: u32 = 0x102D;
pub(super) const DEVICE_VERSION: u32 = 0x102F;
pub(super) const DEVICE_EXTENSIONS: u32 = 0x1030;
pub(super) const FP_DENORM: u64 = 1;
pub(super) const FP_CORRECTLY_ROUNDED_DIVIDE_SQRT: u64 = 1 << 7;
pub(super) const MEM_READ_WRITE: u64 = 1;
pub(super) const BUFFER_CREATE_TYPE_REGION: u32 = 0x1220;
pub(super) const PROGRAM_BINARY_SIZES: u32 = 0x1165;
pub(super) const PROGRAM_BINARIES: u32 = 0x1166;
pub(super) const PROGRAM_BUILD_LOG: u32 = 0x1183;
pub(super) const KERNEL_WORK_GROUP_SIZE: u32 = 0x11B0;
pub(super) const KERNEL_COMPILE_WORK_GROUP_SIZE: u32 = 0x11B1;
pub(super) const KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: u32 = 0x2033;
pub(super) const KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: u32 = 0x2034;
pub(super) const QUEUE_PROFILING_ENABLE: u64 = 1 << 1;
pub(super) const PROFILING_COMMAND_END: u32 = 0x1283;

macro_rules! functions {
    ($($name:ident($($argument:ty),*) -> $result:ty;)+) => {
        /// The functions.
        #[allow(non_snake_case)]
        pub(super) struct Api {
            $(pub(super) $name: unsafe extern "system" fn($($argument),*) -> $result,)+
            /// Of OpenCL 2.1: not for devices of an older version.
            pub(super) clGetKernelSubGroupInfo: Option<SubGroupInfo>,
            _library: Library,
        }

        impl Api {
            fn of(library: Library) -> Result<Api, libloading::Error> {
                Ok(Api {
                    // SAFETY: the type is the one that the standard gives the function of this name; the library
                    // stays loaded as long as the pointers, which lie beside it.
                    $($name: unsafe { *library.get(concat!(stringify!($name), "\0").as_bytes())? },)+
                    // SAFETY: as above.
                    clGetKernelSubGroupInfo: unsafe { library.get(b"clGetKernelSubGroupInfo\0").ok().map(|found| *found) },
                    _library: library,
                })
            }
        }
    };
}

/// A part of a buffer, in bytes: `cl_buffer_region`.
#[repr(C)]
pub(super) struct Region {
    pub(super) origin: usize,
    pub(super) size: usize,
}

type Info = *mut c_void;
type Events = *const Raw;
type Callback = Option<extern "system" fn(Raw, *mut c_void)>;
type SubGroupInfo = unsafe extern "system" fn(Raw, Raw, u32, usize, *const c_void, usize, Info, *mut usize) -> Status;
type ContextCallback = Option<extern "system" fn(*const c_char, *const c_void, usize, *mut c_void)>;

functions! {
    clGetPlatformIDs(u32, *mut Raw, *mut u32) -> Status;
    clGetPlatformInfo(Raw, u32, usize, Info, *mut usize) -> Status;
    clGetDeviceIDs(Raw, u64, u32, *mut Raw, *mut u32) -> Status;
    clGetDeviceInfo(Raw, u32, usize, Info, *mut usize) -> Status;
    clCreateContext(*const isize, u32, *const Raw, ContextCallback, *mut c_void, *mut Status) -> Raw;
    clReleaseContext(Raw) -> Status;
    clCreateCommandQueue(Raw, Raw, u64, *mut Status) -> Raw;
    clReleaseCommandQueue(Raw) -> Status;
    clFinish(Raw) -> Status;
    clFlush(Raw) -> Status;
    clCreateBuffer(Raw, u64, usize, *mut c_void, *mut Status) -> Raw;
    clCreateSubBuffer(Raw, u64, u32, *const Region, *mut Status) -> Raw;
    clReleaseMemObject(Raw) -> Status;
    clEnqueueReadBuffer(Raw, Raw, u32, usize, usize, *mut c_void, u32, Events, *mut Raw) -> Status;
    clEnqueueWriteBuffer(Raw, Raw, u32, usize, usize, *const c_void, u32, Events, *mut Raw) -> Status;
    clEnqueueCopyBuffer(Raw, Raw, Raw, usize, usize, usize, u32, Events, *mut Raw) -> Status;
    clEnqueueFillBuffer(Raw, Raw, *const c_void, usize, usize, usize, u32, Events, *mut Raw) -> Status;
    clCreateProgramWithSource(Raw, u32, *const *const c_char, *const usize, *mut Status) -> Raw;
    clCreateProgramWithBinary(Raw, u32, *const Raw, *const usize, *const *const u8, *mut Status, *mut Status) -> Raw;
    clBuildProgram(Raw, u32, *const Raw, *const c_char, Callback, *mut c_void) -> Status;
    clGetProgramInfo(Raw, u32, usize, Info, *mut usize) -> Status;
    clGetProgramBuildInfo(Raw, Raw, u32, usize, Info, *mut usize) -> Status;
    clReleaseProgram(Raw) -> Status;
    clCreateKernel(Raw, *const c_char, *mut Status) -> Raw;
    clReleaseKernel(Raw) -> Status;
    clSetKernelArg(Raw, u32, usize, *const c_void) -> Status;
    clGetKernelWorkGroupInfo(Raw, Raw, u32, usize, Info, *mut usize) -> Status;
    clEnqueueNDRangeKernel(Raw, Raw, u32, *const usize, *const usize, *const usize, u32, Events, *mut Raw) -> Status;
    clEnqueueMarkerWithWaitList(Raw, u32, Events, *mut Raw) -> Status;
    clWaitForEvents(u32, Events) -> Status;
    clGetEventProfilingInfo(Raw, u32, usize, Info, *mut usize) -> Status;
    clReleaseEvent(Raw) -> Status;
}

/// The variable that names another loader, or a driver that is one; several are divided by `;`.
const PATH_VARIABLE: &str = "OPENCL_DYLIB_PATH";

#[cfg(target_os = "windows")]
const NAMES: &[&str] = &["OpenCL.dll"];
#[cfg(target_os = "macos")]
const NAMES: &[&str] = &["/System/Library/Frameworks/OpenCL.framework/OpenCL"];
#[cfg(not(any(target_os = "windows", target_os = "macos")))]
const NAMES: &[&str] = &["libOpenCL.so.1", "libOpenCL.so"];

/// The functions, loaded at the first call.
pub(super) fn api() -> Result<&'static Api, String> {
    static API: OnceLock<Result<Api, String>> = OnceLock::new();
    API.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Api, String> {
    let chosen = std::env::var(PATH_VARIABLE).unwrap_or_default();
    let chosen: Vec<&str> = chosen.split(';').filter(|path| !path.is_empty()).collect();
    let names = if chosen.is_empty() { NAMES } else { &chosen };
    let mut reason = String::new();
    for name in names {
        // SAFETY: loads the system's OpenCL loader, or what the user names instead; its initialisers are its vendor's.
        match unsafe { Library::new(*name) }.and_then(Api::of) {
            Ok(api) => return Ok(api),
            Err(error) => reason = error.to_string(),
        }
    }
    let names = names.join("` or `");
    Err(format!("`{names}` could not be loaded ({reason}); install an OpenCL driver, or use `Device::cpu()`"))
}
