//! The CUDA C of every program of `programs`, compiled by the system's C++ compiler and run on the processor: the same
//! bits as the reference interpreter, whichever threads go first; nothing undefined; under ThreadSanitizer no race.
//! Without a C++ compiler these tests say SKIP.

use obsidian::abi::{Language, ScalarType, Variant, assertion};
use obsidian_cuda_shim::{Compiler, Engine, Order, Text};
use obsidian_ir::interp::{self, Fault as Wrong};
use obsidian_ir::program::text::read;
use obsidian_oracle::{cases, data, flat};
use rayon::prelude::*;

#[path = "cuda/header.rs"]
mod header;
#[path = "cuda/races.rs"]
mod races;
#[path = "cuda/running.rs"]
mod running;

use obsidian::prelude::*;

use cases::{Case, each, has_inputs, is_open, keep_first, lens};
use data::PATTERNS;
use obsidian_oracle::expected::expected;
use obsidian_oracle::same::assert_same;
use running::Running;

/// Real blocks, and who goes first.
const LAUNCHES: [(u32, Order); 2] = [(1, Order::Descending), (3, Order::Ascending)];
/// Characters of kernels that are compiled together: enough that the headers cost little, few enough to share out.
const TOGETHER: usize = 1_600_000;

/// The compiler of these tests.
fn compiler() -> Option<Compiler> {
    Compiler::find().map_err(|why| println!("SKIP: {why}")).ok()
}

fn variant(case: &Case) -> &'static Variant {
    &case.info.variants[case.variant]
}

fn text(case: &Case) -> Text<'static> {
    let text = variant(case).text(Language::CudaC).expect("every kernel has CUDA C");
    Text { symbol: text.symbol, code: text.source }
}

/// Splits cases into groups whose texts are compiled together.
fn groups(cases: Vec<Case>) -> Vec<Vec<Case>> {
    let mut groups: Vec<Vec<Case>> = Vec::new();
    let mut size = TOGETHER;
    for case in cases {
        size += text(&case).code.len();
        if size > TOGETHER {
            groups.push(Vec::new());
            size = text(&case).code.len();
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
    let generated = patterns.iter().map(|&pattern| {
        let args = data::args(case.params(), &lens(case.params(), |_| len), pattern);
        (format!("{len} elements, {pattern:?}"), args)
    });
    for (what, args) in generated.chain(data::shaped(case.params()).filter(|_| first)) {
        let what = format!("{}, {what}", case.name());
        let expected = match expected(&case.program, &args) {
            Err(Wrong::OutOfBounds { .. }) if !variant(case).guarded.is_empty() => None,
            // A matrix may have too few rows. That the runtime says so, too, is tested on the CPU.
            Err(Wrong::Refused { .. }) if what.contains("a matrix of") => continue,
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

kernel! {
    /// Only the second assertion can fail.
    #[kernel(threads = 64)]
    fn below(xs: DPull<u32>, limit: u32) -> DPush<Grid, u32> {
        xs.chunks(100).as_grid_map(|c| exec_block({
            assert!(c.len() > 0, "a chunk is empty");
            c.map(|x| { assert!(x < limit, "{x} is not below"); x + 1 }).push()
        }))
    }
}

/// What is recorded is the assertion's number and value, in either order of threads.
#[test]
fn cuda_c_records_an_assertion() {
    let Some(compiler) = compiler() else { return };
    let info = below.kernel().info();
    let program = read(info.variants[0].ir).unwrap_or_else(|e| panic!("{e}"));
    let case = Case { info, variant: 0, program, chunk: 1 };
    let mut running =
        Running::new(&compiler, "assertion", Engine::Checked, &[text(&case)]).unwrap_or_else(|fault| panic!("{fault}"));
    for (limit, told) in [(2000u32, None), (1002, Some("1002 is not below"))] {
        let bits = (0..1003).collect();
        let args = interp::Args::new().buffer(interp::Buffer { ty: ScalarType::U32, bits }).scalar(limit);
        for (blocks, order) in LAUNCHES {
            let found = running.launch(0, &case, &args, (blocks, order));
            let (_, [what, _]) = found.unwrap_or_else(|fault| panic!("{fault}"));
            let number = (what >> 32).checked_sub(1);
            let entry = number.map(|n| variant(&case).guarded[n as usize]);
            let failed = entry.and_then(|entry| assertion::failed(entry, what & u64::from(u32::MAX)));
            assert_eq!(failed.as_ref().map(|failed| failed.message.as_str()), told);
            let place = failed.and_then(|failed| failed.place);
            assert_eq!(place.is_some_and(|place| place.contains("cuda.rs:")), told.is_some());
        }
    }
}
