//! The programs of the papers as text, small: a phase of a network more or less shows nothing new.

/// Names of files, and what stands inside `kernel! { .. }`.
type Programs = &'static [(&'static str, &'static str)];

pub const JFP: Programs = &[
    (
        "reductions",
        r#"
fn halving<L: Compute, T: Data>(f: impl Fn(T, T) -> T, xs: Pull<T>) -> Program<L, Push<L, T>> {
    if xs.len() == 1 {
        xs.push()
    } else {
        let (lo, hi) = xs.halve();
        halving(f, lo.zip_with(hi, f).compute())
    }
}

#[kernel(threads = 64)]
fn reductions(input: DPull<i32>) -> DPush<Grid, i32> {
    input.split_up(64).as_grid_map(|c| exec_block(halving(|a, b| a + b, c)))
}
"#,
    ),
    (
        "two_stage",
        r#"
fn halving<L: Compute, T: Data>(f: impl Fn(T, T) -> T, xs: Pull<T>) -> Program<L, Push<L, T>> {
    if xs.len() == 1 {
        xs.push()
    } else {
        let (lo, hi) = xs.halve();
        halving(f, lo.zip_with(hi, f).compute())
    }
}

fn warp_sum(xs: Pull<i32>) -> Program<Warp, Push<Warp, i32>> {
    halving(|a, b| a + b, xs)
}

#[kernel(threads = 128)]
fn two_stage(input: DPull<i32>) -> DPush<Grid, i32> {
    input.split_up(128).as_grid_map(|chunk| {
        let sums = chunk.split_up(32).as_block_map(|c| warp_sum(c)).compute();
        halving(|a, b| a + b, sums)
    })
}
"#,
    ),
    (
        "red1",
        r#"
#[kernel(threads = 32)]
fn red_1(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(32).as_grid_map(|c| exec_block(red1(c, |a, b| a + b)))
}
"#,
    ),
    (
        "red3",
        r#"
#[kernel(threads = 32)]
fn red_3(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(32).as_grid_map(|c| exec_block(red3(c, 2, |a, b| a + b)))
}
"#,
    ),
    (
        "red5",
        r#"
#[kernel(threads = 32)]
fn red_5(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(128).as_grid_map(|c| red5(c, |a, b| a + b))
}
"#,
    ),
    (
        "sklansky1",
        r#"
#[kernel(threads = 8)]
fn sklansky(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(16).as_grid_map(|c| exec_block(c.scan_sklansky1(|a, b| a + b)))
}
"#,
    ),
    (
        "sklansky2",
        r#"
#[kernel(threads = 8)]
fn sklansky_push(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(16).as_grid_map(|c| exec_block(c.scan_sklansky2(|a, b| a + b)))
}
"#,
    ),
    (
        "sklansky3",
        r#"
#[kernel(threads = 8)]
fn sklansky_loaded(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(16).as_grid_map(|c| exec_block(c.scan_sklansky3(|a, b| a + b)))
}
"#,
    ),
    (
        "kogge_stone",
        r#"
#[kernel(threads = 16)]
fn kogge_stone(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(16).as_grid_map(|c| exec_block(c.scan_kogge_stone(|a, b| a + b)))
}
"#,
    ),
    (
        "kogge_stone_push",
        r#"
#[kernel(threads = 16)]
fn kogge_stone_push(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(16).as_grid_map(|c| exec_block(c.scan_kogge_stone_push(|a, b| a + b)))
}
"#,
    ),
    (
        "warp_sums",
        r#"
#[kernel(threads = 128)]
fn warp_sums(input: DPull<f32>) -> DPush<Grid, f32> {
    input.split_up(128).as_grid_map(|chunk| chunk.split_up(32).as_block_map(|c| reduce_lanes(c, |a, b| a + b)))
}
"#,
    ),
    (
        "mandelbrot",
        r#"
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
"#,
    ),
    (
        "increment_warps",
        r#"
#[kernel(threads = 128)]
fn increment(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(128).as_grid_map(|c| {
        c.split_up(32).as_block_map(|part| exec_warp(part.map(|x| x + 1).compute()))
    })
}
"#,
    ),
    (
        "matrix_product",
        r#"
#[kernel(threads = 32)]
fn matrix_product(a: Pull<f32, 1024>, b: Pull<f32, 1024>) -> Push<Grid, f32> {
    let columns = b.reshape(32, 32).transpose();
    a.reshape(32, 32).as_grid_map(|row| columns.as_block_map(|column| exec_thread(seq_dot(row, column))))
}
"#,
    ),
];

pub const DAMP: Programs = &[
    (
        "append_pull",
        r#"
#[kernel(threads = 32)]
fn append_pull(a: Pull<i32, 16>, b: Pull<i32, 16>) -> Push<Grid, i32> {
    singleton(a.append(b)).as_grid_map(|c| c.push())
}
"#,
    ),
    (
        "append_push",
        r#"
#[kernel(threads = 16)]
fn append_push(a: Pull<i32, 16>, b: Pull<i32, 16>) -> Push<Grid, i32> {
    singleton(0).as_grid_map(|_i| a.push().append(b.push()))
}
"#,
    ),
    (
        "unpair_pull",
        r#"
#[kernel(threads = 64)]
fn unpair_pull(a: Pull<i32, 32>, b: Pull<i32, 32>) -> Push<Grid, i32> {
    singleton(a.zip(b).unpair()).as_grid_map(|c| c.push())
}
"#,
    ),
    (
        "unpair_push",
        r#"
#[kernel(threads = 32)]
fn unpair_push(a: Pull<i32, 32>, b: Pull<i32, 32>) -> Push<Grid, i32> {
    singleton(a.zip(b)).as_grid_map(|c| c.push().unpair())
}
"#,
    ),
    (
        "tsort1",
        r#"
#[kernel(threads = 8)]
fn tsort_pull(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(8).as_grid_map(|c| exec_block(c.tsort1()))
}
"#,
    ),
    (
        "tsort2",
        r#"
#[kernel(threads = 4)]
fn tsort_push(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(8).as_grid_map(|c| exec_block(c.tsort2()))
}
"#,
    ),
    (
        "vsort1",
        r#"
#[kernel(threads = 8)]
fn vsort_pull(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(8).as_grid_map(|c| exec_block(c.vsort1()))
}
"#,
    ),
    (
        "vsort2",
        r#"
#[kernel(threads = 4)]
fn vsort_push(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(8).as_grid_map(|c| exec_block(c.vsort2()))
}
"#,
    ),
    (
        "by_key",
        r#"
#[kernel(threads = 4)]
fn by_key(input: DPull<(u32, f32)>) -> DPush<Grid, (u32, f32)> {
    input.split_up(4).as_grid_map(|c| exec_block(c.sort_tree_by(|a, b| a.0 <= b.0)))
}
"#,
    ),
    (
        "bmerge",
        r#"
#[kernel(threads = 8)]
fn bmerge(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(16).as_grid_map(|c| exec_block(c.bitonic_merge()))
}
"#,
    ),
];

pub const ICCS: Programs = &[
    (
        "increv",
        r#"
#[kernel(threads = 10)]
fn increv(input: Pull<u32, 10>) -> Push<Grid, u32> {
    singleton(input).as_grid_map(|c| c.map(|x| x + 1).reverse().push())
}
"#,
    ),
    (
        "increv_sync",
        r#"
#[kernel(threads = 10)]
fn increv_sync(input: Pull<u32, 10>) -> Push<Grid, u32> {
    singleton(input).as_grid_map(|c| exec_block(c.map(|x| x + 1).compute().reverse()))
}
"#,
    ),
    (
        "saxpy",
        r#"
#[kernel(threads = 256)]
fn saxpy(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
    x.zip_with(y, |x, y| alpha * x + y).split_up(1024).as_grid_map(|c| c.push())
}
"#,
    ),
    (
        "sort_odd_even",
        r#"
#[kernel(threads = 8)]
fn sorted(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(8).as_grid_map(|c| exec_block(c.sort_odd_even()))
}
"#,
    ),
];

pub const FCL: Programs = &[
    (
        "reversed",
        r#"
#[kernel(threads = 256)]
fn reversed(input: DPull<i32>) -> DPush<Grid, i32> {
    input.reverse().split_up(256).as_grid_map(|c| c.push())
}
"#,
    ),
    (
        "transposed",
        r#"
#[kernel(threads = 256)]
fn transposed(input: Pull<i32, 65536>) -> Push<Grid, i32> {
    input.transpose_tiled(256, 16)
}
"#,
    ),
    (
        "matrix_vector",
        r#"
#[kernel(threads = 32)]
fn matrix_vector(matrix: DPull<f64>, vector: Pull<f64, 32>) -> DPush<Grid, f64> {
    matrix.split_up(32).as_grid_map(|row| exec_block(dot(row, vector)))
}
"#,
    ),
    (
        "interleaved",
        r#"
#[kernel(threads = 64)]
fn interleaved(input: DPull<i32>) -> DPush<Grid, i32> {
    input.split_up(64).as_grid_map(|c| {
        c.split_up(16).map(|p| exec_warp(p.compute())).interleave_with(|i, j| j * 4 + i)
    })
}
"#,
    ),
];

pub const ACCELERATE: Programs = &[
    (
        "dotp",
        r#"
#[kernel(threads = 64)]
fn dotp(x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
    x.zip(y).split_up(64).as_grid_map(|c| {
        let (a, b) = c.unzip();
        exec_block(dot(a, b))
    })
}
"#,
    ),
    (
        "stencil",
        r#"
#[kernel(threads = 64)]
fn blur(input: DPull<i32>) -> DPush<Grid, i32> {
    input.stencil(1, |w| w.fold1(|a, b| a + b)).split_up(64).as_grid_map(|c| c.push())
}
"#,
    ),
    (
        "stencil_2d",
        r#"
#[kernel(threads = 64)]
fn blur(input: Pull<f32, 1024>) -> Push<Grid, f32> {
    input.reshape(32, 32).stencil_2d(1, 1, |w| w.flatten().fold1(|a, b| a + b)).as_grid_map(|r| r.push())
}
"#,
    ),
];
