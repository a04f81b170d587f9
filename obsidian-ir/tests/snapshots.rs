//! What the printers make of a few small kernels: IR, CUDA C and PTX of the default variant, kept beside this file.
//! A change of the texts is seen here before it is seen on a GPU.
//!
//! To accept new texts, after reading them: `INSTA_UPDATE=always cargo test -p obsidian-ir --test snapshots`.

use obsidian_ir::backend::{cuda, opencl, ptx};
use obsidian_ir::compiler::compile;
use obsidian_ir::program;
use obsidian_ir::syntax::SpanTable;

/// Tree reduction at any level; shared by two kernels.
const HALVING: &str = "
    fn halving<L: Compute, T: Data>(f: impl Fn(T, T) -> T, xs: Pull<T>) -> Program<L, Push<L, T>> {
        if xs.len() == 1 {
            xs.push()
        } else {
            let (lo, hi) = xs.halve();
            halving(f, lo.zip_with(hi, f).compute())
        }
    }
";

const REDUCTIONS: &str = "
    #[kernel(threads = 64)]
    fn reductions(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(512).as_grid_map(|chunk| exec_block(halving(|a, b| a + b, chunk)))
    }
";

const TWO_STAGE: &str = "
    fn warp_sum(xs: Pull<i32>) -> Program<Warp, Push<Warp, i32>> {
        halving(|a, b| a + b, xs)
    }

    #[kernel(threads = 128)]
    fn two_stage(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(512).as_grid_map(|chunk| {
            let sums = chunk.split_up(32).as_block_map(|c| warp_sum(c)).compute();
            halving(|a, b| a + b, sums)
        })
    }
";

const WARP_SUMS: &str = "
    #[kernel(threads = 128)]
    fn warp_sums(input: DPull<f32>) -> DPush<Grid, f32> {
        input.split_up(128).as_grid_map(|chunk| chunk.split_up(32).as_block_map(|c| reduce_lanes(c, |a, b| a + b)))
    }
";

const SAXPY: &str = "
    #[kernel(threads = 256)]
    fn saxpy(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| alpha * x + y).split_up(1024).as_grid_map(|c| c.push())
    }
";

const REVERSED: &str = "
    #[kernel(threads = 256)]
    fn reversed(input: DPull<i32>) -> DPush<Grid, i32> {
        input.reverse().split_up(256).as_grid_map(|c| c.push())
    }
";

const MANDELBROT: &str = "
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

    #[kernel(threads = 512)]
    fn mandelbrot() -> Push<Grid, u8> {
        mk_pull(512, |b| mk_pull(512, |t| exec_thread(pixel(b, t))).as_block()).as_grid()
    }
";

/// Compiles the one kernel of `texts` and compares its four texts with those kept.
fn check(name: &str, texts: &[&str]) {
    let tokens = texts.concat().parse().expect("tokens");
    let entries = compile(tokens, &mut SpanTable::default()).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let [entry] = &entries[..] else { panic!("{name}: {} entries", entries.len()) };
    let variant = &entry.variants[0];
    insta::assert_snapshot!(format!("{name}.ir"), program::print(&variant.native));
    insta::assert_snapshot!(format!("{name}.cu"), cuda::print(&variant.machine));
    insta::assert_snapshot!(format!("{name}.cl"), opencl::print(variant.group()));
    insta::assert_snapshot!(format!("{name}.ptx"), ptx::print(&variant.machine));
}

#[test]
fn reductions() {
    check("reductions", &[HALVING, REDUCTIONS]);
}

#[test]
fn two_stage() {
    check("two_stage", &[HALVING, TWO_STAGE]);
}

#[test]
fn warp_sums() {
    check("warp_sums", &[WARP_SUMS]);
}

#[test]
fn saxpy() {
    check("saxpy", &[SAXPY]);
}

#[test]
fn reversed() {
    check("reversed", &[REVERSED]);
}

#[test]
fn mandelbrot() {
    check("mandelbrot", &[MANDELBROT]);
}
