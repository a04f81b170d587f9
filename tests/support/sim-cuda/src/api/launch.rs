//! Modules, functions and launches.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;

use super::put;
use crate::context::Handle;
use crate::driver::on_current;
use crate::execute::Op;
use crate::module::{Module, Shape};
use crate::status::*;

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuModuleLoadData(module: *mut Handle, image: *const c_void) -> Status {
    on_current("cuModuleLoadData", |context| {
        context.not_in_capture()?;
        if image.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: PTX ends with a NUL, by the caller's promise.
        let text = unsafe { CStr::from_ptr(image.cast()) }.to_str().map_err(|_| INVALID_PTX)?;
        let loaded = Module::load(text, &context.settings)?;
        let handle = context.new_handle();
        context.modules.insert(handle, Arc::new(loaded));
        // SAFETY: the caller's pointer.
        unsafe { put(module, handle) }
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuModuleUnload(module: Handle) -> Status {
    on_current("cuModuleUnload", |context| {
        context.not_in_capture()?;
        context.modules.remove(&module).ok_or(INVALID_HANDLE)?.unload();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuModuleGetFunction(
    function: *mut Handle,
    module: Handle,
    name: *const c_char,
) -> Status {
    on_current("cuModuleGetFunction", |context| {
        if name.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller's text.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| NOT_FOUND)?;
        let found = context.modules.get(&module).ok_or(INVALID_HANDLE)?.function(name, &context.settings)?;
        let handle = context.new_handle();
        context.functions.insert(handle, Arc::new(found));
        // SAFETY: the caller's pointer.
        unsafe { put(function, handle) }
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuFuncGetAttribute(value: *mut c_int, attribute: c_uint, function: Handle) -> Status {
    on_current("cuFuncGetAttribute", |context| {
        let function = context.functions.get(&function).ok_or(INVALID_HANDLE)?;
        let found = match attribute {
            // MAX_THREADS_PER_BLOCK, SHARED_SIZE_BYTES, CONST_SIZE_BYTES, LOCAL_SIZE_BYTES, MAX_DYNAMIC_SHARED_SIZE_BYTES.
            0 => function.most_threads(&context.settings) as usize,
            1 => function.about.shared,
            2 => 0,
            3 => function.about.local,
            8 => function.dynamic_shared() as usize,
            _ => return Err(INVALID_VALUE),
        };
        // SAFETY: the caller's pointer.
        unsafe { put(value, found as c_int) }
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuFuncSetAttribute(function: Handle, attribute: c_uint, value: c_int) -> Status {
    on_current("cuFuncSetAttribute", |context| {
        let function = context.functions.get(&function).ok_or(INVALID_HANDLE)?;
        // MAX_DYNAMIC_SHARED_SIZE_BYTES; the others are hints, or not the caller's.
        match (attribute, u32::try_from(value)) {
            (8, Ok(bytes)) => function.allow_dynamic_shared(bytes, &context.settings),
            _ => Err(INVALID_VALUE),
        }
    })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    function: Handle,
    threads: c_int,
    shared: usize,
    _flags: c_uint,
) -> Status {
    on_current("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", |context| {
        let function = context.functions.get(&function).ok_or(INVALID_HANDLE)?;
        let threads = u32::try_from(threads).ok().filter(|&threads| threads > 0).ok_or(INVALID_VALUE)?;
        let shared = (function.about.shared + shared).max(1);
        let fit = (2048 / threads).min((context.settings.shared as usize / shared) as u32);
        let most = if threads > function.most_threads(&context.settings) { 0 } else { fit.min(32) };
        // SAFETY: the caller's pointer.
        unsafe { put(blocks, most as c_int) }
    })
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "the driver's")]
pub(super) unsafe extern "C" fn cuLaunchKernel(
    function: Handle,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    threads_x: c_uint,
    threads_y: c_uint,
    threads_z: c_uint,
    shared: c_uint,
    stream: Handle,
    params: *const *const c_void,
    extra: *const *const c_void,
) -> Status {
    on_current("cuLaunchKernel", |context| {
        let function = Arc::clone(context.functions.get(&function).ok_or(INVALID_HANDLE)?);
        // The interpreter has one dimension, and parameters come by pointers.
        if [grid_y, grid_z, threads_y, threads_z] != [1; 4] || !extra.is_null() {
            return Err(NOT_SUPPORTED);
        }
        let shape = Shape { grid: grid_x, threads: threads_x, shared };
        function.check(&shape, &context.settings)?;
        // SAFETY: the caller's pointers.
        let params = unsafe { function.parameters(params) }?.into();
        context.issue(stream, Op::Kernel { function, shape, params })
    })
}
