//! Allocation and copies.

use std::ffi::{c_uchar, c_uint, c_void};

use super::put;
use crate::context::{Context, Handle};
use crate::driver::{call, on_current};
use crate::execute::{From, Op, To};
use crate::status::*;
use crate::stream::NULL_STREAM;

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Status {
    on_current("cuMemGetInfo_v2", |context| {
        let all = context.settings.memory;
        // SAFETY: the caller's pointers.
        unsafe { put(free, context.memory.free_bytes(all)).and_then(|()| put(total, all)) }
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemAlloc_v2(at: *mut u64, len: usize) -> Status {
    on_current("cuMemAlloc_v2", |context| {
        context.not_in_capture()?;
        let found = context.memory.reserve(len, context.settings.memory)?;
        context.memory.make(found, len);
        // SAFETY: the caller's pointer.
        unsafe { put(at, found) }
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemAllocAsync(at: *mut u64, len: usize, stream: Handle) -> Status {
    on_current("cuMemAllocAsync", |context| {
        if !context.settings.pools {
            return Err(NOT_SUPPORTED);
        }
        context.stream(stream)?;
        let found = context.memory.reserve(len, context.settings.memory)?;
        if let Err(code) = context.issue(stream, Op::Make { at: found, len }) {
            context.memory.forget(found)?;
            return Err(code);
        }
        // SAFETY: the caller's pointer.
        unsafe { put(at, found) }
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemFree_v2(at: u64) -> Status {
    on_current("cuMemFree_v2", |context| {
        context.not_in_capture()?;
        context.memory.forget(at)?;
        context.synchronize_all()?;
        context.memory.end(at)
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemFreeAsync(at: u64, stream: Handle) -> Status {
    on_current("cuMemFreeAsync", |context| {
        if !context.settings.pools {
            return Err(NOT_SUPPORTED);
        }
        context.memory.check(at, 1)?;
        context.issue(stream, Op::End { at })?;
        context.memory.forget(at)
    })
}

/// To the device. Memory that is not page-locked is copied before the call returns.
///
/// # Safety
/// `from` points to `len` bytes.
unsafe fn copy_in(
    context: &mut Context,
    to: u64,
    from: *const c_void,
    (len, stream): (usize, Handle),
) -> Result<(), Status> {
    context.memory.check(to, len)?;
    let at = from as usize;
    let from = if context.pinned.has(at, len) {
        From::Pinned { at, len }
    } else {
        // SAFETY: the caller's promise.
        From::Copy(unsafe { std::slice::from_raw_parts(from.cast::<u8>(), len) }.into())
    };
    context.issue(stream, Op::In { to, from })
}

/// From the device. To memory that is not page-locked the copy is done when the call returns.
fn copy_out(context: &mut Context, to: *mut c_void, from: u64, (len, stream): (usize, Handle)) -> Result<(), Status> {
    context.memory.check(from, len)?;
    let at = to as usize;
    if context.pinned.has(at, len) {
        return context.issue(stream, Op::Out { to: To::Pinned(at), from, len });
    }
    if let Some(capture) = &mut context.stream(stream)?.capture {
        capture.invalid = true;
        return Err(STREAM_CAPTURE_UNSUPPORTED);
    }
    context.issue(stream, Op::Out { to: To::Waiting(at), from, len })?;
    context.synchronize(stream)
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const c_void,
    len: usize,
    stream: Handle,
) -> Status {
    // SAFETY: the caller's bytes.
    on_current("cuMemcpyHtoDAsync_v2", |context| unsafe { copy_in(context, to, from, (len, stream)) })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, len: usize) -> Status {
    on_current("cuMemcpyHtoD_v2", |context| {
        context.not_in_capture()?;
        // SAFETY: the caller's bytes.
        unsafe { copy_in(context, to, from, (len, NULL_STREAM)) }?;
        context.synchronize(NULL_STREAM)
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, len: usize, stream: Handle) -> Status {
    on_current("cuMemcpyDtoHAsync_v2", |context| copy_out(context, to, from, (len, stream)))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, len: usize) -> Status {
    on_current("cuMemcpyDtoH_v2", |context| {
        context.not_in_capture()?;
        copy_out(context, to, from, (len, NULL_STREAM))?;
        context.synchronize(NULL_STREAM)
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, len: usize, stream: Handle) -> Status {
    on_current("cuMemcpyDtoDAsync_v2", |context| {
        context.memory.check(to, len).and_then(|()| context.memory.check(from, len))?;
        context.issue(stream, Op::Within { to, from, len })
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemsetD8Async(at: u64, byte: c_uchar, len: usize, stream: Handle) -> Status {
    on_current("cuMemsetD8Async", |context| {
        context.memory.check(at, len)?;
        context.issue(stream, Op::Fill { at, byte, len })
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemHostAlloc(at: *mut usize, len: usize, flags: c_uint) -> Status {
    on_current("cuMemHostAlloc", |context| {
        // PORTABLE, DEVICEMAP, WRITECOMBINED.
        if flags > 7 {
            return Err(INVALID_VALUE);
        }
        context.not_in_capture()?;
        let found = context.pinned.allocate(len)?;
        // SAFETY: the caller's pointer.
        unsafe { put(at, found) }
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuMemAllocHost_v2(at: *mut usize, len: usize) -> Status {
    // SAFETY: the caller's pointer.
    unsafe { cuMemHostAlloc(at, len, 0) }
}

/// Waits for nothing: if memory is freed that a copy still uses, the copy fails.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemFreeHost(at: usize) -> Status {
    // The memory is the host's, so it is freed even where the context is lost.
    call("cuMemFreeHost", |driver| {
        driver.contexts.iter_mut().find_map(|context| context.pinned.free(at).ok()).ok_or(INVALID_VALUE)
    })
}
