//! The programs of "FCL" (FHPC 2016), at sizes that the interpreter can run; `large.rs` has the paper's own.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// FCL 2016 §3: reverse, distributed over a grid.
    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn reversed(input: DPull<i32>) -> DPush<Grid, i32> {
        input.reverse().split_up(256).as_grid_map(|c| c.push())
    }

    /// The same through shared memory and a push array that writes backwards.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn reversed_chunks(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(256).as_grid_map(|c| exec_block(c.push().reverse().compute()))
    }

    /// Tiles of 16 x 16 of a 256 x 256 matrix, each stored, then read by columns; the output is the tiles one by one.
    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn tiles_transposed(input: Pull<i32, 65536>) -> Push<Grid, i32> {
        mk_pull(256, |t| {
            let tile = mk_pull(256, |k| input[(t / 16 * 16 + k / 16) * 256 + t % 16 * 16 + k % 16]);
            exec_block(tile.compute().reshape(16, 16).transpose().flatten())
        }).as_grid()
    }

    /// Tiles of 16 x 16 through shared memory, written where they belong.
    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn transposed(input: Pull<i32, 65536>) -> Push<Grid, i32> {
        input.transpose_tiled(256, 16)
    }

    /// A matrix of 64 columns cut into tiles of 8 x 16, each reversed in itself, and put together.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn retiled(input: DPull<i32>) -> DPush<Grid, i32> {
        let tiles = input.split_2d(64, 8, 16);
        tiles.as_tiles(64)
    }

    fn as_tiles<S: Size>(tiles: Pull<Pull<i32>, S>, columns: u32) -> Push<Grid, i32, S> {
        tiles.map(|t| exec_block(t.compute().reverse())).concat_2d_grid(columns, 8, 16)
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn untiled(input: Pull<i32, 4096>) -> Push<Grid, i32> {
        let tiles = input.reshape(32, 128).tiles(8, 16);
        tiles.map(|row| row.map(|t| exec_block(t.transpose().flatten().compute().reverse()))).untile_grid(8, 16)
    }

    /// FCL's `interleave`: element `j` of part `i` at `4 j + i`.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn interleaved(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.split_up(16).map(|p| exec_warp(p.compute())).interleave_with(|i, j| j * 4 + i))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn interleaved_seq(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.split_up(16).map(|p| exec_block(p.compute())).interleave_seq(|i, j| j * 4 + i))
    }

    /// 24, smaller: a block for each row.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn matrix_vector(matrix: DPull<f64>, vector: Pull<f64, 128>) -> DPush<Grid, f64> {
        matrix.split_up(128).as_grid_map(|row| exec_block(dot(row, vector)))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        reversed.kernel(),
        reversed_chunks.kernel(),
        tiles_transposed.kernel(),
        transposed.kernel(),
        retiled.kernel(),
        untiled.kernel(),
        interleaved.kernel(),
        interleaved_seq.kernel(),
        matrix_vector.kernel(),
    ]
}
