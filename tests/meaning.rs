//! What the papers' programs mean: each on the CPU, in every variant (1 to 1024 threads) and on 1, 7 and all real blocks,
//! against plain Rust and against results that were worked out by hand. A file for each paper, as in `programs`.

use obsidian::prelude::*;
use obsidian_programs as programs;

/// Runs a kernel in each of its variants, on 1, 7 and all real blocks; all results must be `expected`.
macro_rules! everywhere {
    ($kernel:expr, ($($arg:expr),*), $expected:expr) => {{
        let dev = Device::cpu();
        let expected = $expected;
        let mut launches = 0;
        for variant in $kernel.kernel().variants() {
            for blocks in [None, Some(1), Some(7)] {
                let mut kernel = $kernel.with(variant);
                if let Some(n) = blocks {
                    kernel = kernel.blocks(n);
                }
                let out = kernel.run(&dev, $($arg(&dev)),*).unwrap().to_vec().unwrap();
                assert_eq!(out, expected, "{variant}, {blocks:?} blocks");
                launches += 1;
            }
        }
        assert!(launches >= 3);
    }};
}

/// An argument: `upload!(values)` gives a function from the device to a buffer that lives as long as the test.
macro_rules! upload {
    ($values:expr) => {{
        let values = $values.clone();
        move |dev: &Device| &*Box::leak(Box::new(dev.upload(&values).unwrap()))
    }};
}

#[path = "meaning/accelerate.rs"]
mod accelerate;
#[path = "meaning/accepted.rs"]
mod accepted;
#[path = "meaning/any_length.rs"]
mod any_length;
#[path = "meaning/bounded.rs"]
mod bounded;
#[path = "meaning/chosen.rs"]
mod chosen;
#[path = "meaning/damp.rs"]
mod damp;
#[path = "meaning/expert.rs"]
mod expert;
#[path = "meaning/fcl.rs"]
mod fcl;
#[path = "meaning/iccs.rs"]
mod iccs;
#[path = "meaning/in_place.rs"]
mod in_place;
#[path = "meaning/integers.rs"]
mod integers;
#[path = "meaning/jfp.rs"]
mod jfp;
#[path = "meaning/language.rs"]
mod language;
#[path = "meaning/matrices.rs"]
mod matrices;
#[path = "meaning/past.rs"]
mod past;
#[path = "meaning/pipelines.rs"]
mod pipelines;
#[path = "meaning/registers.rs"]
mod registers;
#[path = "meaning/report.rs"]
mod report;
#[path = "meaning/rows.rs"]
mod rows;
#[path = "meaning/selection.rs"]
mod selection;
#[path = "meaning/sized_by_the_host.rs"]
mod sized_by_the_host;
#[path = "meaning/told_by_data.rs"]
mod told_by_data;
#[path = "meaning/totals.rs"]
mod totals;

/// Knuth's multiplicative hash, the input of the acceptance programs.
fn h(i: u32) -> u32 {
    i.wrapping_mul(2_654_435_761)
}

fn hashes(n: u32) -> Vec<u32> {
    (0..n).map(h).collect()
}

/// What `red1` and `reduce` must give for an operator that does not commute: the left fold.
fn left_fold(maps: &[(u32, u32)]) -> (u32, u32) {
    maps[1..].iter().fold(maps[0], |f, g| (f.0.wrapping_mul(g.0), f.1.wrapping_mul(g.0).wrapping_add(g.1)))
}

/// `0 + 1 + .. + i`.
fn triangle(i: u32) -> u32 {
    i * (i + 1) / 2
}

fn sorted_chunks<T: Ord + Clone>(input: &[T], n: usize) -> Vec<T> {
    let mut expected = input.to_vec();
    expected.chunks_mut(n).for_each(<[T]>::sort_unstable);
    expected
}

/// Keys with many equal among them, and values that are all different.
fn keyed(n: u32) -> Vec<(u32, u32)> {
    (0..n).map(|i| (h(i) >> 28, i)).collect()
}

/// All of the above with each vector unit that the machine has, and with none.
#[test]
fn on_every_unit() {
    let this = std::env::current_exe().unwrap();
    for unit in ["scalar", "avx2"] {
        let run =
            std::process::Command::new(&this).args(["--skip", "on_every_unit"]).env("OBSIDIAN_CPU", unit).output();
        let run = run.unwrap();
        assert!(run.status.success(), "{unit}:\n{}", String::from_utf8_lossy(&run.stdout));
    }
}
