//! What a launch costs the host: many of a small kernel, from the first call to the last one's end.

use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

use crate::kernels;
use crate::rows::Bench;

/// Launches that are timed together, and how often.
const LAUNCHES: usize = 2000;
const ROUNDS: usize = 9;
/// Launches in a graph.
const RECORDED: usize = 100;
/// Elements of each launch: one block.
const LEN: usize = 1024;

/// The table of these.
pub fn table(bench: &Bench) -> Result<String, Box<dyn Error>> {
    let dev = &bench.device;
    let (x, y) = (dev.upload(&[1.0_f32; LEN])?, dev.upload(&[2.0_f32; LEN])?);
    let mut out = dev.alloc::<f32>(LEN)?;
    let plain =
        per_launch(bench, || (0..LAUNCHES).try_for_each(|_| kernels::saxpy.run_into(dev, 0.5, &x, &y, &mut out)))?;
    let prepared = kernels::saxpy.prepare(dev, 0.5, LEN, LEN)?;
    let prepared = per_launch(bench, || (0..LAUNCHES).try_for_each(|_| prepared.run_into(0.5, &x, &y, &mut out)))?;
    let mut graph = dev.stream().record(|stream| {
        for _ in 0..RECORDED {
            kernels::saxpy.on(stream).run_into(dev, 0.5, &x, &y, &mut out)?;
        }
        Ok((x, y, out))
    })?;
    let recorded = per_launch(bench, || (0..LAUNCHES / RECORDED).try_for_each(|_| graph.launch()))?;
    let mut text = format!("| {LAUNCHES} launches of one block, by the host's clock | us per launch |\n|---|---|\n");
    for (name, us) in [("`run_into`", plain), ("`prepare`, `run_into`", prepared), ("a graph of 100", recorded)] {
        writeln!(text, "| {name} | {us:.2} |")?;
    }
    Ok(text)
}

/// Microseconds per launch, the median of some rounds.
fn per_launch(bench: &Bench, mut launches: impl FnMut() -> Result<(), obsidian::Error>) -> Result<f64, Box<dyn Error>> {
    let mut times = Vec::new();
    for _ in 0..=ROUNDS {
        let start = Instant::now();
        launches()?;
        bench.stream.synchronize()?;
        times.push(start.elapsed().as_secs_f64() * 1e6 / LAUNCHES as f64);
    }
    // The first one loads the kernel.
    times.remove(0);
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
