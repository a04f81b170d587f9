//! Random kernels give what they mean on OpenCL devices: 2,000 in Oclgrind, which watches for races and stray accesses
//! while it interprets them, and fewer, with programs of several launches, on the device of the OpenCL step, whose compiler is slow.

use std::process::Command;

/// Set if a driver was set up: then its absence is a failure.
const REQUIRED: &str = "OBSIDIAN_TEST_OPENCL";
/// Names the checker's driver.
const CHECKER: &str = "OBSIDIAN_TEST_OCLGRIND";

/// The command for `count` kernels from `seed` on, of which at least `least` must run: some are refused.
fn on_opencl(least: &str, count: &str, seed: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_obsidian-fuzz-devices"));
    command.args(["--on", "opencl", "--least", least, "--count", count, "--seed", seed]);
    command
}

#[test]
fn random_kernels_mean_the_same_under_the_checker() {
    let Some(driver) = std::env::var_os(CHECKER) else {
        println!("SKIP: {CHECKER} does not name Oclgrind's driver");
        return;
    };
    let log = std::env::temp_dir().join(format!("obsidian-fuzz-oclgrind-{}", std::process::id()));
    let mut command = on_opencl("2000", "2040", "7000000");
    command.env("OCL_ICD_VENDORS", driver).env("OBSIDIAN_CACHE", "off").env("OCLGRIND_LOG", &log);
    // Its simulator lacks some of what its optimiser makes; and a load that an optimiser moves is a race to it.
    command.env("OCLGRIND_DATA_RACES", "1").env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
    assert!(command.status().expect("the program of this crate").success());
}

#[test]
fn some_mean_the_same_on_another_device() {
    if std::env::var_os(REQUIRED).is_none() {
        println!("SKIP: {REQUIRED} does not say that a driver was set up");
        return;
    }
    // A text that kernels share is compiled for the first and found by the others.
    let kept = std::env::temp_dir().join(format!("obsidian-fuzz-programs-{}", std::process::id()));
    let status = on_opencl("64", "80", "8000000").env("OBSIDIAN_CACHE", &kept).status();
    let _ = std::fs::remove_dir_all(kept);
    assert!(status.expect("the program of this crate").success());
}

#[test]
fn some_programs_of_several_launches_mean_the_same_on_another_device() {
    if std::env::var_os(REQUIRED).is_none() {
        println!("SKIP: {REQUIRED} does not say that a driver was set up");
        return;
    }
    let kept = std::env::temp_dir().join(format!("obsidian-fuzz-modules-{}", std::process::id()));
    let status = on_opencl("10", "16", "8000000").arg("--launches").env("OBSIDIAN_CACHE", &kept).status();
    let _ = std::fs::remove_dir_all(kept);
    assert!(status.expect("the program of this crate").success());
}
