//! Matrices.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `f` of each row in a block of its own, as the rows of a matrix: these have one length.
///
/// Source: reference.md §5.
///
/// # Also
///
/// `as_grid_rows<T: Data, S: Size, R: Size>(rows: Pull<Push<Block, T, R>, S>) -> PushMat<Grid, T>`:
/// The rows of a matrix, one virtual block for each; all have one length, which is known at launch. Source: reference.md §5.
pub fn as_grid_rows<A, T: Data, S: Size, R: Size>(m: Pull<A, S>, f: impl Fn(A) -> Push<Block, T, R>) -> PushMat<Grid, T> {
    in_kernels_only()
}

/// Column `c`. Nothing is stored.
///
/// Source: reference.md §5.
pub fn col<T, S: Size, R: Size>(m: Pull<Pull<T, R>, S>, c: u32) -> Pull<T, S> {
    in_kernels_only()
}

/// The number of columns: the length of the first row.
///
/// Source: reference.md §5.
pub fn cols<T, S: Size, R: Size>(m: Pull<Pull<T, R>, S>) -> u32 {
    in_kernels_only()
}

/// Stores a matrix with `k` unused elements after every row, so that the elements of a column fall into different banks where a padded row has an odd length. Cost: as `compute`, and `k` elements of shared memory per row.
///
/// Source: reference.md §4; FCL 2016 §3.
pub fn compute_rows_padded<L: Compute, T: Data>(xss: Pull<Pull<T>>, k: u32) -> Program<L, Pull<Pull<T>>> {
    in_kernels_only()
}

/// The tiles of a matrix of `rows` rows and `cols` columns, each of `r` rows and `c` columns, or of what is left at the far edges: undoes `ragged_tiles`. A block for each tile, which gives its elements row by row.
///
/// Source: reference.md §5.
pub fn concat_tiles<T: Data, S: Size, R: Size>(tiles: Pull<Pull<DPush<Block, T>, R>, S>, rows: u32, cols: u32, r: u32, c: u32) -> PushMat<Grid, T> {
    in_kernels_only()
}

/// The inner product of two vectors of one length, at any level that can compute: products, then `reduce`. Cost: ⌈log2 len⌉ phases.
///
/// Source: Accelerate 2011 (`dotp`).
pub fn dot<L: Compute, T: Num>(xs: Pull<T>, ys: Pull<T>) -> Program<L, Push<L, T>> {
    in_kernels_only()
}

/// The rows one after the other; another name of `concat`.
///
/// Source: FCL 2016 §3.
pub fn flatten<T, S: Size, R: Size>(xss: Pull<Pull<T, R>, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// The matrix of `rows` rows and `cols` columns whose element in row `r` and column `c` is `f(r, c)`. Nothing is stored.
///
/// Source: reference.md §5.
pub fn mk_mat<T, S: Size, R: Size>(rows: u32, cols: u32, f: impl Fn(u32, u32) -> T) -> Pull<Pull<T, R>, S> {
    in_kernels_only()
}

/// A matrix as a matrix of tiles of `r` rows by `c` columns, of which those at the far edges have what is left. Nothing is stored.
///
/// Source: reference.md §5.
pub fn ragged_tiles<T, S: Size, R: Size>(m: Pull<Pull<T, R>, S>, r: u32, c: u32) -> Pull<Pull<DPull<DPull<T>>, R>, S> {
    in_kernels_only()
}

/// A vector as `rows` rows of `columns`; the length must be their product.
///
/// Source: FCL 2016 §3.
pub fn reshape<T>(xs: Pull<T>, rows: u32, columns: u32) -> Pull<Pull<T>> {
    in_kernels_only()
}

/// Row `r`; another name of `m[r]`.
///
/// Source: reference.md §5.
pub fn row<T, S: Size, R: Size>(m: Pull<Pull<T, R>, S>, r: u32) -> Pull<T, R> {
    in_kernels_only()
}

/// The number of rows.
///
/// Source: reference.md §5.
pub fn rows<T, S: Size, R: Size>(m: Pull<Pull<T, R>, S>) -> u32 {
    in_kernels_only()
}

/// The inner product of two vectors of one length, in one thread.
///
/// Source: Obsidian's examples (`MatMul`).
pub fn seq_dot<T: Num, S: Size>(xs: Pull<T, S>, ys: Pull<T, S>) -> Program<Thread, T> {
    in_kernels_only()
}

/// A matrix of `columns` columns, stored row by row, as tiles of `r` rows by `c` columns, each stored row by row. Nothing is copied.
///
/// Source: FCL's library (`splitGrid`).
pub fn split_2d<T, S: Size>(xs: Pull<T, S>, columns: u32, r: u32, c: u32) -> Pull<Pull<T>, S> {
    in_kernels_only()
}

/// Of a matrix, `rows` rows from row `r` on and of these `cols` columns from column `c` on, which must be in it. Nothing is stored.
///
/// Source: reference.md §5.
pub fn sub<T, S: Size, R: Size>(m: Pull<Pull<T, R>, S>, r: u32, c: u32, rows: u32, cols: u32) -> Pull<Pull<T, R>, S> {
    in_kernels_only()
}

/// A matrix as a matrix of tiles of `r` rows by `c` columns, which must divide it. Nothing is stored.
///
/// Source: FCL 2016 §3.
pub fn tiles<T>(xss: Pull<Pull<T>>, r: u32, c: u32) -> Pull<Pull<Pull<Pull<T>>>> {
    in_kernels_only()
}

/// Rows as columns. Nothing is stored.
///
/// Source: FCL 2016 §3.
pub fn transpose<T, S: Size, R: Size>(xss: Pull<Pull<T, R>, S>) -> Pull<Pull<T, S>, R> {
    in_kernels_only()
}

/// Rows as columns of a matrix of any size, stored row by row, `columns` elements a row; the length must be a multiple of it. One launch that reads and writes each element once: `transpose_ragged`, or, of fewer than 16 rows or columns, a thread for each element of the result.
///
/// Source: FCL 2016 §3.
pub fn transpose_2d<T: Data, S: Size>(xs: Pull<T, S>, columns: u32) -> Program<Device, DPull<T>> {
    in_kernels_only()
}

/// Rows of `columns` elements as columns, stored row by row: a block for each tile of 32 rows and columns, which reads rows, stores the tile, and writes rows; of the tiles at the far edges only what is left is written. Cost: one phase, 1056 elements of shared memory, one barrier.
///
/// Source: FCL 2016 §3.
pub fn transpose_ragged<T: Data, R: Size>(m: DPull<Pull<T, R>>, columns: u32) -> DPush<Grid, T> {
    in_kernels_only()
}

/// Rows as columns of a matrix of `columns` columns, stored row by row: a block for each tile of `tile` rows and columns, which reads rows, stores the tile, and writes rows. Cost: one phase, `tile * (tile + 1)` elements of shared memory, one barrier; where `tile` is even, a column's elements are in different banks.
///
/// Source: FCL 2016 §3.
pub fn transpose_tiled<T: Data, S: Size>(xs: Pull<T, S>, columns: u32, tile: u32) -> Push<Grid, T, S> {
    in_kernels_only()
}

/// A matrix of tiles of `r` rows by `c` columns as one matrix, stored row by row: a block for each tile. Undoes `tiles`.
///
/// Source: FCL 2016 §3.
pub fn untile_grid<T: Data>(tiles: Pull<Pull<Push<Block, T>>>, r: u32, c: u32) -> Push<Grid, T> {
    in_kernels_only()
}
