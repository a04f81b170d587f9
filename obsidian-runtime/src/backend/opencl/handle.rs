//! What the driver hands out, owned: released on drop. The one place where handles are made.

use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::ptr;

use super::api::{self, Api, Raw, Status};
use super::status::Failure;

/// An object of the driver's that this value owns.
pub(super) struct Handle {
    raw: Raw,
    release: unsafe extern "system" fn(Raw) -> Status,
}

// SAFETY: OpenCL 1.2 §A.2: its calls may come from any thread; the one exception, arguments of a kernel, is behind a lock
// (`program::Function`).
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// Takes what a call of the driver's `create` gives, unless that reports an error.
    ///
    /// # Safety
    /// `create` returns an object that `release` releases and that nobody else does.
    unsafe fn made(
        create: impl FnOnce(*mut Status) -> Raw,
        release: unsafe extern "system" fn(Raw) -> Status,
    ) -> Result<Handle, Failure> {
        let mut status = 0;
        let raw = create(&mut status);
        Failure::check(status)?;
        if raw.is_null() { Err(Failure(api::OUT_OF_HOST_MEMORY)) } else { Ok(Handle { raw, release }) }
    }

    pub(super) fn raw(&self) -> Raw {
        self.raw
    }

    pub(super) fn context(api: &Api, device: Raw) -> Result<Handle, Failure> {
        let create =
            // SAFETY: one device, no properties, no callback.
            |status| unsafe { (api.clCreateContext)(ptr::null(), 1, &device, None, ptr::null_mut(), status) };
        // SAFETY: a context of our own.
        unsafe { Handle::made(create, api.clReleaseContext) }
    }

    pub(super) fn queue(api: &Api, context: &Handle, device: Raw) -> Result<Handle, Failure> {
        let create =
            // SAFETY: the context holds the device. Every device can measure times.
            |status| unsafe { (api.clCreateCommandQueue)(context.raw, device, api::QUEUE_PROFILING_ENABLE, status) };
        // SAFETY: a queue of our own.
        unsafe { Handle::made(create, api.clReleaseCommandQueue) }
    }

    pub(super) fn buffer(api: &Api, context: &Handle, bytes: usize) -> Result<Handle, Failure> {
        let create =
            // SAFETY: no host pointer is passed on.
            |status| unsafe { (api.clCreateBuffer)(context.raw, api::MEM_READ_WRITE, bytes, ptr::null_mut(), status) };
        // SAFETY: a buffer of our own.
        unsafe { Handle::made(create, api.clReleaseMemObject) }
    }

    /// The bytes of a range of a buffer. It keeps the buffer alive.
    pub(super) fn part(api: &Api, buffer: &Handle, range: Range<usize>) -> Result<Handle, Failure> {
        let region = api::Region { origin: range.start, size: range.len() };
        let kind = api::BUFFER_CREATE_TYPE_REGION;
        // SAFETY: the region is what the type asks for; the driver copies it and refuses what does not lie in the buffer.
        let create =
            |status| unsafe { (api.clCreateSubBuffer)(buffer.raw, api::MEM_READ_WRITE, kind, &region, status) };
        // SAFETY: a buffer of our own.
        unsafe { Handle::made(create, api.clReleaseMemObject) }
    }

    pub(super) fn program(api: &Api, context: &Handle, source: &str) -> Result<Handle, Failure> {
        let (text, length) = (source.as_ptr().cast(), source.len());
        let create =
            // SAFETY: one text of that length, which the driver copies.
            |status| unsafe { (api.clCreateProgramWithSource)(context.raw, 1, &text, &length, status) };
        // SAFETY: a program of our own.
        unsafe { Handle::made(create, api.clReleaseProgram) }
    }

    pub(super) fn binary(api: &Api, context: &Handle, device: Raw, binary: &[u8]) -> Result<Handle, Failure> {
        let (start, length) = (binary.as_ptr(), binary.len());
        let mut of_device = 0;
        // SAFETY: one binary of that length for one device, which the driver copies.
        let create = |status| unsafe {
            (api.clCreateProgramWithBinary)(context.raw, 1, &device, &length, &start, &mut of_device, status)
        };
        // SAFETY: a program of our own.
        let program = unsafe { Handle::made(create, api.clReleaseProgram) }?;
        Failure::check(of_device)?;
        Ok(program)
    }

    pub(super) fn kernel(api: &Api, program: &Handle, name: &CStr) -> Result<Handle, Failure> {
        // SAFETY: the program is built.
        let create = |status| unsafe { (api.clCreateKernel)(program.raw, name.as_ptr(), status) };
        // SAFETY: a kernel of our own.
        unsafe { Handle::made(create, api.clReleaseKernel) }
    }

    /// The event of a command that `enqueue` puts into a queue.
    pub(super) fn event(api: &Api, enqueue: impl FnOnce(*mut Raw) -> Status) -> Result<Handle, Failure> {
        let mut raw = ptr::null_mut();
        Failure::check(enqueue(&mut raw))?;
        let create = |_: *mut Status| raw;
        // SAFETY: an event of our own.
        unsafe { Handle::made(create, api.clReleaseEvent) }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: `made` took it as our own, and it is released only here. A failure leaks it, no more.
        unsafe { (self.release)(self.raw) };
    }
}

/// What a `clGet..Info` call gives: its size first, then its bytes.
pub(super) fn info(mut get: impl FnMut(usize, *mut c_void, *mut usize) -> Status) -> Result<Vec<u8>, Failure> {
    let mut size = 0;
    Failure::check(get(0, ptr::null_mut(), &mut size))?;
    let mut bytes = vec![0u8; size];
    Failure::check(get(size, bytes.as_mut_ptr().cast(), ptr::null_mut()))?;
    Ok(bytes)
}

/// Text of an info, without the NUL at its end.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

/// A number of 4 or 8 bytes.
pub(super) fn number(bytes: &[u8]) -> u64 {
    match *bytes {
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}
