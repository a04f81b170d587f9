//! Every program of `tests/programs`, in every variant: the reference interpreter, which checks each access for races,
//! bounds and initialisation, and the CPU back end must give the same bits.

use std::panic::{AssertUnwindSafe, catch_unwind};

use obsidian::abi::{KernelInfo, ParamKind};
use obsidian::{Error, Kernel};
use obsidian_ir::compiler::Compiled;
use obsidian_ir::interp::{self, Fault, Outputs};
use obsidian_ir::program::{Program, ScalarType};
use rayon::prelude::*;

#[path = "oracle/data.rs"]
mod data;
#[path = "oracle/device.rs"]
mod device;
#[allow(dead_code)]
mod programs;
#[path = "oracle/sources.rs"]
mod sources;

use data::PATTERNS;
use device::How;

/// Real blocks to run on: the runtime's choice, one, and few enough that each takes several virtual blocks.
const REAL_BLOCKS: [Option<u32>; 3] = [None, Some(1), Some(2)];

/// Of a kernel without inputs (`mandelbrot`, 512 blocks) the interpreter runs so many blocks: the image down to the top
/// of the set, where both few and all 512 rounds are taken.
const FEW_BLOCKS: u32 = 64;

/// A variant in both forms.
struct Case {
    info: &'static KernelInfo,
    threads: u32,
    program: Program,
    /// Elements of one chunk: the least length that is accepted, other than 0.
    chunk: u32,
}

/// Pairs the variants of the items with those of the text.
fn cases() -> Vec<Case> {
    let entries = sources::compiled();
    let kernels = programs::all();
    let (mut ours, mut theirs): (Vec<_>, Vec<_>) =
        (entries.iter().map(sources::plain_name).collect(), kernels.iter().map(|k| k.name().to_string()).collect());
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs, "`all()` lists every kernel of the file");
    kernels.iter().flat_map(|kernel| variants(&entries, kernel)).collect()
}

fn variants(entries: &[Compiled], kernel: &Kernel) -> Vec<Case> {
    let info = kernel.info();
    let case = |threads| {
        let mut program = sources::native(entries, kernel.name(), threads);
        if !has_inputs(info) {
            sources::first_blocks(&mut program, FEW_BLOCKS);
        }
        Case { info, threads, program, chunk: chunk(info, threads) }
    };
    let cases: Vec<Case> = kernel.variants().map(|variant| case(variant.threads())).collect();
    let entry = entries.iter().find(|entry| sources::plain_name(entry) == kernel.name());
    assert_eq!(cases.len(), entry.map_or(0, |entry| entry.variants.len()), "{}", kernel.name());
    cases
}

/// Finds a length by asking.
fn chunk(info: &'static KernelInfo, threads: u32) -> u32 {
    let how = How { threads, blocks: None };
    let accepted = |&n: &u32| device::planned(info, how, &values(info, n)).is_ok();
    (1..=4096).find(accepted).unwrap_or_else(|| panic!("{} accepts no length up to 4096", info.name))
}

/// What a plan is made from when every open length is `len`; scalars are 0.
fn values(info: &KernelInfo, len: u32) -> Vec<u64> {
    let lens = lens(info, |_| len);
    let mut lens = lens.iter();
    let arguments = info.params.iter().filter(|param| param.kind != ParamKind::Output);
    let value = |kind| if kind == ParamKind::Scalar { 0 } else { lens.next().copied().map_or(0, u64::from) };
    arguments.map(|param| param.kind).map(value).collect()
}

/// The lengths of a kernel's inputs and updated buffers: `open(i)` of number `i` where the type leaves it open.
fn lens(info: &KernelInfo, open: impl Fn(usize) -> u32) -> Vec<u32> {
    let inputs = info.params.iter().filter_map(|param| match param.kind {
        ParamKind::Input(len) | ParamKind::InOut(len) => Some(len),
        _ => None,
    });
    inputs.enumerate().map(|(i, len)| len.unwrap_or_else(|| open(i))).collect()
}

fn has_inputs(info: &KernelInfo) -> bool {
    info.params.iter().any(|param| matches!(param.kind, ParamKind::Input(_) | ParamKind::InOut(_)))
}

fn is_open(info: &KernelInfo) -> bool {
    info.params.iter().any(|param| matches!(param.kind, ParamKind::Input(None) | ParamKind::InOut(None)))
}

/// One variant on all inputs of some lengths.
fn compare(case: &Case) {
    let sizes = if is_open(case.info) { vec![0, case.chunk, 3 * case.chunk] } else { vec![0] };
    let patterns = if has_inputs(case.info) { &PATTERNS[..] } else { &PATTERNS[..1] };
    for len in sizes {
        for &pattern in patterns {
            let args = data::args(case.info, &lens(case.info, |_| len), pattern);
            let what = format!("{}, {} threads, {len} elements, {pattern:?}", case.info.name, case.threads);
            let expected = interp::run(&case.program, &args).unwrap_or_else(|fault| panic!("{what}: {fault}"));
            for blocks in REAL_BLOCKS {
                let how = How { threads: case.threads, blocks };
                let mut found = device::run(case.info, how, &args).unwrap_or_else(|error| panic!("{what}: {error}"));
                if !has_inputs(case.info) {
                    keep_first(&mut found, &expected);
                }
                assert_same(&expected, &found, &format!("{what}, {blocks:?} real blocks"));
            }
        }
    }
}

/// Cuts each output to the length of the expected one.
fn keep_first(found: &mut Outputs, expected: &Outputs) {
    for (found, expected) in found.0.iter_mut().flatten().zip(expected.0.iter().flatten()) {
        found.bits.truncate(expected.bits.len());
    }
}

/// The same bits; but which NaN an operation gives is not for a kernel to know.
fn assert_same(expected: &Outputs, found: &Outputs, what: &str) {
    assert_eq!(expected.0.len(), found.0.len(), "{what}: outputs");
    for (field, (expected, found)) in expected.0.iter().flatten().zip(found.0.iter().flatten()).enumerate() {
        assert_eq!((expected.ty, expected.bits.len()), (found.ty, found.bits.len()), "{what}: field {field}");
        let same = |(&a, &b): (&u64, &u64)| a == b || (is_nan(expected.ty, a) && is_nan(found.ty, b));
        if let Some(i) = expected.bits.iter().zip(&found.bits).position(|pair| !same(pair)) {
            let (expected, found) = (expected.bits[i], found.bits[i]);
            panic!("{what}: element {i} of field {field}: the interpreter has {expected:#x}, the CPU {found:#x}");
        }
    }
}

fn is_nan(ty: ScalarType, bits: u64) -> bool {
    match ty {
        ScalarType::F32 => f32::from_bits(bits as u32).is_nan(),
        ScalarType::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

/// Runs a check on every variant, and fails with all complaints together.
fn on_every_variant(check: impl Fn(&Case) + Sync) {
    let cases = cases();
    let failures: Vec<&str> = cases
        .par_iter()
        .filter_map(|case| catch_unwind(AssertUnwindSafe(|| check(case))).err().map(|_| case.info.name))
        .collect();
    assert!(failures.is_empty(), "{} of {} variants, see above: {failures:?}", failures.len(), cases.len());
    assert!(cases.len() >= 26);
}

#[test]
fn the_cpu_gives_what_the_interpreter_gives() {
    on_every_variant(compare);
}

/// Lengths that do not divide, and inputs of unequal lengths: both refuse, or both run and agree.
#[test]
fn both_refuse_the_same_lengths() {
    on_every_variant(|case| {
        let n = case.chunk;
        let odd: [[u32; 2]; 6] = [[n - 1, n - 1], [n + 1, n + 1], [n, 2 * n], [2 * n, n], [n, n + 1], [n + 1, n]];
        for odd in odd.iter().filter(|_| is_open(case.info)) {
            let args = data::args(case.info, &lens(case.info, |i| odd[i % 2]), data::Pattern::Hash);
            let what = format!("{}, {} threads, lengths {odd:?}", case.info.name, case.threads);
            match (
                interp::run(&case.program, &args),
                device::run(case.info, How { threads: case.threads, blocks: None }, &args),
            ) {
                (Ok(expected), Ok(found)) => assert_same(&expected, &found, &what),
                (Err(Fault::Refused { message, found }), Err(Error::Condition { condition, found: here, .. })) => {
                    assert_eq!((message.as_str(), found), (condition, here), "{what}");
                }
                (interp, cpu) => panic!("{what}: the interpreter {interp:?}, the CPU {cpu:?}"),
            }
        }
    });
}
