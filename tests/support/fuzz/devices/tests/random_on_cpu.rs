//! 2,000 random kernels, those that were kept, and random programs of several launches give what they mean in both interpreters
//! and on the CPU.

use std::process::Command;

#[test]
fn random_kernels_mean_the_same_in_the_interpreters_and_on_the_cpu() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_obsidian-fuzz-devices"));
    command.args(["--on", "interpreters,cpu", "--least", "2000", "--count", "2040", "--seed", "20261121"]);
    assert!(command.status().expect("the program of this crate").success());
}

#[test]
fn random_programs_of_several_launches_mean_the_same_in_the_interpreters_and_on_the_cpu() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_obsidian-fuzz-devices"));
    command.args(["--launches", "--on", "interpreters,cpu", "--least", "100", "--count", "110", "--seed", "20261121"]);
    assert!(command.status().expect("the program of this crate").success());
}
