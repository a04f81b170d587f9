//! Random kernels on devices: the CPU, and OpenCL where a driver is, give what the kernels mean.

use obsidian::Device;
use obsidian_fuzz_batch::{KERNELS, check};

/// Set where a driver was set up: then its absence is a failure.
const REQUIRED: &str = "OBSIDIAN_TEST_OPENCL";

fn all_on(device: &Device) {
    let failures: Vec<String> =
        KERNELS.iter().filter_map(|(seed, run)| check(*seed, *run, device).err().map(|e| e.to_string())).collect();
    println!("{} kernels on {device:?}", KERNELS.len());
    assert!(failures.is_empty(), "{} of {} kernels:\n{}", failures.len(), KERNELS.len(), failures.join("\n"));
    assert!(!KERNELS.is_empty());
}

#[test]
fn the_cpu_gives_what_kernels_mean() {
    all_on(&Device::cpu());
}

#[test]
fn opencl_gives_what_kernels_mean() {
    match Device::opencl(0) {
        Ok(device) => all_on(&device),
        Err(error) => {
            assert!(std::env::var_os(REQUIRED).is_none(), "{error}");
            println!("SKIP: {error}");
        }
    }
}
