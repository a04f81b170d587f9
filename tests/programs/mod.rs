//! The programs of the papers, as LANGUAGE.md writes them. Used by the tests, and by the example `emit`.

pub mod functions;
pub mod lanes;
pub mod scalars;

use obsidian::Kernel;
use obsidian::prelude::*;

pub mod generic;
pub mod mutable;

kernel! {
    /// Tree reduction of a power-of-two array, at any level that can compute (JFP 2016 §3).
    fn halving<L: Compute, T: Data>(f: impl Fn(T, T) -> T, xs: Pull<T>) -> Program<L, Push<L, T>> {
        if xs.len() == 1 {
            xs.push()
        } else {
            let (lo, hi) = xs.halve();
            halving(f, lo.zip_with(hi, f).compute())
        }
    }

    /// JFP 2016 §3, and ACCEPTANCE 5.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn reductions(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(512).as_grid_map(|chunk| exec_block(halving(|a, b| a + b, chunk)))
    }

    /// JFP 2016 §6.2.
    #[kernel(threads = [64, 1, 33, 256])]
    pub fn sum_red1(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(red1(c, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 33, 256])]
    pub fn sum_red2(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(red2(c, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 33, 256])]
    pub fn sum_red3(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(red3(c, 2, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 33, 256])]
    pub fn sum_red4(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(red4(c, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 33, 256])]
    pub fn sum_red5(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(red5(c, |a, b| a + b)))
    }

    #[kernel(threads = [64, 1, 33, 256])]
    pub fn sum_red6(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| red6(c, |a, b| a + b))
    }

    #[kernel(threads = [64, 1, 33, 256])]
    pub fn sum_red7(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| red7(c, |a, b| a + b))
    }

    #[kernel(threads = 64)]
    pub fn max_red5(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| red5(c, |a, b| max(a, b)))
    }

    /// ACCEPTANCE 6: `2x2` matrices multiply associatively but not commutatively; here as the affine maps `ax + b`.
    fn after(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
        (f.0 * g.0, f.1 * g.0 + g.1)
    }

    #[kernel(threads = [64, 100])]
    pub fn compose_red1(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(512).as_grid_map(|c| exec_block(red1(c, |f, g| after(f, g))))
    }

    /// The library's `reduce` takes any length and keeps the order.
    #[kernel(threads = [64, 100])]
    pub fn compose_any(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(300).as_grid_map(|c| exec_block(reduce(c, after)))
    }

    /// Two-stage reduction: each warp reduces 32 elements, the block their sums.
    fn warp_sum(xs: Pull<i32>) -> Program<Warp, Push<Warp, i32>> {
        halving(|a, b| a + b, xs)
    }

    #[kernel(threads = [128, 1, 32, 33, 64, 100, 1024])]
    pub fn two_stage(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(512).as_grid_map(|chunk| {
            let sums = chunk.split_up(32).as_block_map(|c| warp_sum(c)).compute();
            halving(|a, b| a + b, sums)
        })
    }

    #[kernel(threads = [256, 1, 100, 1024])]
    pub fn saxpy(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| alpha * x + y).split_up(1024).as_grid_map(|c| c.push())
    }

    /// FCL 2016 §3: reverse, distributed over a grid.
    #[kernel(threads = [256, 33])]
    pub fn reversed(input: DPull<i32>) -> DPush<Grid, i32> {
        input.reverse().split_up(256).as_grid_map(|c| c.push())
    }

    /// The same through shared memory and a push array that writes backwards.
    #[kernel(threads = [64, 100])]
    pub fn reversed_chunks(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(256).as_grid_map(|c| exec_block(c.push().reverse().compute()))
    }

    /// ACCEPTANCE 15.
    fn pixel(b: u32, t: u32) -> Program<Thread, u8> {
        let cx = -2.0 + t as f32 * (3.2 / 512.0);
        let cy = 1.2 - b as f32 * (2.4 / 512.0);
        let (_x, _y, n) = seq_while(
            (0.0f32, 0.0f32, 1u32),
            |(x, y, n)| x * x + y * y < 4.0 && n < 512,
            |(x, y, n)| (x * x - y * y + cx, 2.0 * x * y + cy, n + 1),
        );
        (n % 16 * 16) as u8
    }

    #[kernel(threads = [64, 512])]
    pub fn mandelbrot() -> Push<Grid, u8> {
        mk_pull(512, |b| mk_pull(512, |t| exec_thread(pixel(b, t))).as_block()).as_grid()
    }

    /// ACCEPTANCE 1: increment, pushed by the block; through `compute`; and by warps.
    #[kernel(threads = 512)]
    pub fn increment(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(2048).as_grid_map(|c| c.map(|x| x + 1).push())
    }

    #[kernel(threads = 512)]
    pub fn increment_stored(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(2048).as_grid_map(|c| exec_block(c.map(|x| x + 1).compute()))
    }

    #[kernel(threads = [512, 33])]
    pub fn increment_warps(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(2048).as_grid_map(|c| {
            c.split_up(512).as_block_map(|part| exec_warp(part.map(|x| x + 1).compute()))
        })
    }

    /// ACCEPTANCE 4: one array after the other, by a conditional for each element and by two loops.
    #[kernel(threads = 32)]
    pub fn append_pull(a: Pull<i32, 16>, b: Pull<i32, 16>) -> Push<Grid, i32> {
        singleton(a.append(b)).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 16)]
    pub fn append_push(a: Pull<i32, 16>, b: Pull<i32, 16>) -> Push<Grid, i32> {
        singleton(0).as_grid_map(|_i| a.push().append(b.push()))
    }

    /// Several outputs, and tuples as struct of arrays.
    #[kernel(threads = 64)]
    pub fn sum_and_difference(input: DPull<(i32, i32)>) -> (DPush<Grid, i32>, DPush<Grid, i32>) {
        let chunks = input.split_up(128);
        (chunks.as_grid_map(|c| c.map(|p| p.0 + p.1).push()), chunks.as_grid_map(|c| c.map(|p| p.0 - p.1).push()))
    }

    /// Loops over known values unroll; `let mut` arrays are reassigned between.
    #[kernel(threads = 64)]
    pub fn rotate_add(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| {
            let mut xs = c;
            for k in 0..6 {
                let ys = xs;
                xs = mk_pull(64, |i| ys[i] + ys[(i + (1 << k)) % 64]).compute();
            }
            xs.push()
        })
    }

    /// ACCEPTANCE 9: Sklansky's scan of a fixed length, and over a grid.
    #[kernel(threads = 512)]
    pub fn sklansky(input: Pull<u32, 1024>) -> Push<Grid, u32> {
        singleton(0).as_grid_map(|_b| exec_block(scan_sklansky1(input, |a, b| a + b)))
    }

    #[kernel(threads = [256, 33])]
    pub fn sklansky_grid(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(256).as_grid_map(|c| exec_block(c.scan_sklansky1(|a, b| a + b)))
    }

    /// ACCEPTANCE 10: Kogge and Stone's scan, of a length that is no power of two; the operator does not commute.
    #[kernel(threads = [512, 33])]
    pub fn kogge_stone(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(300).as_grid_map(|c| exec_block(c.scan_kogge_stone(after)))
    }

    #[kernel(threads = [512, 33])]
    pub fn kogge_stone_push(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(300).as_grid_map(|c| exec_block(c.scan_kogge_stone_push(|a, b| a + b)))
    }

    /// ACCEPTANCE 18: `tsort` of 512 elements in 45 phases.
    #[kernel(threads = [512, 33])]
    pub fn sorted(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(c.sort_tree()))
    }

    /// An ascending half and a descending one, merged.
    #[kernel(threads = 16)]
    pub fn merged(input: Pull<i32, 16>) -> Push<Grid, i32> {
        singleton(0).as_grid_map(|_b| exec_block(input.bitonic_merge()))
    }

    /// ACCEPTANCE 16: a block for each row, a thread for each column.
    #[kernel(threads = [32, 7])]
    pub fn matrix_product(a: Pull<i32, 1024>, b: Pull<i32, 1024>) -> Push<Grid, i32> {
        let columns = b.reshape(32, 32).transpose();
        a.reshape(32, 32).as_grid_map(|row| columns.as_block_map(|column| exec_thread(seq_dot(row, column))))
    }

    /// Tiles of 16 x 16 of a 256 x 256 matrix, each stored, then read by columns; the output is the tiles one by one.
    #[kernel(threads = 256)]
    pub fn tiles_transposed(input: Pull<i32, 65536>) -> Push<Grid, i32> {
        mk_pull(256, |t| {
            let tile = mk_pull(256, |k| input[(t / 16 * 16 + k / 16) * 256 + t % 16 * 16 + k % 16]);
            exec_block(tile.compute().reshape(16, 16).transpose().flatten())
        }).as_grid()
    }

    /// An `if` on unknown values, scalars of several types.
    #[kernel(threads = 64)]
    pub fn collatz_step(input: DPull<u64>) -> DPush<Grid, u64> {
        input.split_up(64).as_grid_map(|c| c.map(|x| if x % 2 == 0 { x / 2 } else { 3 * x + 1 }).push())
    }
}

/// Names that C, CUDA, PTX or the generated code use themselves.
#[obsidian::kernel]
pub mod names {
    #[kernel(threads = 64)]
    pub fn float(float: DPull<i32>, u32: i32) -> DPush<Grid, i32> {
        let dev = |x| x + u32;
        float.map(dev).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn r#type(out: DPull<i32>) -> DPush<Grid, i32> {
        out.map(|x| x - 1).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn größe(str: DPull<u8>) -> DPush<Grid, u8> {
        str.split_up(64).as_grid_map(|c| c.push().reverse())
    }
}

/// One entry in attribute form.
#[obsidian::kernel(threads = 128)]
pub fn squares(input: DPull<f64>) -> DPush<Grid, f64> {
    input.map(|x| x * x).split_up(128).as_grid_map(|c| c.push())
}

/// An inline module.
#[obsidian::kernel]
pub mod inline {
    fn plus_one(x: u8) -> u8 {
        x + 1
    }

    #[kernel(threads = 64)]
    pub fn increment_bytes(input: DPull<u8>) -> DPush<Grid, u8> {
        input.map(plus_one).split_up(64).as_grid_map(|c| c.push())
    }
}

/// Every kernel of this folder.
pub fn all() -> Vec<&'static Kernel> {
    let mut all = vec![
        reductions.kernel(),
        sum_red1.kernel(),
        sum_red2.kernel(),
        sum_red3.kernel(),
        sum_red4.kernel(),
        sum_red5.kernel(),
        sum_red6.kernel(),
        sum_red7.kernel(),
        max_red5.kernel(),
        compose_red1.kernel(),
        compose_any.kernel(),
        two_stage.kernel(),
        saxpy.kernel(),
        reversed.kernel(),
        reversed_chunks.kernel(),
        mandelbrot.kernel(),
        increment.kernel(),
        increment_stored.kernel(),
        increment_warps.kernel(),
        append_pull.kernel(),
        append_push.kernel(),
        sum_and_difference.kernel(),
        rotate_add.kernel(),
        sklansky.kernel(),
        sklansky_grid.kernel(),
        kogge_stone.kernel(),
        kogge_stone_push.kernel(),
        sorted.kernel(),
        merged.kernel(),
        matrix_product.kernel(),
        tiles_transposed.kernel(),
        collatz_step.kernel(),
        squares.kernel(),
        inline::increment_bytes.kernel(),
        names::float.kernel(),
        names::r#type.kernel(),
        names::größe.kernel(),
    ];
    all.extend(generic::all());
    all.extend(mutable::all());
    all.extend(lanes::all());
    all.extend(functions::all());
    all.extend(scalars::all());
    all
}
