//! The terms of the model: an exchange of one number, and of many bytes.

use mpi::collective::SystemOperation;
use mpi::traits::*;
use obsidian::exchange::{Done, Exchange};

use crate::Bench;

impl Bench {
    /// The terms of the model: a message of one number, and of many.
    pub fn messages(&self) -> Result<(), obsidian::Error> {
        let (one, size) = (Done::from(vec![1u64]), self.ranks.size());
        let ours = self.best(2000, || self.ranks.all_reduce(&one, |a, b| a + b).map(drop))?;
        let mut sum = 0u64;
        let theirs = self.best(2000, || {
            self.world.all_reduce_into(&1u64, &mut sum, SystemOperation::sum());
            Ok(())
        })?;
        self.say(format!("all_reduce of one number: {:.1} us, MPI's own {:.1} us", ours * 1e6, theirs * 1e6));
        let many = Done::from(vec![0u8; 1 << 24]);
        let counts: Vec<usize> =
            (0..size).map(|to| if to == (self.ranks.rank() + 1) % size { 1 << 24 } else { 0 }).collect();
        let moved = self.best(5, || self.ranks.all_to_all_v(&many, &counts).map(drop))?;
        self.say(format!("16 MiB to the next rank: {:.1} ms, {:.2} GB/s", moved * 1e3, (1 << 24) as f64 / moved / 1e9));
        Ok(())
    }
}
