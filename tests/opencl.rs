//! OpenCL: every program of `programs`, in its first and its last variant (compiling is slow), gives on an OpenCL
//! device the bits that the interpreter gives. `cargo xtask test` brings PoCL; elsewhere any driver will do, and without one these tests say SKIP.

use obsidian::{Backend, Device, Error};
use obsidian_ir::interp::{self, Fault};

#[allow(dead_code)]
#[path = "oracle/cases.rs"]
mod cases;
#[path = "oracle/data.rs"]
mod data;
#[path = "oracle/device.rs"]
mod device;
#[path = "opencl/runtime.rs"]
mod runtime;
#[path = "oracle/sequence.rs"]
mod sequence;
#[allow(dead_code)]
#[path = "oracle/sources.rs"]
mod sources;
#[path = "oracle/sparse.rs"]
mod sparse;

use cases::same::assert_same;
use cases::{Case, has_inputs, is_open, keep_first, lens, on_every_variant};
use data::PATTERNS;
use device::How;

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

/// Whether the kernel has accesses that are guarded.
fn is_guarded(case: &Case) -> bool {
    case.info.variants.iter().any(|variant| !variant.guarded.is_empty())
}

/// One variant on all inputs of some lengths.
fn compare(case: &Case) {
    let sizes = if is_open(case.params()) { vec![0, 3 * case.chunk] } else { vec![0] };
    let patterns = if has_inputs(case.params()) { &PATTERNS[..] } else { &PATTERNS[..1] };
    for len in sizes {
        let generated = |pattern| data::args(case.params(), &lens(case.params(), |_| len), pattern);
        let generated = patterns.iter().map(|&pattern| (format!("{len} elements, {pattern:?}"), generated(pattern)));
        let matrix = sparse::args(case.info.name).filter(|_| len > 0).map(|args| ("a sparse matrix".to_string(), args));
        for (what, args) in generated.chain(matrix) {
            let what = format!("{}, {what}", case.name());
            let expected = match interp::run(&case.program, &args) {
                Err(Fault::OutOfBounds { .. }) if is_guarded(case) => None,
                other => Some(other.unwrap_or_else(|fault| panic!("{what}: {fault}"))),
            };
            for blocks in [None, Some(2)] {
                let how = How { variant: case.variant, blocks };
                let found = device::run(case.info, how, &args);
                let Some(expected) = &expected else {
                    assert!(matches!(found, Err(Error::OutOfRange { .. })), "{what}: the guard did not see it");
                    continue;
                };
                let mut found = found.unwrap_or_else(|error| panic!("{what}: {error}"));
                if !has_inputs(case.params()) {
                    keep_first(&mut found, expected);
                }
                assert_same(expected, &found, &format!("{what}, {blocks:?} real blocks"));
            }
        }
    }
}

#[test]
fn the_device_gives_what_the_interpreter_gives() {
    let Some(device) = opencl() else { return };
    assert_eq!(device.kind(), Backend::OpenCl);
    on_every_variant(|case| {
        if [0, case.info.variants.len() - 1].contains(&case.variant) {
            compare(case);
        }
    });
}

#[test]
fn pinned_memory_graphs_and_streams() {
    let Some(device) = opencl() else { return };
    sequence::check(device);
}
