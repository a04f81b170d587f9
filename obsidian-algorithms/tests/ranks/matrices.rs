//! Matrices whose rows are shared out: transposed, and stencils.

use obsidian::exchange::{Exchange, Ranks, Threads};
use obsidian::prelude::*;
use obsidian_algorithms::dist::{self, Beyond, Rows};

use crate::{Cut, bits, floats, mixed, on, starts};

kernel! {
    /// Of rows with one more above and below, those between: three rows' weighted sums, columns go around.
    #[kernel(threads = 128)]
    pub fn blurred(m: DMat<f32>) -> PushMat<Grid, f32> {
        let (rows, cols) = (m.rows(), m.cols());
        mk_mat(max(rows, 2) - 2, cols, |i, j| {
            0.5 * m[(i + 1, j)] + 0.2 * m[(i, j)] + 0.2 * m[(i + 2, j)] + 0.1 * m[(i + 1, (j + 1) % cols)]
        }).push()
    }
}

/// This rank's rows of a matrix.
fn rows<T: Element>(ranks: &Ranks<Threads>, all: &[T], cols: usize, starts: &[usize]) -> Result<Rows<T>, Error> {
    let (from, to) = (starts[ranks.rank()], starts[ranks.rank() + 1]);
    Rows::joined(ranks, Device::cpu().upload_matrix(&all[from * cols..to * cols], to - from, cols)?)
}

#[test]
fn rows_become_columns() {
    let long = [(1003, 1), (1, 1003), (1_000_003, 1), (1, 1_000_003)];
    for (height, width) in
        [(0, 0), (1, 1), (1, 3), (3, 5), (0, 4), (5, 0), (100, 37), (2, 1003)].into_iter().chain(long)
    {
        let values: Vec<u32> = (0..height * width).map(mixed).collect();
        let expected: Vec<u32> =
            (0..width).flat_map(|c| (0..height).map(move |r| (r, c))).map(|(r, c)| values[r * width + c]).collect();
        for (size, cut) in (1..=4).flat_map(|size| [(size, Cut::Even), (size, Cut::Ragged)]) {
            let starts = starts(height, size, cut);
            let found = on(size, |ranks| {
                let turned = dist::transpose(ranks, &rows(ranks, &values, width, &starts)?)?;
                assert_eq!((turned.rows(), turned.cols()), (width as u64, height));
                turned.gather(ranks, 0)
            });
            assert_eq!(found[0], expected, "{height} x {width} on {size} ranks, {cut:?}");
        }
    }
}

/// The stencil in plain Rust, in the order of the kernel.
fn blurred_in_rust(m: &[f32], height: usize, width: usize, beyond: Beyond<f32>) -> Vec<f32> {
    let at = |i: i64, j: usize| match beyond {
        Beyond::Around => m[i.rem_euclid(height as i64) as usize * width + j % width],
        Beyond::Filled(value) => {
            if i < 0 || i >= height as i64 {
                value
            } else {
                m[i as usize * width + j % width]
            }
        }
    };
    let value = |i: i64, j| 0.5 * at(i, j) + 0.2 * at(i - 1, j) + 0.2 * at(i + 1, j) + 0.1 * at(i, j + 1);
    (0..height as i64).flat_map(|i| (0..width).map(move |j| (i, j))).map(|(i, j)| value(i, j)).collect()
}

#[test]
fn stencils_see_the_rows_of_other_ranks() {
    let long = [(1003, 1), (1, 1003), (1_000_003, 1)];
    for (height, width) in [(0, 5), (1, 1), (1, 3), (2, 2), (3, 1), (10, 7), (101, 33)].into_iter().chain(long) {
        for beyond in [Beyond::Around, Beyond::Filled(2.5)] {
            let values = floats(height * width);
            let mut expected = values.clone();
            (0..3).for_each(|_| expected = blurred_in_rust(&expected, height, width, beyond));
            for (size, cut) in (1..=4).flat_map(|size| [(size, Cut::Even), (size, Cut::Ragged)]) {
                let starts = starts(height, size, cut);
                let found = on(size, |ranks| {
                    let mut m = rows(ranks, &values, width, &starts)?;
                    for _ in 0..3 {
                        m = dist::stencil_rows(ranks, &m, 1, beyond, |m, out| blurred.run_into(m.device(), m, out))?;
                    }
                    m.gather(ranks, 0)
                });
                assert_eq!(bits(&found[0]), bits(&expected), "{height} x {width} on {size} ranks, {cut:?}, {beyond:?}");
            }
        }
    }
}
