//! What the devices of the driver lack, and what is on the wrong one.

use obsidian::prelude::*;
use obsidian::{Backend, BackendInfo, IndexedArray, kernel};
use obsidian_programs as programs;

use super::{device_mistakes, gpu, simulated};

fn saxpy(device: &Device) -> Result<Vec<f32>, Error> {
    let (x, y) = (device.upload(&[1.0f32; 2048])?, device.upload(&[2.0f32; 2048])?);
    programs::saxpy.run(device, 3.0, &x, &y)?.to_vec()
}

#[test]
fn there_may_be_no_device() {
    simulated("errors::there_may_be_no_device", &["devices=0"], || {
        let error = Device::cuda(0).unwrap_err();
        assert!(matches!(&error, Error::BackendUnavailable { backend: Backend::Cuda, .. }), "{error}");
        assert!(error.to_string().contains("NO_DEVICE"), "{error}");
    });
}

#[test]
fn devices_are_apart() {
    simulated("errors::devices_are_apart", &["devices=2"], || {
        let (first, second) = (gpu(), Device::cuda(1).unwrap());
        let error = Device::cuda(2).unwrap_err();
        assert!(matches!(error, Error::NoSuchDevice { index: 2, count: 2, .. }), "{error}");
        assert_ne!(first, second);
        assert_eq!(first, Device::cuda(0).unwrap());
        let known = obsidian::backends().into_iter().find(|info: &BackendInfo| info.backend == Backend::Cuda);
        assert_eq!(known.and_then(|info| info.devices.ok()).map(|devices| devices.len()), Some(2));
        // The same kernel, loaded on each.
        for device in [&first, &second, &first] {
            assert_eq!(saxpy(device).unwrap(), [5.0; 2048]);
        }
        let (x, y) = (first.upload(&[1.0f32; 1024]).unwrap(), second.upload(&[1.0f32; 1024]).unwrap());
        let error = programs::saxpy.run(&first, 1.0, &x, &y).unwrap_err();
        assert!(matches!(error, Error::WrongDevice { what: "y", .. }), "{error}");
        let error = programs::saxpy.on(&second.stream()).run(&first, 1.0, &x, &x).unwrap_err();
        assert!(matches!(error, Error::WrongDevice { what: "the stream", .. }), "{error}");
        let mut pinned = second.pinned::<f32>(1024).unwrap();
        let error = first.stream().download(&x, &mut pinned).unwrap_err();
        assert!(matches!(error, Error::NotUsable { what: "the pinned memory", .. }), "{error}");
        let error = first.stream().mark().unwrap().since(&second.stream().mark().unwrap()).unwrap_err();
        assert!(matches!(error, Error::MomentsApart { .. }), "{error}");
        let error = programs::saxpy.run_on([first.share(1), second.share(1)], 1.0, &[1.0; 2048], &[1.0; 2048]);
        let text = error.unwrap_err().to_string();
        assert!(text.contains("launches of a part of the blocks"), "{text}");
    });
}

/// The largest of a kernel's variants does not fit; smaller ones do.
#[test]
fn limits_are_held_before_a_launch() {
    let limit = |error: Error| match error {
        Error::Limit { what, limit, found, .. } => (what, limit, found),
        other => panic!("{other}"),
    };
    simulated("errors::limits_are_held_before_a_launch", &["threads=64 registers=48 shared=2048"], move || {
        let device = gpu();
        assert_eq!((device.limits().threads, device.limits().shared_bytes), (Some(64), Some(2048)));
        let input = device.upload(&[1i32; 2048]).unwrap();
        let of = |threads| programs::reductions.with(Params { threads }).run(&device, &input);
        assert_eq!(limit(of(256).unwrap_err()), ("threads per block", 64, 256));
        assert_eq!(limit(of(64).unwrap_err()), ("threads per block that its registers leave room for", 48, 64));
        assert_eq!(of(32).unwrap().to_vec().unwrap(), [512; 4]);
        let error =
            programs::sklansky.with(Params { threads: 32 }).run(&device, &device.alloc(1024).unwrap()).unwrap_err();
        assert_eq!(limit(error), ("bytes of shared memory per block", 2048, 8192));
    });
}

/// What a block has without asking is not the limit, but what the device has; in a graph too.
#[test]
fn shared_memory_is_asked_for_up_to_what_the_device_has() {
    const TEST: &str = "errors::shared_memory_is_asked_for_up_to_what_the_device_has";
    simulated(TEST, &["shared=65536", "shared=65535"], move || {
        let device = gpu();
        let input = device.upload(&(0..4096).collect::<Vec<u64>>()).unwrap();
        let mut out = device.alloc(4096).unwrap();
        let run = programs::both_ways.run_into(&device, &input, &mut out);
        if device.limits().shared_bytes == Some(65535) {
            match run.unwrap_err() {
                Error::Limit { what: "bytes of shared memory per block", limit: 65535, found: 65536, .. } => return,
                other => panic!("{other}"),
            }
        }
        run.unwrap();
        let expected: Vec<u64> = (0..4096).map(|i| (i + 1) * 3 + 4096 - i).collect();
        assert_eq!(out.to_vec().unwrap(), expected);
        let record = |stream: &obsidian::Stream| {
            programs::both_ways.on(stream).run_into(&device, &input, &mut out)?;
            Ok((input, out))
        };
        let mut graph = device.stream().record(record).unwrap();
        graph.launch().unwrap();
        assert_eq!(graph.into_buffers().1.to_vec().unwrap(), expected);
    });
}

#[test]
fn mistakes_between_launches_name_the_step() {
    simulated("errors::mistakes_between_launches_name_the_step", &["memory=100000", "memory=100000 pools=0"], || {
        device_mistakes::guards(&gpu());
        device_mistakes::lengths(&gpu());
        device_mistakes::orders(&gpu());
        memory_between_launches(&gpu());
    });
}

/// Memory for an array whose length the device finds, on a device of 100,000 bytes.
fn memory_between_launches(device: &Device) {
    let (few, many) = (device.upload(&[1u32, 99]).unwrap(), device.upload(&[1u32, 49_999]).unwrap());
    for _ in 0..3 {
        let error = device_mistakes::as_long_as.run(device, &many, 1).unwrap_err();
        let told = error.to_string();
        assert!(matches!(error, Error::Step { entry: "as_long_as", .. }), "{told}");
        assert!(told.contains("launch of `as_long_as_") && told.contains("200000"), "{told}");
        assert_eq!(many.to_vec().unwrap(), [1, 49_999]);
        let found = device_mistakes::as_long_as.run(device, &few, 1).unwrap().to_vec().unwrap();
        assert_eq!(found, (0..100).map(|i| 3 * i).collect::<Vec<u32>>());
    }
}

#[test]
fn too_little_memory_is_an_error() {
    simulated("errors::too_little_memory_is_an_error", &["memory=100000", "memory=100000 pools=0"], || {
        let device = gpu();
        assert_eq!(device.limits().memory, Some(100_000));
        for _ in 0..3 {
            // 65536 bytes, and as many again; they come back when the buffer goes.
            let held = device.alloc::<u64>(8192).unwrap();
            let error = device.upload(&[0u64; 8192]).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { bytes: 65_536, .. }), "{error}");
            drop(held);
        }
        assert_eq!(saxpy(&device).unwrap(), [5.0; 2048]);
    });
}

#[test]
fn a_device_that_is_too_old_does_not_load_kernels() {
    simulated("errors::a_device_that_is_too_old_does_not_load_kernels", &["capability=6.1"], || {
        let error = saxpy(&gpu()).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Driver { .. }) && text.contains("load kernel `saxpy`"), "{text}");
    });
}

#[test]
fn few_blocks_do_the_work_of_many() {
    simulated("errors::few_blocks_do_the_work_of_many", &["grid=1", "grid=3 order=descending"], || {
        let device = gpu();
        let values: Vec<u32> = (0..20 * 256).collect();
        let mut bins = device.alloc::<u32>(7).unwrap();
        programs::counted_any.run(&device, &device.upload(&values).unwrap(), &mut bins).unwrap();
        let expected: Vec<u32> = (0..7).map(|r| (0..20 * 256u32).filter(|v| v % 7 == r).count() as u32).collect();
        assert_eq!(bins.to_vec().unwrap(), expected);
        let pairs: Vec<(f32, bool)> = (0..100).map(|i| (i as f32, i % 3 == 0)).collect();
        assert_eq!(device.upload(&pairs).unwrap().to_vec().unwrap(), pairs);
    });
}

#[test]
fn guards_find_what_is_out_of_range() {
    simulated("errors::guards_find_what_is_out_of_range", &[""], || {
        let device = gpu();
        let (table, mut places) = (device.upload(&[7u32; 100]).unwrap(), vec![1u32; 128]);
        places[70] = 1000;
        let stream = device.new_stream().unwrap();
        let error = programs::gathered.on(&stream).run(&device, &table, &device.upload(&places).unwrap()).unwrap_err();
        assert!(matches!(error, Error::OutOfRange { index: 1000, len: 100, .. }), "{error}");
        // That is no fault of the device's.
        places[70] = 99;
        let found = programs::gathered.on(&stream).run(&device, &table, &device.upload(&places).unwrap());
        assert_eq!(found.unwrap().to_vec().unwrap(), [15; 128]);
    });
}

kernel! {
    #[kernel(threads = 64)]
    fn below(xs: DPull<f32>, limit: f32) -> DPush<Grid, f32> {
        xs.map(|x| { assert!(x < limit, "{x} is not below"); x }).push()
    }
}

#[test]
fn an_assertion_is_an_error_with_its_text() {
    simulated("errors::an_assertion_is_an_error_with_its_text", &[""], || {
        let device = gpu();
        let mut xs = vec![0.5f32; 1003];
        let run = |xs: &[f32]| below.run(&device, &device.upload(xs).unwrap(), 1.0).map(|out| out.to_vec().unwrap());
        assert_eq!(run(&xs).unwrap(), xs);
        xs[1000] = 2.5;
        let error = run(&xs).unwrap_err();
        let Error::Assertion { kernel: "below", place: Some(place), message } = &error else { panic!("{error}") };
        assert_eq!(message, "2.5 is not below");
        assert!(place.starts_with(&file!().replace('\\', "/")), "{place}");
        assert_eq!(error.to_string(), format!("kernel `below`, {place}: 2.5 is not below"));
    });
}

kernel! {
    #[kernel(threads = 64)]
    fn through(first: DPull<u32>, second: DPull<u32>, places: DPull<u32>) -> DPush<Grid, u32> {
        places.map(|i| second[first[i]]).split_up(64).as_grid_map(|c| c.push())
    }
}

/// Each thread tells of its first stray access, with the length of the array that it is to.
#[test]
fn a_guard_tells_which_array_it_was() {
    simulated("errors::a_guard_tells_which_array_it_was", &[""], || {
        let device = gpu();
        let second = device.upload(&[9u32; 20]).unwrap();
        let stray = |first: &[u32], place: u32| {
            let mut places = [1u32; 128];
            places[70] = place;
            let (first, places) = (device.upload(first).unwrap(), device.upload(&places).unwrap());
            match through.run(&device, &first, &second, &places) {
                Err(Error::OutOfRange { array, index, len, .. }) => Some((array, index, len)),
                Err(other) => panic!("{other}"),
                Ok(found) => {
                    assert_eq!(found.to_vec().unwrap(), [9; 128]);
                    None
                }
            }
        };
        assert_eq!(stray(&[3; 10], 5), None);
        assert_eq!(stray(&[3; 10], 12).map(|(_, index, len)| (index, len)), Some((12, 10)));
        assert_eq!(stray(&[500; 10], 5).map(|(_, index, len)| (index, len)), Some((500, 20)));
        let both = stray(&[0; 10], 12).expect("the first array is left").0;
        assert_eq!(both, IndexedArray::Named("first"));
    });
}

kernel! {
    #[kernel(threads = 64)]
    fn picked(m: DMat<u32>, at: DPull<(u32, u32)>) -> DPush<Grid, u32> {
        at.map(|(r, c)| m[(r, c)]).push()
    }
}

#[test]
fn a_guard_tells_which_side_of_a_matrix_it_was() {
    simulated("errors::a_guard_tells_which_side_of_a_matrix_it_was", &[""], || {
        let device = gpu();
        let m = device.upload_matrix(&[5u32; 15], 3, 5).unwrap();
        let stray = |place: (u32, u32)| {
            let mut at = [(2u32, 4u32); 128];
            at[70] = place;
            match picked.run(&device, &m, &device.upload(&at).unwrap()) {
                Err(Error::OutOfRange { array, index, len, .. }) => Some((array, index, len)),
                Err(other) => panic!("{other}"),
                Ok(found) => {
                    assert_eq!(found.to_vec().unwrap(), [5; 128]);
                    None
                }
            }
        };
        assert_eq!(stray((0, 0)), None);
        assert_eq!(stray((0, 5)), Some((IndexedArray::Columns("m"), 5, 5)));
        assert_eq!(stray((3, 0)), Some((IndexedArray::Rows("m"), 3, 3)));
        // The place that these make wraps into the matrix.
        assert_eq!(stray((858_993_460, 0)), Some((IndexedArray::Rows("m"), 858_993_460, 3)));
    });
}
