//! The host's side: mistakes are `Err` with the numbers in them, nothing is lost, nothing panics.

#[path = "host/call.rs"]
mod call;

use obsidian::prelude::*;
use obsidian_oracle::{modules, sequence};
use obsidian_programs as programs;

kernel! {
    /// As many blocks of 256 as `n` elements need.
    #[kernel(threads = 64)]
    pub fn numbered(n: u32, into: DMut<u32>) -> Program<Grid, ()> {
        distr_par((n + 255) / 256, |b| for_all(256, |i| {
            let at = b * 256 + i;
            if at < into.len() { into[at] = at; }
        }))
    }

    /// Blocks that lie 2^30 elements apart.
    #[kernel(threads = 64)]
    pub fn far_apart(n: u32, into: DMut<u32>) -> Program<Grid, ()> {
        distr_par(n, |b| for_all(64, |i| {
            let at = b * 1073741824 + i;
            if at < into.len() { into[at] = b + 1; }
        }))
    }

    /// `n * k` elements.
    #[kernel(threads = 64)]
    pub fn product(n: u32, k: u32) -> DPush<Grid, u32> {
        let len = n * k;
        mk_push(len, |write| distr_par(len / 64 + min(len % 64, 1), |b| for_all(64, |i| {
            let at = b * 64 + i;
            if at < len { write(at, at); }
        })))
    }

    /// A tile that is read by columns: each lane asks the same bank.
    #[kernel(threads = [64, 128])]
    pub fn turned(input: DPull<f32>) -> DPush<Grid, f32> {
        input.split_up(1024).as_grid_map(|tile| {
            exec_block(tile.compute().reshape(32, 32).transpose().flatten().push())
        })
    }

    /// The first `n` sums: the launch is asked for arrays that are long enough.
    #[kernel(threads = 64)]
    pub fn first_sums(n: u32, xs: DPull<u32>, ys: DPull<u32>) -> DPush<Grid, u32> {
        mk_pull(n, |i| xs[i] + ys[i + 2]).push()
    }

    /// `n - 5` elements.
    #[kernel(threads = 64)]
    pub fn fewer(n: u32) -> DPush<Grid, u32> {
        mk_pull(n - 5, |i| i).split_up(1).as_grid_map(|c| c.push())
    }
}

#[test]
fn pinned_memory_graphs_and_streams() {
    sequence::check(&Device::cpu());
    sequence::check(&Device::check().unwrap());
}

#[test]
fn modules_of_several_launches() {
    modules::check(&Device::cpu());
    modules::check(&Device::check().unwrap());
}

fn message<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => panic!("this should have been refused"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn a_launch_is_asked_for_what_indices_need() {
    for dev in [Device::cpu(), Device::check().unwrap()] {
        let array = |n: u32| dev.upload(&(0..n).collect::<Vec<u32>>()).unwrap();
        let run = |n, x, y| first_sums.run(&dev, n, &array(x), &array(y));
        for n in [1, 63, 64, 1003] {
            let sums = run(n, n, n + 2).unwrap().to_vec().unwrap();
            assert_eq!(sums, (0..n).map(|i| 2 * i + 2).collect::<Vec<u32>>());
        }
        // Nothing is read where there is nothing to write.
        assert!(run(0, 0, 0).unwrap().to_vec().unwrap().is_empty());
        assert_eq!(
            message(run(1003, 1002, 1005)),
            "kernel `first_sums` cannot be launched: the length of `xs` must be at least `n`, found 1002"
        );
        assert_eq!(
            message(run(1003, 1003, 1004)),
            "kernel `first_sums` cannot be launched: the length of `ys` must be at least `n + 2`, found 1004"
        );
        assert!(run(u32::MAX - 1, 5, 5).is_err());
    }
}

#[test]
fn a_length_that_does_not_divide() {
    let dev = Device::cpu();
    let input = dev.upload(&[1i32; 1000]).unwrap();
    let text = message(programs::reductions.run(&dev, &input));
    for part in ["reductions", "the length of `input` must be a multiple of 512", "1000"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn an_empty_input_gives_an_empty_output() {
    let dev = Device::cpu();
    let input = dev.upload::<i32>(&[]).unwrap();
    assert!(programs::reductions.run(&dev, &input).unwrap().is_empty());
}

#[test]
fn an_output_of_the_wrong_length() {
    let dev = Device::cpu();
    let input = dev.upload(&[1i32; 1024]).unwrap();
    let mut out = dev.upload(&[7i32; 3]).unwrap();
    let text = message(programs::reductions.run_into(&dev, &input, &mut out));
    assert!(text.contains('2') && text.contains('3') && text.contains("out"), "{text}");
    assert_eq!(out.to_vec().unwrap(), [7; 3]);
}

/// Numbers of blocks and lengths are computed exactly, or the launch is refused: on every device before anything runs.
#[test]
fn launch_arithmetic_that_leaves_32_bits_is_refused() {
    for dev in [Device::cpu(), Device::check().unwrap()] {
        let mut into = dev.upload(&[7u32; 300]).unwrap();
        for n in [u32::MAX, u32::MAX - 254] {
            let text = message(numbered.run(&dev, n, &mut into));
            assert!(text.contains("`n + 255` must be a number from 0 to 2^32 - 1"), "{text}");
            assert!(text.contains(&n.to_string()), "{text}");
        }
        let text = message(far_apart.run(&dev, 5, &mut into));
        assert!(text.contains("at most 4 blocks") && text.contains('5'), "{text}");
        assert_eq!(into.to_vec().unwrap(), [7; 300]);
        far_apart.run(&dev, 4, &mut into).unwrap();
        numbered.run(&dev, 300, &mut into).unwrap();
        assert!(into.to_vec().unwrap().into_iter().eq(0..300));

        let text = message(product.run(&dev, 65536, 65536));
        assert!(text.contains("`n * k` must be a number from 0 to 2^32 - 1, found 65536"), "{text}");
        assert!(product.run(&dev, 0, u32::MAX).unwrap().is_empty());
        assert_eq!(product.run(&dev, 7, 11).unwrap().to_vec().unwrap(), (0..77).collect::<Vec<u32>>());

        let text = message(fewer.run(&dev, 4));
        assert!(text.contains("`n` must be at least 5, found 4"), "{text}");
        assert!(fewer.run(&dev, 5).unwrap().is_empty());
    }
}

#[test]
fn an_input_whose_type_fixes_the_length() {
    let dev = Device::cpu();
    let (a, b) = (dev.upload(&[1i32; 16]).unwrap(), dev.upload(&[1i32; 15]).unwrap());
    let text = message(programs::append_pull.run(&dev, &a, &b));
    assert!(text.contains("`b`") && text.contains("16") && text.contains("15"), "{text}");
}

#[test]
fn a_variant_that_does_not_exist() {
    let dev = Device::cpu();
    let input = dev.upload(&[1i32; 512]).unwrap();
    let text = message(programs::reductions.with(Params { threads: 65 }).run(&dev, &input));
    assert!(text.contains("65") && text.contains("64"), "{text}");
}

#[test]
fn prepared_launches_check_what_they_are_given() {
    let dev = Device::cpu();
    let (one, two) = (dev.upload(&[1i32; 512]).unwrap(), dev.upload(&[1i32; 1024]).unwrap());
    let ready = programs::reductions.prepare(&dev, one.len()).unwrap();
    let mut out = ready.outputs().unwrap();
    ready.run_into(&one, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [512]);
    let text = message(ready.run_into(&two, &mut out));
    assert!(text.contains("512") && text.contains("1024"), "{text}");
    assert!(programs::reductions.prepare(&dev, 1000).is_err());
}

#[test]
fn options_do_not_change_the_result() {
    let dev = Device::cpu();
    let input = dev.upload(&(0..1024).collect::<Vec<i32>>()).unwrap();
    let stream = dev.new_stream().unwrap();
    let kernel = programs::reductions.with(Params { threads: 100 }).blocks(1).on(&stream);
    let out = kernel.run(&dev, &input).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(out.to_vec().unwrap(), [130_816, 392_960]);
}

#[test]
fn a_missing_gpu_is_an_error_and_best_falls_back() {
    // On a machine with a GPU both succeed; what must never happen is a panic.
    match Device::cuda(0) {
        Ok(_) => assert!(Device::best().is_ok()),
        Err(e) => {
            assert!(!e.to_string().is_empty());
            assert_ne!(Device::best().unwrap().kind(), obsidian::Backend::Cuda);
        }
    }
    assert!(obsidian::backends().iter().any(|b| b.is_available()));
}

#[test]
fn the_embedded_texts() {
    let kernel = programs::reductions.kernel();
    assert_eq!(kernel.name(), "reductions");
    assert!(kernel.ptx().contains(".entry reductions_t64"));
    assert!(kernel.cuda().contains("__global__"));
    assert!(kernel.opencl().contains("__kernel"));
    assert_eq!(programs::reductions::OPENCL, kernel.opencl());
    assert!(kernel.ir().starts_with("kernel reductions"));
    assert_eq!(programs::reductions::PTX, kernel.ptx());
    assert!(kernel.report().starts_with("reductions_t64: 64 threads a block"), "{}", kernel.report());
    assert_eq!(programs::reductions::REPORT, kernel.report());
}

#[test]
fn costs_are_data() {
    use obsidian::cost::{Action, Barriers, Memory, Place};
    let cost = turned.cost();
    assert_eq!((cost.name.as_ref(), cost.threads, cost.shared_bytes), ("turned_t64", 64, 4096));
    assert_eq!(cost.barriers, Barriers { block: 2, warp: 0 });
    assert_eq!(
        (cost.bytes_moved(), cost.bytes_wanted(), cost.conflicts()),
        (Some(8192.0), Some(8192), Some(31.0 * 32.0))
    );
    let store = cost.of(Memory::Global).find(|a| a.action == Action::Store).unwrap();
    assert_eq!((store.array.as_ref(), store.elements, store.sectors()), ("out", 1024, Some(128.0)));
    let load = cost.of(Memory::Shared).find(|a| a.action == Action::Load).unwrap();
    assert_eq!((load.requests().unwrap().worst, load.sectors()), (32, None));
    let row = include_str!("host.rs").lines().position(|line| line.contains("tile.compute().reshape")).unwrap();
    assert!(matches!(load.place, Some(Place { line, .. }) if line as usize == row + 1), "{load:?}");
    assert_eq!(cost.on("sm_80").map(|o| o.blocks), Some(32));
    let threads: Vec<u32> = turned.variants().map(|v| v.cost().threads).collect();
    assert_eq!(threads, [64, 128]);
}

#[test]
fn costs_are_json() {
    for variant in programs::all().iter().flat_map(|kernel| kernel.variants()) {
        let (cost, json) = (variant.cost(), variant.cost().json());
        let value: serde_json::Value = serde_json::from_str(&json).unwrap_or_else(|e| panic!("{e}: {json}"));
        assert_eq!(value["name"], variant.symbol());
        assert_eq!(value["shared_bytes"], variant.shared_bytes());
        assert_eq!(value["accesses"].as_array().map(Vec::len), Some(cost.accesses.len()));
        assert_eq!(value["bytes_wanted"].as_u64(), cost.bytes_wanted());
        // The table and the data are of one report.
        let first = variant.report().lines().next();
        assert_eq!(first.map(str::to_string), Some(format!("{}: {} threads a block", cost.name, cost.threads)));
    }
}

#[test]
fn a_launch_on_several_devices() {
    let cpu = Device::cpu();
    let input: Vec<i32> = (0..512 * 7).collect();
    let one = programs::reductions.run(&cpu, &cpu.upload(&input).unwrap()).unwrap().to_vec().unwrap();
    for shares in [vec![cpu.share(1)], vec![cpu.share(1), cpu.share(1)], vec![cpu.share(5), cpu.share(0), cpu.share(1)]]
    {
        assert_eq!(programs::reductions.run_on(&shares, &input).unwrap(), one);
    }
    let pairs: Vec<(i32, i32)> = (0..256).map(|i| (i, 2 * i)).collect();
    let (sums, differences) = programs::sum_and_difference.run_on([cpu.share(1), cpu.share(1)], &pairs).unwrap();
    assert_eq!(sums, (0..256).map(|i| 3 * i).collect::<Vec<_>>());
    assert_eq!(differences, (0..256).map(|i| -i).collect::<Vec<_>>());
    assert!(programs::reductions.run_on([cpu.share(1), cpu.share(1)], &[]).unwrap().is_empty());
}

#[test]
fn several_devices_and_what_goes_wrong() {
    let cpu = Device::cpu();
    let two = || [cpu.share(1), cpu.share(1)];
    let text = message(programs::reductions.run_on(two(), &[1; 1000]));
    assert!(text.contains("multiple of 512") && text.contains("1000"), "{text}");
    let text = message(programs::reductions.run_on([], &[1; 512]));
    assert!(text.contains("none has a share"), "{text}");
    // A block of the whole transpose writes tiles, which lie in many rows.
    let text = message(programs::transposed.run_on(two(), &[1; 256 * 256]));
    assert!(text.contains("`out`") && text.contains("several devices"), "{text}");
    // The second device's part has the stray index.
    let rows: Vec<(u32, u32)> = (0..128).map(|r| (r, r + 1)).collect();
    let entries: Vec<(u32, f32)> = (0..128).map(|i| (if i == 100 { 9 } else { 0 }, 1.0)).collect();
    let text = message(programs::smvm_threads.run_on(two(), &rows, &entries, &[1.0; 4]));
    assert!(text.starts_with("the CPU, blocks 1 to 2: ") && text.contains("index 9"), "{text}");
}

/// Where the library is missing, in a process of its own.
#[test]
fn child_without_opencl() {
    if std::env::var_os("OBSIDIAN_TEST_TASK").is_some() {
        for text in [message(Device::opencl(0)), message(Device::opencl("a name"))] {
            for part in ["opencl", "no such library", "install", "Device::cpu()"] {
                assert!(text.contains(part), "{text}");
            }
        }
        assert!(Device::list().iter().all(|device| device.backend != obsidian::Backend::OpenCl));
        assert!(Device::best().is_ok());
    }
}

#[test]
fn a_missing_library_is_an_error_that_names_it() {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child_without_opencl"]).env("OBSIDIAN_TEST_TASK", "1");
    let output = child.env("OPENCL_DYLIB_PATH", "/no such library").env_remove("OBSIDIAN_BACKEND").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
