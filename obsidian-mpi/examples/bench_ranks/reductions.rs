//! Sums and scans beside what they are made of: the same of the part alone, and MPI's own exchange of as many carries. What is compared takes
//! turns, call by call, on the same memory, without a copy: where elements lie, and what others do meanwhile, is worth more than what is compared.

use mpi::collective::SystemOperation;
use mpi::traits::*;
use obsidian::{Buffer, Error};
use obsidian_algorithms::dist::{self, Spread};

use crate::Bench;
use crate::paired::{Ratio, median};

/// The orders in which three can take turns: each comes after each other one equally often.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2]];

/// What takes turns.
struct Turns<A, B, C> {
    /// How often each is timed: a multiple of the orders.
    rounds: usize,
    /// Over all ranks.
    all: A,
    /// The same function, of an array that this rank has alone.
    alone: B,
    /// The library's function for one device, of the part.
    library: C,
}

impl Bench {
    pub fn reductions(&self) -> Result<(), Error> {
        let mut whole = Spread::joined(&self.ranks, self.dev.upload(&self.floats())?)?;
        // What a rank sends at most: the subtrees of its run of tiles.
        let carries = vec![1.0f32; 2 * (self.len.div_ceil(dist::TILE)).ilog2() as usize + 1];
        let mut result = carries.clone();
        let reduced =
            self.median(|| self.world.all_reduce_into(&carries[..], &mut result[..], SystemOperation::sum()))?;
        let scanned =
            self.median(|| self.world.exclusive_scan_into(&carries[..], &mut result[..], SystemOperation::sum()))?;
        let sums = Turns {
            rounds: 480,
            all: |xs: &Spread<f32>| dist::sum(&self.ranks, xs).map(drop),
            alone: |xs: &Spread<f32>| dist::sum(&self.alone, xs).map(drop),
            library: |part: &Buffer<f32>| obsidian_algorithms::sum(part).map(drop),
        };
        whole = self.compare("sum", whole, sums, reduced)?;
        let scans = Turns {
            rounds: 120,
            all: |xs: &Spread<f32>| dist::scan(&self.ranks, xs).map(drop),
            alone: |xs: &Spread<f32>| dist::scan(&self.alone, xs).map(drop),
            library: |part: &Buffer<f32>| obsidian_algorithms::scan(part).map(drop),
        };
        self.compare("scan", whole, scans, scanned).map(drop)
    }

    /// What MPI alone takes.
    fn median(&self, mut work: impl FnMut()) -> Result<f64, Error> {
        let mut times = vec![];
        for _ in 0..1000 {
            times.push(self.once(|| {
                work();
                Ok(())
            })?);
        }
        Ok(median(times))
    }

    fn compare(
        &self,
        what: &str,
        mut whole: Spread<f32>,
        turns: Turns<
            impl Fn(&Spread<f32>) -> Result<(), Error>,
            impl Fn(&Spread<f32>) -> Result<(), Error>,
            impl Fn(&Buffer<f32>) -> Result<(), Error>,
        >,
        mpi: f64,
    ) -> Result<Spread<f32>, Error> {
        let mut times = [vec![], vec![], vec![]];
        for turn in (0..turns.rounds).flat_map(|round| ORDERS[round % ORDERS.len()]) {
            times[turn].push(match turn {
                0 => self.once(|| (turns.all)(&whole))?,
                1 => {
                    let own = Spread::joined(&self.alone, whole.into_part())?;
                    let time = self.once(|| (turns.alone)(&own))?;
                    whole = Spread::joined(&self.ranks, own.into_part())?;
                    time
                }
                _ => self.once(|| (turns.library)(whole.part()))?,
            });
        }
        let [all, alone, library] = &times;
        let [a, b, c] = [all, alone, library].map(|times| 1e3 * median(times.clone()));
        self.say(format!(
            "{what}: {a:.3} ms; alone {b:.3} ms; the library's of the part {c:.3} ms; MPI's own of the carries {:.4} ms",
            mpi * 1e3
        ));
        for (name, local) in [("alone", alone), ("the library's", library)] {
            let ratio = Ratio::of(all.iter().zip(local).map(|(&all, &local)| (all, local + 1.1 * mpi)));
            self.say(format!("  of {name} + 1.1 MPI: {ratio}"));
        }
        Ok(whole)
    }
}
