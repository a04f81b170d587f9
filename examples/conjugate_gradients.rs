//! A sparse system of linear equations, solved by conjugate gradients: `cargo run --release --example conjugate_gradients [-- SIDE]`.
//!
//! The matrix is that of heat in a plate of SIDE x SIDE cells, in compressed rows. The whole loop is one program: vectors stay on the
//! device, and the host fetches one number in each round, to see whether the error is small enough.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    /// The sum of the products of two vectors' elements.
    fn inner(a: DPull<f64>, b: DPull<f64>) -> Program<Device, Pull<f64>> {
        reduce(a.zip_with(b, |x, y| x * y), |x, y| x + y)
    }

    /// A matrix times a vector: row `i` has the entries from `rows[i]` up to `rows[i + 1]`, each a column and a value.
    fn times(rows: DPull<u32>, entries: DPull<(u32, f64)>, x: DPull<f64>) -> Program<Device, DPull<f64>> {
        segmented_reduce(entries.map(|(column, value)| value * x[column]), rows, 0.0, |a, b| a + b)
    }

    /// Solves `matrix * x = b` for a symmetric matrix whose products with a vector and itself are positive. Gives `x`, the square of what is
    /// left of `b`, and the number of rounds, at most `most`.
    #[kernel]
    pub fn solved(
        rows: DPull<u32>,
        entries: DPull<(u32, f64)>,
        b: DPull<f64>,
        enough: f64,
        most: u32,
    ) -> Program<Device, (DPull<f64>, f64, u32)> {
        let mut x = b.map(|_b| 0.0).compute();
        let (mut left, mut direction) = (b, b);
        let mut error = inner(b, b).fetch(0);
        let mut rounds = 0u32;
        while rounds < most && error > enough {
            let (x0, left0, along) = (x, left, direction);
            // As many rows as there are unknowns; fewer are an error of the launch.
            let product = times(rows, entries, along).take(b.len());
            let step = error / inner(along, product).first();
            x = x0.zip_with(along, |x, d| x + step * d).compute();
            let now = left0.zip_with(product, |r, p| r - step * p).compute();
            let after = inner(now, now).fetch(0);
            let turn = after / error;
            direction = now.zip_with(along, |r, d| r + turn * d).compute();
            left = now;
            error = after;
            rounds = rounds + 1;
        }
        (x, error, rounds)
    }
}

/// A matrix in compressed rows.
struct Matrix {
    rows: Vec<u32>,
    entries: Vec<(u32, f64)>,
}

impl Matrix {
    /// Each cell exchanges heat with its neighbours, and with what is around the plate.
    fn of_plate(side: usize) -> Matrix {
        let mut matrix = Matrix { rows: vec![0], entries: Vec::new() };
        for i in 0..side * side {
            let (y, x) = (i / side, i % side);
            let neighbours = [(y > 0, i.wrapping_sub(side)), (x > 0, i.wrapping_sub(1)), (true, i)];
            let behind = [(x + 1 < side, i + 1), (y + 1 < side, i + side)];
            let there = neighbours.into_iter().chain(behind).filter(|(there, _)| *there);
            matrix.entries.extend(there.map(|(_, j)| (j as u32, if j == i { 4.0 } else { -1.0 })));
            matrix.rows.push(matrix.entries.len() as u32);
        }
        matrix
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let row = |ends: &[u32]| {
            let entries = &self.entries[ends[0] as usize..ends[1] as usize];
            entries.iter().map(|&(column, value)| value * x[column as usize]).sum()
        };
        self.rows.windows(2).map(row).collect()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let side: usize = std::env::args().nth(1).map_or(Ok(101), |side| side.parse())?;
    if side == 0 {
        return Err("a plate has a cell".into());
    }
    let matrix = Matrix::of_plate(side);
    let known: Vec<f64> = (0..side * side).map(|i| (i * 7919 % 1000) as f64 / 1000.0).collect();
    let b = matrix.times(&known);

    let dev = Device::best()?;
    let (rows, entries) = (dev.upload(&matrix.rows)?, dev.upload(&matrix.entries)?);
    let (x, error, rounds) = solved.run(&dev, &rows, &entries, &dev.upload(&b)?, 1e-20, 10 * side as u32 + 100)?;
    let (x, error, rounds) = (x.to_vec()?, error.to_vec()?, rounds.to_vec()?);
    let farthest = x.iter().zip(&known).map(|(found, known)| (found - known).abs()).fold(0.0, f64::max);
    println!("{}: {} equations, {rounds:?} rounds, what is left {error:?}", dev.name(), b.len());
    println!("at most {farthest:.1e} from the known solution");
    if x.len() == known.len() && farthest < 1e-6 { Ok(()) } else { Err("this is not the known solution".into()) }
}
