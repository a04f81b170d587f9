//! A sparse matrix times a vector, three ways: a thread per row, a warp per row, and a segmented scan, whose work is
//! the same whatever the rows' lengths. Columns are data: an index that is not there is an `Err`, never a stray read.
//! `cargo run --release --example sparse_matrix [-- ROWS]`, where `OBSIDIAN_BACKEND=cpu|opencl|cuda` chooses where it
//! runs.

use std::error::Error;
use std::time::Duration;

use obsidian::prelude::*;

kernel! {
    /// A row is where its entries start and end; an entry is a column and a value.
    #[kernel(threads = 128)]
    pub fn thread_a_row(rows: DPull<(u32, u32)>, entries: DPull<(u32, f32)>, x: DPull<f32>) -> DPush<Grid, f32> {
        rows.chunks(128).as_grid_map(|chunk| chunk.as_block_map(|row| exec_thread({
            let mut sum = 0.0;
            for i in row.0..min(row.1, entries.len()) {
                let (column, value) = entries[i];
                sum = sum + value * x[column];
            }
            sum
        })))
    }

    /// The lanes of a warp take a row's entries in turn, then add up by shuffles.
    #[kernel(threads = 128)]
    pub fn warp_a_row(rows: DPull<(u32, u32)>, entries: DPull<(u32, f32)>, x: DPull<f32>) -> DPush<Grid, f32> {
        rows.chunks(128).as_grid_map(|chunk| chunk.as_block_map(|row| exec_warp({
            let lanes = mk_pull(32, |lane| exec_thread({
                let mut sum = 0.0;
                let mut i = row.0 + lane;
                while i < min(row.1, entries.len()) {
                    let (column, value) = entries[i];
                    sum = sum + value * x[column];
                    i = i + 32;
                }
                sum
            }));
            reduce_lanes(lanes.as_warp().compute_lanes(), |a, b| a + b)
        })))
    }

    /// The products, summed up along each row within 256 entries: the sums restart where a row begins.
    #[kernel(threads = 128)]
    pub fn products(entries: DPull<(u32, f32)>, heads: DPull<bool>, x: DPull<f32>) -> DPush<Grid, f32> {
        entries.zip(heads).chunks(256).as_grid_map(|chunk| {
            let products = chunk.map(|((column, value), _head)| value * x[column]);
            exec_block(segmented_scan(products, chunk.map(|entry| entry.1), |a, b| a + b).push())
        })
    }

    /// Each row picks up its sums, one for each 256 entries that it lies in.
    #[kernel(threads = 128)]
    pub fn pieces(rows: DPull<(u32, u32)>, sums: DPull<f32>) -> DPush<Grid, f32> {
        rows.chunks(128).as_grid_map(|chunk| chunk.as_block_map(|row| exec_thread({
            let end = min(row.1, sums.len());
            let mut sum = 0.0;
            let mut at = row.0;
            while at < end {
                at = min((at / 256 + 1) * 256, end);
                sum = sum + sums[at - 1];
            }
            sum
        })))
    }
}

/// A matrix, and the vector that it is multiplied by. Small whole numbers: every order of adding gives the same.
struct Problem {
    rows: Vec<(u32, u32)>,
    entries: Vec<(u32, f32)>,
    heads: Vec<bool>,
    x: Vec<f32>,
}

impl Problem {
    /// Rows of no, one and some entries, and a long one now and then.
    fn new(count: u32) -> Problem {
        let mut rows = Vec::new();
        let mut end = 0;
        for r in 0..count {
            let start = end;
            end += if r % 500 == 499 { 2000 } else { r % 9 * (r % 4) };
            rows.push((start, end));
        }
        let x: Vec<f32> = (0..1000).map(|i| (i % 11) as f32 - 5.0).collect();
        let entries = (0..end).map(|i| (i * 37 % 1000, (i % 7) as f32 - 3.0)).collect::<Vec<_>>();
        let mut heads = vec![false; entries.len()];
        rows.iter().filter(|(start, end)| start < end).for_each(|(start, _)| heads[*start as usize] = true);
        Problem { rows, entries, heads, x }
    }

    fn expected(&self) -> Vec<f32> {
        let product = |&(column, value): &(u32, f32)| value * self.x[column as usize];
        let row = |&(start, end): &(u32, u32)| self.entries[start as usize..end as usize].iter().map(product).sum();
        self.rows.iter().map(row).collect()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let problem = Problem::new(std::env::args().nth(1).map_or(Ok(65_003), |n| n.parse())?);
    let dev = Device::best()?;
    let (rows, entries) = (dev.upload(&problem.rows)?, dev.upload(&problem.entries)?);
    let (heads, x) = (dev.upload(&problem.heads)?, dev.upload(&problem.x)?);
    println!("{} rows, {} entries on {}", problem.rows.len(), problem.entries.len(), dev.name());

    let expected = problem.expected();
    let report = |name: &str, timed: Result<(Buffer<f32>, Duration), obsidian::Error>| {
        let (result, time) = timed?;
        if result.to_vec()? != expected {
            return Err(Box::<dyn Error>::from(format!("{name}: the result differs from plain Rust's")));
        }
        println!("{name:<14}{:>9.3} ms", time.as_secs_f64() * 1e3);
        Ok(())
    };
    report("thread a row", second(&dev, || thread_a_row.run(&dev, &rows, &entries, &x)))?;
    report("warp a row", second(&dev, || warp_a_row.run(&dev, &rows, &entries, &x)))?;
    report("segmented scan", second(&dev, || pieces.run(&dev, &rows, &products.run(&dev, &entries, &heads, &x)?)))
}

/// The second of two runs, and its time: the first loads the kernels.
fn second<T>(dev: &Device, run: impl Fn() -> Result<T, obsidian::Error>) -> Result<(T, Duration), obsidian::Error> {
    run()?;
    let start = dev.stream().mark()?;
    let result = run()?;
    let time = dev.stream().mark()?.since(&start)?;
    Ok((result, time))
}
