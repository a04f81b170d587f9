//! The rows of programs of several launches, beside CUB's algorithms of the whole device.

use std::error::Error;

use obsidian::{Buffer, Lent};
use rayon::prelude::*;

use crate::baseline::Algorithm;
use crate::kernels;
use crate::rows::{Bench, Measure, Row, mixed};

/// All of them, by name.
pub const ROWS: [(&str, Measure); 5] =
    [("scan", all_sums), ("sort", ordered), ("filter", thirds), ("histogram", bytes), ("unique", firsts)];

/// One row: `value` makes the input, `host` what comes of it, `ours` runs the program.
fn wide(
    bench: &Bench,
    (name, of, algorithm): (&'static str, &'static str, Algorithm),
    value: impl Fn(usize) -> u32 + Send + Sync,
    host: impl Fn(Vec<u32>) -> Vec<u32>,
    ours: impl Fn(&Lent<u32>, &mut Buffer<u32>) -> Result<(), obsidian::Error>,
) -> Result<Row, Box<dyn Error>> {
    let (values, input) = bench.filled(value)?;
    let expected = host(values);
    let lent = Lent::new(&bench.device, &input)?;
    let wanted = bench.baseline.as_ref().map(|library| library.wide_bytes(algorithm, bench.len)).transpose()?;
    let room = wanted.unwrap_or(0);
    let mut scratch = bench.stream.clone_htod(&vec![0_u8; room.max(1)])?;
    let mut count = bench.stream.clone_htod(&[0_u64])?;
    let (temporary, count) = ((bench.pointer_mut(&mut scratch), room), bench.pointer_mut(&mut count));
    let (from, on) = (bench.pointer(&input), bench.stream.cu_stream());
    bench.row(
        // Read once, and written once: what an algorithm that reads more moves counts as no speed.
        (name, of, 4 * (bench.len + expected.len())),
        &expected,
        |out| Ok(ours(&lent, out)?),
        // SAFETY: slices of the stream's context, which outlive the works; the temporary memory is as large as CUB asked for.
        |library, out| unsafe { library.wide(algorithm, on, temporary, [from, out, count], bench.len) },
    )
}

fn all_sums(bench: &Bench) -> Result<Row, Box<dyn Error>> {
    let sums = |mut values: Vec<u32>| {
        let mut sum = 0_u32;
        values.iter_mut().for_each(|x| {
            sum = sum.wrapping_add(*x);
            *x = sum;
        });
        values
    };
    let prepared = kernels::all_sums.prepare(&bench.device, bench.len)?;
    let head = ("scan u32", "cub::DeviceScan", Algorithm::AllSums);
    wide(bench, head, mixed, sums, |xs, out| prepared.run_into(xs, out))
}

fn ordered(bench: &Bench) -> Result<Row, Box<dyn Error>> {
    let sorted = |mut values: Vec<u32>| {
        values.par_sort_unstable();
        values
    };
    let prepared = kernels::ordered.prepare(&bench.device, bench.len)?;
    let head = ("sort u32", "cub::DeviceRadixSort", Algorithm::Ordered);
    wide(bench, head, mixed, sorted, |xs, out| prepared.run_into(xs, out))
}

/// The result is as long as what is kept, so it is made anew, and the host waits for its length.
fn thirds(bench: &Bench) -> Result<Row, Box<dyn Error>> {
    let kept = |values: Vec<u32>| values.into_par_iter().filter(|x| x % 3 == 0).collect();
    wide(bench, ("filter u32, a third", "cub::DeviceSelect::If", Algorithm::Thirds), mixed, kept, |xs, out| {
        *out = kernels::thirds.run(&bench.device, xs)?;
        Ok(())
    })
}

fn bytes(bench: &Bench) -> Result<Row, Box<dyn Error>> {
    let counts = |values: Vec<u32>| {
        let empty = || vec![0_u32; 256];
        let count = |mut counts: Vec<u32>, x: &u32| {
            counts[(x % 256) as usize] += 1;
            counts
        };
        let add = |a: Vec<u32>, b: Vec<u32>| a.into_iter().zip(b).map(|(a, b)| a + b).collect();
        values.par_iter().fold(empty, count).reduce(empty, add)
    };
    let prepared = kernels::bytes.prepare(&bench.device, bench.len)?;
    let head = ("histogram u32, 256 bins", "cub::DeviceHistogram", Algorithm::Bytes);
    wide(bench, head, mixed, counts, |xs, out| prepared.run_into(xs, out))
}

/// Runs of about three equal numbers.
fn firsts(bench: &Bench) -> Result<Row, Box<dyn Error>> {
    let run = |i| if mixed(i).is_multiple_of(3) { i as u32 } else { i as u32 / 4 };
    let firsts = |mut values: Vec<u32>| {
        values.dedup();
        values
    };
    wide(bench, ("unique u32", "cub::DeviceSelect::Unique", Algorithm::Firsts), run, firsts, |xs, out| {
        *out = kernels::firsts.run(&bench.device, xs)?;
        Ok(())
    })
}
