//! Times of several works in turn on one stream. Nothing waits between them: the host is ahead of the GPU, so what it costs to
//! launch is not in the times.

use std::error::Error;
use std::sync::Arc;

use obsidian::cudarc::driver::CudaStream;
use obsidian::cudarc::driver::sys::CUevent_flags;

/// Rounds before those that count.
const WARM_UPS: usize = 3;

/// Something that puts work into a stream.
pub type Work<'w> = Box<dyn FnMut() -> Result<(), Box<dyn Error>> + 'w>;

/// The median of each work's times, in microseconds.
pub fn interleaved(stream: &Arc<CudaStream>, works: &mut [Work<'_>], runs: usize) -> Result<Vec<f64>, Box<dyn Error>> {
    let mark = || stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
    let mut rounds = Vec::new();
    for round in 0..WARM_UPS + runs {
        let mut marks = vec![mark()?];
        for work in works.iter_mut() {
            work()?;
            marks.push(mark()?);
        }
        if round >= WARM_UPS {
            rounds.push(marks);
        }
    }
    stream.synchronize()?;
    let mut times = vec![Vec::with_capacity(runs); works.len()];
    for marks in &rounds {
        for (times, pair) in times.iter_mut().zip(marks.windows(2)) {
            times.push(f64::from(pair[0].elapsed_ms(&pair[1])?) * 1e3);
        }
    }
    Ok(times.into_iter().map(median).collect())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
