//! OpenCL: every program of `programs` gives on an OpenCL device the bits that the interpreter gives: with a block per group
//! in the variant that users are most likely to have, one of 256 threads, and with several in its last (compiling is slow).
//! `cargo xtask test` brings PoCL, as it is installed and without its optimiser, and Intel's driver for processors; elsewhere
//! any driver will do, and without one these tests say SKIP.

use std::sync::atomic::{AtomicUsize, Ordering};

use obsidian::abi::Variant;
use obsidian::{Backend, Device, Error};
use obsidian_oracle::{against, cases, data, device, modules, sequence, shares, sparse};
use rayon::prelude::*;

#[path = "opencl/defects.rs"]
mod defects;
#[path = "opencl/joined.rs"]
mod joined;
#[path = "opencl/runtime.rs"]
mod runtime;
#[path = "opencl/sub_groups.rs"]
mod sub_groups;
#[path = "opencl/vectors.rs"]
mod vectors;

use against::compare_on;
use cases::{Case, cases_in, each, has_inputs, is_open, lens, values};
use data::PATTERNS;
use device::{How, planned};
use shares::shared;

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
    for (what, args) in data::shaped(case.params()) {
        compare_on(case, &args, &format!("{}, {what}", case.name()), real);
    }
}

/// The variant that is launched with a block per group: with 256 threads, or with the most below that.
fn usual(variants: &[Variant]) -> usize {
    let below = |i: &usize| variants[*i].threads <= USUAL;
    (0..variants.len()).filter(below).max_by_key(|&i| variants[i].threads).unwrap_or(0)
}

/// Threads of a block that people choose when they have no reason for others.
const USUAL: u32 = 256;

/// What a device lacks for a kernel, if it says so. A launch of nothing may be refused before that is asked.
fn lacking(device: &Device, Asked { case, real }: &Asked) -> Option<&'static str> {
    // Another way of taking blocks would be compiled for nothing.
    let how = How { variant: case.variant, blocks: real[0] };
    [0, 3 * case.chunk].into_iter().find_map(|len| match planned(device, case.info, how, &values(case.params(), len)) {
        Err(Error::Feature { feature, .. }) => Some(feature),
        Err(Error::Limit { what, .. }) => Some(what),
        _ => None,
    })
}

/// A variant, and the numbers of real blocks that it is asked with.
struct Asked {
    case: Case,
    real: &'static [Option<u32>],
}

/// The ways in which a variant is asked, if it is one of those that are compiled.
fn ways(case: &Case) -> Vec<&'static [Option<u32>]> {
    let variants = case.info.variants;
    let ways = [(usual(variants), &ONE_EACH[..]), (variants.len() - 1, &SEVERAL[..])];
    ways.into_iter().filter(|(variant, _)| *variant == case.variant).map(|(_, real)| real).collect()
}

/// What is asked of these.
fn asked(cases: Vec<Case>) -> impl Iterator<Item = Asked> {
    cases
        .into_iter()
        .flat_map(|case| ways(&case).into_iter().map(|real| Asked { case: case.clone(), real }).collect::<Vec<_>>())
}

/// What came of what was asked.
struct Compared {
    run: usize,
    lacked: usize,
    /// Texts that were compiled.
    texts: usize,
}

/// Compares all that is asked, but for what the device lacks something for, and fails with all complaints together.
fn compare_all(device: &Device, asked: impl Iterator<Item = Asked>) -> Compared {
    let (asked, texts) = joined::joined(device, asked.collect());
    let lacked = AtomicUsize::new(0);
    let compare_one = |asked: &Asked| match lacking(device, asked) {
        Some(feature) => {
            println!("{}: the device lacks {feature}", asked.case.name());
            lacked.fetch_add(1, Ordering::Relaxed);
        }
        None => compare(&asked.case, asked.real),
    };
    let failures: Vec<&str> =
        asked.par_iter().filter_map(|asked| each(&asked.case, |_| compare_one(asked)).err()).collect();
    assert!(failures.is_empty(), "{} of {}, see above: {failures:?}", failures.len(), asked.len());
    let lacked = lacked.into_inner();
    Compared { run: asked.len() - lacked, lacked, texts }
}

#[test]
fn the_device_gives_what_the_interpreter_gives() {
    let Some(device) = opencl() else { return };
    assert_eq!(device.kind(), Backend::OpenCl);
    let counts = shared("the_device_gives_what_the_interpreter_gives", |share| {
        let compared = compare_all(device, asked(cases_in(|file| share.takes(file))));
        [compared.run, compared.lacked, compared.texts]
    });
    let Some([run, lacked, texts]) = counts else { return };
    println!("{run} variants on {} in {texts} texts, {lacked} not on it", device.name());
    assert!(run >= 300 && 5 * lacked <= run, "{run} run, {lacked} lacking");
    assert_eq!(2 * texts < run, joined::shares_texts(device), "{texts} texts");
}

#[test]
fn pinned_memory_graphs_and_streams() {
    let Some(device) = opencl() else { return };
    sequence::check(device);
}

#[test]
fn modules_of_several_launches() {
    let Some(device) = opencl() else { return };
    modules::check(device);
}
