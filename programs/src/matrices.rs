//! Matrices: rows and columns are known at launch.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// The mean of 3 x 3 elements.
    fn mean(near: Pull<Pull<f32>>) -> f32 {
        let sums = near.map(|row| row[0] + row[1] + row[2]);
        (sums[0] + sums[1] + sums[2]) / 9.0
    }

    /// The elements around, numbered.
    fn numbered(near: Pull<Pull<u32>>) -> u32 {
        let all = near.flatten();
        let mut sum = 0;
        for i in 0..all.len() {
            sum = sum * 31 + all[i];
        }
        sum
    }

    #[kernel(threads = [64, 1, 33, 256])]
    pub fn mat_doubled(m: DMat<f32>) -> PushMat<Grid, f32> {
        m.map(|row| row.map(|x| x + x)).push()
    }

    #[kernel(threads = [64, 33])]
    pub fn mat_transposed(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.transpose().push()
    }

    /// Two fields of different widths.
    #[kernel(threads = [64, 33])]
    pub fn mat_pairs(m: DMat<(u8, f64)>) -> PushMat<Grid, (u8, f64)> {
        mk_mat(m.rows(), m.cols(), |r, c| (m[(m.rows() - 1 - r, c)].0, m[(r, m.cols() - 1 - c)].1)).push()
    }

    #[kernel(threads = [64, 33])]
    pub fn mat_blurred(m: DMat<f32>) -> PushMat<Grid, f32> {
        m.stencil_2d(1, 1, mean).push()
    }

    #[kernel(threads = [64, 33])]
    pub fn mat_clamped(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.stencil_2d(2, 1, numbered).push()
    }

    #[kernel(threads = [64, 33])]
    pub fn mat_filled(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.stencil_2d_fill(1, 2, 7, numbered).push()
    }

    #[kernel(threads = [64, 33])]
    pub fn mat_wrapped(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.stencil_2d_wrap(1, 2, numbered).push()
    }

    #[kernel(threads = [64, 33])]
    pub fn mat_mirrored(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.stencil_2d_mirror(1, 1, numbered).push()
    }

    /// All but the edges, of a matrix that has some.
    #[kernel(threads = [64, 33])]
    pub fn mat_inner(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.sub(1, 1, m.rows() - 2, m.cols() - 2).push()
    }

    /// Each row's sum: an array, not a matrix.
    #[kernel(threads = [64, 1, 33, 256])]
    pub fn mat_row_sums(m: DMat<u32>) -> DPush<Grid, u32> {
        m.as_grid_map(|row| reduce(row, |a, b| a + b))
    }

    #[kernel(threads = [64, 33])]
    pub fn mat_col_sums(m: DMat<u32>) -> DPush<Grid, u32> {
        m.transpose().as_grid_map(|col| reduce(col, |a, b| a + b))
    }

    #[kernel(threads = [64, 1, 33])]
    pub fn mat_softmax(m: DMat<f32>) -> PushMat<Grid, f32> {
        m.as_grid_rows(|row| {
            let top = reduce(row, |a, b| max(a, b)).first();
            let powers = row.map(|x| exp(x - top));
            let sum = reduce(powers, |a, b| a + b).first();
            powers.map(|x| x / sum).push()
        })
    }

    /// A product: a block for each row, a thread for each element.
    #[kernel(threads = [64, 33])]
    pub fn mat_product(a: DMat<f32>, b: DMat<f32>) -> PushMat<Grid, f32> {
        a.as_grid_rows(|row| b.transpose().as_block_map(|col| exec_thread({
            row.zip_with(col, |x, y| x * y).foldl(0.0, |sum, x| sum + x)
        })))
    }

    /// Two matrices of one shape, and a vector as wide.
    #[kernel(threads = [64, 33])]
    pub fn mat_affine(a: DMat<f32>, scale: f32, b: DMat<f32>, bias: DPull<f32>) -> PushMat<Grid, f32> {
        let sum = a.zip_with(b, |x, y| x.zip_with(y, |x, y| scale * x + y));
        sum.map(|row| row.zip_with(bias, |x, b| x + b)).push()
    }

    /// A matrix and an array of one launch.
    #[kernel(threads = [64, 33])]
    pub fn mat_and_rows(m: DMat<i32>) -> (PushMat<Grid, i32>, DPush<Grid, i32>) {
        (m.map(|row| row.reverse()).push(), m.as_grid_map(|row| reduce(row, |a, b| max(a, b))))
    }

    /// The sum of each 8 x 16 elements, and of what is left at the edges.
    #[kernel(threads = [64, 33])]
    pub fn mat_tile_sums(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.ragged_tiles(8, 16).as_grid_rows(|tiles| tiles.as_block_map(|tile| exec_thread({
            tile.foldl(0, |sum, row| sum + row.foldl(0, |sum, x| sum + x))
        })))
    }

    #[kernel(threads = 64, T = [f32, u16])]
    pub fn mat_generic<T: Num>(m: DMat<T>, x: T) -> PushMat<Grid, T> {
        m.map(|row| row.map(|y| x + y)).push()
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        mat_doubled.kernel(),
        mat_transposed.kernel(),
        mat_pairs.kernel(),
        mat_blurred.kernel(),
        mat_clamped.kernel(),
        mat_filled.kernel(),
        mat_wrapped.kernel(),
        mat_mirrored.kernel(),
        mat_inner.kernel(),
        mat_row_sums.kernel(),
        mat_col_sums.kernel(),
        mat_softmax.kernel(),
        mat_product.kernel(),
        mat_affine.kernel(),
        mat_and_rows.kernel(),
        mat_tile_sums.kernel(),
        mat_generic.kernel(),
    ]
}
