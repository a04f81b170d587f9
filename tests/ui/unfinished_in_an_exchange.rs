use obsidian::exchange::{Done, Exchange, RowShares};
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
    let matrix = Matrix::new(halved.run(dev, &input)?, 8, 8)?;
    let sums = vec![1.0f32; 64];
    ranks.all_reduce(&written, |a, b| a + b)?;
    ranks.gather(0, &matrix)?;
    ranks.broadcast(0, &sums)?;
    ranks.halo(shares, &written, &written.done()?, || Ok(()))?;
    // As the messages say.
    ranks.all_reduce(&written.done()?, |a, b| a + b)?;
    ranks.gather(0, &matrix.buffer().done()?)?;
    ranks.broadcast(0, &Done::of(&sums))?;
    ranks.broadcast(0, &Done::from(sums))?;
    ranks.halo(shares, &written.done()?, &written.done()?, || Ok(()))?;
    Ok(())
}

fn main() {}
