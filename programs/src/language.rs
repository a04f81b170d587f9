//! Programs for what the language offers beside the papers: tuples, loops that unroll, the library's other arrays, the
//! forms of the attribute, names that other languages use.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// How many weights there are.
    pub const TAPS: u32 = 3;
    /// What `weighted` multiplies by.
    pub const WEIGHTS: [f32; TAPS as usize] = [0.25, 0.5, 0.25];

    /// Several outputs, and tuples as struct of arrays.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn sum_and_difference(input: DPull<(i32, i32)>) -> (DPush<Grid, i32>, DPush<Grid, i32>) {
        let chunks = input.split_up(128);
        (chunks.as_grid_map(|c| c.map(|p| p.0 + p.1).push()), chunks.as_grid_map(|c| c.map(|p| p.0 - p.1).push()))
    }

    /// Loops over known values unroll; `let mut` arrays are reassigned between.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
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

    /// An `if` on unknown values, scalars of several types.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn collatz_step(input: DPull<u64>) -> DPush<Grid, u64> {
        input.split_up(64).as_grid_map(|c| c.map(|x| if x % 2 == 0 { x / 2 } else { 3 * x + 1 }).push())
    }

    /// Each four neighbours the other way round, by writes and by conditionals.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn quadruples(input: DPull<u16>) -> DPush<Grid, u16> {
        input.split_up(64).as_grid_map(|c| c.quadruple().map(|q| (q.3, q.2, q.1, q.0)).push().unquadruple())
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn quadruples_pull(input: DPull<u16>) -> DPush<Grid, u16> {
        input.split_up(64).as_grid_map(|c| c.quadruple().map(|q| (q.3, q.2, q.1, q.0)).unquadruple().push())
    }

    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn triples(input: DPull<u16>) -> DPush<Grid, u16> {
        input.split_up(66).as_grid_map(|c| {
            let turned = c.triple().map(|t| (t.2, t.0, t.1)).untriple();
            turned.triple().push().untriple().from_dyn(66)
        })
    }

    /// A table of constants, which the host sees, too, and literals of arrays.
    #[kernel(threads = [64, 33])]
    pub fn weighted(xs: DPull<f32>) -> DPush<Grid, f32> {
        let ends = [0.5f32; 2];
        mk_pull(xs.len(), |i| WEIGHTS[i % TAPS] * xs[i] + [1.0, 2.0][i / TAPS % 2] + ends[1]).push()
    }

    /// Of the last 12 bits of each number the least divisor above 1, by a loop that is left; and how many odd numbers up to the
    /// square root divide them, by one that skips.
    #[kernel(threads = [64, 33])]
    pub fn divisors(xs: DPull<u32>) -> DPush<Grid, (u32, u32)> {
        xs.chunks(100).as_grid_map(|c| c.map(|x| x & 4095).as_block_map(|x| exec_thread({
            let mut least = x;
            for d in 2..x {
                if d * d > x { break; }
                if x % d != 0 { continue; }
                least = d;
                break;
            }
            let (mut odd, mut d) = (0u32, 0u32);
            loop {
                d += 1;
                if d * d > x { break; }
                match d % 2 {
                    0 => continue,
                    _ => {}
                }
                if x % d == 0 { odd += 1; }
            }
            (least, odd)
        })))
    }

    /// Loops inside of loops, a range with its end, and rounds that end on some ways only.
    #[kernel(threads = [64, 33])]
    pub fn left_on_some_ways(xs: DPull<u8>) -> DPush<Grid, u32> {
        xs.chunks(100).as_grid_map(|c| c.as_block_map(|x| exec_thread({
            let mut sum = 0u32;
            for i in 0..=x {
                if i % 3 == 1 {
                    if i % 2 == 0 { continue; }
                    sum += 1;
                    if sum > 40 { break; }
                } else {
                    let mut j = 0u32;
                    while j < 5 {
                        j += 1;
                        if j as u8 == i { continue; }
                        if j * 7 > i as u32 { break; }
                        sum += j;
                    }
                }
                sum += 2;
            }
            sum
        })))
    }

    /// Ranges backwards and by steps: run by run, unrolled, of bytes, and left before their end. Few rounds, whatever the launch says.
    #[kernel(threads = [64, 33])]
    pub fn turned_ranges(xs: DPull<u8>, n: u32, k: u32) -> DPush<Grid, u32> {
        let n = min(n, 128);
        xs.map(|x| {
            let mut sum = 1u32;
            for i in (3..=x).rev() {
                if i == b'a' { continue; }
                sum = sum * 5 + i as u32;
            }
            for i in (2..n).step_by(max(k, 1)) { sum = sum * 3 + i; }
            for i in (0..n).rev().step_by(3) {
                if i < 4 { break; }
                sum ^= i * 7;
            }
            for i in (1..=6).rev().step_by(2) { sum += i; }
            for i in (x..=255).step_by(40) { sum += i as u32; }
            sum
        }).push()
    }

    /// Each thread takes every 256th element.
    #[kernel(threads = [64, 33])]
    pub fn strided(m: DMut<u32>) -> Program<Grid, ()> {
        for_all(256, |t| {
            for i in (t..m.len()).step_by(256) { m[i] += t; }
        })
    }

    /// The first `N` of each 16 twice, with their sum: of none there is nothing, at every level.
    #[kernel(threads = [64, 33], N = [0, 1, 16])]
    pub fn few_of_each<const N: u32>(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(16).as_grid_map(|c| exec_block({
            let few = c.take(N).compute();
            let total = sum(few);
            few.push().append(few.as_block_map(|x| exec_thread(seq_fold(N, total, |s, i| s + few[i] * x))))
        }))
    }

    /// Loops of a block and of a warp, whose rounds data tells: all threads go round together, compute and wait.
    #[kernel(threads = [64, 1, 33, 256])]
    pub fn rounds_of_blocks(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| exec_block({
            let m = c.push().new_mut();
            let mut sum = 0u32;
            for i in 0..min(n, 40) {
                let turned = m.to_pull().rotate(1).compute();
                if turned[0] % 5 == 0 { continue; }
                write_to(m, turned.map(|x| x + i).push());
                sum += turned[0] % 8;
                if sum > 20 { break; }
            }
            m.to_pull().map(|x| x ^ sum).push()
        }))
    }

    /// Arrays that go from round to round: two that depend on each other, in a block; and a thread's own.
    #[kernel(threads = [64, 1, 33])]
    pub fn carried_arrays(xs: DPull<u32>, n: u32) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        let chunks = xs.split_up(64);
        (
            chunks.as_grid_map(|c| exec_block({
                let mut ys = c;
                let mut zs = c.map(|x| (x, x + 1));
                let mut left = c[0] % 64;
                while left > 0 {
                    let turned = ys.rotate(1);
                    ys = zs.map(|z| z.0 ^ left).compute();
                    zs = turned.map(|x| (x, left));
                    left = left / 2;
                }
                ys.zip_with(zs, |y, z| y + z.1).push()
            })),
            chunks.as_grid_map(|c| c.split_up(4).as_block_map(|t| exec_thread({
                let mut ys = t;
                for i in 0..min(n, 40) { ys = ys.rotate(1).map(|y| y * 3 + i); }
                ys.push()
            }))),
        )
    }

    #[kernel(threads = [64, 33])]
    pub fn rounds_of_warps(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(192).as_grid_map(|c| c.split_up(48).as_block_map(|w| exec_warp({
            let mut left = w[0] % 16;
            let mut total = 0u32;
            while left != 0 {
                total += reduce(w.map(|x| x ^ left), |a, b| a + b).first();
                left = left / 2;
            }
            w.map(|x| x + total).push()
        })))
    }

    /// A body in the plane.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Body {
        /// Its place.
        pub x: f32,
        /// Its height.
        pub y: f32,
        /// Its mass.
        pub mass: u32,
    }

    fn joined(a: Body, b: Body) -> Body {
        let (m, n) = (a.mass as f32, b.mass as f32);
        let mass = a.mass + b.mass;
        Body { y: (a.y * m + b.y * n) / (m + n), x: (a.x * m + b.x * n) / (m + n), mass }
    }

    /// Structures as elements, stored in shared memory, chosen between, and given back; one is a scalar's neighbour in a tuple.
    #[kernel(threads = [64, 33])]
    pub fn centres(bodies: DPull<Body>) -> (DPush<Grid, Body>, DPush<Grid, f32>) {
        let chunks = bodies.chunks(64);
        (
            chunks.as_grid_map(|c| exec_block(reduce(c, joined))),
            chunks.as_grid_map(|c| exec_block({
                let stored = c.map(|b| if b.mass > 3 { b } else { Body { x: 0.0, y: b.y, mass: b.mass } }).reverse().fill_up().push().compute();
                mk_pull(c.len(), |i| stored[i].x - stored[0].y).push()
            })),
        )
    }

    /// A buffer of structures that is updated.
    #[kernel(threads = [64, 33])]
    pub fn fallen(bodies: DMut<Body>, by: f32) -> Program<Grid, ()> {
        write_to(bodies, bodies.to_pull().map(|b| Body { x: b.x, y: b.y - by, mass: b.mass }).push())
    }

    /// What the launch, each block and each thread assert; it always holds.
    #[kernel(threads = [64, 33])]
    pub fn asserted(xs: DPull<u32>, low: u32) -> DPush<Grid, u32> {
        assert!(xs.len() < 1 << 31, "too long");
        xs.chunks(100).as_grid_map(|c| exec_block({
            let least = reduce(c, |a, b| min(a, b)).first();
            assert!(least <= c[0], "{least} is not the least");
            c.map(|x| { assert!(x | low >= low, "{} is below", x as f32); x + 1 }).push()
        }))
    }

    /// Each eighth reversed, each half rotated, the elements at even places and those at odd ones reversed.
    #[kernel(threads = [64, 1, 32, 33, 100, 256, 1024])]
    pub fn pieces(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.bin_split(3, |p| p.reverse()).two(|h| h.rotate(1)).ilv(|e| e.reverse()).push())
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

    /// All are functions of the text in C.
    #[kernel(threads = 64)]
    pub fn div_u32(rem_u32: DPull<u32>, min_u32: DPull<u32>) -> DPush<Grid, u32> {
        rem_u32.zip_with(min_u32, |max_u32, abs_i32| {
            max(max_u32 / max(abs_i32, 1), min(max_u32 % max(abs_i32, 1), max_u32))
        }).split_up(64).as_grid_map(|c| c.push())
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

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        sum_and_difference.kernel(),
        rotate_add.kernel(),
        collatz_step.kernel(),
        quadruples.kernel(),
        quadruples_pull.kernel(),
        triples.kernel(),
        pieces.kernel(),
        weighted.kernel(),
        divisors.kernel(),
        left_on_some_ways.kernel(),
        turned_ranges.kernel(),
        strided.kernel(),
        few_of_each.kernel(),
        rounds_of_blocks.kernel(),
        rounds_of_warps.kernel(),
        carried_arrays.kernel(),
        centres.kernel(),
        fallen.kernel(),
        asserted.kernel(),
        squares.kernel(),
        inline::increment_bytes.kernel(),
        names::float.kernel(),
        names::r#type.kernel(),
        names::div_u32.kernel(),
        names::größe.kernel(),
    ]
}
