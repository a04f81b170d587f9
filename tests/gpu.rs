//! CUDA: every program of `programs`, in every variant, gives on a GPU the bits that the interpreter gives, on one real
//! block, on seven and on as many as the runtime takes. Needs no file beside its binary, so it runs from a bundle (`cargo
//! xtask bundle`). Without a GPU these tests say SKIP; with `OBSIDIAN_TEST_CUDA=1` they fail.
//! `OBSIDIAN_TEST_KERNELS="red1 saxpy"`: these programs alone, `OBSIDIAN_TEST_SMALL=1`: a few small launches of each, for tools
//! that slow everything down and for the simulated driver of `sim-cuda`.

use obsidian::abi::KernelInfo;
use obsidian::{Backend, Device};
use obsidian_oracle::{against, cases, data, device, modules, sequence, sparse};

#[path = "gpu/device.rs"]
mod at_device;
#[path = "device/chains.rs"]
mod device_chains;
#[path = "device/operators.rs"]
mod device_operators;
#[path = "device/papers.rs"]
mod device_papers;
#[path = "device/programs.rs"]
mod device_programs;
#[path = "device/segments.rs"]
mod device_segments;
#[cfg(feature = "cuda")]
#[path = "gpu/runtime.rs"]
mod runtime;

use against::compare_on;
use cases::{Case, has_inputs, is_open, lens, on_these_variants};
use data::PATTERNS;

/// Set where there is a GPU: then its absence is a failure.
const REQUIRED: &str = "OBSIDIAN_TEST_CUDA";
/// Names of programs: only these are run.
const ONLY: &str = "OBSIDIAN_TEST_KERNELS";
/// Set for few launches, all of them small.
const SMALL: &str = "OBSIDIAN_TEST_SMALL";
/// Real blocks: one, few enough that each takes several virtual blocks, the runtime's choice.
const REAL_BLOCKS: [Option<u32>; 3] = [Some(1), Some(7), None];

/// The device of these tests.
fn gpu() -> Option<&'static Device> {
    match Device::cuda(0) {
        Ok(found) => Some(device::DEVICE.get_or_init(|| found)),
        Err(error) => {
            assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, and there is no GPU: {error}");
            println!("SKIP: {error}");
            None
        }
    }
}

/// Whether a program is to be run. Fails for names that no program has.
fn selects() -> impl Fn(&KernelInfo) -> bool {
    let text = std::env::var(ONLY).unwrap_or_default();
    let names: Vec<String> = text.split([' ', ',']).filter(|name| !name.is_empty()).map(String::from).collect();
    let known = obsidian_programs::all();
    let unknown = names.iter().find(|name| known.iter().all(|kernel| kernel.name() != *name));
    assert!(unknown.is_none(), "{ONLY}: there is no program {unknown:?}");
    move |info| names.is_empty() || names.iter().any(|name| name == info.name)
}

fn is_small() -> bool {
    std::env::var_os(SMALL).is_some()
}

/// One variant: the default one on all inputs and several lengths, the others on what real threads could change.
fn compare(case: &Case) {
    let (first, small) = (case.variant == 0, is_small());
    if small && !has_inputs(case.params()) {
        println!("{}: not small, left out", case.name());
        return;
    }
    let sizes = match (is_open(case.params()), first, small) {
        (true, true, false) => vec![0, case.chunk, 9 * case.chunk],
        (true, false, false) => vec![3 * case.chunk],
        (true, true, true) => vec![0, 3 * case.chunk],
        (true, false, true) => vec![2 * case.chunk],
        (false, ..) => vec![0],
    };
    let patterns = if has_inputs(case.params()) && first && !small { &PATTERNS[..] } else { &PATTERNS[1..2] };
    let real = if small { &REAL_BLOCKS[1..2] } else { &REAL_BLOCKS[..] };
    for len in sizes {
        for &pattern in patterns {
            let args = data::args(case.params(), &lens(case.params(), |_| len), pattern);
            compare_on(case, &args, &format!("{}, {len} elements, {pattern:?}", case.name()), real);
        }
    }
    // Few rows and columns of matrices, which `len` does not choose.
    for (what, args) in data::shaped(case.params()).filter(|_| first && !small) {
        compare_on(case, &args, &format!("{}, {what}", case.name()), real);
    }
    if let Some(args) = sparse::args(case.info.name) {
        compare_on(case, &args, &format!("{}, a sparse matrix", case.name()), real);
    }
}

#[test]
fn the_gpu_gives_what_the_interpreter_gives() {
    let selected = selects();
    let Some(device) = gpu() else { return };
    assert_eq!(device.kind(), Backend::Cuda);
    let count = on_these_variants(selected, compare);
    println!("{count} variants on {}", device.name());
}

#[test]
fn pinned_memory_graphs_and_streams() {
    let Some(device) = gpu() else { return };
    sequence::check(device);
}

#[test]
fn modules_of_several_launches() {
    let Some(device) = gpu() else { return };
    modules::check(device);
}

/// Where there is no GPU: runs this program once more, asked to have one.
#[test]
fn a_run_that_needs_a_gpu_fails_without_one() {
    if Device::cuda(0).is_ok() {
        return;
    }
    let again = |test: &str| {
        let mut command = std::process::Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", test, "--nocapture"]).env(ONLY, "saxpy");
        command
    };
    let test = "the_gpu_gives_what_the_interpreter_gives";
    let needed = again(test).env(REQUIRED, "1").output().expect("it starts");
    let said = String::from_utf8_lossy(&needed.stderr).into_owned();
    assert!(!needed.status.success() && said.contains("there is no GPU"), "{said}");
    let skipped = again(test).env_remove(REQUIRED).output().expect("it starts");
    assert!(skipped.status.success() && String::from_utf8_lossy(&skipped.stdout).contains("SKIP: "));
    let mistyped = again(test).env_remove(REQUIRED).env(ONLY, "saxpi").output().expect("it starts");
    assert!(!mistyped.status.success(), "no program has that name");
}
