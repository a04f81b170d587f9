//! The PTX of every program of `programs`, run on the PTX interpreter: the same bits as the reference interpreter,
//! whichever threads go first, on one real block and on several.

use std::collections::BTreeSet;

use obsidian::abi::{Language, Text, Variant, dynamic_shared};
use obsidian_ir::interp::{self, Args, Fault as Wrong, Outputs};
use obsidian_oracle::{cases, data, flat, launch, sparse};
use obsidian_ptx_interp::{Fault, Launch, Order};

#[path = "ptx/sentryward.rs"]
mod sentryward;

use cases::{Case, FEW_BLOCKS, has_inputs, is_open, keep_first, lens, on_every_variant};
use data::{PATTERNS, Pattern};
use obsidian_oracle::expected::expected;
use obsidian_oracle::same::assert_same;

/// Real blocks, and who goes first.
const LAUNCHES: [(u32, Order); 2] = [(1, Order::Descending), (3, Order::Ascending)];

#[test]
fn ptx_gives_what_the_interpreter_gives() {
    on_every_variant(|case| {
        let len = if is_open(case.params()) { 2 * case.chunk } else { 0 };
        let patterns: &[Pattern] = if has_inputs(case.params()) { &PATTERNS } else { &PATTERNS[..1] };
        let generated = |pattern| data::args(case.params(), &lens(case.params(), |_| len), pattern);
        let generated = patterns.iter().map(|&pattern| (format!("{len} elements, {pattern:?}"), generated(pattern)));
        let sparse = sparse::args(case.info.name).map(|args| ("a sparse matrix".to_string(), args));
        let shaped = data::shaped(case.params()).filter(|_| case.variant == 0);
        for (what, args) in generated.chain(sparse).chain(shaped) {
            let what = format!("{}, {what}", case.name());
            let expected = match expected(&case.program, &args) {
                // The record says so then; what else is written is not to be relied on.
                Err(Wrong::OutOfBounds { .. }) if !variant(case).guarded.is_empty() => continue,
                // A matrix may have too few rows. That the runtime says so, too, is tested on the CPU.
                Err(Wrong::Refused { .. }) if what.contains("a matrix of") => continue,
                other => other.unwrap_or_else(|fault| panic!("{what}: {fault}")),
            };
            for (blocks, order) in LAUNCHES {
                let what = format!("{what}, {blocks} real blocks, {order:?}");
                let text = text(case).source;
                let mut found = launch(case, text, &args, &expected, (blocks, order))
                    .unwrap_or_else(|fault| panic!("{what}: {fault}\n{text}"));
                if !has_inputs(case.params()) {
                    keep_first(&mut found, &expected);
                }
                assert_same(&expected, &found, &what);
            }
        }
    });
}

/// Otherwise ptxas takes the register for one that is alive round the whole block loop.
#[test]
fn no_register_is_defined_under_a_predicate_only() {
    on_every_variant(|case| {
        let mut defined = BTreeSet::new();
        for line in text(case).source.lines().map(str::trim) {
            let (predicated, instruction) = match line.strip_prefix('@') {
                Some(rest) => (true, rest.split_once(' ').map_or("", |(_, after)| after)),
                None => (false, line),
            };
            let Some((op, operands)) = instruction.split_once(' ') else { continue };
            if !operands.starts_with('%') || ["st.", "red."].iter().any(|effect| op.starts_with(effect)) {
                continue;
            }
            let register = operands.split([',', ';']).next().unwrap_or_default().to_string();
            assert!(!predicated || defined.contains(&register), "{}: {line}", case.name());
            defined.insert(register);
        }
    });
}

/// Without its barriers a reduction gives another sum in some order of threads; at a barrier that only some reach, threads
/// part ways.
#[test]
fn planted_barriers_show() {
    let cases = cases::cases_of("reductions");
    let case = cases.iter().find(|case| case.program.threads == 64).expect("it exists");
    let args = data::args(case.params(), &lens(case.params(), |_| 2 * case.chunk), Pattern::Count);
    let expected = interp::run(&case.program, &args).unwrap_or_else(|fault| panic!("{fault}"));
    let whole = text(case).source;
    let barrier = "    bar.sync 0;\n";
    let places: Vec<usize> = whole.match_indices(barrier).map(|(at, _)| at).collect();
    let shows = |&at: &usize| {
        let dropped = format!("{}{}", &whole[..at], &whole[at + barrier.len()..]);
        let same = |found: Outputs| found.0[0][0].bits == expected.0[0][0].bits;
        !LAUNCHES.into_iter().all(|how| launch(case, &dropped, &args, &expected, how).is_ok_and(same))
    };
    assert!(places.iter().any(shows), "nobody misses any of {} barriers", places.len());
    for at in places {
        let guard = "    setp.lt.u32 %p1, %u2, 9;\n    @%p1 bra $Lx;\n";
        let after = &whole[at + barrier.len()..];
        let divergent = format!("{}{guard}{barrier}$Lx:\n{after}", &whole[..at]);
        let found = launch(case, &divergent, &args, &expected, LAUNCHES[0]);
        assert!(matches!(found, Err(Fault::Divergence { .. })), "{:?}", found.map(|_| "no fault"));
    }
}

fn variant(case: &Case) -> &'static Variant {
    &case.info.variants[case.variant]
}

fn text(case: &Case) -> &'static Text {
    variant(case).text(Language::Ptx).expect("every kernel has PTX")
}

/// A launch of a text that was made of a variant.
fn launch(
    case: &Case,
    text: &str,
    args: &Args,
    expected: &Outputs,
    (blocks, order): (u32, Order),
) -> Result<Outputs, Fault> {
    // A kernel without inputs is as large as its text says: a real block for each virtual one, and the first are run.
    let (blocks, run) = if has_inputs(case.params()) { (blocks, 0..blocks) } else { (1 << 16, 0..FEW_BLOCKS) };
    let bytes = case.info.variants[case.variant].text(Language::Ptx).map_or(0, |text| text.shared_bytes);
    let shape = Launch { blocks, run, threads: case.program.threads, shared: dynamic_shared(bytes) as usize, order };
    let found = launch::run(text, &case.program, args, expected, &shape)?;
    assert!(!found.out_of_range, "nothing was out of range");
    Ok(found.outputs)
}
