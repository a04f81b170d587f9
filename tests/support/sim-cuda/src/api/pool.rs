//! A device's memory pool: its handle is the device's number and one, and all that it knows is its threshold. Memory is not
//! given back to any system here, whatever that says.

use std::ffi::{c_int, c_uint, c_void};

use super::put;
use crate::context::{Context, Handle};
use crate::driver::call;
use crate::status::*;

/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`, a `cuuint64_t`.
const RELEASE_THRESHOLD: c_uint = 4;

fn with_pools(context: &mut Context) -> Result<&mut Context, Status> {
    if context.settings.pools { Ok(context) } else { Err(NOT_SUPPORTED) }
}

/// Calls `job` for the threshold of a pool.
fn threshold(
    name: &'static str,
    (pool, attribute): (Handle, c_uint),
    job: impl FnOnce(&mut u64) -> Result<(), Status>,
) -> Status {
    call(name, |driver| {
        let device = pool.checked_sub(1).and_then(|device| c_int::try_from(device).ok()).ok_or(INVALID_VALUE)?;
        let context = with_pools(driver.device(device).map_err(|_| INVALID_VALUE)?)?;
        if attribute == RELEASE_THRESHOLD { job(&mut context.threshold) } else { Err(INVALID_VALUE) }
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuDeviceGetDefaultMemPool(pool: *mut Handle, device: c_int) -> Status {
    call("cuDeviceGetDefaultMemPool", |driver| {
        let found = with_pools(driver.device(device)?)?.device + 1;
        // SAFETY: the caller's pointer.
        unsafe { put(pool, found) }
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemPoolGetAttribute(pool: Handle, attribute: c_uint, value: *mut c_void) -> Status {
    // SAFETY: the caller's pointer, which leads to what the attribute is.
    threshold("cuMemPoolGetAttribute", (pool, attribute), |found| unsafe { put(value.cast(), *found) })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemPoolSetAttribute(pool: Handle, attribute: c_uint, value: *mut c_void) -> Status {
    threshold("cuMemPoolSetAttribute", (pool, attribute), |kept| {
        // SAFETY: the caller's pointer, which is null or leads to what the attribute is.
        *kept = *unsafe { value.cast::<u64>().as_ref() }.ok_or(INVALID_VALUE)?;
        Ok(())
    })
}
