//! The PTX of every program of `programs`, run on the PTX interpreter: the same bits as the reference interpreter,
//! whichever threads go first, on one real block and on several.

use obsidian::abi::Variant;
use obsidian_ir::interp::{self, Args, Fault as Wrong, Outputs};
use obsidian_ptx_interp::{Fault, Launch, Memory, Module, Order};

#[path = "oracle/cases.rs"]
mod cases;
#[path = "oracle/data.rs"]
mod data;
#[allow(dead_code)]
#[path = "oracle/device.rs"]
mod device;
#[allow(dead_code)]
#[path = "oracle/flat.rs"]
mod flat;
#[path = "ptx/sentryward.rs"]
mod sentryward;
#[path = "oracle/sources.rs"]
mod sources;

use cases::{Case, FEW_BLOCKS, assert_same, has_inputs, is_open, keep_first, lens, on_every_variant};
use data::{PATTERNS, Pattern};
use flat::{Flat, Word};

/// Real blocks, and who goes first.
const LAUNCHES: [(u32, Order); 2] = [(1, Order::Descending), (3, Order::Ascending)];

#[test]
fn ptx_gives_what_the_interpreter_gives() {
    on_every_variant(|case| {
        let len = if is_open(case.params()) { 2 * case.chunk } else { 0 };
        let patterns: &[Pattern] = if has_inputs(case.params()) { &PATTERNS } else { &PATTERNS[..1] };
        for &pattern in patterns {
            let args = data::args(case.params(), &lens(case.params(), |_| len), pattern);
            let what = format!("{}, {len} elements, {pattern:?}", case.name());
            let expected = match interp::run(&case.program, &args) {
                // The record says so then; what else is written is not to be relied on.
                Err(Wrong::OutOfBounds { .. }) if !variant(case).guarded.is_empty() => continue,
                other => other.unwrap_or_else(|fault| panic!("{what}: {fault}")),
            };
            for (blocks, order) in LAUNCHES {
                let what = format!("{what}, {blocks} real blocks, {order:?}");
                let text = variant(case).ptx;
                let mut found = launch(case, text, &args, (blocks, order))
                    .unwrap_or_else(|fault| panic!("{what}: {fault}\n{text}"));
                if !has_inputs(case.params()) {
                    keep_first(&mut found, &expected);
                }
                assert_same(&expected, &found, &what);
            }
        }
    });
}

/// Without its barriers a reduction gives another sum in some order of threads; at a barrier that only some reach, threads
/// part ways.
#[test]
fn planted_barriers_show() {
    let cases = cases::cases();
    let case =
        cases.iter().find(|case| case.info.name == "reductions" && case.program.threads == 64).expect("it exists");
    let args = data::args(case.params(), &lens(case.params(), |_| 2 * case.chunk), Pattern::Count);
    let expected = interp::run(&case.program, &args).unwrap_or_else(|fault| panic!("{fault}"));
    let whole = variant(case).ptx;
    let barrier = "    bar.sync 0;\n";
    let places: Vec<usize> = whole.match_indices(barrier).map(|(at, _)| at).collect();
    let shows = |&at: &usize| {
        let dropped = format!("{}{}", &whole[..at], &whole[at + barrier.len()..]);
        let same = |found: Outputs| found.0[0][0].bits == expected.0[0][0].bits;
        !LAUNCHES.into_iter().all(|how| launch(case, &dropped, &args, how).is_ok_and(same))
    };
    assert!(places.iter().any(shows), "nobody misses any of {} barriers", places.len());
    for at in places {
        let guard = "    setp.lt.u32 %p1, %u2, 9;\n    @%p1 bra $Lx;\n";
        let after = &whole[at + barrier.len()..];
        let divergent = format!("{}{guard}{barrier}$Lx:\n{after}", &whole[..at]);
        let found = launch(case, &divergent, &args, LAUNCHES[0]);
        assert!(matches!(found, Err(Fault::Divergence { .. })), "{:?}", found.map(|_| "no fault"));
    }
}

fn variant(case: &Case) -> &'static Variant {
    &case.info.variants[case.variant]
}

/// Runs an entry on the arguments, which lie in memory as `flat` says.
fn launch(case: &Case, text: &str, args: &Args, (blocks, order): (u32, Order)) -> Result<Outputs, Fault> {
    let module = Module::parse(text)?;
    let mut memory = Memory::new();
    let flat = Flat::new(case, args).expect("lengths that the kernel accepts");
    let params = flat.words.iter().map(|word| match word {
        Word::Value { bits, .. } => *bits,
        Word::Buffer(bytes) => memory.allocate(bytes.clone()),
    });
    let params: Vec<u64> = params.collect();
    // A kernel without inputs is as large as its text says: a real block for each virtual one, and the first are run.
    let (blocks, run) = if has_inputs(case.params()) { (blocks, 0..blocks) } else { (1 << 16, 0..FEW_BLOCKS) };
    let launch = Launch { blocks, run, threads: case.program.threads, order };
    module.launch(variant(case).symbol, &launch, &params, &mut memory)?;
    assert!(flat.record.is_none_or(|at| memory.bytes(params[at]) == [0; 16]), "nothing was out of range");
    Ok(flat.outputs(|at| memory.bytes(params[at])))
}
