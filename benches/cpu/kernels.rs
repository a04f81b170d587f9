//! The kernels of the table, as their authors would write them.

use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 256)]
    pub fn saxpy(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| alpha * x + y).split_up(1024).as_grid_map(|c| c.push())
    }

    /// The same for any length.
    #[kernel(threads = 256)]
    pub fn saxpy_any(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
        x.zip_with(y, |x, y| alpha * x + y).push()
    }

    #[kernel(threads = 256)]
    pub fn reversed(x: DPull<u32>) -> DPush<Grid, u32> {
        x.reverse().split_up(1024).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn reductions(x: DPull<i32>) -> DPush<Grid, i32> {
        x.split_up(512).as_grid_map(|c| exec_block(c.reduce(|a, b| a + b)))
    }

    #[kernel(threads = 256)]
    pub fn reduced_by_blocks(x: DPull<i32>) -> DPush<Grid, i32> {
        x.split_up(4096).as_grid_map(|c| reduce_block(c, |a, b| a + b))
    }

    #[kernel(threads = 256)]
    pub fn reduced_by_red7(x: DPull<i32>) -> DPush<Grid, i32> {
        x.split_up(4096).as_grid_map(|c| red7(c, |a, b| a + b))
    }

    #[kernel(threads = 256)]
    pub fn sums(x: DPull<f32>) -> DPush<Grid, f32> {
        x.split_up(4096).as_grid_map(|c| reduce_block(c, |a, b| a + b))
    }

    #[kernel(threads = 256)]
    pub fn scans(x: DPull<u32>) -> DPush<Grid, u32> {
        x.split_up(4096).as_grid_map(|c| scan_block(c, |a, b| a + b))
    }

    #[kernel(threads = 256)]
    pub fn sklansky(x: DPull<u32>) -> DPush<Grid, u32> {
        x.split_up(1024).as_grid_map(|c| exec_block(scan_sklansky1(c, |a, b| a + b)))
    }

    #[kernel(threads = 256)]
    pub fn transposed(x: Pull<f32, 16777216>) -> Push<Grid, f32> {
        x.transpose_tiled(4096, 32)
    }

    #[kernel(threads = 256)]
    pub fn sorted(x: DPull<u32>) -> DPush<Grid, u32> {
        x.split_up(512).as_grid_map(|c| exec_block(c.sort_bitonic()))
    }

    #[kernel(threads = 256)]
    pub fn exponentials(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|x| exp(x)).split_up(1024).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 256)]
    pub fn blurred(x: DPull<f32>) -> DPush<Grid, f32> {
        x.stencil(1, |w| w.fold1(|a, b| a + b) * 0.25).split_up(1024).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 256)]
    pub fn counted(keys: DPull<u32>, bins: Mut<u32, 256>) -> Program<Grid, ()> {
        histogram_by_blocks(keys, 65536, bins)
    }

    /// The iterations, at most 512, of the point of row `b`, column `t`.
    fn iterations(b: u32, t: u32) -> Program<Thread, u32> {
        let cx = -2.0 + 3.0 * t as f32 / 1024.0;
        let cy = -1.5 + 3.0 * b as f32 / 1024.0;
        let (_x, _y, n) = seq_while(
            (0.0f32, 0.0f32, 0u32),
            |(x, y, n)| x * x + y * y <= 4.0 && n < 512,
            |(x, y, n)| (x * x - y * y + cx, 2.0 * x * y + cy, n + 1),
        );
        n
    }

    #[kernel(threads = 256)]
    pub fn mandelbrot() -> Push<Grid, u32> {
        mk_pull(1024, |b| mk_pull(1024, |t| exec_thread(iterations(b, t))).as_block()).as_grid()
    }

    #[kernel(threads = 256)]
    pub fn product(a: Pull<f32, 262144>, b: Pull<f32, 262144>) -> Push<Grid, f32> {
        let columns = b.reshape(512, 512).transpose();
        a.reshape(512, 512).as_grid_map(|row| columns.as_block_map(|column| exec_thread(seq_dot(row, column))))
    }

    /// What body `j` adds to the force on body `i`.
    fn attraction(i: (f32, f32, f32, f32), j: (f32, f32, f32, f32)) -> (f32, f32, f32) {
        let (dx, dy, dz) = (j.0 - i.0, j.1 - i.1, j.2 - i.2);
        let squared = dx * dx + dy * dy + dz * dz + 0.01;
        let factor = j.3 / (squared * sqrt(squared));
        (dx * factor, dy * factor, dz * factor)
    }

    #[kernel(threads = 256)]
    pub fn forces(bodies: Pull<(f32, f32, f32, f32), 4096>) -> Push<Grid, (f32, f32, f32)> {
        bodies.split_up(256).as_grid_map(|c| c.as_block_map(|own| exec_thread({
            seq_fold(4096, (0.0f32, 0.0f32, 0.0f32), |sum, j| {
                let more = attraction(own, bodies[j]);
                (sum.0 + more.0, sum.1 + more.1, sum.2 + more.2)
            })
        })))
    }

    #[kernel(threads = 256)]
    pub fn sparse(rows: DPull<(u32, u32)>, entries: DPull<(u32, f32)>, x: DPull<f32>) -> DPush<Grid, f32> {
        rows.split_up(256).as_grid_map(|c| c.as_block_map(|row| exec_thread({
            let mut sum = 0.0;
            for i in row.0..min(row.1, entries.len()) {
                let (column, value) = entries[i];
                sum = sum + value * x[column];
            }
            sum
        })))
    }

    fn normal_below(x: f32) -> f32 {
        let k = 1.0 / (1.0 + 0.2316419 * abs(x));
        let poly = ((((1.3302744 * k - 1.8212559) * k + 1.7814779) * k - 0.35656378) * k + 0.31938153) * k;
        let above = 0.39894228 * exp(-0.5 * x * x) * poly;
        if x > 0.0 { 1.0 - above } else { above }
    }

    #[kernel(threads = 256)]
    pub fn calls(options: DPull<(f32, f32, f32)>) -> DPush<Grid, f32> {
        options.map(|(price, strike, years)| {
            let spread = 0.3 * sqrt(years);
            let d1 = (ln(price / strike) + 0.065 * years) / spread;
            price * normal_below(d1) - strike * exp(-0.02 * years) * normal_below(d1 - spread)
        }).split_up(1024).as_grid_map(|c| c.push())
    }

    /// One step of a transform of 1024 points (Stockham): the halves of blocks of `half` become neighbours.
    fn butterflies(xs: Pull<(f32, f32)>, half: u32) -> Pull<(f32, f32)> {
        mk_pull(1024, |i| {
            let (block, at) = (i / (2 * half), i % half);
            let (a, b) = (xs[block * half + at], xs[block * half + at + 512]);
            let angle = -3.1415927 * at as f32 / half as f32;
            let (c, s) = (cos(angle), sin(angle));
            let turned = (b.0 * c - b.1 * s, b.0 * s + b.1 * c);
            if i / half % 2 == 0 { (a.0 + turned.0, a.1 + turned.1) } else { (a.0 - turned.0, a.1 - turned.1) }
        })
    }

    fn transform(xs: Pull<(f32, f32)>, half: u32) -> Program<Block, Pull<(f32, f32)>> {
        let next = butterflies(xs, half).compute();
        if half == 512 { next } else { transform(next, 2 * half) }
    }

    #[kernel(threads = 256)]
    pub fn transforms(x: DPull<(f32, f32)>) -> DPush<Grid, (f32, f32)> {
        x.split_up(1024).as_grid_map(|c| exec_block(transform(c, 1).push()))
    }

    #[kernel(threads = 256)]
    pub fn softmax(x: DPull<f32>) -> DPush<Grid, f32> {
        x.split_up(1024).as_grid_map(|row| exec_block({
            let most = row.reduce(|a, b| max(a, b)).compute();
            let powers = row.map(|x| exp(x - most[0])).compute();
            let sum = powers.reduce(|a, b| a + b).compute();
            powers.map(|p| p / sum[0]).push()
        }))
    }

    /// The nearest of 16 centres.
    #[kernel(threads = 256)]
    pub fn nearest(points: DPull<(f32, f32)>, centres: Pull<(f32, f32), 16>) -> DPush<Grid, u32> {
        points.split_up(1024).as_grid_map(|c| c.as_block_map(|p| exec_thread({
            let (_least, which) = seq_fold(16, (3.0e38f32, 0u32), |best, k| {
                let (dx, dy) = (p.0 - centres[k].0, p.1 - centres[k].1);
                let squared = dx * dx + dy * dy;
                if squared < best.0 { (squared, k) } else { best }
            });
            which
        })))
    }

    #[kernel]
    pub fn summed(x: DPull<u32>) -> Program<Device, DPull<u32>> {
        singleton(x.sum()).to_dyn().compute()
    }

    #[kernel]
    pub fn scanned(x: DPull<u32>) -> Program<Device, DPull<u32>> {
        x.scan(|a, b| a + b)
    }

    #[kernel]
    pub fn filtered(x: DPull<u32>) -> Program<Device, DPull<u32>> {
        x.filter(|x| x % 3 == 0)
    }

    #[kernel]
    pub fn counted_all(x: DPull<u32>) -> Program<Device, DPull<u32>> {
        x.map(|x| x & 255).histogram(256).to_dyn()
    }

    #[kernel]
    pub fn sorted_all(x: DPull<u32>) -> Program<Device, DPull<u32>> {
        x.sort()
    }
}
