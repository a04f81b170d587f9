//! The runtime on a GPU: streams and slices of cudarc's own, several streams, buffers of every length.

use obsidian::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use obsidian::cudarc::driver::{CudaContext, CudaStream};
use obsidian::{Buffer, Device, Error, Lent, Stream};
use obsidian_programs as programs;
use std::sync::Arc;

use super::gpu;

const LEN: usize = 4096;
const ALPHA: f32 = 1.25;

fn inputs() -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let x: Vec<f32> = (0..LEN).map(|i| i as f32 / 3.0).collect();
    let y: Vec<f32> = (0..LEN).map(|i| 7.0 - i as f32).collect();
    let sums = x.iter().zip(&y).map(|(x, y)| ALPHA * x + y).collect();
    (x, y, sums)
}

fn new_stream(device: &Device) -> Arc<CudaStream> {
    device.cuda_context().expect("a CUDA device").new_stream().expect("a stream")
}

#[test]
fn kernels_run_on_cudarcs_streams_and_slices() {
    let Some(device) = gpu() else { return };
    let (x, y, sums) = inputs();
    let stream = new_stream(device);
    let (slice_x, slice_y) = (stream.clone_htod(&x).unwrap(), stream.clone_htod(&y).unwrap());
    let mut out = Buffer::from_cuda(device, stream.alloc_zeros::<f32>(LEN).unwrap()).unwrap();
    let (lent_x, lent_y) = (Lent::new(device, &slice_x).unwrap(), Lent::new(device, &slice_y).unwrap());
    let on = Stream::from_cuda(device, Arc::clone(&stream)).unwrap();
    programs::saxpy.on(&on).run_into(device, ALPHA, &lent_x, &lent_y, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), sums);
    assert_eq!(stream.clone_dtoh(&out.cuda_view().unwrap()).unwrap(), sums);
    stream.memcpy_htod(&x, &mut out.cuda_view_mut().unwrap()).unwrap();
    assert_eq!(stream.clone_dtoh(&out.into_cuda().unwrap()).unwrap(), x);
    assert_eq!(stream.clone_dtoh(&slice_x).unwrap(), x, "lent, and still the caller's");
}

#[test]
fn memory_of_others_is_read_and_written_where_it_lies() {
    let Some(device) = gpu() else { return };
    let (x, y, sums) = inputs();
    let (theirs, ys) = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
    let (start, out) = (theirs.as_ptr().unwrap(), device.alloc::<f32>(LEN).unwrap());
    // SAFETY: both are dropped before the buffers that own the memory, which are not used meanwhile.
    let (xs, mut to) = unsafe {
        let at = |start: std::ptr::NonNull<f32>| Buffer::from_raw(device, start.as_ptr(), LEN).unwrap();
        (at(start), at(out.as_ptr().unwrap()))
    };
    programs::saxpy.run_into(device, ALPHA, &xs, &ys, &mut to).unwrap();
    drop((xs, to));
    assert_eq!(out.to_vec().unwrap(), sums);
    // SAFETY: it is refused.
    let apart = unsafe { Buffer::from_raw(device, start.as_ptr().wrapping_add(1), 1) }.unwrap_err();
    assert!(apart.to_string().contains("a multiple of 16"), "{apart}");

    let tensor = theirs.into_tensor().unwrap();
    assert_eq!((tensor.raw().device.device_type, tensor.shape()), (2, &[LEN as i64][..]));
    let back = Buffer::<f32>::from_tensor(device, tensor).unwrap();
    assert_eq!((back.as_ptr(), back.to_vec().unwrap()), (Some(start), x));
    // Buffers of a GPU give a buffer on it, without its being named.
    assert_eq!(programs::saxpy.call(ALPHA, &back, &ys).unwrap().to_vec().unwrap(), sums);
    let text = Buffer::<f32>::from_tensor(&Device::cpu(), back.into_tensor().unwrap()).unwrap_err().to_string();
    assert!(text.contains("one on device 0 of type 1"), "{text}");
}

#[test]
fn slices_and_streams_of_another_context_are_refused() {
    let Some(device) = gpu() else { return };
    let other = CudaContext::new(0).unwrap();
    let slice = other.default_stream().clone_htod(&[1.0f32]).unwrap();
    assert!(matches!(Lent::new(device, &slice), Err(Error::NotUsable { what: "the slice", .. })));
    assert!(matches!(Buffer::from_cuda(device, slice), Err(Error::NotUsable { .. })));
    let stream = other.new_stream().unwrap();
    assert!(matches!(Stream::from_cuda(device, stream), Err(Error::NotUsable { what: "the stream", .. })));
    let own = Device::from_cuda(&other).unwrap();
    assert_eq!(own, Device::from_cuda(&other).unwrap());
    assert_ne!(&own, device);
    assert_eq!(device, &Device::from_cuda(device.cuda_context().unwrap()).unwrap());
}

/// Each launch reads what the one before wrote on another stream.
#[test]
fn uses_on_several_streams_are_ordered() {
    let Some(device) = gpu() else { return };
    let (x, y, mut sums) = inputs();
    let streams = [device.new_stream().unwrap(), device.new_stream().unwrap(), device.stream()];
    let x_on_device = device.upload(&x).unwrap();
    let mut last = device.upload(&y).unwrap();
    for round in 0..30 {
        let mut next = device.alloc::<f32>(LEN).unwrap();
        let kernel = programs::saxpy.on(&streams[round % streams.len()]);
        kernel.run_into(device, ALPHA, &x_on_device, &last, &mut next).unwrap();
        last = next;
        if round > 0 {
            sums = x.iter().zip(&sums).map(|(x, sum)| ALPHA * x + sum).collect();
        }
    }
    assert_eq!(last.to_vec().unwrap(), sums);
}

#[test]
fn buffers_of_any_length_come_back() {
    let Some(device) = gpu() else { return };
    for len in [0, 1, 31, 33, 100_000] {
        let values: Vec<(u8, f64)> = (0..len).map(|i| (i as u8, i as f64 / 7.0)).collect();
        let mut buffer = device.upload(&values).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), values);
        let reversed: Vec<(u8, f64)> = values.into_iter().rev().collect();
        buffer.write(&reversed).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), reversed);
        assert_eq!(device.alloc::<u64>(len).unwrap().to_vec().unwrap(), vec![0; len]);
    }
}

/// Two launches as one graph, replayed: 30 times x is added, twice a replay.
#[test]
fn launches_on_a_stream_are_captured_as_a_graph() {
    let Some(_) = gpu() else { return };
    let context = CudaContext::new(0).unwrap();
    // SAFETY: everything here is on one stream, or waits for it. With tracking on, launches would wait for events from
    // outside of the capture.
    unsafe { context.disable_event_tracking() };
    let device = Device::from_cuda(&context).unwrap();
    let stream = context.new_stream().unwrap();
    let on = Stream::from_cuda(&device, Arc::clone(&stream)).unwrap();
    let (x, y, _) = inputs();
    let slice = stream.clone_htod(&x).unwrap();
    let x_on_device = Lent::new(&device, &slice).unwrap();
    let buffer = |values: &[f32]| Buffer::from_cuda(&device, stream.clone_htod(values).unwrap()).unwrap();
    let (mut there, mut back) = (buffer(&vec![0.0; LEN]), buffer(&y));
    let kernel = programs::saxpy.on(&on);
    let mut both = || {
        kernel.run_into(&device, ALPHA, &x_on_device, &back, &mut there)?;
        kernel.run_into(&device, ALPHA, &x_on_device, &there, &mut back)
    };
    // Loads the kernel, which a capture does not allow.
    both().unwrap();
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    both().unwrap();
    let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().expect("two launches");
    for _ in 0..14 {
        graph.launch().unwrap();
    }
    let steps = |y: f32, x: f32| (0..30).fold(y, |sum, _| ALPHA * x + sum);
    let expected: Vec<f32> = x.iter().zip(&y).map(|(&x, &y)| steps(y, x)).collect();
    assert_eq!(stream.clone_dtoh(&back.cuda_view().unwrap()).unwrap(), expected);
}

#[test]
fn pinned_memory_of_cudarcs_goes_to_buffers_and_back() {
    let Some(device) = gpu() else { return };
    let (x, y, sums) = inputs();
    let context = device.cuda_context().unwrap();
    let stream = context.default_stream();
    // SAFETY: it is written whole before it is read.
    let mut pinned = unsafe { context.alloc_pinned::<f32>(LEN) }.unwrap();
    pinned.as_mut_slice().unwrap().copy_from_slice(&x);
    let mut x_on_device = device.alloc::<f32>(LEN).unwrap();
    stream.memcpy_htod(&pinned, &mut x_on_device.cuda_view_mut().unwrap()).unwrap();
    let out = programs::saxpy.run(device, ALPHA, &x_on_device, &device.upload(&y).unwrap()).unwrap();
    stream.memcpy_dtoh(&out.cuda_view().unwrap(), &mut pinned).unwrap();
    // cudarc marks the copy for `as_slice` to wait for only while the context has several streams.
    stream.synchronize().unwrap();
    assert_eq!(pinned.as_slice().unwrap(), sums);
}
