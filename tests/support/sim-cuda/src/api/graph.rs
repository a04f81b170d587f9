//! Stream capture and graphs.

use std::ffi::c_uint;

use super::put;
use crate::context::Handle;
use crate::driver::on_current;
use crate::graph::Mode;
use crate::status::*;

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuStreamBeginCapture_v2(stream: Handle, mode: c_uint) -> Status {
    on_current("cuStreamBeginCapture_v2", |context| context.begin_capture(stream, Mode::read(mode)?))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuStreamEndCapture(stream: Handle, graph: *mut Handle) -> Status {
    on_current("cuStreamEndCapture", |context| {
        let made = context.end_capture(stream);
        // SAFETY: the caller's pointer.
        unsafe { put(graph, *made.as_ref().unwrap_or(&0)) }?;
        made.map(|_| ())
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuStreamIsCapturing(stream: Handle, status: *mut c_uint) -> Status {
    on_current("cuStreamIsCapturing", |context| {
        let found = context.capture_status(stream)?;
        // SAFETY: the caller's pointer.
        unsafe { put(status, found) }
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuGraphInstantiateWithFlags(exec: *mut Handle, graph: Handle, flags: u64) -> Status {
    on_current("cuGraphInstantiateWithFlags", |context| {
        let made = context.instantiate(graph, flags)?;
        // SAFETY: the caller's pointer.
        unsafe { put(exec, made) }
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuGraphUpload(exec: Handle, stream: Handle) -> Status {
    on_current("cuGraphUpload", |context| {
        context.stream(stream)?;
        if context.execs.contains_key(&exec) { Ok(()) } else { Err(INVALID_HANDLE) }
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuGraphLaunch(exec: Handle, stream: Handle) -> Status {
    on_current("cuGraphLaunch", |context| context.launch_graph(exec, stream))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuGraphExecDestroy(exec: Handle) -> Status {
    on_current("cuGraphExecDestroy", |context| context.execs.remove(&exec).map(|_| ()).ok_or(INVALID_HANDLE))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuGraphDestroy(graph: Handle) -> Status {
    on_current("cuGraphDestroy", |context| context.graphs.remove(&graph).map(|_| ()).ok_or(INVALID_HANDLE))
}
