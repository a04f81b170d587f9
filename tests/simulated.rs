//! The CUDA runtime on a simulated driver, which is no GPU: that the host's side calls the driver as it documents, waits for what
//! it must, and turns what goes wrong into errors. Each test runs this program once more, with the driver of `sim-cuda` in
//! the place of libcuda. The programs run on it in the row `CUDA: simulated` of `cargo xtask test`.
#![cfg(all(feature = "cuda", target_os = "linux"))]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use obsidian_oracle::{modules, sequence};
use obsidian_sim_cuda::{SETTINGS, link};

#[path = "device/chains.rs"]
mod device_chains;
#[path = "device/mistakes.rs"]
mod device_mistakes;
#[path = "device/operators.rs"]
mod device_operators;
#[path = "device/papers.rs"]
mod device_papers;
#[path = "device/programs.rs"]
mod device_programs;
#[path = "simulated/errors.rs"]
mod errors;
#[path = "simulated/fast.rs"]
mod fast;
#[path = "simulated/faults.rs"]
mod faults;

use obsidian::Device;
use obsidian::cudarc::driver::{CudaContext, sys};

/// The test that a process was started for.
const CHILD: &str = "OBSIDIAN_SIM_CHILD";
/// What a child says when it has come to the end.
const DONE: &str = "done on a simulated GPU";

/// Runs the body in a process for each of the settings of the driver.
fn simulated(test: &str, settings: &[&str], body: impl FnOnce()) {
    if std::env::var(CHILD).is_ok_and(|child| child == test) {
        body();
        println!("{DONE}");
        return;
    }
    for settings in settings {
        let output = child(test, settings);
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert!(output.status.success() && said.contains(DONE), "`{settings}`: {}\n{said}", output.status);
    }
}

fn child(test: &str, settings: &str) -> Output {
    static DRIVER: OnceLock<PathBuf> = OnceLock::new();
    let driver = DRIVER.get_or_init(|| {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("simulated");
        link(&dir).expect("the driver is built and copied");
        dir
    });
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", test, "--nocapture"]).env(CHILD, test);
    command.env("LD_LIBRARY_PATH", driver).env(SETTINGS, settings).output().expect("it starts")
}

fn gpu() -> Device {
    let device = Device::cuda(0).expect("the simulated driver has a device");
    assert!(device.name().starts_with("Simulated GPU"), "{} is real", device.name());
    device
}

#[test]
fn pinned_memory_graphs_and_streams() {
    let body = || sequence::check(&gpu());
    simulated("pinned_memory_graphs_and_streams", &["", "pools=0", "order=descending grid=1"], body);
}

/// Bytes of freed memory that the pool of the first device keeps, and of which it shall keep no more than that from now on.
fn threshold(context: &CudaContext, shall: Option<u64>) -> u64 {
    let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    let (mut pool, mut found) = (std::ptr::null_mut(), 0u64);
    // SAFETY: the context's device; the attribute is a `cuuint64_t`.
    unsafe {
        sys::cuDeviceGetDefaultMemPool(&raw mut pool, context.cu_device()).result().unwrap();
        sys::cuMemPoolGetAttribute(pool, attribute, (&raw mut found).cast()).result().unwrap();
        if let Some(mut shall) = shall {
            sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut shall).cast()).result().unwrap();
        }
    }
    found
}

#[test]
fn freed_memory_is_kept_for_what_comes_next() {
    let body = || {
        let context = CudaContext::new(0).unwrap();
        assert_eq!(threshold(&context, None), 0);
        gpu();
        assert_eq!(threshold(&context, None), u64::MAX);
    };
    simulated("freed_memory_is_kept_for_what_comes_next", &[""], body);
}

#[test]
fn a_pools_threshold_is_the_programs_where_it_has_set_one() {
    let body = || {
        let context = CudaContext::new(0).unwrap();
        threshold(&context, Some(1 << 20));
        gpu();
        assert_eq!(threshold(&context, None), 1 << 20);
    };
    simulated("a_pools_threshold_is_the_programs_where_it_has_set_one", &[""], body);
}

#[test]
fn programs_of_several_launches() {
    let lengths = || device_programs::LENGTHS.into_iter().filter(|n| *n < 10_000);
    let body = || lengths().for_each(|n| device_programs::check_all(&gpu(), n));
    simulated("programs_of_several_launches", &["", "order=descending grid=1"], body);
}

#[test]
fn programs_of_the_papers() {
    let lengths = || device_papers::LENGTHS.into_iter().filter(|n| [0, 511, 5000].contains(n));
    let body = || lengths().for_each(|n| device_papers::check_all(&gpu(), n));
    simulated("programs_of_the_papers", &["order=descending grid=1"], body);
}

/// In one pass: a plan has no memory but the cells, two words for each of 98 tiles and one more.
#[test]
fn chains_of_tiles() {
    let body = || {
        [0, 1, 65, 513, 5000].into_iter().for_each(|n| device_chains::check_all(&gpu(), n));
        device_chains::on_few_blocks(&gpu(), 9000);
        device_chains::prepared(&gpu(), 3000);
        assert_eq!(device_chains::temporary_bytes(&gpu(), 100_000), (16 * 99u64).next_multiple_of(256));
    };
    simulated("chains_of_tiles", &["", "order=descending grid=1"], body);
}

#[test]
fn every_algorithm() {
    let body = || {
        obsidian_table::cells().iter().for_each(|cell| [0, 1, 33, 257].iter().for_each(|&n| (cell.check)(&gpu(), n)))
    };
    simulated("every_algorithm", &["order=descending grid=1"], body);
}

#[test]
fn modules_of_several_launches() {
    let body = || modules::check(&gpu());
    simulated("modules_of_several_launches", &["", "pools=0", "order=descending grid=1"], body);
}
