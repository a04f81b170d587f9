//! The CUDA C of every program of `programs`, compiled by the system's C++ compiler and run on the processor: the same
//! bits as the reference interpreter, whichever threads go first; nothing undefined; under ThreadSanitizer no race.
//! Without a C++ compiler these tests say SKIP.

use std::path::PathBuf;

use obsidian::abi::Variant;
use obsidian_cuda_shim::{Argument, Compiler, Engine, Fault, Launch, Order, Process, Program, Text};
use obsidian_ir::interp::{self, Args, Fault as Wrong, Outputs};
use rayon::prelude::*;

#[path = "oracle/cases.rs"]
mod cases;
#[path = "oracle/data.rs"]
mod data;
#[allow(dead_code)]
#[path = "oracle/device.rs"]
mod device;
#[path = "oracle/flat.rs"]
mod flat;
#[path = "oracle/sources.rs"]
mod sources;

use cases::{Case, FEW_BLOCKS, assert_same, each, has_inputs, is_open, keep_first, lens};
use data::PATTERNS;
use flat::{Flat, Word};

/// Real blocks, and who goes first.
const LAUNCHES: [(u32, Order); 2] = [(1, Order::Descending), (3, Order::Ascending)];
/// Characters of kernels that are compiled together: enough that the headers cost little, few enough to share out.
const TOGETHER: usize = 400_000;

/// The compiler of these tests.
fn compiler() -> Option<Compiler> {
    Compiler::find().map_err(|why| println!("SKIP: {why}")).ok()
}

fn variant(case: &Case) -> &'static Variant {
    &case.info.variants[case.variant]
}

fn text(case: &Case) -> Text<'static> {
    Text { symbol: variant(case).symbol, code: variant(case).cuda }
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cuda").join(name)
}

/// A program with a process of it, and its number among this test's.
struct Running {
    program: Program,
    process: Process,
}

impl Running {
    fn new(compiler: &Compiler, name: &str, engine: Engine, texts: &[Text<'_>]) -> Result<Running, Fault> {
        let program = Program::build(compiler, &folder(name), engine, texts)?;
        let process = program.start()?;
        Ok(Running { program, process })
    }

    /// What kernel number `kernel`, the case's, leaves in its buffers, and in its record of faults.
    fn launch(
        &mut self,
        kernel: usize,
        case: &Case,
        args: &Args,
        (blocks, order): (u32, Order),
    ) -> Result<(Outputs, [u64; 2]), Fault> {
        let flat = Flat::new(case, args).expect("lengths that the kernel accepts");
        let argument = |word: &Word| match word {
            Word::Value { bits, bytes } => Argument::Value(bits.to_le_bytes()[..*bytes].to_vec()),
            Word::Buffer(bytes) => Argument::Buffer(bytes.clone()),
        };
        let mut arguments: Vec<Argument> = flat.words.iter().map(argument).collect();
        // A kernel without inputs is as large as its text says: a real block for each virtual one, and the first are run.
        let (grid, run) = if has_inputs(case.params()) { (blocks, 0..blocks) } else { (1 << 16, 0..FEW_BLOCKS) };
        let launch = Launch { grid, run, threads: case.program.threads, order };
        let end = self.process.launch(kernel, &launch, &mut arguments);
        if let Err(Fault::Process(_)) = end {
            self.process = self.program.start()?;
        }
        end?;
        let bytes = |at: usize| match &arguments[at] {
            Argument::Value(bytes) | Argument::Buffer(bytes) => &bytes[..],
        };
        let word = |at, i: usize| u64::from_le_bytes(bytes(at)[8 * i..][..8].try_into().expect("8 bytes"));
        Ok((flat.outputs(bytes), flat.record.map_or([0; 2], |at| [word(at, 0), word(at, 1)])))
    }
}

/// Splits cases into groups whose texts are compiled together.
fn groups(cases: Vec<Case>) -> Vec<Vec<Case>> {
    let mut groups: Vec<Vec<Case>> = Vec::new();
    let mut size = TOGETHER;
    for case in cases {
        size += variant(&case).cuda.len();
        if size > TOGETHER {
            groups.push(Vec::new());
            size = variant(&case).cuda.len();
        }
        groups.last_mut().expect("just pushed").push(case);
    }
    groups
}

/// One variant on all patterns, in both orders.
fn compare(running: &mut Running, kernel: usize, case: &Case) {
    let len = if is_open(case.params()) { 2 * case.chunk } else { 0 };
    // The default variant is asked everything, the others what real threads could change.
    let first = case.variant == 0;
    let patterns = if has_inputs(case.params()) && first { &PATTERNS[..] } else { &PATTERNS[1..2] };
    for &pattern in patterns {
        let args = data::args(case.params(), &lens(case.params(), |_| len), pattern);
        let what = format!("{}, {len} elements, {pattern:?}", case.name());
        let expected = match interp::run(&case.program, &args) {
            Err(Wrong::OutOfBounds { .. }) if !variant(case).guarded.is_empty() => None,
            other => Some(other.unwrap_or_else(|fault| panic!("{what}: {fault}"))),
        };
        for (blocks, order) in LAUNCHES {
            let what = format!("{what}, {blocks} real blocks, {order:?}");
            let (mut found, record) =
                running.launch(kernel, case, &args, (blocks, order)).unwrap_or_else(|fault| panic!("{what}: {fault}"));
            let Some(expected) = &expected else {
                assert_ne!(record, [0; 2], "{what}: the guard did not see it");
                continue;
            };
            assert_eq!(record, [0; 2], "{what}: nothing was out of range");
            if !has_inputs(case.params()) {
                keep_first(&mut found, expected);
            }
            assert_same(expected, &found, &what);
        }
    }
}

#[test]
fn cuda_c_gives_what_the_interpreter_gives() {
    let Some(compiler) = compiler() else { return };
    let (first, others): (Vec<Case>, Vec<Case>) = cases::cases().into_iter().partition(|case| case.variant == 0);
    let checked = groups(first).into_iter().map(|group| (Engine::Checked, group));
    let plain = groups(others).into_iter().map(|group| (Engine::Fibres, group));
    let groups: Vec<(usize, (Engine, Vec<Case>))> = checked.chain(plain).enumerate().collect();
    let failures: Vec<&str> = groups
        .into_par_iter()
        .flat_map_iter(|(number, (engine, group))| {
            let texts: Vec<Text<'_>> = group.iter().map(text).collect();
            let name = format!("all-{number}");
            let mut running = Running::new(&compiler, &name, engine, &texts).unwrap_or_else(|fault| panic!("{fault}"));
            let failed = |(kernel, case): (usize, &Case)| each(case, |case| compare(&mut running, kernel, case)).err();
            let failures: Vec<&str> = group.iter().enumerate().filter_map(failed).collect();
            failures
        })
        .collect();
    assert!(failures.is_empty(), "{} variants, see above: {failures:?}", failures.len());
}
