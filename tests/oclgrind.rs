//! Oclgrind: every program of `programs` runs, small, under a checker of races, bounds, barriers and uninitialised
//! reads, and it has nothing to say; planted faults it reports. The checker is a driver, chosen when a process starts, so
//! each test runs this program again as a child. Without Oclgrind (`cargo xtask test` brings it) they say SKIP.

use std::process::{Command, Stdio};

use obsidian::abi::{KernelInfo, Language, Text, Variant};
use obsidian::{Device, Error};
use obsidian_oracle::{cases, data, device};

use cases::{Case, has_inputs, is_open, lens};
use data::Pattern;
use device::How;

/// Names the checker's driver.
const DRIVER: &str = "OBSIDIAN_TEST_OCLGRIND";
/// Tells a child what to do: a number of `FAULTS`, or the remainder of the cases that it takes.
const TASK: &str = "OBSIDIAN_TEST_TASK";
/// Children that share the programs.
const SHARES: usize = 2;

/// A program, what is replaced in its text (the first that is found), and what the checker must say.
const FAULTS: [(&str, &str, &str, &str); 4] = [
    ("sum_red1", " BARRIER(CLK_LOCAL_MEM_FENCE);", "", "data race"),
    ("sum_red1", "out[b0]", "out[b0 + 1u]", "Invalid write"),
    ("reversed_chunks", "255u -", "256u -", "Invalid write"),
    ("two_stage", " BARRIER(CLK_LOCAL_MEM_FENCE);", " if (LOCAL_ID < 32u) barrier(CLK_LOCAL_MEM_FENCE);", "divergence"),
];

/// What the checker says while a child does `task`; `None` without a checker.
fn complaints(task: &str) -> Option<String> {
    let Some(driver) = std::env::var_os(DRIVER) else {
        println!("SKIP: {DRIVER} does not name Oclgrind's driver");
        return None;
    };
    let log = std::env::temp_dir().join(format!("obsidian-oclgrind-{}-{}", std::process::id(), task.replace(' ', "-")));
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", "child", "--nocapture"]).stdout(Stdio::null());
    child.env(TASK, task).env("OCL_ICD_VENDORS", driver).env("OCLGRIND_LOG", &log).env("OBSIDIAN_CACHE", "off");
    for check in ["OCLGRIND_DATA_RACES", "OCLGRIND_UNINITIALIZED", "OCLGRIND_CHECK_API"] {
        child.env(check, "1");
    }
    child.env("OCLGRIND_MAX_ERRORS", "1000");
    // Its simulator lacks some of what its optimiser makes, and takes vectors that are made element by element for unwritten.
    child.env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
    let status = child.status().expect("a child");
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(log);
    assert!(status.success(), "{task}: {status}\n{said}");
    Some(said)
}

/// Whether the checker could run a program.
enum Checked {
    Yes,
    No(Error),
}

/// One variant, two chunks, two real blocks; what it gives is the business of other tests.
fn run(case: &Case, change: impl Fn(&str) -> String) -> Checked {
    let len = if is_open(case.params()) { 2 * case.chunk } else { 0 };
    let args = data::args(case.params(), &lens(case.params(), |_| len), Pattern::Count);
    match device::run(changed(case, change), How { variant: 0, blocks: Some(2) }, &args) {
        // The checker has 32 KiB of local memory.
        Err(error @ Error::Limit { .. }) => Checked::No(error),
        // It says so where its simulator does not know a constant of the compiler's.
        Err(error @ Error::Driver { .. }) if error.to_string().contains("CL_INVALID_KERNEL_NAME") => Checked::No(error),
        // A guard's answer to these data, and no stray access.
        Ok(_) | Err(Error::OutOfRange { .. }) => Checked::Yes,
        Err(error) => panic!("{}: {error}", case.name()),
    }
}

/// What children do; in the parent, nothing.
#[test]
fn child() {
    let Ok(task) = std::env::var(TASK) else { return };
    let device = Device::opencl("oclgrind").expect("the checker");
    device::DEVICE.set(device).expect("first");
    if let Some(number) = task.strip_prefix("fault ") {
        let (name, old, new, _) = FAULTS[number.parse::<usize>().expect("a number")];
        run(&cases::cases_of(name)[0], |text| {
            assert!(text.contains(old), "{name} has no `{old}`");
            text.replacen(old, new, 1)
        });
        return;
    }
    let share: usize = task.parse().expect("a number");
    let cases = cases::cases();
    // A kernel without inputs cannot be made small.
    let small = cases.iter().filter(|case| case.variant == 0 && has_inputs(case.params()));
    let (mut checked, mut all) = (0, 0);
    for (_, case) in small.enumerate().filter(|(i, _)| i % SHARES == share) {
        all += 1;
        match run(case, str::to_owned) {
            Checked::Yes => checked += 1,
            Checked::No(why) => eprintln!("not checked: {why}"),
        }
    }
    assert!(5 * checked >= 4 * all, "{checked} of {all} checked");
}

/// A case's kernel with its variant alone and its text changed.
fn changed(case: &Case, change: impl Fn(&str) -> String) -> &'static KernelInfo {
    let mut variant: Variant = case.info.variants[case.variant].clone();
    let text = *variant.text(Language::OpenClC).expect("every kernel has OpenCL C");
    // How the checker rounds is not asked here.
    let text = Text { source: String::leak(change(text.source)), needs: &[], ..text };
    variant.texts = Vec::leak(vec![text]);
    let name = case.info.name;
    Box::leak(Box::new(KernelInfo { name, variants: Vec::leak(vec![variant]) }))
}

/// What is left of a report without the instructions of newer compilers that the checker does not know; it names the
/// kernels then, and they are told as not checked.
fn without_what_it_lacks(said: &str) -> String {
    let lacks = |part: &&str| part.contains("OCLGRIND FATAL ERROR") && part.contains("Unsupported instruction");
    said.split("\n\n").filter(lacks).for_each(|part| eprintln!("not checked: {}", part.trim()));
    said.split("\n\n").filter(|part| !lacks(part)).collect::<Vec<_>>().join("\n\n").trim().to_string()
}

#[test]
fn the_checker_has_nothing_to_say() {
    let said: Vec<Option<String>> = std::thread::scope(|scope| {
        let children: Vec<_> = (0..SHARES).map(|share| scope.spawn(move || complaints(&share.to_string()))).collect();
        children.into_iter().map(|child| child.join().expect("a report")).collect()
    });
    for said in said.into_iter().flatten() {
        assert_eq!(without_what_it_lacks(&said), "");
    }
}

#[test]
fn planted_faults_are_reported() {
    for (number, (name, old, _, expected)) in FAULTS.iter().enumerate() {
        let Some(said) = complaints(&format!("fault {number}")) else { return };
        assert!(said.contains(expected), "{name} without `{old}`: {said:?}");
    }
}
