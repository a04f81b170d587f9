//! Of Accelerate's suite of 2011: maps, folds, slices and stencils.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// A1.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn absolute(input: DPull<i32>) -> DPush<Grid, i32> {
        input.map(|x| abs(x)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn plus_square(input: DPull<i32>) -> DPush<Grid, i32> {
        input.map(|x| x + 1).map(|x| x * x).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn dotp(x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip(y).split_up(256).as_grid_map(|c| {
            let (a, b) = c.unzip();
            exec_block(dot(a, b))
        })
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sasum(input: DPull<f32>) -> DPush<Grid, f32> {
        input.map(|x| abs(x)).split_up(100).as_grid_map(|c| exec_block(c.reduce(|a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn fold_max_min(input: DPull<i32>) -> (DPush<Grid, i32>, DPush<Grid, i32>) {
        let chunks = input.split_up(130);
        (chunks.as_grid_map(|c| exec_block(c.reduce(max))), chunks.as_grid_map(|c| exec_block(c.reduce(min))))
    }

    /// A6: a matrix of 2 x 2, twice along each axis.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn replicated(input: Pull<i32, 4>) -> (Push<Grid, i32>, Push<Grid, i32>, Push<Grid, i32>) {
        let layers = singleton(mk_pull(8, |i| input[i % 4]));
        let rows = singleton(mk_pull(8, |i| input[i / 4 * 2 + i % 2]));
        let columns = singleton(mk_pull(8, |i| input[i / 2]));
        (layers.as_grid_map(|c| c.push()), rows.as_grid_map(|c| c.push()), columns.as_grid_map(|c| c.push()))
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn blur(input: DPull<i32>) -> DPush<Grid, i32> {
        input.stencil(2, |w| w.fold1(|a, b| 3 * a + b)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn blur_filled(input: DPull<i32>) -> DPush<Grid, i32> {
        input.stencil_fill(2, 7, |w| w.fold1(|a, b| 3 * a + b)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn blur_wrapped(input: DPull<i32>) -> DPush<Grid, i32> {
        input.stencil_wrap(2, |w| w.fold1(|a, b| 3 * a + b)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn blur_mirrored(input: DPull<i32>) -> DPush<Grid, i32> {
        input.stencil_mirror(2, |w| w.fold1(|a, b| 3 * a + b)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn blur_2d(input: Pull<i32, 1024>) -> Push<Grid, i32> {
        input.reshape(32, 32).stencil_2d(1, 1, |w| w.flatten().fold1(|a, b| 3 * a + b)).as_grid_map(|row| row.push())
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        absolute.kernel(),
        plus_square.kernel(),
        dotp.kernel(),
        sasum.kernel(),
        fold_max_min.kernel(),
        replicated.kernel(),
        blur.kernel(),
        blur_filled.kernel(),
        blur_wrapped.kernel(),
        blur_mirrored.kernel(),
        blur_2d.kernel(),
    ]
}
