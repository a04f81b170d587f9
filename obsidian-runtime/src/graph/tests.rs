//! Graphs of hand-written kernels on the CPU: replays, what may change between them, every refusal.

use super::*;
use crate::device::Device;
use crate::element::ScalarArg;
use crate::fixtures::SUM_CHUNKS;
use crate::launch::{Arg, LaunchOptions, plan};
use crate::memory::Buffer;

/// `out[b] = bias + sum(input[4 b .. 4 b + 4])`.
fn sum(stream: &Stream, input: &Buffer<i32>, bias: i32, out: &mut Buffer<i32>) -> Result<(), Error> {
    let options = LaunchOptions { stream: Some(stream.clone()), ..LaunchOptions::DEFAULT };
    let plan = plan(&SUM_CHUNKS, &options, stream.device(), &[input.len() as u64, bias.bits()])?;
    plan.launch(&mut [Arg::Buffer(input.raw()), Arg::Scalar(bias.bits())], &mut [out.raw_mut()])
}

fn buffers() -> (Stream, Buffer<i32>, Buffer<i32>, Buffer<i32>) {
    let dev = Device::cpu();
    (dev.stream(), dev.upload(&[1; 16]).unwrap(), dev.alloc(4).unwrap(), dev.alloc(1).unwrap())
}

#[test]
fn launches_are_noted_and_then_done_again_and_again() {
    let (stream, input, mut four, mut one) = buffers();
    let recorded = stream.record(|stream| {
        sum(stream, &input, 1, &mut four)?;
        sum(stream, &four, 100, &mut one)?;
        assert_eq!(one.to_vec()?, [0], "nothing is done yet");
        Ok((input, four, one))
    });
    let mut graph = recorded.unwrap();
    assert_eq!((graph.len(), graph.is_empty(), graph.stream().device()), (2, false, &Device::cpu()));
    for value in 0..3 {
        graph.buffers_mut().0.write(&[value; 16]).unwrap();
        graph.launch().unwrap();
        assert_eq!(graph.buffers().2.to_vec().unwrap(), [100 + 4 * (1 + 4 * value)]);
    }
    let (_, four, _) = graph.into_buffers();
    assert_eq!(four.to_vec().unwrap(), [9; 4]);
}

#[test]
fn buffers_may_be_lent() {
    let (stream, input, mut four, mut one) = buffers();
    let recorded = stream.record(|stream| {
        sum(stream, &input, 0, &mut four)?;
        sum(stream, &four, 0, &mut one)?;
        Ok((&input, [&mut four], Some(vec![&mut one])))
    });
    recorded.unwrap().launch().unwrap();
    assert_eq!((input.to_vec().unwrap(), one.to_vec().unwrap()), (vec![1; 16], vec![16]));
}

#[test]
fn what_the_host_has_may_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<(Device, Stream, Buffer<f32>, crate::Lent<'_, f32>)>();
    shared::<(crate::launch::Plan, Graph<Buffer<f32>>, crate::Error)>();
}

#[test]
fn a_graph_of_nothing_does_nothing() {
    let mut graph = Device::cpu().stream().record(|_| Ok(())).unwrap();
    graph.launch().unwrap();
    assert!(graph.is_empty());
    assert_eq!(format!("{graph:?}"), "Graph(0 launches on Device(cpu: the CPU))");
}

#[test]
fn every_buffer_is_to_be_kept() {
    let (stream, input, mut four, _) = buffers();
    let error = stream.record(|stream| sum(stream, &input, 0, &mut four)).unwrap_err();
    assert!(error.to_string().starts_with("`input` of kernel `sum_chunks` cannot be recorded"), "{error}");
    let error = stream.record(|stream| sum(stream, &input, 0, &mut four).map(|()| &input)).unwrap_err();
    assert!(matches!(&error, Error::NotRecordable { what, .. } if what.starts_with("`out`")), "{error}");
    let error = stream.record(|stream| sum(stream, &input, 0, &mut four).map(|()| (&input, &four))).unwrap_err();
    assert!(error.to_string().contains("writes a buffer that the closure returns by `&`"), "{error}");
}

#[test]
fn a_buffer_that_is_taken_out_stops_the_graph() {
    let (stream, input, mut four, _) = buffers();
    let recorded = stream.record(|stream| sum(stream, &input, 0, &mut four).map(|()| (input, Some(four))));
    let mut graph = recorded.unwrap();
    let taken = graph.buffers_mut().1.take();
    let error = graph.launch().unwrap_err();
    assert!(matches!(error, Error::NotUsable { what: "the graph", .. }), "{error}");
    // One of the same length is not the same buffer.
    graph.buffers_mut().1 = Some(Device::cpu().alloc(4).unwrap());
    assert!(graph.launch().is_err());
    graph.buffers_mut().1 = taken;
    graph.launch().unwrap();
    assert_eq!(graph.into_buffers().1.unwrap().to_vec().unwrap(), [4; 4]);
}

#[test]
fn what_is_no_launch_is_refused() {
    let (stream, input, mut four, _) = buffers();
    let refused = |error: Error| assert!(matches!(error, Error::NotRecordable { .. }), "{error}");
    refused(stream.record(|stream| stream.synchronize()).unwrap_err());
    refused(stream.record(|stream| stream.mark().map(|_| ())).unwrap_err());
    refused(stream.record(|stream| stream.record(|_| Ok(())).map(|_| ())).unwrap_err());
    let mut kept = stream.clone();
    let keep = |stream: &Stream| {
        kept = stream.clone();
        Ok(())
    };
    stream.record(keep).unwrap();
    let error = sum(&kept, &input, 0, &mut four).unwrap_err();
    assert!(error.to_string().contains("the recording is over"), "{error}");
    let error = stream.record(|_| Err::<(), _>(Error::ZeroBlocks { kernel: "its own" })).unwrap_err();
    assert!(matches!(error, Error::ZeroBlocks { kernel: "its own" }));
}

#[test]
fn launches_are_checked_when_they_are_recorded() {
    let (stream, input, _, mut one) = buffers();
    let error = stream.record(|stream| sum(stream, &input, 0, &mut one)).unwrap_err();
    assert!(matches!(error, Error::Length { parameter: "out", expected: 4, found: 1, .. }), "{error}");
}
