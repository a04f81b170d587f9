//! Rows at the level `Device`: whole algorithms of several launches, beside rayon.

use obsidian::Device;
use rayon::prelude::*;

use crate::LEN;
use crate::kernels::{counted_all, filtered, scanned, sorted_all, summed};
use crate::race::{Result, Row, TASK, race, same};

const U32: usize = size_of::<u32>();

pub fn rows(dev: &Device) -> Result {
    let x: Vec<u32> =
        (0..LEN as u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ (i >> 3).wrapping_mul(0x85eb_ca6b)).collect();
    let dev_x = dev.upload(&x)?;
    let row = |name, arrays, aim| Row { name, bytes: arrays * LEN * U32, aim: Some(aim) };

    let add = |part: &[u32]| part.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    let sum = || x.par_chunks(TASK).map(add).reduce(|| 0, u32::wrapping_add);
    race(row("sum at Device", 1, 1.0), || summed.run(dev, &dev_x).map(drop), || _ = std::hint::black_box(sum()))?;
    same("sum", &summed.run(dev, &dev_x)?.to_vec()?, &[sum()])?;

    let (mut dev_out, mut out) = (dev.alloc::<u32>(LEN)?, vec![0u32; LEN]);
    let scan = |out: &mut Vec<u32>| {
        let sums: Vec<u32> = x.par_chunks(TASK).map(add).collect();
        let before = sums.iter().scan(0u32, |sum, x| Some(std::mem::replace(sum, sum.wrapping_add(*x))));
        let before: Vec<u32> = before.collect();
        out.par_chunks_mut(TASK).zip(x.par_chunks(TASK)).zip(before).for_each(|((out, x), mut sum)| {
            for (out, x) in out.iter_mut().zip(x) {
                sum = sum.wrapping_add(*x);
                *out = sum;
            }
        });
    };
    race(row("scan at Device", 2, 1.0), || scanned.run_into(dev, &dev_x, &mut dev_out), || scan(&mut out))?;
    scanned.run_into(dev, &dev_x, &mut dev_out)?;
    scan(&mut out);
    same("scan", &dev_out.to_vec()?, &out)?;

    let filter = || x.par_iter().copied().filter(|x| x % 3 == 0).collect::<Vec<u32>>();
    race(row("filter at Device", 1, 1.0), || filtered.run(dev, &dev_x).map(drop), || drop(filter()))?;
    same("filter", &filtered.run(dev, &dev_x)?.to_vec()?, &filter())?;

    let table = |mut counts: Vec<u32>, x: &[u32]| {
        x.iter().for_each(|x| counts[(x & 255) as usize] += 1);
        counts
    };
    let both = |a: Vec<u32>, b: Vec<u32>| a.iter().zip(b).map(|(a, b)| a + b).collect();
    let none = || vec![0u32; 256];
    let count = || x.par_chunks(TASK).fold(none, table).reduce(none, both);
    race(row("histogram at Device", 1, 1.0), || counted_all.run(dev, &dev_x).map(drop), || drop(count()))?;
    same("histogram", &counted_all.run(dev, &dev_x)?.to_vec()?, &count())?;

    let sort = |out: &mut Vec<u32>| {
        out.copy_from_slice(&x);
        out.par_sort_unstable();
    };
    race(row("sort at Device", 2, 3.0), || sorted_all.run_into(dev, &dev_x, &mut dev_out), || sort(&mut out))?;
    sorted_all.run_into(dev, &dev_x, &mut dev_out)?;
    sort(&mut out);
    same("sort", &dev_out.to_vec()?, &out)
}
