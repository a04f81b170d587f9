//! OpenCL: every program of `programs`, in its first and its last variant (compiling is slow), gives on an OpenCL
//! device the bits that the interpreter gives, with a block a group and with several. `cargo xtask test` brings PoCL;
//! elsewhere any driver will do, and without one these tests say SKIP.

use obsidian::{Backend, Device};
use obsidian_oracle::{against, cases, data, device, sequence, sparse};

#[path = "opencl/runtime.rs"]
mod runtime;
#[path = "opencl/sub_groups.rs"]
mod sub_groups;

use against::compare_on;
use cases::{Case, has_inputs, is_open, lens, on_every_variant};
use data::PATTERNS;

/// Set where a driver was set up: then its absence is a failure.
const REQUIRED: &str = "OBSIDIAN_TEST_OPENCL";

/// The device of these tests.
fn opencl() -> Option<&'static Device> {
    match Device::opencl(0) {
        Ok(found) => Some(device::DEVICE.get_or_init(|| found)),
        Err(error) => {
            assert!(std::env::var_os(REQUIRED).is_none(), "{error}");
            println!("SKIP: {error}");
            None
        }
    }
}

/// Real blocks by which groups take one block each, and by which they take several. Each way is a program of its own.
const ONE_EACH: [Option<u32>; 2] = [None, Some(7)];
const SEVERAL: [Option<u32>; 1] = [Some(1)];

/// One variant on all inputs of some lengths, on these numbers of real blocks.
fn compare(case: &Case, real: &[Option<u32>]) {
    let sizes = match is_open(case.params()) {
        true if real.contains(&None) => vec![0, 3 * case.chunk],
        // Nothing of no blocks can be shared out.
        true => vec![3 * case.chunk],
        false => vec![0],
    };
    let patterns = if has_inputs(case.params()) { &PATTERNS[..] } else { &PATTERNS[..1] };
    for len in sizes {
        let generated = |pattern| data::args(case.params(), &lens(case.params(), |_| len), pattern);
        let generated = patterns.iter().map(|&pattern| (format!("{len} elements, {pattern:?}"), generated(pattern)));
        let matrix = sparse::args(case.info.name).filter(|_| len > 0).map(|args| ("a sparse matrix".to_string(), args));
        for (what, args) in generated.chain(matrix) {
            compare_on(case, &args, &format!("{}, {what}", case.name()), real);
        }
    }
}

#[test]
fn the_device_gives_what_the_interpreter_gives() {
    let Some(device) = opencl() else { return };
    assert_eq!(device.kind(), Backend::OpenCl);
    on_every_variant(|case| {
        if case.variant == 0 {
            compare(case, &ONE_EACH);
        }
        if case.variant == case.info.variants.len() - 1 {
            compare(case, &SEVERAL);
        }
    });
}

#[test]
fn pinned_memory_graphs_and_streams() {
    let Some(device) = opencl() else { return };
    sequence::check(device);
}
