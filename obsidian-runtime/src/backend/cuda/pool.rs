//! The pool that a GPU's buffers come from. In: a context; out: a pool that keeps what is freed.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

use cudarc::driver::sys::{self, CUdevice_attribute, CUmemPool_attribute, CUmemoryPool};
use cudarc::driver::{CudaContext, DriverError};

/// Lets the driver keep freed memory for later buffers. Without this it gives all of it back to the system whenever
/// somebody waits, and what is allocated next must be mapped anew. A threshold that the program has set stays.
pub(super) fn keep_freed(context: &CudaContext) -> Result<(), DriverError> {
    if context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
        return Ok(());
    }
    let threshold = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    let (mut pool, mut bytes) = (MaybeUninit::<CUmemoryPool>::uninit(), 0_u64);
    let value: *mut c_void = ptr::from_mut(&mut bytes).cast();
    // SAFETY: the device is the context's; the attribute is a `cuuint64_t`, and the pool is there once the first call has succeeded.
    unsafe {
        sys::cuDeviceGetDefaultMemPool(pool.as_mut_ptr(), context.cu_device()).result()?;
        let pool = pool.assume_init();
        sys::cuMemPoolGetAttribute(pool, threshold, value).result()?;
        if *value.cast::<u64>() == 0 {
            *value.cast::<u64>() = u64::MAX;
            sys::cuMemPoolSetAttribute(pool, threshold, value).result()?;
        }
    }
    Ok(())
}
