//! Functions over several ranks, each a thread: the same bits on 1, 2, 3 and 4 ranks, whatever part each of them has; and what is right. Mistakes
//! are errors on every rank.

// Its own tests run here: the library is not built once more for them.
#[path = "../../src/dist/forest.rs"]
mod forest;
mod matrices;
mod mistakes;
mod orders;
mod sums;

/// Where `forest` finds what it is over.
mod reductions {
    pub use obsidian_algorithms::dist::Operator;
}

use std::time::Duration;

use obsidian::exchange::{Exchange, Ranks, Threads, in_process};
use obsidian::prelude::*;
use obsidian_algorithms::dist::{self, Spread};

const LIMIT: Duration = Duration::from_secs(300);
const LENGTHS: [usize; 5] = [0, 1, 3, 1003, 1_000_003];

/// How parts are cut.
#[derive(Debug, Clone, Copy)]
enum Cut {
    Even,
    /// Anywhere, with parts of none and of a few.
    Ragged,
}

/// Where parts begin, and the length.
fn starts(len: usize, size: usize, cut: Cut) -> Vec<usize> {
    let even = |rank: usize| dist::share(len as u64, size, rank).start as usize;
    let ragged = |rank: usize| match (size, rank) {
        (_, 0) => 0,
        (2, 1) => (len / 3).saturating_sub(1),
        (3, 1) | (3, 2) => len / 2,
        (4, 1) => 0,
        (4, 2) => len.min(5),
        _ => len.min(5 + 2041),
    };
    let start = |rank| if rank == size { len } else { [even(rank), ragged(rank)][cut as usize] };
    (0..=size).map(start).collect()
}

fn on<R: Send>(size: usize, work: impl Fn(&Ranks<Threads>) -> Result<R, Error> + Sync) -> Vec<R> {
    in_process(size, &Device::cpu(), LIMIT, work).into_iter().map(Result::unwrap).collect()
}

/// Does `work` on every number of ranks, in every cut, with all of an array's parts; what it gives must be the same everywhere, to the bit.
fn everywhere<T: Element, R: Send + PartialEq + std::fmt::Debug>(
    values: &[T],
    work: impl Fn(&Ranks<Threads>, Spread<T>) -> Result<R, Error> + Sync,
) -> R {
    let len = values.len();
    let mut first: Option<R> = None;
    for (size, cut) in (1..=4).flat_map(|size| [(size, Cut::Even), (size, Cut::Ragged)]) {
        let starts = starts(len, size, cut);
        let found = on(size, |ranks| {
            let part = Device::cpu().upload(&values[starts[ranks.rank()]..starts[ranks.rank() + 1]])?;
            work(ranks, Spread::new(ranks, len as u64, part)?)
        });
        let found = found.into_iter().next().unwrap();
        match &first {
            None => first = Some(found),
            Some(first) => assert!(*first == found, "{len} elements on {size} ranks, {cut:?}"),
        }
    }
    first.unwrap()
}

fn mixed(i: usize) -> u32 {
    let x = (i as u32).wrapping_mul(2_654_435_761);
    (x ^ x >> 15).wrapping_mul(0x2c1b_3c6d)
}

fn floats(len: usize) -> Vec<f32> {
    (0..len).map(|i| (mixed(i) >> 8) as f32 / 65536.0 - 100.0).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}
