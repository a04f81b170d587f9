//! Every rank has its number in a buffer, and prints the sum of all: `mpirun -np 4 sum_of_ranks`.

use obsidian_runtime::exchange::{Exchange, Ranks};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = obsidian_runtime::Device::best()?;
    let ranks = Ranks::join(obsidian_mpi::Mpi::start()?, &device, Duration::from_secs(60))?;
    let mine = device.upload(&[ranks.rank() as u64])?;
    println!("{:?}", ranks.all_reduce(&mine.done()?, |a, b| a + b)?);
    Ok(())
}
