//! Entries with generics, `match`, and loops that stay loops.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// `N` sums of each chunk; the chunk's length says what `N` is.
    fn sums_of<const PARTS: u32, const N: u32, T: Num>(xs: Pull<T, N>) -> Push<Block, T> {
        let chunks: Pull<Pull<T, { N / PARTS }>, PARTS> = xs.split_up(N / PARTS);
        chunks.as_block_map(|c| exec_thread(c.seq_reduce(|a, b| a + b)))
    }

    /// reference.md §1: the product of three lists, less what `where` leaves out.
    #[kernel(
        threads = [64, 33],
        SEQ = [8, 16],
        T = [i32, f32, u64],
        where(SEQ * threads <= 512 || T == i32, threads != 33 || SEQ == 8)
    )]
    pub fn sums<const SEQ: u32, T: Num>(input: DPull<T>) -> DPush<Grid, T> {
        input.split_up(4 * SEQ).as_grid_map(|c| sums_of::<4, _, _>(c))
    }

    /// Two types, a scalar of one of them, a tuple, a fixed length, a flag.
    #[kernel(A = [f32, i16], B = u8, N = [32, 64], NEGATE = [false, true], BIAS = -3)]
    pub fn scaled<A: Num, B: Int, const N: u32, const NEGATE: bool, const BIAS: i32>(
        xs: Pull<(A, B), N>,
        factor: A,
    ) -> Push<Grid, (B, A)> {
        let sign = if NEGATE { 0 as A - factor } else { factor };
        singleton(xs).as_grid_map(|c| c.map(|p| (p.1 + 1, p.0 * sign + BIAS as A)).push())
    }

    /// Tuples of one field stay tuples.
    #[kernel(threads = 32)]
    pub fn wrapped(input: DPull<(u32,)>) -> DPush<Grid, (u32,)> {
        input.split_up(32).as_grid_map(|c| c.map(|p| (p.0 + 1,)).compute().push())
    }

    /// Each form of pattern.
    fn sorted_out(x: u32, y: (bool, i32)) -> u32 {
        match (x, y) {
            (0, _) => 100,
            (1..=3, (true, k)) if k > 7 => 101,
            (5 | 6 | 9.., (false, _)) => 102,
            (n @ 4, (_, -3)) => n,
            _ => match y.0 {
                true => 1,
                false => match (y.0, x > 3) {
                    (false, true) => 7,
                    (_, false) | (true, _) => 8,
                },
            },
        }
    }

    #[kernel(threads = [32, 7])]
    pub fn matched(input: DPull<u32>, k: i32) -> DPush<Grid, u32> {
        input.map(|x| sorted_out(x, (x % 2 == 0, k))).split_up(32).as_grid_map(|c| c.push())
    }

    /// What is known decides while compiling: the arms need not agree in what they compute.
    fn steps<L: Compute>(kind: u32, xs: Pull<u32>) -> Program<L, Pull<u32>> {
        match kind {
            0 => xs,
            1 => xs.compute(),
            n => steps(n - 1, xs.map(|x| x * n)).compute(),
        }
    }

    /// `while` on unknown values, in thread code a loop at run time; a branch inside it.
    fn gcd(x: u32, y: u32) -> Program<Thread, (u32, u32)> {
        let mut a = x;
        let mut b = y;
        let mut odd = 0u32;
        while b != 0 {
            let t = a % b;
            a = b;
            b = t;
            if t % 2 == 1 {
                odd += 1;
            }
        }
        (a, odd)
    }

    #[kernel(threads = [32, 5])]
    pub fn gcds(input: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        input.split_up(32).as_grid_map(|c| c.as_block_map(|p| exec_thread(gcd(p.0, p.1))))
    }

    /// `for` over unknown bounds: of several types, inclusive and not, nested, with reads and a tuple between rounds.
    fn rounds(n: u32, xs: DPull<i32>) -> Program<Thread, i32> {
        let mut sum = 0;
        let mut pair = (0, 1);
        for i in 0..n {
            for k in n / 2..=i {
                sum += k as i32;
            }
            for j in -2..i as i32 {
                sum = sum ^ j;
            }
            for b in (n * 20) as u8..=255 {
                sum += b as i32;
            }
            if i < xs.len() {
                sum += xs[i];
            }
            let mut twice = 0;
            for _k in 0..2 {
                twice += sum;
            }
            pair = (twice, pair.0);
        }
        // Known for its first rounds, then not.
        let mut k = 0u32;
        while k < 3 || k < n {
            k += 1;
        }
        sum + pair.0 * 3 + pair.1 + k as i32
    }

    #[kernel(threads = [32, 33])]
    pub fn round_and_round(input: DPull<u32>, xs: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(32).as_grid_map(|c| c.as_block_map(|n| exec_thread(rounds(n % 13, xs))))
    }

    #[kernel(threads = 32, KIND = [0, 1, 3])]
    pub fn by_kind<const KIND: u32>(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(64).as_grid_map(|c| steps(KIND, c).push())
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        sums.kernel(),
        scaled.kernel(),
        wrapped.kernel(),
        matched.kernel(),
        by_kind.kernel(),
        gcds.kernel(),
        round_and_round.kernel(),
    ]
}
