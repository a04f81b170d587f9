//! Initialisation, devices, primary contexts, the texts of errors.

use std::ffi::{c_char, c_int, c_uint};

use super::put;
use crate::context::{Context, Handle};
use crate::driver::{call, current, initialise, on_current, set_current};
use crate::settings::Settings;
use crate::status::*;

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuInit(flags: c_uint) -> Status {
    if flags == 0 { initialise() } else { INVALID_VALUE }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> Status {
    // SAFETY: the caller's pointer.
    unsafe { put(version, 13_000) }.err().unwrap_or(SUCCESS)
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Status {
    // SAFETY: the caller's pointer.
    call("cuDeviceGetCount", |driver| unsafe { put(count, driver.contexts.len() as c_int) })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> Status {
    call("cuDeviceGet", |driver| {
        driver.device(ordinal)?;
        // SAFETY: the caller's pointer.
        unsafe { put(device, ordinal) }
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) -> Status {
    call("cuDeviceGetName", |driver| {
        driver.device(device)?;
        let text = c"Simulated GPU".to_bytes_with_nul();
        if name.is_null() || usize::try_from(len).is_ok_and(|len| len < text.len()) || len < 0 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller's `len` bytes.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), name, text.len()) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> Status {
    call("cuDeviceTotalMem_v2", |driver| {
        let all = driver.device(device)?.settings.memory;
        // SAFETY: the caller's pointer.
        unsafe { put(bytes, all) }
    })
}

/// `CU_DEVICE_ATTRIBUTE_*` by their numbers.
fn attribute(settings: &Settings, number: c_uint) -> Option<u32> {
    Some(match number {
        // MAX_THREADS_PER_BLOCK, MAX_BLOCK_DIM_X, _Y, _Z.
        1..=3 => settings.threads,
        4 => 64,
        // MAX_GRID_DIM_X, _Y, _Z.
        5 => settings.grid,
        6 | 7 => 65_535,
        // MAX_SHARED_MEMORY_PER_BLOCK, _OPTIN.
        8 => settings.static_shared(),
        97 => settings.shared,
        // WARP_SIZE, MAX_REGISTERS_PER_BLOCK, MULTIPROCESSOR_COUNT, MAX_THREADS_PER_MULTIPROCESSOR.
        10 => 32,
        12 => 65_536,
        16 => 4,
        39 => 2048,
        // UNIFIED_ADDRESSING.
        41 => 1,
        // COMPUTE_CAPABILITY_MAJOR, _MINOR.
        75 => settings.capability.0,
        76 => settings.capability.1,
        // MEMORY_POOLS_SUPPORTED.
        115 => settings.pools.into(),
        _ => return None,
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuDeviceGetAttribute(value: *mut c_int, number: c_uint, device: c_int) -> Status {
    call("cuDeviceGetAttribute", |driver| {
        let found = attribute(&driver.device(device)?.settings, number).ok_or(INVALID_VALUE)?;
        // SAFETY: the caller's pointer.
        unsafe { put(value, found as c_int) }
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) -> Status {
    call("cuDevicePrimaryCtxRetain", |driver| {
        let found = driver.device(device)?;
        found.retained += 1;
        // SAFETY: the caller's pointer.
        unsafe { put(context, Context::handle_of(found.device)) }
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> Status {
    call("cuDevicePrimaryCtxRelease_v2", |driver| {
        let context = driver.device(device)?;
        context.retained = context.retained.checked_sub(1).ok_or(INVALID_CONTEXT)?;
        if context.retained == 0 {
            context.reset();
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuCtxGetCurrent(context: *mut Handle) -> Status {
    // SAFETY: the caller's pointer.
    call("cuCtxGetCurrent", |_| unsafe { put(context, current()) })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuCtxSetCurrent(context: Handle) -> Status {
    call("cuCtxSetCurrent", |driver| {
        let known = Context::device_of(context).is_some_and(|device| device < driver.contexts.len());
        if context != 0 && !known {
            return Err(INVALID_CONTEXT);
        }
        set_current(context);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuCtxSynchronize() -> Status {
    on_current("cuCtxSynchronize", |context| {
        for stream in context.streams.values_mut() {
            if let Some(capture) = &mut stream.capture {
                capture.invalid = true;
                return Err(STREAM_CAPTURE_UNSUPPORTED);
            }
        }
        context.synchronize_all()
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuGetErrorName(error: Status, text: *mut *const c_char) -> Status {
    let Some(found) = name(error) else { return INVALID_VALUE };
    // SAFETY: the caller's pointer.
    unsafe { put(text, found.as_ptr()) }.err().unwrap_or(SUCCESS)
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuGetErrorString(error: Status, text: *mut *const c_char) -> Status {
    // SAFETY: the caller's pointer.
    unsafe { cuGetErrorName(error, text) }
}
