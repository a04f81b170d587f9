//! The library's functions as a caller sees them: what is done when, what is refused with which code.

use std::ffi::c_void;
use std::ptr;
use std::sync::Once;

use super::{device::*, graph::*, launch::*, memory::*, stream::*};
use crate::context::Handle;
use crate::settings::SETTINGS;
use crate::status::*;

/// Adds 1 to each of 4 words.
const ADD: &std::ffi::CStr = c"
.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 out, .param .u32 by)
.reqntid 4, 1, 1
{
    .reg .u32 %u<4>;
    .reg .u64 %a<3>;
    ld.param.u64 %a1, [out];
    ld.param.u32 %u3, [by];
    mov.u32 %u1, %tid.x;
    mad.wide.u32 %a2, %u1, 4, %a1;
    ld.global.u32 %u2, [%a2];
    add.u32 %u2, %u2, %u3;
    st.global.u32 [%a2], %u2;
    ret;
}";

/// Stores the second word of the shared memory that the launch gives.
const DYNAMIC: &std::ffi::CStr = c"
.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 128 .b8 smem[];
.visible .entry dynamic(.param .u64 out)
.reqntid 1, 1, 1
{
    .reg .u32 %u<3>;
    .reg .u64 %a<2>;
    ld.param.u64 %a1, [out];
    mov.u32 %u1, smem;
    mov.u32 %u2, 5;
    st.shared.u32 [%u1+65532], %u2;
    ld.shared.u32 %u2, [%u1+65532];
    st.global.u32 [%a1], %u2;
    ret;
}";

/// A device of its own for each test that leaves it lost.
const SHARED: i32 = 0;
const LOST: i32 = 1;
const PAST: i32 = 2;

fn open(device: i32) {
    static ONCE: Once = Once::new();
    // SAFETY: no other thread of this program reads the variable while it is set: all come by here first.
    ONCE.call_once(|| unsafe { std::env::set_var(SETTINGS, "devices=3 memory=4096 lose=1@2 grid=8") });
    assert_eq!(cuInit(0), SUCCESS);
    let mut context = 0;
    // SAFETY: the pointer is good.
    assert_eq!(unsafe { cuDevicePrimaryCtxRetain(&mut context, device) }, SUCCESS);
    assert_eq!(cuCtxSetCurrent(context), SUCCESS);
}

/// What a call stores.
fn make<T: Default>(call: impl FnOnce(*mut T) -> Status) -> T {
    let mut value = T::default();
    assert_eq!(call(&mut value), SUCCESS);
    value
}

fn stream() -> Handle {
    // SAFETY: the pointer is good, here and in the other helpers.
    make(|to| unsafe { cuStreamCreate(to, 1) })
}

fn event() -> Handle {
    make(|to| unsafe { cuEventCreate(to, 0) })
}

fn add() -> Handle {
    let module = make(|to| unsafe { cuModuleLoadData(to, ADD.as_ptr().cast()) });
    make(|to| unsafe { cuModuleGetFunction(to, module, c"add".as_ptr()) })
}

fn words(stream: Handle) -> u64 {
    let at = make(|to| unsafe { cuMemAllocAsync(to, 16, stream) });
    assert_eq!(cuMemsetD8Async(at, 0, 16, stream), SUCCESS);
    at
}

fn launch(function: Handle, (grid, threads): (u32, u32), stream: Handle, (at, by): (u64, u32)) -> Status {
    let params: [*const c_void; 2] = [ptr::from_ref(&at).cast(), ptr::from_ref(&by).cast()];
    unsafe { cuLaunchKernel(function, grid, 1, 1, threads, 1, 1, 0, stream, params.as_ptr(), ptr::null()) }
}

fn read(at: u64, stream: Handle) -> Result<[u32; 4], Status> {
    let mut found = [0u32; 4];
    let status = unsafe { cuMemcpyDtoHAsync_v2(found.as_mut_ptr().cast(), at, 16, stream) };
    if status == SUCCESS { Ok(found) } else { Err(status) }
}

#[test]
fn nothing_is_done_before_somebody_waits() {
    open(SHARED);
    let (stream, other, done, add) = (stream(), stream(), event(), add());
    let at = words(stream);
    let pinned = make(|to: *mut usize| unsafe { cuMemHostAlloc(to, 16, 0) });
    assert_eq!(launch(add, (1, 4), stream, (at, 7)), SUCCESS);
    assert_eq!(unsafe { cuMemcpyDtoHAsync_v2(pinned as *mut c_void, at, 16, stream) }, SUCCESS);
    assert_eq!(cuEventRecord(done, stream), SUCCESS);
    // SAFETY: 16 bytes that are ours.
    let seen = || unsafe { ptr::read_volatile(pinned as *const [u32; 4]) };
    assert_eq!((seen(), cuEventQuery(done)), ([0xa5a5_a5a5; 4], NOT_READY));
    assert_eq!(cuStreamWaitEvent(other, done, 0), SUCCESS);
    assert_eq!(cuStreamSynchronize(other), SUCCESS);
    assert_eq!((seen(), cuEventQuery(done)), ([7; 4], SUCCESS));
    assert_eq!(read(at, other), Ok([7; 4]));
    assert_eq!((cuMemFreeHost(pinned), cuMemFreeHost(pinned)), (SUCCESS, INVALID_VALUE));
}

#[test]
fn a_capture_does_nothing_and_a_graph_does_it_with_the_arguments_of_then() {
    open(SHARED);
    let (stream, other, add) = (stream(), stream(), add());
    let at = words(stream);
    let before = event();
    assert_eq!(cuEventRecord(before, stream), SUCCESS);
    assert_eq!(cuStreamBeginCapture_v2(0, 2), STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(cuStreamBeginCapture_v2(stream, 2), SUCCESS);
    assert_eq!(cuStreamBeginCapture_v2(stream, 2), ILLEGAL_STATE);
    for by in [1, 10] {
        assert_eq!(launch(add, (1, 4), stream, (at, by)), SUCCESS);
    }
    let graph = make(|to| unsafe { cuStreamEndCapture(stream, to) });
    assert_eq!(read(at, stream), Ok([0; 4]), "only captured");
    let exec = make(|to| unsafe { cuGraphInstantiateWithFlags(to, graph, 0) });
    for times in 1..4 {
        assert_eq!(cuGraphLaunch(exec, stream), SUCCESS);
        assert_eq!(read(at, stream), Ok([11 * times; 4]));
    }
    assert_eq!((cuGraphExecDestroy(exec), cuGraphLaunch(exec, stream)), (SUCCESS, INVALID_HANDLE));
    // A call that a capture refuses invalidates the capture.
    let mut none = 1;
    for spoil in [|stream, _| cuStreamSynchronize(stream), |stream, event| cuStreamWaitEvent(stream, event, 0)] {
        assert_eq!(cuStreamBeginCapture_v2(other, 1), SUCCESS);
        assert!([STREAM_CAPTURE_UNSUPPORTED, STREAM_CAPTURE_ISOLATION].contains(&spoil(other, before)));
        assert_eq!(launch(add, (1, 4), other, (at, 1)), STREAM_CAPTURE_INVALIDATED);
        assert_eq!((unsafe { cuStreamEndCapture(other, &mut none) }, none), (STREAM_CAPTURE_INVALIDATED, 0));
    }
}

#[test]
fn what_cannot_be_launched_is_refused_with_its_code() {
    open(SHARED);
    let (stream, add) = (stream(), add());
    let at = words(stream);
    assert_eq!(launch(add + 1, (1, 4), stream, (at, 1)), INVALID_HANDLE);
    assert_eq!(launch(add, (1, 4), stream + 1, (at, 1)), INVALID_HANDLE);
    assert_eq!(launch(add, (9, 4), stream, (at, 1)), INVALID_VALUE, "more blocks than the device takes");
    assert_eq!(launch(add, (1, 5), stream, (at, 1)), INVALID_VALUE, "not the threads that it demands");
    let mut found = 0u64;
    assert_eq!(unsafe { cuMemAllocAsync(&mut found, 4097, stream) }, OUT_OF_MEMORY);
    assert_eq!(unsafe { cuMemAllocAsync(&mut found, 0, stream) }, INVALID_VALUE);
    assert_eq!(cuMemsetD8Async(at, 0, 17, stream), INVALID_VALUE, "past the allocation");
    assert_eq!((cuMemFreeAsync(at, stream), cuMemFreeAsync(at, stream)), (SUCCESS, INVALID_VALUE));
    let mut module = 0;
    for (text, code) in [
        (c"no PTX", INVALID_PTX),
        (c".version 99.0\n.target sm_70\n.address_size 64", UNSUPPORTED_PTX_VERSION),
        (c".version 7.0\n.target sm_100\n.address_size 64", INVALID_PTX),
    ] {
        assert_eq!(unsafe { cuModuleLoadData(&mut module, text.as_ptr().cast()) }, code, "{text:?}");
    }
    assert_eq!(unsafe { cuDevicePrimaryCtxRetain(&mut module, 3) }, INVALID_DEVICE);
    assert_eq!(cuCtxSetCurrent(0), SUCCESS);
    assert_eq!(cuStreamSynchronize(stream), INVALID_CONTEXT);
}

#[test]
fn more_than_static_shared_memory_must_be_asked_for() {
    open(SHARED);
    let stream = stream();
    let at = words(stream);
    let module = make(|to| unsafe { cuModuleLoadData(to, DYNAMIC.as_ptr().cast()) });
    let dynamic = make(|to| unsafe { cuModuleGetFunction(to, module, c"dynamic".as_ptr()) });
    let params = [ptr::from_ref(&at).cast::<c_void>()];
    let launch =
        |bytes| unsafe { cuLaunchKernel(dynamic, 1, 1, 1, 1, 1, 1, bytes, stream, params.as_ptr(), ptr::null()) };
    assert_eq!(launch(65536), INVALID_VALUE);
    assert_eq!(cuFuncSetAttribute(dynamic, 8, (227 << 10) + 1), INVALID_VALUE, "more than the device has");
    assert_eq!(cuFuncSetAttribute(dynamic, 8, 65536), SUCCESS);
    assert_eq!(launch(65537), INVALID_VALUE, "more than was asked for");
    assert_eq!(launch(65536), SUCCESS);
    assert_eq!(read(at, stream), Ok([5, 0, 0, 0]));
}

#[test]
fn a_lost_device_answers_every_call_with_its_loss() {
    open(LOST);
    let (stream, add) = (stream(), add());
    let at = words(stream);
    assert_eq!(launch(add, (1, 4), stream, (at, 1)), SUCCESS);
    assert_eq!(read(at, stream), Ok([1; 4]));
    assert_eq!(launch(add, (1, 4), stream, (at, 1)), SUCCESS);
    for _ in 0..2 {
        assert_eq!(cuCtxSynchronize(), ECC_UNCORRECTABLE);
        assert_eq!(read(at, stream), Err(ECC_UNCORRECTABLE));
    }
    // The context can be created again; no old handle names anything in it.
    assert_eq!(cuDevicePrimaryCtxRelease_v2(LOST), SUCCESS);
    open(LOST);
    assert_eq!((cuCtxSynchronize(), cuStreamSynchronize(stream)), (SUCCESS, INVALID_HANDLE));
}

/// Memory that was freed, and memory that another stream has not come to yet, are nobody's.
#[test]
fn accesses_outside_of_allocations_stick() {
    for freed in [true, false] {
        open(PAST);
        let (stream, other, add) = (stream(), stream(), add());
        let at = words(stream);
        if freed {
            assert_eq!(cuStreamSynchronize(stream), SUCCESS);
            assert_eq!(cuMemFreeAsync(at, stream), SUCCESS);
            assert_eq!(cuStreamSynchronize(stream), SUCCESS);
        }
        assert_eq!(launch(add, (1, 4), other, (at, 1)), SUCCESS, "nothing has looked at the pointer");
        assert_eq!(cuStreamSynchronize(other), ILLEGAL_ADDRESS);
        assert_eq!(cuStreamSynchronize(stream), ILLEGAL_ADDRESS);
        assert_eq!(cuDevicePrimaryCtxRelease_v2(PAST), SUCCESS);
    }
}
