//! Blocks of a few dozen threads, each a thread of the processor, under ThreadSanitizer: no report; without any one of
//! its barriers a kernel is reported.

use obsidian_cuda_shim::{Engine, Order, Text};
use rayon::prelude::*;

use super::cases::{self, Case, has_inputs, is_open, lens};
use super::data::{self, Pattern};
use super::running::{Running, finish};
use super::{compiler, groups, text};

/// What one real block is given: three virtual ones, so that the next one's writes could meet this one's reads.
const CHUNKS: u32 = 3;

/// Of each kernel the variant with the most threads up to 64, if that is more than one.
fn small() -> Vec<Case> {
    let mut all = cases::cases();
    all.retain(|case| (2..=64).contains(&case.program.threads) && has_inputs(case.params()));
    all.sort_by_key(|case| (case.info.name, std::cmp::Reverse(case.program.threads)));
    all.dedup_by_key(|case| case.info.name);
    all
}

fn launch(running: &mut Running, kernel: usize, case: &Case) {
    let len = if is_open(case.params()) { CHUNKS * case.chunk } else { 0 };
    let args = data::args(case.params(), &lens(case.params(), |_| len), Pattern::Count);
    running
        .launch(kernel, case, &args, (1, Order::Ascending))
        .unwrap_or_else(|fault| panic!("{}: {fault}", case.name()));
}

#[test]
fn thread_sanitizer_has_nothing_to_say() {
    let Some(compiler) = compiler() else { return };
    let said: Vec<String> = groups(small())
        .par_iter()
        .enumerate()
        .map(|(number, group)| {
            let texts: Vec<Text<'_>> = group.iter().map(text).collect();
            let name = format!("races-{number}");
            let mut running =
                Running::new(&compiler, &name, Engine::Threads, &texts).unwrap_or_else(|fault| panic!("{fault}"));
            group.iter().enumerate().for_each(|(kernel, case)| launch(&mut running, kernel, case));
            finish(running).unwrap_or_else(|fault| panic!("{fault}"))
        })
        .collect();
    assert_eq!(said.concat(), "");
}

/// Kernels, and what their threads wait by.
const PLANTED: [(&str, &str); 5] = [
    ("reductions", "__syncthreads();"),
    ("sum_red1", "__syncthreads();"),
    ("kogge_stone", "__syncthreads();"),
    ("two_stage", "__syncthreads();"),
    ("staged_differences", "__syncthreads();"),
];

#[test]
fn a_dropped_barrier_is_reported() {
    let Some(compiler) = compiler() else { return };
    let cases = small();
    for (name, barrier) in PLANTED {
        let case = cases.iter().find(|case| case.info.name == name).unwrap_or_else(|| panic!("no small {name}"));
        let Text { symbol, code: whole } = text(case);
        let places: Vec<usize> = whole.match_indices(barrier).map(|(at, _)| at).collect();
        assert!(!places.is_empty(), "{name} has no barrier");
        let mutants = places.iter().enumerate().map(|(i, &at)| {
            let dropped = format!("{}{}", &whole[..at], &whole[at + barrier.len()..]);
            (format!("{symbol}_without_{i}"), dropped.replace(symbol, &format!("{symbol}_without_{i}")))
        });
        let mutants: Vec<(String, String)> = mutants.collect();
        let texts: Vec<Text<'_>> = mutants.iter().map(|(symbol, code)| Text { symbol, code }).collect();
        let mut running = Running::new(&compiler, &format!("planted-{name}"), Engine::Threads, &texts)
            .unwrap_or_else(|fault| panic!("{fault}"));
        (0..texts.len()).for_each(|kernel| launch(&mut running, kernel, case));
        let said = finish(running).unwrap_or_else(|fault| panic!("{fault}"));
        for (symbol, _) in &mutants {
            assert!(said.contains(&format!("{symbol}.cu:")), "nobody misses the barrier of {symbol}:\n{said}");
        }
    }
}
