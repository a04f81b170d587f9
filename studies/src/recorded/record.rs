//! Records a space: every point is built and verified, then measured once in each round, in an order of the round's own, so that what
//! slows the machine for a while slows no point more than others.

use std::path::Path;

use obsidian_lang::driver::Variant;
use obsidian_tune::bench::{Bench, OnDevice, provenance};
use obsidian_tune::random::Random;
use obsidian_tune::space;

use super::{Point, Recording, Subject};

/// Measures every point of a subject in `rounds` rounds. What is compiled lies in `folder`.
///
/// # Errors
/// The device cannot be used, or the kernel cannot be compiled.
pub fn record(subject: &Subject, rounds: usize, date: &str, folder: &Path) -> Result<Recording, String> {
    let (_, kernel) = subject.compiled()?;
    let variants: Vec<&Variant> = kernel.variants().collect();
    let device = subject.on.device()?;
    let [backend, name, driver] = provenance(&device)?;
    let problem = subject.problem()?;
    let mut bench = OnDevice::new(&device, &kernel.name, &variants, (&problem, folder))?;
    let mut times: Vec<Result<Vec<u64>, String>> =
        (0..variants.len()).map(|i| bench.verify(i).map(|()| Vec::new()).map_err(|why| why.to_string())).collect();
    if let Some(Err(why)) = times.first().filter(|_| times.iter().all(Result::is_err)) {
        return Err(format!("no point can be measured: {why}"));
    }
    let mut random = Random::new(0);
    for _ in 0..rounds {
        let mut order: Vec<usize> = (0..variants.len()).filter(|&i| times[i].is_ok()).collect();
        random.shuffle(&mut order);
        for i in order {
            match bench.sample(i) {
                Ok(seconds) => {
                    times[i].iter_mut().for_each(|rounds| rounds.push((seconds * 1e9).round().max(1.0) as u64))
                }
                Err(why) => times[i] = Err(why.to_string()),
            }
        }
    }
    let points = variants.iter().zip(times);
    let points = points.map(|(v, rounds)| Point { variant: space::name(&space::values(v)), rounds }).collect();
    let problem = format!("len = {}, below = {}", problem.len, problem.below);
    Ok(Recording { backend, device: name, driver, problem, date: date.to_string(), points })
}
