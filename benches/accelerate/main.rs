//! The programs of Accelerate's OpenCL report: the CPU back end, the generated OpenCL C, and OpenCL C written by hand
//! (`benches/opencl`) on the same device, in one run. `cargo xtask bench` brings PoCL; `cargo bench -p obsidian-benches
//! --bench accelerate` takes the first OpenCL device. 31 rounds after 3; in a round all three are run once. Prints one table:
//! the best times, which other work disturbs least, and the ratios of the best and of the medians.

mod by_hand;

use std::error::Error;
use std::time::Duration;

use obsidian::LaunchOptions;
use obsidian::abi::{self, Arg, KernelInfo, ScalarArg};
use obsidian::prelude::*;

const WARM_UPS: usize = 3;
const TIMED: usize = 31;
/// Elements of a vector.
const LEN: usize = 1 << 24;
/// Options.
const OPTIONS: usize = 1 << 20;
/// Rows of the matrix, about 18 entries each.
const ROWS: u32 = 1 << 20;
/// How far results may lie apart: by hand `exp` and `log` are the driver's, and contraction is allowed.
const NEAR: f32 = 1e-3;

kernel! {
    #[kernel(threads = 256)]
    pub fn map_plus(k: i32, input: DPull<i32>) -> DPush<Grid, i32> {
        input.map(|x| x + k).push()
    }

    #[kernel(threads = 256)]
    pub fn saxpy(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| alpha * x + y).push()
    }

    #[kernel(threads = 256)]
    pub fn fold_sum(input: DPull<f32>) -> DPush<Grid, f32> {
        input.split_up(4096).as_grid_map(|chunk| red6(chunk, |a, b| a + b))
    }

    #[kernel(threads = 256)]
    pub fn dot_product(x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |a, b| a * b).split_up(4096).as_grid_map(|products| red6(products, |a, b| a + b))
    }

    fn normal_below(x: f32) -> f32 {
        let k = 1.0 / (1.0 + 0.2316419 * abs(x));
        let poly = ((((1.3302744 * k - 1.8212559) * k + 1.7814779) * k - 0.35656378) * k + 0.31938153) * k;
        let above = 0.39894228 * exp(-0.5 * x * x) * poly;
        if x > 0.0 { 1.0 - above } else { above }
    }

    fn worth(rate: f32, volatility: f32, option: (f32, f32, f32)) -> (f32, f32) {
        let (price, strike, years) = option;
        let spread = volatility * sqrt(years);
        let d1 = (ln(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
        let (n1, n2) = (normal_below(d1), normal_below(d1 - spread));
        let later = strike * exp(-rate * years);
        (price * n1 - later * n2, later * (1.0 - n2) - price * (1.0 - n1))
    }

    #[kernel(threads = 256)]
    pub fn black_scholes(rate: f32, volatility: f32, options: DPull<(f32, f32, f32)>) -> DPush<Grid, (f32, f32)> {
        options.map(|option| worth(rate, volatility, option)).push()
    }

    #[kernel(threads = 256)]
    pub fn smvm(rows: DPull<(u32, u32)>, entries: DPull<(u32, f32)>, x: DPull<f32>) -> DPush<Grid, f32> {
        let product = |row: (u32, u32)| {
            let mut sum = 0.0;
            for i in row.0..min(row.1, entries.len()) {
                let (column, value) = entries[i];
                sum = sum + value * x[column];
            }
            sum
        };
        rows.chunks(256).as_grid_map(|chunk| chunk.map(product).push())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let devices = (Device::cpu(), Device::opencl(0)?);
    println!("{} and {}, best of {TIMED}", machine(), devices.1.name());
    println!(
        "{:<15}{:>12}{:>12}{:>12}{:>16}{:>8}",
        "program", "CPU ms", "OpenCL ms", "by hand ms", "OpenCL/by hand", "median"
    );
    for measured in [map(&devices), vectors(&devices), options(&devices), matrix(&devices)] {
        match measured.map_err(|error| error.downcast::<obsidian::Error>().map(|error| *error)) {
            // One row less.
            Err(Ok(error @ obsidian::Error::Feature { .. })) => println!("{error}"),
            Err(Ok(error)) => return Err(error.into()),
            Err(Err(error)) => return Err(error),
            Ok(()) => {}
        }
    }
    Ok(())
}

/// The CPU and the OpenCL device.
type Devices = (Device, Device);

fn map(devices: &Devices) -> Result<(), Box<dyn Error>> {
    let (cpu, device) = devices;
    let values: Vec<i32> = (0..LEN as i32).collect();
    let (here, there) = (cpu.upload(&values)?, device.upload(&values)?);
    let (on_cpu, on_device) = (map_plus.prepare(cpu, 7, LEN)?, map_plus.prepare(device, 7, LEN)?);
    let by_hand = plan(&by_hand::MAP_PLUS, device, &[7i32.bits(), LEN as u64])?;
    let program =
        Program { name: "map_plus", fresh: [&|| on_cpu.outputs(), &|| on_device.outputs()], near: |a, b| a == b };
    program.race(
        devices,
        [&|out| on_cpu.run_into(7, &here, out), &|out| on_device.run_into(7, &there, out), &|out| {
            by_hand.launch(&mut [Arg::Scalar(7i32.bits()), Arg::Buffer(there.raw())], &mut [out.raw_mut()])
        }],
    )
}

fn vectors(devices: &Devices) -> Result<(), Box<dyn Error>> {
    let (cpu, device) = devices;
    let xs: Vec<f32> = (0..LEN).map(|i| (i % 1000) as f32).collect();
    let ys: Vec<f32> = (0..LEN).map(|i| (i % 77) as f32 / 3.0).collect();
    let (x, y, there_x, there_y) = (cpu.upload(&xs)?, cpu.upload(&ys)?, device.upload(&xs)?, device.upload(&ys)?);
    let len = LEN as u64;

    let (on_cpu, on_device) = (saxpy.prepare(cpu, 1.5, LEN, LEN)?, saxpy.prepare(device, 1.5, LEN, LEN)?);
    let by_hand = plan(&by_hand::SAXPY, device, &[1.5f32.bits(), len, len])?;
    let program = Program { name: "saxpy", fresh: [&|| on_cpu.outputs(), &|| on_device.outputs()], near };
    program.race(
        devices,
        [&|out| on_cpu.run_into(1.5, &x, &y, out), &|out| on_device.run_into(1.5, &there_x, &there_y, out), &|out| {
            let mut args = [Arg::Scalar(1.5f32.bits()), Arg::Buffer(there_x.raw()), Arg::Buffer(there_y.raw())];
            by_hand.launch(&mut args, &mut [out.raw_mut()])
        }],
    )?;

    let (on_cpu, on_device) = (fold_sum.prepare(cpu, LEN)?, fold_sum.prepare(device, LEN)?);
    let by_hand = plan(&by_hand::FOLD_SUM, device, &[len])?;
    let program = Program { name: "fold_sum", fresh: [&|| on_cpu.outputs(), &|| on_device.outputs()], near };
    program.race(
        devices,
        [&|out| on_cpu.run_into(&x, out), &|out| on_device.run_into(&there_x, out), &|out| {
            by_hand.launch(&mut [Arg::Buffer(there_x.raw())], &mut [out.raw_mut()])
        }],
    )?;

    let (on_cpu, on_device) = (dot_product.prepare(cpu, LEN, LEN)?, dot_product.prepare(device, LEN, LEN)?);
    let by_hand = plan(&by_hand::DOT_PRODUCT, device, &[len, len])?;
    let program = Program { name: "dot_product", fresh: [&|| on_cpu.outputs(), &|| on_device.outputs()], near };
    program.race(
        devices,
        [&|out| on_cpu.run_into(&x, &y, out), &|out| on_device.run_into(&there_x, &there_y, out), &|out| {
            let mut args = [Arg::Buffer(there_x.raw()), Arg::Buffer(there_y.raw())];
            by_hand.launch(&mut args, &mut [out.raw_mut()])
        }],
    )
}

fn options(devices: &Devices) -> Result<(), Box<dyn Error>> {
    let (cpu, device) = devices;
    let between = |low: f32, high: f32, i: usize| low + (high - low) * (i * 40_503 % 65_536) as f32 / 65_536.0;
    let option = |i| (between(5.0, 30.0, i), between(1.0, 100.0, 3 * i + 1), between(0.25, 10.0, 7 * i + 2));
    let values: Vec<_> = (0..OPTIONS).map(option).collect();
    let (here, there) = (cpu.upload(&values)?, device.upload(&values)?);
    let (rate, volatility) = (0.02f32, 0.3f32);
    let prepared = |device| black_scholes.prepare(device, rate, volatility, OPTIONS);
    let (on_cpu, on_device) = (prepared(cpu)?, prepared(device)?);
    let scalars = [rate.bits(), volatility.bits()];
    let by_hand = plan(&by_hand::BLACK_SCHOLES, device, &[scalars[0], scalars[1], OPTIONS as u64])?;
    let program = Program {
        name: "black_scholes",
        fresh: [&|| on_cpu.outputs(), &|| on_device.outputs()],
        near: |found, expected| near(&flat(found), &flat(expected)),
    };
    program.race(
        devices,
        [
            &|out| on_cpu.run_into(rate, volatility, &here, out),
            &|out| on_device.run_into(rate, volatility, &there, out),
            &|out| {
                let mut args = [Arg::Scalar(scalars[0]), Arg::Scalar(scalars[1]), Arg::Buffer(there.raw())];
                by_hand.launch(&mut args, &mut [out.raw_mut()])
            },
        ],
    )
}

fn matrix(devices: &Devices) -> Result<(), Box<dyn Error>> {
    let (cpu, device) = devices;
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for r in 0..ROWS {
        let start = rows.last().map_or(0, |row| row.1);
        rows.push((start, start + r % 37));
    }
    let count = rows.last().map_or(0, |row| row.1);
    let entries: Vec<(u32, f32)> = (0..count).map(|i| (i * 37 % ROWS, (i % 7) as f32)).collect();
    let vector: Vec<f32> = (0..ROWS).map(|i| (i % 11) as f32).collect();
    let here = (cpu.upload(&rows)?, cpu.upload(&entries)?, cpu.upload(&vector)?);
    let there = (device.upload(&rows)?, device.upload(&entries)?, device.upload(&vector)?);
    let lens = (rows.len(), entries.len(), vector.len());
    let (on_cpu, on_device) =
        (smvm.prepare(cpu, lens.0, lens.1, lens.2)?, smvm.prepare(device, lens.0, lens.1, lens.2)?);
    for (name, by_hand) in [("smvm", &by_hand::SMVM), ("smvm, tested", &by_hand::SMVM_TESTED)] {
        let by_hand = plan(by_hand, device, &[lens.0 as u64, lens.1 as u64, lens.2 as u64])?;
        let program = Program { name, fresh: [&|| on_cpu.outputs(), &|| on_device.outputs()], near };
        program.race(
            devices,
            [
                &|out| on_cpu.run_into(&here.0, &here.1, &here.2, out),
                &|out| on_device.run_into(&there.0, &there.1, &there.2, out),
                &|out| {
                    let mut args = [Arg::Buffer(there.0.raw()), Arg::Buffer(there.1.raw()), Arg::Buffer(there.2.raw())];
                    by_hand.launch(&mut args, &mut [out.raw_mut()])
                },
            ],
        )?;
    }
    Ok(())
}

fn plan(info: &'static KernelInfo, device: &Device, values: &[u64]) -> Result<abi::Plan, obsidian::Error> {
    abi::plan(info, &LaunchOptions::DEFAULT, device, values)
}

/// A launch that writes to a buffer.
type Launch<'a, T> = &'a dyn Fn(&mut Buffer<T>) -> Result<(), obsidian::Error>;

/// A program in its three forms: on the CPU, on the device, and there by hand.
struct Program<'a, T: Element> {
    name: &'a str,
    /// An output on the CPU and one on the device.
    fresh: [&'a dyn Fn() -> Result<Buffer<T>, obsidian::Error>; 2],
    /// Whether what was written by hand gives what it should.
    near: fn(&[T], &[T]) -> bool,
}

/// What was measured of a launch.
struct Times {
    median: Duration,
    best: Duration,
}

impl<T: Element + PartialEq> Program<'_, T> {
    /// Runs them in turn, so that a change of the machine's clock meets all, and prints a line. Both of the device's write to
    /// one buffer: on which pages of memory it lies makes more of a difference to a map than its code. The one that follows
    /// the other finds some of the arrays in the caches, so each of the two follows in every second round.
    fn race(&self, (cpu, device): &Devices, launches: [Launch<'_, T>; 3]) -> Result<(), Box<dyn Error>> {
        let (mut times, mut outs) = ([const { Vec::new() }; 3], [(self.fresh[0])()?, (self.fresh[1])()?]);
        for round in 0..WARM_UPS + TIMED {
            for i in if round % 2 == 0 { [0, 1, 2] } else { [0, 2, 1] } {
                let on = if i == 0 { cpu } else { device };
                let start = on.stream().mark()?;
                launches[i](&mut outs[i.min(1)])?;
                let time = on.stream().mark()?.since(&start)?;
                if round >= WARM_UPS {
                    times[i].push(time);
                }
            }
        }
        let result = |i: usize| {
            let mut out = (self.fresh[i.min(1)])()?;
            launches[i](&mut out)?;
            out.to_vec()
        };
        let [a, b, c] = [result(0)?, result(1)?, result(2)?];
        report(self.name, times.map(Times::of), [a == b, (self.near)(&b, &c)])
    }
}

impl Times {
    fn of(mut times: Vec<Duration>) -> Times {
        times.sort_unstable();
        Times { median: times[TIMED / 2], best: times[0] }
    }
}

fn flat(pairs: &[(f32, f32)]) -> Vec<f32> {
    pairs.iter().flat_map(|&(a, b)| [a, b]).collect()
}

fn near(found: &[f32], expected: &[f32]) -> bool {
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= NEAR * b.abs().max(1.0);
    found.len() == expected.len() && found.iter().zip(expected).all(near)
}

/// A line; the results must be the same, or the times mean nothing.
fn report(name: &str, times: [Times; 3], same: [bool; 2]) -> Result<(), Box<dyn Error>> {
    if same != [true; 2] {
        return Err(format!("{name}: CPU as OpenCL: {}; OpenCL as by hand: {}", same[0], same[1]).into());
    }
    let [_, ours, hands] = times.each_ref().map(|times| times.median.as_secs_f64());
    let [cpu, opencl, by_hand] = times.map(|times| times.best.as_secs_f64() * 1e3);
    let (ratio, median) = (opencl / by_hand, ours / hands);
    println!("{name:<15}{cpu:>12.3}{opencl:>12.3}{by_hand:>12.3}{ratio:>16.2}{median:>8.2}");
    Ok(())
}

/// The processor's name.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}
