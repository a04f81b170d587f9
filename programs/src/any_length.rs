//! Programs for arrays of any length: what a grid does with whole chunks and with a shorter last one. And branches that all
//! threads of a block or a warp take together.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    #[kernel(threads = [64, 1, 33, 256])]
    pub fn any_squares(xs: DPull<f32>) -> DPush<Grid, f32> {
        xs.map(|x| x * x).push()
    }

    #[kernel(threads = [64, 33])]
    pub fn any_saxpy(a: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| a * x + y).push()
    }

    /// Two fields of different widths, the other way round.
    #[kernel(threads = [64, 33])]
    pub fn any_reversed(xs: DPull<(u8, f64)>) -> DPush<Grid, (u8, f64)> {
        xs.reverse().map(|x| (x.0 + 1, x.1 * 0.5)).push()
    }

    /// A length that is known, and divides into nothing.
    #[kernel(threads = [64, 33])]
    pub fn any_known(xs: Pull<u32, 1003>) -> Push<Grid, u32> {
        xs.map(|x| x + 1).push()
    }

    /// A reduction keeps the order: affine maps do not commute.
    #[kernel(threads = [64, 1, 33])]
    pub fn any_composed(xs: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        xs.chunks(64).as_grid_map(|c| exec_block(reduce(c, |f, g| (f.0 * g.0, f.1 * g.0 + g.1))))
    }

    #[kernel(threads = [64, 1, 33])]
    pub fn any_scanned(xs: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        xs.chunks(100).as_grid_map(|c| exec_block(scan(c, |f, g| (f.0 * g.0, f.1 * g.0 + g.1)).push()))
    }

    #[kernel(threads = [64, 1, 33])]
    pub fn any_sorted(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.chunks(32).as_grid_map(|c| exec_block(sort(c).push()))
    }

    /// By a key, with all keys different.
    #[kernel(threads = [64, 33])]
    pub fn any_sorted_by(xs: DPull<(u32, f32)>) -> DPush<Grid, (u32, f32)> {
        let keyed = mk_pull(xs.len(), |i| ((xs[i].0 << 7) | (i % 100), xs[i].1));
        keyed.chunks(20).as_grid_map(|c| exec_block(sort_by(c, |a, b| a.0 <= b.0)))
    }

    #[kernel(threads = [64, 1, 33])]
    pub fn any_counts(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(96).as_grid_map(|c| exec_block(histogram(c.map(|x| x % 16), 16).push()))
    }

    /// What a whole block does fast, of elements that there need not be.
    #[kernel(threads = [64, 33])]
    pub fn any_sums(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(512).as_grid_map(|c| exec_block(reduce_block(c.pad_to(512, 0), |a, b| a + b)))
    }

    /// Two outputs, of the length and of the number of chunks.
    #[kernel(threads = [64, 33])]
    pub fn any_two(xs: DPull<u32>, ys: DPull<u32>) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        let chunks = xs.zip(ys).chunks(64);
        (
            chunks.as_grid_map(|c| c.map(|x| x.0 ^ x.1).push()),
            chunks.as_grid_map(|c| exec_block(reduce(c.map(|x| x.0 & x.1), |a, b| max(a, b)))),
        )
    }

    /// An array that is changed in place, as far as both go.
    #[kernel(threads = [64, 33])]
    pub fn any_updated(ys: DMut<f32>, a: f32, xs: DPull<f32>) -> Program<Grid, ()> {
        write_to(ys, xs.zip_with(ys.to_pull(), |x, y| a * x + y).push())
    }

    /// Of each chunk the multiples of three, followed by their sum up to the length of a chunk: by the block.
    #[kernel(threads = [64, 1, 33])]
    pub fn any_compacted(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(100).as_grid_map(|c| exec_block({
            let kept = compact(c, |x| x % 3 == 0);
            let sum = reduce(kept.append(singleton(0).to_dyn()), |a, b| a + b).first();
            kept.pad_to(100, sum).push()
        }))
    }

    /// The same by each warp, and by each thread.
    #[kernel(threads = [64, 33])]
    pub fn any_compacted_below(xs: DPull<u32>) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        let chunks = xs.chunks(96).map(|c| c.pad_to(96, 1).split_up(24));
        (
            chunks.as_grid_map(|c| c.as_block_map(|w| exec_warp(compact(w, |x| x % 3 == 0).pad_to(24, 1).push()))),
            chunks.as_grid_map(|c| c.as_block_map(|t| exec_thread(compact(t, |x| x % 3 == 0).pad_to(24, 1).push()))),
        )
    }

    /// A grid without its first elements, and one without its last.
    #[kernel(threads = [64, 33])]
    pub fn any_cut(xs: DPull<u32>, n: u32) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        let written = xs.chunks(64).as_grid_map(|c| c.map(|x| x ^ 5).push());
        let n = min(n, xs.len());
        (written.drop(n), written.take(n).map(|x| x + 1))
    }

    /// The element after the next, and a value of the author's where there is none.
    #[kernel(threads = [64, 33])]
    pub fn any_after(xs: DPull<u32>) -> DPush<Grid, u32> {
        mk_pull(xs.len(), |i| xs.get_or(i + 2, 7)).push()
    }

    /// A thread for each element of a chunk.
    #[kernel(threads = [64, 1, 33])]
    pub fn any_threads(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(128).as_grid_map(|c| c.as_block_map(|n| exec_thread(seq_fold(n % 8, 1, |acc, i| acc * 2 + i))))
    }

    /// A warp for each element of a chunk.
    #[kernel(threads = [64, 33])]
    pub fn any_warps(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(12).as_grid_map(|c| c.as_block_map(|x| exec_warp(reduce_lanes(mk_pull(32, |i| x + i), |a, b| a ^ b))))
    }

    /// A block turns its elements round where the first one says so: all of its threads take one side of the branch.
    #[kernel(threads = [64, 1, 33])]
    pub fn turned_by_the_first(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| exec_block({
            let m = c.push().new_mut();
            let mut seen = c[1];
            if c[0] % 2 == 0 {
                let turned = m.to_pull().reverse().compute();
                write_to(m, turned.map(|x| x ^ 1).push());
                seen = turned[0];
            } else if c[0] % 3 == 0 {
                for_all(64, |i| { m[i] = m[i] + c[63 - i]; });
            }
            m.to_pull().map(|x| x ^ seen).push()
        }))
    }

    /// The same for a warp.
    #[kernel(threads = [64, 33])]
    pub fn turned_by_warps(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(192).as_grid_map(|c| c.split_up(48).as_block_map(|w| exec_warp({
            let m = w.push().new_mut();
            if w[0] % 2 == 0 {
                let turned = m.to_pull().reverse().compute();
                write_to(m, turned.push());
            }
            m.to_pull().push()
        })))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        any_squares.kernel(),
        any_saxpy.kernel(),
        any_reversed.kernel(),
        any_known.kernel(),
        any_composed.kernel(),
        any_scanned.kernel(),
        any_sorted.kernel(),
        any_sorted_by.kernel(),
        any_counts.kernel(),
        any_sums.kernel(),
        any_two.kernel(),
        any_updated.kernel(),
        any_compacted.kernel(),
        any_compacted_below.kernel(),
        any_cut.kernel(),
        any_after.kernel(),
        any_threads.kernel(),
        any_warps.kernel(),
        turned_by_the_first.kernel(),
        turned_by_warps.kernel(),
    ]
}
