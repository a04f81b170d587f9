//! A sort of numbers beside the sort of a part, the standard library, and a samplesort by hand.

use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use obsidian::exchange::Exchange;
use obsidian_algorithms::dist;

use crate::{Bench, mixed};

impl Bench {
    pub fn sorts(&self) -> Result<(), obsidian::Error> {
        let first = self.ranks.rank() * self.sorted;
        let values: Vec<u32> = (first..first + self.sorted).map(mixed).collect();
        let (whole, own) = self.spread(&values)?;
        let all = self.best(1, || dist::sort(&self.ranks, &whole).map(drop))?;
        let local = self.best(1, || dist::sort(&self.alone, &own).map(drop))?;
        let by_hand = self.best(2, || {
            by_hand(&self.world, &values);
            Ok(())
        })?;
        // All elements on one core, by the standard library, while the other ranks wait.
        let everything: Vec<u32> = (0..self.sorted * self.ranks.size()).map(mixed).collect();
        let sequential = self.best(1, || {
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
