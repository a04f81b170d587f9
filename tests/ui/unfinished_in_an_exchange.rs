use obsidian::exchange::{Exchange, RowShares};
use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn halved(input: DPull<f32>) -> DPush<Grid, f32> {
        input.split_up(64).as_grid_map(|c| c.map(|x| 0.5 * x).push())
    }
}

fn share(ranks: &impl Exchange, dev: &Device, shares: &RowShares<'_>) -> Result<(), Error> {
    let input = dev.upload(&[1.0f32; 64])?;
    let written = halved.run(dev, &input)?;
    ranks.all_reduce(&written, |a, b| a + b)?;
    ranks.gather(0, &written)?;
    ranks.halo(shares, &written, &written, || Ok(()))?;
    Ok(())
}

fn main() {}
