//! What functions over ranks cost beside what their parts cost: `mpirun -np 2 bench_ranks [ELEMENTS_PER_RANK [SORTED_PER_RANK]]`; `cargo xtask bench ranks` runs it
//! on 1, 2 and 4 ranks. Every time is the best of some rounds of the slowest rank. *Local* is the same function on this rank's part alone, while
//! the other ranks do the same.

use std::error::Error;
use std::time::{Duration, Instant};

use mpi::collective::SystemOperation;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use obsidian::exchange::{Done, Exchange, Ranks, Threads};
use obsidian::prelude::*;
use obsidian_algorithms::dist::{self, Beyond, Rows, Spread};
use obsidian_mpi::Mpi;

kernel! {
    /// One step of Jacobi's iteration, of the rows that have one above and below.
    #[kernel(threads = 256)]
    pub fn relaxed(m: DMat<f32>) -> PushMat<Grid, f32> {
        let (rows, cols) = (m.rows(), m.cols());
        mk_mat(max(rows, 2) - 2, cols, |i, j| {
            0.25 * (m[(i, j)] + m[(i + 2, j)] + m[(i + 1, min(j + 1, cols - 1))] + m[(i + 1, max(j, 1) - 1)])
        }).push()
    }
}

const LIMIT: Duration = Duration::from_secs(300);
/// How often functions are timed that take milliseconds.
const ROUNDS: usize = 100;

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

    /// The best of some rounds of the slowest rank, in seconds.
    fn time(
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
            self.world.barrier();
            let start = Instant::now();
            work()?;
            let (own, mut slowest) = (start.elapsed().as_secs_f64(), 0.0);
            self.world.all_reduce_into(&own, &mut slowest, SystemOperation::max());
            best = best.min(slowest);
        }
        Ok(best)
    }

    fn floats(&self) -> Vec<f32> {
        let first = self.ranks.rank() * self.len;
        (first..first + self.len).map(|i| (mixed(i) >> 8) as f32 / 65536.0 - 100.0).collect()
    }

    fn spread<T: Element>(&self, part: &[T]) -> Result<(Spread<T>, Spread<T>), obsidian::Error> {
        let whole = Spread::joined(&self.ranks, self.dev.upload(part)?)?;
        Ok((whole, Spread::joined(&self.alone, self.dev.upload(part)?)?))
    }

    /// The terms of the model: a message of one number, and of many.
    fn messages(&self) -> Result<(), obsidian::Error> {
        let (one, size) = (Done::from(vec![1u64]), self.ranks.size());
        let ours = self.time(2000, || self.ranks.all_reduce(&one, |a, b| a + b).map(drop))?;
        let mut sum = 0u64;
        let theirs = self.time(2000, || {
            self.world.all_reduce_into(&1u64, &mut sum, SystemOperation::sum());
            Ok(())
        })?;
        self.say(format!("all_reduce of one number: {:.1} us, MPI's own {:.1} us", ours * 1e6, theirs * 1e6));
        let many = Done::from(vec![0u8; 1 << 24]);
        let counts: Vec<usize> =
            (0..size).map(|to| if to == (self.ranks.rank() + 1) % size { 1 << 24 } else { 0 }).collect();
        let moved = self.time(5, || self.ranks.all_to_all_v(&many, &counts).map(drop))?;
        self.say(format!("16 MiB to the next rank: {:.1} ms, {:.2} GB/s", moved * 1e3, (1 << 24) as f64 / moved / 1e9));
        Ok(())
    }

    fn reductions(&self) -> Result<(), obsidian::Error> {
        let mut whole = Spread::joined(&self.ranks, self.dev.upload(&self.floats())?)?;
        // What a rank sends at most: the subtrees of its run of tiles.
        let carries = vec![1.0f32; 2 * (self.len.div_ceil(dist::TILE)).ilog2() as usize + 1];
        let mut result = carries.clone();
        let reduced = self.time(200, || {
            self.world.all_reduce_into(&carries[..], &mut result[..], SystemOperation::sum());
            Ok(())
        })?;
        let scanned = self.time(200, || {
            self.world.exclusive_scan_into(&carries[..], &mut result[..], SystemOperation::sum());
            Ok(())
        })?;
        let [mut sums, mut scans] = [[f64::INFINITY; 2]; 2];
        // In turn, and on the same memory, without a copy: where elements lie and what others do meanwhile is worth more than what is compared.
        for _ in 0..ROUNDS {
            let all = [
                self.time(1, || dist::sum(&self.ranks, &whole).map(drop))?,
                self.time(1, || dist::scan(&self.ranks, &whole).map(drop))?,
            ];
            let own = Spread::joined(&self.alone, whole.into_part())?;
            let local = [
                self.time(1, || dist::sum(&self.alone, &own).map(drop))?,
                self.time(1, || dist::scan(&self.alone, &own).map(drop))?,
            ];
            whole = Spread::joined(&self.ranks, own.into_part())?;
            for (bests, at) in [(&mut sums, 0), (&mut scans, 1)] {
                *bests = [bests[0].min(all[at]), bests[1].min(local[at])];
            }
        }
        self.compare("sum", sums[0], sums[1], reduced);
        self.compare("scan", scans[0], scans[1], scanned);
        Ok(())
    }

    fn compare(&self, what: &str, all: f64, local: f64, mpi: f64) {
        let bound = local + 1.1 * mpi;
        self.say(format!(
            "{what}: {:.3} ms; local {:.3} ms, MPI's own of the carries {:.3} ms; {:.3} of local + 1.1 MPI",
            all * 1e3,
            local * 1e3,
            mpi * 1e3,
            all / bound
        ));
    }

    fn sorts(&self) -> Result<(), obsidian::Error> {
        let first = self.ranks.rank() * self.sorted;
        let values: Vec<u32> = (first..first + self.sorted).map(mixed).collect();
        let (whole, own) = self.spread(&values)?;
        let all = self.time(1, || dist::sort(&self.ranks, &whole).map(drop))?;
        let local = self.time(1, || dist::sort(&self.alone, &own).map(drop))?;
        let by_hand = self.time(2, || {
            by_hand(&self.world, &values);
            Ok(())
        })?;
        // All elements on one core, by the standard library, while the other ranks wait.
        let everything: Vec<u32> = (0..self.sorted * self.ranks.size()).map(mixed).collect();
        let sequential = self.time(1, || {
            if self.ranks.rank() == 0 {
                let mut copy = everything.clone();
                copy.sort_unstable();
            }
            Ok(())
        })?;
        self.say(format!(
            "sort of {} a rank: {:.0} ms; local sort of a part {:.0} ms; all on one core by std {:.0} ms; samplesort by hand {:.0} ms",
            self.sorted,
            all * 1e3,
            local * 1e3,
            sequential * 1e3,
            by_hand * 1e3
        ));
        Ok(())
    }

    fn stencils(&self) -> Result<(), obsidian::Error> {
        let cols = 4096.min(self.len.max(1));
        let rows = self.len / cols;
        let m = self.dev.upload_matrix(&self.floats()[..rows * cols], rows, cols)?;
        let whole = Rows::joined(&self.ranks, m)?;
        let step = |m: &Matrix<f32>, out: &mut Matrix<f32>| relaxed.run_into(m.device(), m, out);
        let all = self.time(9, || dist::stencil_rows(&self.ranks, &whole, 1, Beyond::Filled(0.0), step).map(drop))?;
        let kernel = self.time(9, || relaxed.run(&self.dev, whole.part()).map(drop))?;
        self.say(format!(
            "step of a stencil on {rows} x {cols} a rank: {:.2} ms; its kernel {:.2} ms",
            all * 1e3,
            kernel * 1e3
        ));
        Ok(())
    }
}

fn mixed(i: usize) -> u32 {
    let x = (i as u32).wrapping_mul(2_654_435_761);
    (x ^ x >> 15).wrapping_mul(0x2c1b_3c6d)
}

/// Samplesort as one writes it over MPI: sort, samples, pieces, merge by sorting the runs.
fn by_hand(world: &SimpleCommunicator, values: &[u32]) -> Vec<u32> {
    let size = world.size() as usize;
    let mut own = values.to_vec();
    own.sort_unstable();
    let samples: Vec<u32> = (0..size).map(|k| own[(k * own.len() + own.len() / 2) / size]).collect();
    let mut all = vec![0u32; size * size];
    world.all_gather_into(&samples[..], &mut all[..]);
    all.sort_unstable();
    let ends = (1..size).map(|rank| own.partition_point(|&x| x < all[rank * size])).chain([own.len()]);
    let mut at = 0;
    let counts: Vec<i32> = ends.map(|end| (end - std::mem::replace(&mut at, end)) as i32).collect();
    let mut theirs = vec![0i32; size];
    world.all_to_all_into(&counts[..], &mut theirs[..]);
    let starts =
        |counts: &[i32]| counts.iter().scan(0, |at, n| Some(std::mem::replace(at, *at + n))).collect::<Vec<i32>>();
    let mut got = vec![0u32; theirs.iter().sum::<i32>() as usize];
    {
        let from = Partition::new(&own[..], &counts[..], starts(&counts));
        let mut to = PartitionMut::new(&mut got[..], &theirs[..], starts(&theirs));
        world.all_to_all_varcount_into(&from, &mut to);
    }
    // The standard library's stable sort merges runs that it finds.
    got.sort();
    got
}
