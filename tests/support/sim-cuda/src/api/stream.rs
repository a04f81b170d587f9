//! Streams and events.

use std::ffi::{c_int, c_uint};

use super::put;
use crate::context::Handle;
use crate::driver::on_current;
use crate::status::*;
use crate::stream::{Event, Recorded};

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: c_uint = 1;
/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: c_uint = 2;

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuStreamCreate(stream: *mut Handle, flags: c_uint) -> Status {
    on_current("cuStreamCreate", |context| {
        if flags > NON_BLOCKING {
            return Err(INVALID_VALUE);
        }
        let made = context.new_stream(flags != NON_BLOCKING);
        // SAFETY: the caller's pointer.
        unsafe { put(stream, made) }
    })
}

/// Returns at once; the work in the stream is done when the host waits for it.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuStreamDestroy_v2(stream: Handle) -> Status {
    on_current("cuStreamDestroy_v2", |context| {
        if stream <= 2 {
            return Err(INVALID_HANDLE);
        }
        let stream = context.stream(stream)?;
        (stream.destroyed, stream.capture) = (true, None);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuStreamSynchronize(stream: Handle) -> Status {
    on_current("cuStreamSynchronize", |context| context.synchronize(stream))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint) -> Status {
    on_current("cuStreamWaitEvent", |context| {
        if flags > 1 {
            return Err(INVALID_VALUE);
        }
        context.wait_event(stream, event)
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuEventCreate(event: *mut Handle, flags: c_uint) -> Status {
    on_current("cuEventCreate", |context| {
        // BLOCKING_SYNC, DISABLE_TIMING; events of other processes are not simulated.
        if flags > 3 {
            return Err(INVALID_VALUE);
        }
        let made = context.new_handle();
        let state = Recorded::Never;
        context.events.insert(made, Event { timed: flags & DISABLE_TIMING == 0, state });
        // SAFETY: the caller's pointer.
        unsafe { put(event, made) }
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuEventDestroy_v2(event: Handle) -> Status {
    on_current("cuEventDestroy_v2", |context| context.events.remove(&event).map(|_| ()).ok_or(INVALID_HANDLE))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuEventRecord(event: Handle, stream: Handle) -> Status {
    on_current("cuEventRecord", |context| context.record(event, stream))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuEventSynchronize(event: Handle) -> Status {
    on_current("cuEventSynchronize", |context| context.synchronize_event(event))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuEventQuery(event: Handle) -> Status {
    on_current("cuEventQuery", |context| {
        context.not_in_capture()?;
        context.query(event)
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) -> Status {
    on_current("cuEventElapsedTime", |context| {
        let time = context.elapsed(start, end)?;
        // SAFETY: the caller's pointer.
        unsafe { put(milliseconds, time) }
    })
}

/// As CUDA 12.8 and later name it.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: Handle, end: Handle) -> Status {
    // SAFETY: the caller's pointer.
    unsafe { cuEventElapsedTime(milliseconds, start, end) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuStreamGetPriority(stream: Handle, priority: *mut c_int) -> Status {
    on_current("cuStreamGetPriority", |context| {
        context.stream(stream)?;
        // SAFETY: the caller's pointer.
        unsafe { put(priority, 0) }
    })
}
