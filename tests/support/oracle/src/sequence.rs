//! Pinned memory, graphs and several streams, the same on every device: what they give, and what is refused.

use obsidian::{Buffer, Device, Error, Graph, Stream};
use obsidian_programs as programs;

/// Of a chunk of `saxpy`.
const LEN: usize = 1024;
const ALPHA: f32 = 1.25;

/// All of it.
pub fn check(device: &Device) {
    pinned_memory_goes_there_and_back(device);
    copies_and_launches_keep_the_streams_order(device);
    streams_wait_for_one_another(device);
    lent_slices_and_views_are_read(device);
    steps_of_a_graph_feed_one_another(device);
    a_graph_is_its_launches_in_order(device);
    a_graph_keeps_what_it_is_given(device);
    what_a_graph_cannot_hold_is_refused(device);
}

fn values(seed: usize) -> Vec<f32> {
    (0..LEN).map(|i| ((i * 7 + seed * 31) % 1000) as f32 / 8.0).collect()
}

fn saxpy(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| ALPHA * x + y).collect()
}

fn pinned_memory_goes_there_and_back(device: &Device) {
    for len in [0, 1, 1000] {
        let (mut pinned, mut buffer) = (device.pinned::<i16>(len).unwrap(), device.alloc::<i16>(len).unwrap());
        assert!(pinned.len() == len && pinned.iter().all(|&v| v == 0), "zero from the start");
        for round in 0..3 {
            // The next values are written while the copy of the last may be under way: that is waited for.
            pinned.iter_mut().zip(0..).for_each(|(to, i)| *to = i + round);
            device.stream().upload(&pinned, &mut buffer).unwrap();
        }
        let mut back = device.pinned::<i16>(len).unwrap();
        device.stream().download(&buffer, &mut back).unwrap();
        assert_eq!(back[..], pinned[..]);
        assert_eq!(buffer.to_vec().unwrap(), pinned[..]);
    }
}

/// Each round's inputs are uploaded on a stream of its own, used there together with what the round before left, and
/// downloaded again; the buffers are dropped before anything need be done.
fn copies_and_launches_keep_the_streams_order(device: &Device) {
    let streams = [device.new_stream().unwrap(), device.new_stream().unwrap(), device.stream()];
    let (mut sum, mut expected) = (device.upload(&values(0)).unwrap(), values(0));
    let mut out = device.pinned::<f32>(LEN).unwrap();
    let mut start = None;
    for round in 1..7 {
        let stream = &streams[round % streams.len()];
        start.get_or_insert(stream.mark().unwrap());
        let mut x = device.pinned::<f32>(LEN).unwrap();
        x.copy_from_slice(&values(round));
        let mut on_device = device.alloc(LEN).unwrap();
        stream.upload(&x, &mut on_device).unwrap();
        sum = programs::saxpy.on(stream).run(device, ALPHA, &on_device, &sum).unwrap();
        stream.download(&sum, &mut out).unwrap();
        expected = saxpy(&values(round), &expected);
    }
    assert_eq!(out[..], expected);
    let end = streams[0].mark().unwrap();
    assert!(start.is_none_or(|start| end.since(&start).is_ok()));
    streams.iter().for_each(|stream| stream.synchronize().unwrap());
}

/// A slice, and a part of a buffer that a launch on another stream has just written.
fn lent_slices_and_views_are_read(device: &Device) {
    let (x, y) = (values(8), values(9));
    let (lent, wide) = (device.lend(&x).unwrap(), [y.clone(), x.clone()].concat());
    let (first, second) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let both =
        programs::saxpy.on(&first).run(device, ALPHA, &device.lend(&wide).unwrap(), &device.lend(&wide).unwrap());
    let both = both.unwrap();
    let view = both.view(LEN..).unwrap();
    let mut out = vec![0.0; LEN];
    programs::saxpy.on(&second).run(device, ALPHA, &lent, &view).unwrap().read_into(&mut out).unwrap();
    assert_eq!(out, saxpy(&x, &saxpy(&x, &x)));
    assert_eq!((view.to_vec().unwrap(), lent.to_vec().unwrap()), (saxpy(&x, &x), x));
    let error = both.view(1..).unwrap_err();
    assert!(matches!(error, Error::View { start: 1, end: 2048, .. }), "{error}");
}

fn streams_wait_for_one_another(device: &Device) {
    let (first, second) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let (from, mut to) = (device.upload(&values(3)).unwrap(), device.alloc(LEN).unwrap());
    let mut pinned = device.pinned(LEN).unwrap();
    first.download(&from, &mut pinned).unwrap();
    second.upload(&pinned, &mut to).unwrap();
    assert_eq!(to.to_vec().unwrap(), values(3));
    drop((first, second, from));
    // The last stream beside the device's own goes while its launch may be under way.
    let (x, y, mut out) = (device.upload(&values(4)).unwrap(), to, device.alloc(LEN).unwrap());
    programs::saxpy.on(&device.new_stream().unwrap()).run_into(device, ALPHA, &x, &y, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), saxpy(&values(4), &values(3)));
}

/// What a graph is made of: `y += x` in place, `keys` counted.
type Kept = (Buffer<f32>, Buffer<f32>, Buffer<u32>, Buffer<u32>);

fn buffers(device: &Device) -> Kept {
    let (x, y) = (device.upload(&values(1)).unwrap(), device.upload(&values(2)).unwrap());
    (x, y, device.upload(&[3u32; 256]).unwrap(), device.alloc::<u32>(8).unwrap())
}

fn graph_of(device: &Device, stream: &Stream) -> Graph<Kept> {
    let (x, mut y, keys, mut bins) = buffers(device);
    let recorded = stream.record(|stream| {
        programs::saxpy_in_place.on(stream).run(device, ALPHA, &x, &mut y)?;
        programs::counted.on(stream).run(device, &keys, &mut bins)?;
        assert_eq!(y.to_vec()?, values(2), "only noted");
        Ok((x, y, keys, bins))
    });
    recorded.unwrap()
}

fn steps_of_a_graph_feed_one_another(device: &Device) {
    let (stream, (x, mut y, ..)) = (device.stream(), buffers(device));
    let ready = programs::saxpy.on(&stream).prepare(device, ALPHA, LEN, LEN).unwrap();
    let recorded = stream.record(|stream| {
        let sum = programs::saxpy.on(stream).run(device, ALPHA, &x, &y)?;
        programs::saxpy.on(stream).blocks(1).run_into(device, ALPHA, &x, &sum, &mut y)?;
        // `sum` is a step on the way, but the graph needs it; `x` is only lent.
        Ok((&x, y, sum))
    });
    let mut graph = recorded.unwrap();
    assert_eq!(graph.len(), 2);
    graph.launch().unwrap();
    let (_, y, mut sum) = graph.into_buffers();
    let expected = saxpy(&values(1), &values(2));
    assert_eq!(sum.to_vec().unwrap(), expected);
    assert_eq!(y.to_vec().unwrap(), saxpy(&values(1), &expected));
    let pairs: Vec<(i32, i32)> = (0..64).map(|i| (i, -i)).collect();
    let mut on_device = device.upload(&pairs).unwrap();
    let recorded = stream.record(|stream| {
        programs::swapped_in_place.on(stream).run(device, &mut on_device)?;
        Ok(&mut on_device)
    });
    recorded.unwrap().launch().unwrap();
    assert_eq!(on_device.to_vec().unwrap(), pairs.iter().map(|p| (p.1, p.0)).collect::<Vec<_>>());
    ready.run_into(ALPHA, &x, &y, &mut sum).unwrap();
    assert_eq!(sum.to_vec().unwrap(), saxpy(&values(1), &saxpy(&values(1), &expected)));
}

fn a_graph_is_its_launches_in_order(device: &Device) {
    for stream in [device.stream(), device.new_stream().unwrap()] {
        let mut graph = graph_of(device, &stream);
        let mut y = values(2);
        for round in 1..4 {
            // What the buffers hold may change; they may not.
            graph.buffers_mut().0.write(&values(round)).unwrap();
            graph.launch().unwrap();
            graph.launch().unwrap();
            y = saxpy(&values(round), &saxpy(&values(round), &y));
        }
        assert_eq!(graph.buffers().1.to_vec().unwrap(), y);
        let (_, y_on_device, _, bins) = graph.into_buffers();
        assert_eq!(y_on_device.to_vec().unwrap(), y);
        assert_eq!(bins.to_vec().unwrap(), [0, 0, 0, 6 * 256, 0, 0, 0, 0]);
    }
}

fn a_graph_keeps_what_it_is_given(device: &Device) {
    let stream = device.new_stream().unwrap();
    let mut graph = graph_of(device, &stream);
    drop(stream);
    let other = device.upload(&values(5)).unwrap();
    let taken = std::mem::replace(&mut graph.buffers_mut().1, other);
    assert!(matches!(graph.launch(), Err(Error::NotUsable { what: "the graph", .. })));
    graph.buffers_mut().1 = taken;
    graph.launch().unwrap();
    // The launch may be under way when the graph and its buffers go.
    let used_elsewhere = programs::saxpy.run(device, ALPHA, &graph.buffers().0, &graph.buffers().1).unwrap();
    drop(graph);
    let expected = saxpy(&values(1), &saxpy(&values(1), &values(2)));
    assert_eq!(used_elsewhere.to_vec().unwrap(), expected);
}

fn what_a_graph_cannot_hold_is_refused(device: &Device) {
    let stream = device.new_stream().unwrap();
    let (x, places) = (device.upload(&[1u32; 64]).unwrap(), device.upload(&[0u32; 64]).unwrap());
    let (mut buffer, pinned) = (device.alloc::<u32>(64).unwrap(), device.pinned::<u32>(64).unwrap());
    let refused = |error: Option<Error>, what: &str| {
        let text = error.expect("a graph cannot hold that").to_string();
        assert!(text.starts_with(what) && text.contains("cannot be recorded in a graph: "), "{text}");
    };
    let guarded = stream.record(|stream| programs::gathered.on(stream).run(device, &x, &places));
    refused(guarded.err(), "kernel `gathered`");
    refused(stream.record(|stream| stream.upload(&pinned, &mut buffer)).err(), "an upload");
    refused(stream.record(|stream| stream.synchronize()).err(), "a wait for the stream");
    refused(stream.record(|stream| stream.mark().map(|_| ())).err(), "a moment of the stream");
    refused(stream.record(|stream| stream.record(|_| Ok(())).map(|_| ())).err(), "a graph");
    let floats = device.upload(&values(1)).unwrap();
    let lost = stream.record(|stream| programs::saxpy.on(stream).run(device, ALPHA, &floats, &floats));
    refused(lost.err(), "`x` of kernel `saxpy`");
    // The stream is as good as before.
    assert_eq!(programs::gathered.on(&stream).run(device, &x, &places).unwrap().to_vec().unwrap(), [3; 64]);
}

/// A little of everything, on CUDA; wrong results panic.
pub fn in_short() -> Result<(), Error> {
    let device = &Device::cuda(0)?;
    let stream = device.new_stream()?;
    let start = stream.mark()?;
    let mut pinned = device.pinned::<f32>(LEN)?;
    pinned.copy_from_slice(&values(1));
    let (mut x, y) = (device.alloc(LEN)?, device.upload(&values(2))?);
    stream.upload(&pinned, &mut x)?;
    let mut sum = programs::saxpy.on(&stream).run(device, ALPHA, &x, &y)?;
    let mut graph = stream.record(|stream| {
        programs::saxpy_in_place.on(stream).run(device, ALPHA, &x, &mut sum)?;
        Ok((x, sum))
    })?;
    graph.launch()?;
    let (_, sum) = graph.into_buffers();
    stream.download(&sum, &mut pinned)?;
    start.since(&stream.mark()?)?;
    stream.synchronize()?;
    let found = pinned.to_vec();
    let again = sum.to_vec()?;
    // More shared memory than a block has without asking.
    let both = programs::both_ways.run(device, &device.upload(&vec![1u64; 4096])?)?.to_vec()?;
    drop((pinned, sum, y));
    device.synchronize()?;
    // Only what no call has complained of is held against it.
    let expected = saxpy(&values(1), &saxpy(&values(1), &values(2)));
    assert_eq!(found, expected);
    assert_eq!(again, expected);
    assert_eq!(both, [8; 4096]);
    Ok(())
}
