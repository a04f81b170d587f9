//! Generated CPU code against hand-written rayon loops, 2^24 elements, interleaved in one run: medians of 15 after 2
//! warm-ups, GB/s, and the ratio of the two; then what a launch of 1,000 elements takes. Prints two tables. Run: `cargo bench -p obsidian-benches --bench cpu`.

use std::error::Error;
use std::time::{Duration, Instant};

use obsidian::prelude::*;
use rayon::prelude::*;

/// Elements of each input.
const LEN: usize = 1 << 24;
const WARM_UPS: usize = 2;
const TIMED: usize = 15;
/// Elements that a hand-written loop gives to one task: 256 KiB of `f32`, at which the rayon loops were fastest.
const TASK: usize = 64 << 10;
/// Elements of a small launch, and how many of them are timed together.
const SMALL: usize = 1000;
const SMALL_LAUNCHES: u32 = 10_000;
/// Elements that `reductions` sums to one.
const CHUNK: usize = 512;

kernel! {
    fn reduce<L: Compute, T: Data>(f: impl Fn(T, T) -> T, xs: Pull<T>) -> Program<L, Push<L, T>> {
        if xs.len() == 1 {
            xs.push()
        } else {
            let (lo, hi) = xs.halve();
            reduce(f, lo.zip_with(hi, f).compute())
        }
    }

    #[kernel(threads = 64)]
    pub fn reductions(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(512).as_grid_map(|chunk| exec_block(reduce(|a, b| a + b, chunk)))
    }

    #[kernel(threads = 256)]
    pub fn saxpy(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| alpha * x + y).split_up(1024).as_grid_map(|c| c.push())
    }

    #[kernel]
    pub fn squares(xs: DPull<f32>) -> DPush<Grid, f32> {
        xs.map(|x| x * x).push()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}, {} threads, 2^24 elements, median of {TIMED}", machine(), rayon::current_num_threads());
    println!("{:<12}{:>14}{:>10}{:>14}{:>10}{:>12}", "kernel", "obsidian ms", "GB/s", "rayon ms", "GB/s", "rayon/obs");
    let dev = Device::cpu();
    bench_saxpy(&dev)?;
    bench_reductions(&dev)?;
    bench_small(&dev)
}

/// A map of 1,000 elements: into a buffer that is there, prepared, into a new one, and by a plain loop.
fn bench_small(dev: &Device) -> Result<(), Box<dyn Error>> {
    let values: Vec<f32> = (0..SMALL).map(|i| i as f32).collect();
    let (xs, mut out) = (dev.upload(&values)?, dev.alloc::<f32>(SMALL)?);
    let prepared = squares.prepare(dev, SMALL)?;
    let mut by_hand = vec![0f32; SMALL];
    println!("\n{:<32}{:>10}", "1,000 elements", "ns");
    small("run_into", || Ok(squares.run_into(dev, &xs, &mut out)?))?;
    small("prepared run_into", || Ok(prepared.run_into(&xs, &mut out)?))?;
    small("run", || {
        std::hint::black_box(squares.run(dev, &xs)?);
        Ok(())
    })?;
    small("lend, run, read_into", || {
        Ok(squares.run(dev, &*dev.lend(&values)?)?.read_into(std::hint::black_box(&mut by_hand))?)
    })?;
    same("squares", &out.to_vec()?, &by_hand)?;
    small("a plain loop", || {
        let values = std::hint::black_box(&values);
        by_hand.iter_mut().zip(values).for_each(|(out, x)| *out = x * x);
        std::hint::black_box(&by_hand);
        Ok(())
    })
}

/// The median time of one call, of calls that are timed many together.
fn small(name: &str, mut call: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    for round in 0..WARM_UPS + TIMED {
        let start = Instant::now();
        for _ in 0..SMALL_LAUNCHES {
            call()?;
        }
        if round >= WARM_UPS {
            times.push(start.elapsed() / SMALL_LAUNCHES);
        }
    }
    times.sort_unstable();
    println!("{name:<32}{:>10}", times[TIMED / 2].as_nanos());
    Ok(())
}

fn bench_saxpy(dev: &Device) -> Result<(), Box<dyn Error>> {
    let alpha = 1.5f32;
    let x: Vec<f32> = (0..LEN).map(|i| (i % 1000) as f32).collect();
    let y: Vec<f32> = (0..LEN).map(|i| (i % 77) as f32 / 3.0).collect();
    let (dev_x, dev_y) = (dev.upload(&x)?, dev.upload(&y)?);
    let mut dev_out = dev.alloc::<f32>(LEN)?;
    let mut out = vec![0f32; LEN];
    let times = interleaved(
        || Ok(saxpy.run_into(dev, alpha, &dev_x, &dev_y, &mut dev_out)?),
        || {
            out.par_chunks_mut(TASK).zip(x.par_chunks(TASK).zip(y.par_chunks(TASK))).for_each(|(out, (x, y))| {
                for (out, (x, y)) in out.iter_mut().zip(x.iter().zip(y)) {
                    *out = alpha * x + y;
                }
            });
        },
    )?;
    same("saxpy", &dev_out.to_vec()?, &out)?;
    report("saxpy", times, 3 * LEN * size_of::<f32>());
    Ok(())
}

fn bench_reductions(dev: &Device) -> Result<(), Box<dyn Error>> {
    let input: Vec<i32> = (0..LEN as i32).map(|i| i.wrapping_mul(0x9e37)).collect();
    let dev_input = dev.upload(&input)?;
    let mut dev_out = dev.alloc::<i32>(LEN / CHUNK)?;
    let mut out = vec![0i32; LEN / CHUNK];
    let times = interleaved(
        || Ok(reductions.run_into(dev, &dev_input, &mut dev_out)?),
        || {
            out.par_chunks_mut(TASK / CHUNK).zip(input.par_chunks(TASK)).for_each(|(out, input)| {
                for (out, chunk) in out.iter_mut().zip(input.chunks_exact(CHUNK)) {
                    *out = chunk.iter().fold(0, |sum: i32, &x| sum.wrapping_add(x));
                }
            });
        },
    )?;
    same("reductions", &dev_out.to_vec()?, &out)?;
    report("reductions", times, (LEN + LEN / CHUNK) * size_of::<i32>());
    Ok(())
}

/// Medians of both, run in turn so that a change of the machine's clock meets both.
fn interleaved(
    mut kernel: impl FnMut() -> Result<(), Box<dyn Error>>,
    mut by_hand: impl FnMut(),
) -> Result<[Duration; 2], Box<dyn Error>> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..WARM_UPS + TIMED {
        let start = Instant::now();
        kernel()?;
        let middle = Instant::now();
        by_hand();
        let end = Instant::now();
        if round >= WARM_UPS {
            times[0].push(middle - start);
            times[1].push(end - middle);
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[TIMED / 2]
    }))
}

/// Both must have computed the same bits, or their times mean nothing.
fn same<T: PartialEq>(name: &str, kernel: &[T], by_hand: &[T]) -> Result<(), Box<dyn Error>> {
    if kernel == by_hand { Ok(()) } else { Err(format!("{name}: the kernel's result differs from the loop's").into()) }
}

fn report(name: &str, times: [Duration; 2], bytes: usize) {
    let [kernel, by_hand] = times.map(|time| time.as_secs_f64());
    let rate = |seconds: f64| bytes as f64 / seconds / 1e9;
    println!(
        "{name:<12}{:>14.3}{:>10.1}{:>14.3}{:>10.1}{:>12.2}",
        kernel * 1e3,
        rate(kernel),
        by_hand * 1e3,
        rate(by_hand),
        by_hand / kernel
    );
}

/// The processor's name.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}
