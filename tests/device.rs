//! Programs of several launches on every device: against plain Rust, and of floats the same bits on each. OpenCL as in
//! `opencl.rs`: on the first driver that is there, else SKIP; the simulated GPU's row is in `simulated.rs`.

use std::process::Command;

use obsidian::Module;
use obsidian::prelude::*;
use obsidian_programs::device::modules;
use rayon::prelude::*;

#[path = "device/chains.rs"]
mod chains;
#[path = "device/choices.rs"]
mod choices;
#[path = "device/operators.rs"]
mod device_operators;
#[path = "device/loops.rs"]
mod loops;
#[path = "device/matrices.rs"]
mod matrices;
#[path = "device/mistakes.rs"]
mod mistakes;
#[path = "device/papers.rs"]
mod papers;
#[path = "device/programs.rs"]
mod programs;
#[path = "device/results.rs"]
mod results;
#[path = "device/segments.rs"]
mod segments;
#[path = "device/table.rs"]
mod table;

#[test]
fn on_the_cpu() {
    for n in programs::LENGTHS.into_iter().chain([32, 33, 255, 256, 1003, 65_535, 65_536, 1_000_003]) {
        programs::check_all(&Device::cpu(), n);
    }
}

/// At the papers' sizes, too.
#[test]
fn of_the_papers_on_the_cpu() {
    for n in papers::LENGTHS.into_iter().chain([512, 513, 4097, 65_536, 1 << 20, 1_000_003]) {
        papers::check_all(&Device::cpu(), n);
    }
}

#[test]
fn parts_of_arrays_on_the_cpu() {
    for n in [0, 1, 31, 32, 33, 255, 256, 257, 65_535, 65_536, 65_537, 1_000_003] {
        segments::check_all(&Device::cpu(), n);
    }
}

#[test]
fn parts_of_arrays_on_the_interpreter() {
    // Random programs of these functions, which `fuzz` makes, are run there too.
    segments::tuples(&Device::check().expect("the tests have the feature"), Params { threads: 33 }, 70);
}

/// A scan reads its elements twice in launches, and writes them once.
#[test]
fn what_a_program_moves_is_data() {
    const N: u64 = 1 << 20;
    let device = Device::cpu();
    let of = |module: &Module, values: &[u64]| module.traffic(&device, values).unwrap();
    let scan = of(obsidian_programs::device_segments::device_before.module(), &[N, 0]).expect("nothing is fetched");
    assert_eq!((scan.launches.len(), scan.least, scan.copied, scan.waits), (3, 8 * N, 0, 0));
    assert_eq!(scan.launches.iter().map(|launch| launch.blocks).collect::<Vec<_>>(), [128, 1, 128]);
    let (first, last) = (&scan.launches[0], &scan.launches[2]);
    assert_eq!((first.least, last.least), (4 * N + 4 * 128, 8 * N + 5 * 128));
    assert!(last.moved.is_some_and(|bytes| bytes < 1.25 * last.least as f64), "{scan}");
    assert!(scan.to_string().starts_with("3 launches, "), "{scan}");
    assert_eq!(of(obsidian_programs::device_segments::device_runs.module(), &[N]), None);
    let report = obsidian_programs::device_segments::device_before.module().report();
    assert!(report.contains("\n2^20 elements, chains in one pass: 1 launch, "), "{report}");
    assert!(report.contains("\n2^26 elements, chains in three launches: 3 launches, "), "{report}");
}

/// The least number of launches that the library's page says.
#[test]
fn parts_of_arrays_take_so_many_launches() {
    use obsidian_programs::device_segments::*;
    let launches = [
        (device_before.module(), "  if once: 1 launch\n"),
        (device_in_segments.module(), "  if once: 1 launch\n"),
        (device_maps_by_key.module(), "  if once: 1 launch\n"),
        (device_segments.module(), "1 launch\n    2. "),
        (device_runs.module(), "else: 2 launches, 1 wait\n"),
        (device_turned.module(), "2 launches of 2 kernels, 2 of them in branches"),
        (device_greatest.module(), "9 launches of 6 kernels, 6 of them in branches and loops"),
    ];
    for (module, expected) in launches {
        assert!(module.report().contains(expected), "{}", module.report());
    }
}

/// Around tiles of 64, 300, 512 and 1024 elements, and of more tiles than one block folds at a time.
#[test]
fn chains_on_the_cpu() {
    for n in [0, 1, 63, 64, 65, 255, 300, 301, 511, 512, 513, 1024, 1025, 16_384, 16_449, 65_537, 300_007] {
        chains::check_all(&Device::cpu(), n);
    }
    chains::on_few_blocks(&Device::cpu(), 100_000);
    chains::prepared(&Device::cpu(), 10_000);
    // In launches: what each tile gives, and the prefixes; no cells.
    assert_eq!(chains::temporary_bytes(&Device::cpu(), 100_000), 2 * 256);
}

#[test]
fn chains_on_the_interpreter() {
    for n in [0, 1, 64, 301, 1025, 5000] {
        chains::check_all(&Device::check().expect("the tests have the feature"), n);
    }
}

#[test]
fn choices_on_the_cpu() {
    for n in [1, 2, 31, 33, 255, 257, 4095, 4096, 4097, 65_537, 1_000_003] {
        choices::check_all(&Device::cpu(), n);
    }
}

#[test]
fn choices_on_the_interpreter() {
    for n in [1, 33, 2049, 4097] {
        choices::check_all(&Device::check().expect("the tests have the feature"), n);
    }
}

#[test]
fn on_the_interpreter() {
    let device = Device::check().expect("the tests have the feature");
    for n in [0, 1, 31, 257, 5000] {
        programs::check_all(&device, n);
    }
}

#[test]
fn of_the_papers_on_the_interpreter() {
    let device = Device::check().expect("the tests have the feature");
    for n in [0, 1, 513, 5000] {
        papers::check_all(&device, n);
    }
}

/// Names a check and a number of threads to a process that runs it.
const ASKED: &str = "OBSIDIAN_TEST_CHECK";

fn opencl() -> Option<Device> {
    match Device::opencl(0) {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(std::env::var_os("OBSIDIAN_TEST_OPENCL").is_none(), "{error}");
            println!("SKIP: {error}");
            None
        }
    }
}

/// Each check in a process of its own, as many at a time as there are cores: nearly all of the time the driver compiles, and in
/// one process PoCL compiles one kernel after the other.
#[test]
fn on_opencl() {
    let Some(device) = opencl() else { return };
    let jobs: Vec<String> = programs::THREADS
        .iter()
        .rev()
        .flat_map(|threads| programs::CHECKS.iter().map(move |(name, _)| format!("{name} {threads}")))
        .collect();
    let failed: Vec<String> = jobs.par_iter().with_max_len(1).filter_map(|job| failure(job)).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    println!("{} checks on {}", jobs.len(), device.name());
}

/// What a process says that fails at a check.
fn failure(job: &str) -> Option<String> {
    let mut command = Command::new(std::env::current_exe().expect("these tests"));
    command.args(["--exact", "a_check_on_opencl", "--nocapture"]).env(ASKED, job);
    let output = command.output().expect("the tests run");
    let said = String::from_utf8_lossy(&output.stdout);
    // A test that is not found is no answer.
    let done = output.status.success() && said.contains(&format!("{ASKED}={job}"));
    (!done).then(|| format!("{job}: {}\n{said}{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// What [`on_opencl`] starts; alone it has nothing to do.
#[test]
fn a_check_on_opencl() {
    let Ok(asked) = std::env::var(ASKED) else { return };
    let (name, threads) = asked.rsplit_once(' ').expect("a check and a number");
    let (_, check) = programs::CHECKS.iter().find(|(known, _)| *known == name).expect("a check");
    let (device, threads) = (opencl().expect("the device of those who ask"), threads.parse().expect("a number"));
    programs::LENGTHS.iter().for_each(|&n| programs::check_one(&device, *check, threads, n));
    println!("{ASKED}={asked}");
}

kernel! {
    #[kernel(threads = 64)]
    pub fn meeting(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        xs.map(|x| x + 1).compute()
    }

    /// Of the name that the kernel of `meeting` has.
    #[kernel(threads = 64)]
    pub fn meeting_1(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| x + 2).push()
    }
}

#[test]
fn an_entry_may_have_the_name_of_a_module_s_kernel() {
    assert!(meeting.kernels().any(|kernel| kernel.name() == "meeting_1"));
    for device in [Device::cpu(), Device::check().expect("the tests have the feature")] {
        let xs = device.upload(&[1u32, 5, 7]).unwrap();
        assert_eq!(meeting.run(&device, &xs).unwrap().to_vec().unwrap(), [2, 6, 8]);
        assert_eq!(meeting_1.run(&device, &xs).unwrap().to_vec().unwrap(), [3, 7, 9]);
    }
}

#[test]
fn nothing_has_no_sum() {
    let device = Device::cpu();
    let none = device.upload::<f32>(&[]).unwrap();
    let error = obsidian_programs::device::device_variance.run(&device, &none).unwrap_err();
    assert!(error.to_string().contains("the length of `xs` must be at least 1, found 0"), "{error}");
}

#[test]
fn mistakes_between_launches_name_the_step() {
    for device in [Device::cpu(), Device::check().expect("the tests have the feature")] {
        mistakes::guards(&device);
        mistakes::lengths(&device);
        mistakes::orders(&device);
    }
}

#[test]
fn prepared_once_and_run_often() {
    let device = Device::cpu();
    let xs: Vec<u32> = (0..5000).collect();
    let ready = obsidian_programs::device::device_counts.prepare(&device, xs.len()).unwrap();
    let (input, mut out) = (device.upload(&xs).unwrap(), ready.outputs().unwrap());
    for _ in 0..3 {
        ready.run_into(&input, &mut out).unwrap();
        assert_eq!(out.to_vec().unwrap(), programs::counts(&xs));
    }
    let shorter = device.upload(&xs[1..]).unwrap();
    assert!(ready.run_into(&shorter, &mut out).is_err(), "another length than was prepared");
}

#[test]
fn reports_and_texts_name_every_kernel() {
    for module in modules() {
        assert!(module.report().contains("launches of"), "{}", module.report());
        for kernel in module.kernels() {
            assert!(kernel.name().starts_with(module.name()), "{}", kernel.name());
            assert!(kernel.ptx().contains(kernel.name()) && kernel.opencl().contains("__kernel"));
            assert!(module.ir().contains(&format!("launch {}(", kernel.name())), "{}", module.ir());
        }
    }
}
