//! For the tests: what the functions over ranks give on the ranks of MPI, compared with one rank inside of this process, to the bit:
//! `same_bits [LENGTH]`, of one length or of several.

use std::error::Error;
use std::time::Duration;

use obsidian::exchange::{Done, Exchange, Ranks, in_process};
use obsidian::prelude::*;
use obsidian_algorithms::dist::{self, Rows, Spread};
use obsidian_mpi::Mpi;

const LENGTHS: [usize; 5] = [0, 1, 3, 1003, 1_000_003];
const LIMIT: Duration = Duration::from_secs(120);

fn mixed(i: usize) -> u32 {
    let x = (i as u32).wrapping_mul(2_654_435_761);
    (x ^ x >> 15).wrapping_mul(0x2c1b_3c6d)
}

fn main() -> Result<(), Box<dyn Error>> {
    let dev = Device::best()?;
    let ranks = Ranks::join(Mpi::start()?, &dev, LIMIT)?;
    let (rank, size) = (ranks.rank(), ranks.size());
    let only = std::env::args().nth(1).map(|len| len.parse::<usize>()).transpose()?;
    for len in only.map_or(LENGTHS.to_vec(), |len| vec![len]) {
        let values: Vec<f32> = (0..len).map(|i| (mixed(i) >> 8) as f32 / 65536.0 - 100.0).collect();
        // Even parts; and parts that begin anywhere, of which one is empty.
        let even = dist::share(len as u64, size, rank);
        let anywhere = |rank: usize| if rank == size { len } else { len.min([0, 7, 7, 2500][rank % 4]) };
        for part in [even.start as usize..even.end as usize, anywhere(rank)..anywhere(rank + 1)] {
            let found = all(&ranks, &dev, &values, &values[part])?;
            if rank > 0 {
                continue;
            }
            let alone = in_process(1, &dev, LIMIT, |ranks| all(ranks, &dev, &values, &values));
            let alone = alone.into_iter().next().ok_or("no rank")??;
            if found != alone {
                return Err(ranks.fail(0, format!("{len} elements: other bits than on one rank")).into());
            }
        }
    }
    ranks.all_gather(&Done::<u8>::from(vec![]))?;
    if rank == 0 {
        println!("{size} ranks: the bits of one");
    }
    Ok(())
}

/// All that is computed of an array, as bits, on rank 0.
fn all(ranks: &impl Exchange, dev: &Device, values: &[f32], part: &[f32]) -> Result<Vec<Vec<u32>>, obsidian::Error> {
    let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<u32>>();
    let xs = Spread::new(ranks, values.len() as u64, dev.upload(part)?)?;
    let sum = dist::sum(ranks, &xs)?;
    let scanned = dist::scan(ranks, &xs)?.gather(ranks, 0)?;
    let sorted = dist::sort(ranks, &xs)?.gather(ranks, 0)?;
    let flags: Vec<bool> = part.iter().map(|&x| x > 0.0).collect();
    let kept = dist::filter(ranks, &xs, &Spread::joined(ranks, dev.upload(&flags)?)?)?.gather(ranks, 0)?;
    let keys: Vec<u32> = part.iter().map(|x| x.to_bits() & 255).collect();
    let counts = dist::histogram(ranks, &Spread::joined(ranks, dev.upload(&keys)?)?, 256)?;
    let rows = Rows::joined(ranks, dev.upload_matrix(part, part.len(), 1)?)?;
    let turned = dist::transpose(ranks, &rows)?.gather(ranks, 0)?;
    let counts = counts.into_iter().map(|count| count as u32).collect();
    Ok(vec![vec![sum.to_bits()], bits(scanned), bits(sorted), bits(kept), counts, bits(turned)])
}
