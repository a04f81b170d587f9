//! Kernels as an expert of the field would write them: what a block needs again is in shared memory, what a thread needs again in registers.
//! Of any length or shape, without `unsafe`. The product of matrices is in `registers.rs`, sparse products by threads and warps in
//! `accelerate_report.rs`, n-body in `large.rs`.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// Of a complex number.
    fn times(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
        (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
    }

    fn plus(a: (f32, f32), b: (f32, f32)) -> (f32, f32) { (a.0 + b.0, a.1 + b.1) }
    fn minus(a: (f32, f32), b: (f32, f32)) -> (f32, f32) { (a.0 - b.0, a.1 - b.1) }

    /// One step of the transform of 1024 numbers, whose parts of `done` are transformed already: each of 256 threads takes four,
    /// turns them, transforms them, and writes them where the next step wants them.
    fn radix_4(xs: Pull<(f32, f32)>, roots: Pull<(f32, f32)>, done: u32) -> Push<Block, (f32, f32)> {
        mk_push(1024, |write| for_all(256, |t| {
            let k = t % done;
            let turn = |r| times(xs[t + 256 * r], roots[256 / done * k * r]);
            let (a, b, c, d) = (xs[t], turn(1), turn(2), turn(3));
            let (even, odd) = ((plus(a, c), minus(a, c)), (plus(b, d), minus(b, d)));
            let place = t / done * (4 * done) + k;
            write(plus(even.0, odd.0), place);
            write((even.1.0 + odd.1.1, even.1.1 - odd.1.0), place + done);
            write(minus(even.0, odd.0), place + 2 * done);
            write((even.1.0 - odd.1.1, even.1.1 + odd.1.0), place + 3 * done);
        }))
    }

    /// The Fourier transforms of rows of 1024 complex numbers; `roots` are the 1024th roots of one, from `cos 0 - i sin 0` on.
    #[kernel(threads = [256, 33, 64])]
    pub fn fft_1024(rows: DPull<(f32, f32)>, roots: Pull<(f32, f32), 1024>) -> DPush<Grid, (f32, f32)> {
        rows.split_up(1024).as_grid_map(|row| exec_block({
            let mut xs = row;
            for step in 0..4 { xs = radix_4(xs, roots, 1 << (2 * step)).compute(); }
            radix_4(xs, roots, 256)
        }))
    }

    /// Rows and columns of a block's part of a picture.
    const PART: u32 = 32;

    /// A picture folded with five weights along its rows, then along its columns; outside it counts its nearest border. A block keeps its
    /// part folded along the rows, two rows more on each side.
    #[kernel(threads = [256, 33, 64])]
    pub fn convolved(m: DMat<f32>, weights: Pull<f32, 5>) -> PushMat<Grid, f32> {
        let (rows, cols) = (m.rows(), m.cols());
        let (down, across) = (rows / PART + min(rows % PART, 1), cols / PART + min(cols % PART, 1));
        let folded = mk_push(rows * cols, |write| distr_par(down * across, |part| {
            let (top, left) = (part / across * PART, part % across * PART);
            let near = |at, by, n| min(max(at + by, 2) - 2, n - 1);
            let along = mk_pull((PART + 4) * PART, |i| {
                let (r, c) = (near(top, i / PART, rows), left + i % PART);
                mk_pull(5, |k| weights[k] * m[(r, near(c, k, cols))]).fold1(|a, b| a + b)
            }).compute();
            for_all(PART * PART, |i| {
                let (r, c) = (top + i / PART, left + i % PART);
                if r < rows && c < cols {
                    write(mk_pull(5, |k| weights[k] * along[i + k * PART]).fold1(|a, b| a + b), r * cols + c);
                }
            });
        }));
        folded.as_rows(rows, cols)
    }

    /// Each row less its mean, divided by the root of its variance, as layers of networks have it.
    #[kernel(threads = [64, 33, 256])]
    pub fn row_norms(m: DMat<f32>) -> PushMat<Grid, f32> {
        m.as_grid_rows(|row| {
            let n = row.len() as f32;
            let mean = row.sum() / n;
            let variance = row.map(|x| (x - mean) * (x - mean)).sum() / n;
            row.map(|x| (x - mean) / sqrt(variance + 0.00001)).push()
        })
    }

    /// A sparse matrix times a vector: a block for each row, whose entries are those from `rows[r].0` to `rows[r].1`.
    #[kernel(threads = [64, 33, 256])]
    pub fn smvm_blocks(rows: DPull<(u32, u32)>, entries: DPull<(u32, f32)>, x: DPull<f32>) -> DPush<Grid, f32> {
        rows.as_grid_map(|row| exec_block({
            let parts = mk_pull(128, |t| exec_thread({
                let mut sum = 0.0;
                let mut i = row.0 + t;
                while i < min(row.1, entries.len()) {
                    let (column, value) = entries[i];
                    sum = sum + value * x[column];
                    i = i + 128;
                }
                sum
            })).as_block().compute();
            reduce(parts, |a, b| a + b)
        }))
    }

    /// One step of a search in breadth: whoever borders on the vertices of `frontier`, and has no level below, gets the level `next`. The edges of
    /// vertex `v` are those from `firsts[v]` to `firsts[v + 1]`.
    #[kernel(threads = [64, 33, 256])]
    pub fn bfs_step(levels: DMut<u32>, frontier: DPull<u32>, firsts: DPull<u32>, edges: DPull<u32>, next: u32) -> Program<Grid, ()> {
        let n = frontier.len();
        distr_par(n / 64 + min(n % 64, 1), |b| for_all(64, |t| {
            if b * 64 + t < n {
                let v = frontier[b * 64 + t];
                for e in firsts[v]..min(firsts[v + 1], edges.len()) {
                    atomic_min(levels, edges[e], next);
                }
            }
        }))
    }

    /// Parts of 700 records by time, those of one time in their order: a merge sort, whose rounds are a loop of the block.
    #[kernel(threads = [64, 33, 256])]
    pub fn merge_sorted(records: DPull<(f32, u32)>) -> DPush<Grid, (f32, u32)> {
        records.chunks(700).as_grid_map(|c| exec_block(merge_sort(c, |a, b| a.0 <= b.0)))
    }

    /// Parts of 500 records by a number that may be below zero, those of one number in their order: a radix sort by 8 bits.
    #[kernel(threads = [64, 33, 256])]
    pub fn radix_sorted(records: DPull<(i32, f32)>) -> DPush<Grid, (i32, f32)> {
        records.chunks(500).as_grid_map(|c| exec_block(sort_by_key(c, |record| record.0)))
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        fft_1024.kernel(),
        convolved.kernel(),
        row_norms.kernel(),
        smvm_blocks.kernel(),
        bfs_step.kernel(),
        merge_sorted.kernel(),
        radix_sorted.kernel(),
    ]
}
