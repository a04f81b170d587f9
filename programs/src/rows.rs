//! Rows of a width that is known at launch, each the work of a block or of a warp.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// The rows of an array that holds them one after the other, `width` elements each.
    fn rows_of<T>(xs: DPull<T>, width: u32) -> DPull<DPull<T>> {
        mk_pull(xs.len() / width, |r| mk_pull(width, |c| xs[r * width + c]))
    }

    /// A matrix times a vector: a block for each row.
    #[kernel(threads = [64, 1, 33, 256])]
    pub fn row_products(matrix: DPull<f32>, v: DPull<f32>) -> DPush<Grid, f32> {
        rows_of(matrix, v.len()).as_grid_map(|row| reduce(row.zip_with(v, |a, b| a * b), |a, b| a + b))
    }

    /// The same, a warp for each row.
    #[kernel(threads = [64, 33])]
    pub fn row_products_by_warps(matrix: DPull<f32>, v: DPull<f32>) -> DPush<Grid, f32> {
        rows_of(matrix, v.len()).as_grid_map(|row| {
            mk_pull(1, |_i| exec_warp(reduce(row.zip_with(v, |a, b| a * b), |a, b| a + b))).as_block()
        })
    }

    /// Softmax of rows to which `bias` is added.
    #[kernel(threads = [64, 33])]
    pub fn row_softmax(xs: DPull<f32>, bias: DPull<f32>) -> DPush<Grid, f32> {
        rows_of(xs, bias.len()).as_grid_map(|row| exec_block({
            let biased = row.zip_with(bias, |x, b| x + b);
            let top = reduce(biased, |a, b| max(a, b)).first();
            let powers = biased.map(|x| exp(x - top));
            let sum = reduce(powers, |a, b| a + b).first();
            powers.map(|x| x / sum).push()
        }))
    }

    /// A reduction keeps the order: affine maps do not commute. As many in a row as `like` has elements.
    #[kernel(threads = [64, 1, 33])]
    pub fn row_composed(maps: DPull<(u32, u32)>, like: DPull<u8>) -> DPush<Grid, (u32, u32)> {
        rows_of(maps, like.len()).as_grid_map(|row| reduce(row, |f, g| (f.0 * g.0, f.1 * g.0 + g.1)))
    }

    /// What each beginning of a row composes to, tile by tile: affine maps do not commute. As many in a row as `like` has elements.
    #[kernel(threads = [64, 1, 33])]
    pub fn row_scans(maps: DPull<(u32, u32)>, like: DPull<u8>) -> DPush<Grid, (u32, u32)> {
        rows_of(maps, like.len()).as_grid_map(|row| exec_block(scan_by_tiles(row, |f, g| (f.0 * g.0, f.1 * g.0 + g.1))))
    }

    /// How often each of 0 to 15 is in a row that is `like` one.
    #[kernel(threads = [64, 33])]
    pub fn row_counts(xs: DPull<u32>, like: DPull<u8>) -> DPush<Grid, u32> {
        rows_of(xs, like.len()).as_grid_map(|row| exec_block(histogram(row.map(|x| x % 16), 16).push()))
    }

    /// Rows as columns, each element placed by its author.
    #[kernel(threads = [64, 33])]
    pub fn rows_turned(xs: DPull<u32>, like: DPull<u8>) -> DPush<Grid, u32> {
        let cols = like.len();
        let rows = xs.len() / cols;
        mk_push(rows * cols, |write| distr_par(rows, |r| for_all(cols, |c| write(xs[r * cols + c], c * rows + r))))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        row_products.kernel(),
        row_products_by_warps.kernel(),
        row_softmax.kernel(),
        row_composed.kernel(),
        row_scans.kernel(),
        row_counts.kernel(),
        rows_turned.kernel(),
    ]
}
