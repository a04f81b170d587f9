//! How long a launch of 1,000 elements takes, in nanoseconds, beside a plain loop: into a buffer that exists, prepared, into a new
//! buffer, and from slices to slices.

use std::hint::black_box;
use std::time::Instant;

use obsidian::prelude::*;

use super::race::Result;

/// Elements of a launch, and how many launches are timed together.
const LEN: usize = 1000;
const LAUNCHES: u32 = 10_000;
const ROUNDS: usize = 15;

kernel! {
    #[kernel]
    pub fn squares(xs: DPull<f32>) -> DPush<Grid, f32> {
        xs.map(|x| x * x).push()
    }
}

pub fn rows(dev: &Device) -> Result {
    let values: Vec<f32> = (0..LEN).map(|i| i as f32).collect();
    let (xs, mut out) = (dev.upload(&values)?, dev.alloc::<f32>(LEN)?);
    let prepared = squares.prepare(dev, LEN)?;
    let mut by_hand = vec![0f32; LEN];
    println!("\n{:<32}{:>10}", "1,000 elements", "ns");
    row("run_into", || Ok(squares.run_into(dev, &xs, &mut out)?))?;
    row("prepared run_into", || Ok(prepared.run_into(&xs, &mut out)?))?;
    row("run", || {
        black_box(squares.run(dev, &xs)?);
        Ok(())
    })?;
    row("lend, run, read_into", || {
        let lent = dev.lend(&values)?;
        Ok(squares.run(dev, &lent)?.read_into(black_box(&mut by_hand))?)
    })?;
    if out.to_vec()? != by_hand {
        return Err("squares: the launches differ".into());
    }
    row("a plain loop", || {
        let values = black_box(&values);
        by_hand.iter_mut().zip(values).for_each(|(out, x)| *out = x * x);
        black_box(&by_hand);
        Ok(())
    })
}

/// The median time of one call; many calls are timed together.
fn row(name: &str, mut call: impl FnMut() -> Result) -> Result {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..LAUNCHES {
            call()?;
        }
        times.push(start.elapsed() / LAUNCHES);
    }
    times.sort_unstable();
    println!("{name:<32}{:>10}", times[ROUNDS / 2].as_nanos());
    Ok(())
}
