//! Programs of several launches. They are entries at `Device`, so `all` does not list them.

use obsidian::Module;
use obsidian::prelude::*;

kernel! {
    /// Affine maps, one after the other: associates, and does not commute.
    fn after(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
        (f.0 * g.0, f.1 * g.0 + g.1)
    }

    #[kernel(threads = [256, 33])]
    pub fn device_composed(fs: DPull<(u32, u32)>) -> Program<Device, Pull<(u32, u32)>> {
        reduce(fs, |f, g| after(f, g))
    }

    #[kernel(threads = [256, 33])]
    pub fn device_scanned(fs: DPull<(u32, u32)>) -> Program<Device, DPull<(u32, u32)>> {
        scan(fs, |f, g| after(f, g))
    }

    /// Sums that begin anew where a key is not 0: associates, and does not commute. Elements of 12 bytes.
    fn since_key(a: (u32, i64), b: (u32, i64)) -> (u32, i64) {
        if b.0 == 0 { (a.0, a.1 + b.1) } else { b }
    }

    #[kernel(threads = [256, 33])]
    pub fn device_since_keys(xs: DPull<(u32, i64)>) -> Program<Device, (DPull<(u32, i64)>, Pull<(u32, i64)>)> {
        (scan(xs, |a, b| since_key(a, b)), reduce(xs, |a, b| since_key(a, b)))
    }

    #[kernel(threads = [256, 33])]
    pub fn device_counts(keys: DPull<u32>) -> Program<Device, Pull<u32>> {
        histogram(keys.map(|k| k % 60), 60)
    }

    /// Of floats, whose sums depend on the order.
    #[kernel(threads = [256, 33])]
    pub fn device_variance(xs: DPull<f32>) -> Program<Device, f32> {
        let n = xs.len() as f32;
        let mean = reduce(xs, |a, b| a + b).first() / n;
        reduce(xs.map(|x| (x - mean) * (x - mean)), |a, b| a + b).first() / n
    }

    #[kernel(threads = [256, 33])]
    pub fn device_running(xs: DPull<f64>) -> Program<Device, DPull<f64>> {
        scan(xs, |a, b| a + b)
    }

    /// An array that is stored and one that is not, of a scalar argument and a length; several outputs.
    #[kernel(threads = [256, 33])]
    pub fn device_mixed(k: u32, xs: DPull<u32>) -> Program<Device, (DPull<u32>, DPush<Grid, u32>, Pull<u32>)> {
        let ys = xs.map(|x| x * k).compute();
        let zs = ys.zip_with(ys.reverse(), |a, b| a + b);
        (zs.compute(), zs.map(|z| z ^ xs.len()).push(), singleton(ys.len() + k))
    }

    /// A cell of a board whose rows lie one after the other and whose edges meet, a generation later.
    fn alive(board: DPull<u32>, cols: u32, i: u32) -> u32 {
        let n = board.len();
        let (left, right) = (i + n - 1, i + 1);
        let above = board[(left + n - cols) % n] + board[(i + n - cols) % n] + board[(right + n - cols) % n];
        let below = board[(left + cols) % n] + board[(i + cols) % n] + board[(right + cols) % n];
        let around = above + board[left % n] + board[right % n] + below;
        if around == 3 || (around == 2 && board[i] == 1) { 1 } else { 0 }
    }

    /// Conway's game of life: a loop of the host's, whose board is in two buffers that take turns.
    #[kernel(threads = [256, 33])]
    pub fn device_life(board: DPull<u32>, cols: u32, generations: u32) -> Program<Device, DPull<u32>> {
        let mut now = board;
        for _g in 0..generations {
            let before = now;
            now = mk_pull(before.len(), |i| alive(before, cols, i)).compute();
        }
        now
    }

    /// The nearest of four centres; the first of several.
    fn nearest(centres: Pull<(i32, i32)>, p: (i32, i32)) -> u32 {
        let mut best = 0u32;
        let mut least = i64::MAX;
        for j in 0..4u32 {
            let (dx, dy) = ((centres[j].0 - p.0) as i64, (centres[j].1 - p.1) as i64);
            let distance = dx * dx + dy * dy;
            best = if distance < least { j } else { best };
            least = min(least, distance);
        }
        best
    }

    /// The sums of the coordinates of the points that are nearest to centre `j`, and how many there are.
    fn members(points: DPull<(i32, i32)>, centres: Pull<(i32, i32)>, j: u32) -> Program<Device, (i64, i64, i64)> {
        let own = points.map(|p| if nearest(centres, p) == j { (p.0 as i64, p.1 as i64, 1i64) } else { (0, 0, 0) });
        reduce(own, |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2)).first()
    }

    /// Where a centre moves to: nowhere, if no point is nearest to it.
    fn mean(sum: (i64, i64, i64), before: (i32, i32)) -> (i32, i32) {
        if sum.2 == 0 { before } else { ((sum.0 / sum.2) as i32, (sum.1 / sum.2) as i32) }
    }

    /// k-means of points in a plane: four centres, moved until they stay or `most` rounds are done. The host fetches whether
    /// a centre has moved.
    #[kernel(threads = [256, 33])]
    pub fn device_kmeans(
        points: DPull<(i32, i32)>,
        centres: Pull<(i32, i32), 4>,
        most: u32,
    ) -> Program<Device, (Pull<(i32, i32)>, u32)> {
        let mut now = centres;
        let mut rounds = 0u32;
        let mut moved = 1u32;
        while rounds < most && moved == 1 {
            let before = now;
            let (s0, s1) = (members(points, before, 0), members(points, before, 1));
            let (s2, s3) = (members(points, before, 2), members(points, before, 3));
            now = mk_pull(4, |j| {
                let sum = if j == 0 { s0 } else if j == 1 { s1 } else if j == 2 { s2 } else { s3 };
                mean(sum, before[j])
            }).compute();
            let after = now;
            let differs = mk_pull(4, |j| if after[j].0 == before[j].0 && after[j].1 == before[j].1 { 0u32 } else { 1 });
            moved = reduce(differs, |a, b| max(a, b)).fetch(0);
            rounds = rounds + 1;
        }
        (now, rounds)
    }

    /// Halves what is above a limit until nothing is, at first in one branch of the host's: two lengths are joined.
    #[kernel(threads = [256, 33])]
    pub fn device_limited(xs: DPull<u32>, limit: u32) -> Program<Device, (DPull<u32>, u32)> {
        let mut now = xs;
        if xs.len() > limit && reduce(xs, |a, b| max(a, b)).fetch(0) > limit {
            now = xs.take(limit).compute();
        } else {
            now = xs.map(|x| x / 2).compute();
        }
        let mut rounds = 0u32;
        while now.len() > 0 && reduce(now, |a, b| max(a, b)).fetch(0) > limit {
            now = now.map(|x| if x > limit { x / 2 } else { x }).compute();
            rounds = rounds + 1;
        }
        (now, rounds)
    }

    /// Numbers of an array that 3 divides; and the others, after those. An array of the first of equal neighbours.
    #[kernel(threads = [256, 33])]
    pub fn device_selected(xs: DPull<u32>) -> Program<Device, (DPull<u32>, DPull<u32>, DPull<u32>, DPull<u32>)> {
        let (kept, left) = partition(xs, |x| x % 3 == 0);
        (filter(xs, |x| x % 3 == 0), kept, left, unique(xs.map(|x| x / 1000)))
    }

    /// Pairs of what is below a limit: none, some, all; and how many these are.
    #[kernel(threads = [256, 33])]
    pub fn device_few(xs: DPull<u32>, limit: u32) -> Program<Device, (DPull<(u32, f32)>, u32)> {
        let some = filter(xs.map(|x| (x, x as f32 / 3.0)), |x| x.0 < limit);
        (some, some.len())
    }

    /// The sums of whole parts of 256 elements, and what the elements of each part are up to each: one launch stores both.
    #[kernel(threads = [256, 33])]
    pub fn device_parts(xs: DPull<u32>) -> Program<Device, (DPull<u32>, DPull<u32>)> {
        let parts = xs.len() / 256;
        compute_two(parts, 256 * parts, |write_sum, write| distr_par(parts, |b| {
            let sums = scan(mk_pull(256, |i| xs[256 * b + i]), |a, b| a + b);
            for_all(256, |i| write(sums[i], 256 * b + i));
            for_all(1, |_i| write_sum(sums[255], b))
        }))
    }

    #[kernel(threads = [256, 33])]
    pub fn device_sorted(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        sort(xs)
    }

    /// In descending order.
    #[kernel(threads = [256, 33])]
    pub fn device_sorted_floats(xs: DPull<f32>) -> Program<Device, DPull<f32>> {
        sort_by(xs, |a, b| a >= b)
    }

    /// By a key that many share: they stay in their order.
    #[kernel(threads = [256, 33])]
    pub fn device_sorted_by_key(xs: DPull<(u32, i64)>) -> Program<Device, DPull<(u32, i64)>> {
        sort_by_key(xs, |x| x.0 % 17)
    }
}

/// Every program of this file.
pub fn modules() -> Vec<&'static Module> {
    vec![
        device_composed.module(),
        device_scanned.module(),
        device_since_keys.module(),
        device_counts.module(),
        device_variance.module(),
        device_running.module(),
        device_mixed.module(),
        device_life.module(),
        device_kmeans.module(),
        device_limited.module(),
        device_selected.module(),
        device_few.module(),
        device_parts.module(),
        device_sorted.module(),
        device_sorted_floats.module(),
        device_sorted_by_key.module(),
    ]
}
