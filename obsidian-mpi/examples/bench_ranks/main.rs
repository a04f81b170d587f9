//! What functions over ranks cost beside what their parts cost: `mpirun -np 2 bench_ranks [ELEMENTS_PER_RANK [SORTED_PER_RANK]]`; `cargo xtask bench ranks` runs it
//! on 1, 2 and 4 ranks. Every time is that of the slowest rank. *Alone* is the same function on this rank's part alone, while the other ranks do
//! the same.

mod messages;
mod paired;
mod reductions;
mod sorts;
mod stencils;

use std::error::Error;
use std::time::{Duration, Instant};

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use obsidian::exchange::{Exchange, Ranks, Threads};
use obsidian::prelude::*;
use obsidian_algorithms::dist::Spread;
use obsidian_mpi::Mpi;

const LIMIT: Duration = Duration::from_secs(300);

/// What is measured on.
struct Bench {
    dev: Device,
    ranks: Ranks<Mpi>,
    /// Of MPI alone.
    world: SimpleCommunicator,
    /// This rank by itself.
    alone: Ranks<Threads>,
    len: usize,
    sorted: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let number = |at, otherwise| std::env::args().nth(at).map_or(Ok(otherwise), |arg| arg.parse::<usize>());
    let len = number(1, 1 << 24)?;
    let sorted = number(2, len)?;
    let (dev, wire) = (Device::best()?, Mpi::start()?);
    let world = wire.world().duplicate();
    let wires = Threads::all(1).pop().ok_or("no wire")?;
    let alone = Ranks::join(wires, &dev, LIMIT)?;
    let bench = Bench { ranks: Ranks::join(wire, &dev, LIMIT)?, dev, world, alone, len, sorted };
    bench.say(format!("{} ranks on {}, {len} elements a rank", bench.ranks.size(), bench.dev.name()));
    bench.messages()?;
    bench.reductions()?;
    bench.sorts()?;
    bench.stencils()?;
    // MPI's own communicators end before MPI.
    let Bench { ranks, world, .. } = bench;
    drop(world);
    drop(ranks);
    Ok(())
}

impl Bench {
    fn say(&self, line: String) {
        if self.ranks.rank() == 0 {
            println!("{line}");
        }
    }

    /// The best of some rounds, in seconds.
    fn best(
        &self,
        rounds: usize,
        mut work: impl FnMut() -> Result<(), obsidian::Error>,
    ) -> Result<f64, obsidian::Error> {
        // What takes long needs no warming up.
        if rounds > 2 {
            work()?;
        }
        let mut best = f64::INFINITY;
        for _ in 0..rounds {
            best = best.min(self.once(&mut work)?);
        }
        Ok(best)
    }

    /// One call, begun by all ranks together, on the slowest of them.
    fn once(&self, work: impl FnOnce() -> Result<(), obsidian::Error>) -> Result<f64, obsidian::Error> {
        self.world.barrier();
        let start = Instant::now();
        work()?;
        let (own, mut slowest) = (start.elapsed().as_secs_f64(), 0.0);
        self.world.all_reduce_into(&own, &mut slowest, SystemOperation::max());
        Ok(slowest)
    }

    fn floats(&self) -> Vec<f32> {
        let first = self.ranks.rank() * self.len;
        (first..first + self.len).map(|i| (mixed(i) >> 8) as f32 / 65536.0 - 100.0).collect()
    }

    /// An array over all ranks, and one over this rank.
    fn spread<T: Element>(&self, part: &[T]) -> Result<(Spread<T>, Spread<T>), obsidian::Error> {
        let whole = Spread::joined(&self.ranks, self.dev.upload(part)?)?;
        Ok((whole, Spread::joined(&self.alone, self.dev.upload(part)?)?))
    }
}

fn mixed(i: usize) -> u32 {
    let x = (i as u32).wrapping_mul(2_654_435_761);
    (x ^ x >> 15).wrapping_mul(0x2c1b_3c6d)
}
