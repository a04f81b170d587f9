//! The functions that the library exports, with the names, arguments and codes of the CUDA driver API 13.0. Each is cited by
//! its name there. Handles are pointers to nothing.

mod device;
mod graph;
mod launch;
mod memory;
mod pool;
mod rest;
mod stream;

use crate::status::{INVALID_VALUE, Status};

/// Stores a result.
///
/// # Safety
/// `to` is null or may be written.
unsafe fn put<T>(to: *mut T, value: T) -> Result<(), Status> {
    if to.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    unsafe { to.write(value) };
    Ok(())
}

#[cfg(test)]
mod tests;
