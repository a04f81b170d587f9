//! Kernels that `cargo xtask static-bench` holds beside CUDA C, and that are no programs of `programs`.

use obsidian::prelude::*;

obsidian::kernel! {
    /// As `tuned_scan`, of any length.
    #[kernel(threads = 256)]
    pub fn scan_any(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(4096).as_grid_map(|c| {
            let n = c.len();
            scan_block(c.pad_to(4096, 0), |a, b| a + b).take(n)
        })
    }

    #[kernel(threads = 256)]
    pub fn merge_sort_1024(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(1024).as_grid_map(|c| exec_block(merge_sort(c, |a, b| a <= b).runs(4)))
    }

    #[kernel(threads = 256)]
    pub fn radix_sort_1024(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(1024).as_grid_map(|c| exec_block(sort_by_key(c, |x| x)))
    }

    /// What body `b` does to whoever is at `a`: three numbers, and the mass.
    fn pull_of(a: (f32, f32, f32, f32), b: (f32, f32, f32, f32)) -> (f32, f32, f32) {
        let (x, y, z) = (b.0 - a.0, b.1 - a.1, b.2 - a.2);
        let near = mul_add(x, x, mul_add(y, y, mul_add(z, z, 0.0001)));
        let s = b.3 / (near * sqrt(near));
        (x * s, y * s, z * s)
    }

    /// What all bodies do to each of them, 64 of them at a time in shared memory.
    // `nbody_tiles` of `programs` under `fast_math`, whose bits differ between back ends, so it is no program.
    #[kernel(threads = 64, fast_math)]
    pub fn nbody(bodies: DPull<(f32, f32, f32, f32)>) -> DPush<Grid, (f32, f32, f32)> {
        let n = bodies.len();
        let tiles = n / 64 + min(n % 64, 1);
        bodies.chunks(64).as_grid_map(|own| exec_block({
            let sums = regs(64, 1, |_, _| (0.0, 0.0, 0.0));
            let last = own.len() - 1;
            for k in 0..tiles {
                let tile = mk_pull(64, |i| {
                    let j = k * 64 + i;
                    if j < n { bodies[j] } else { (0.0, 0.0, 0.0, 0.0) }
                }).compute();
                for_all(64, |t| {
                    let me = own[min(t, last)];
                    sums[t][0] = seq_fold(8, sums[t][0], |so_far, part| {
                        let mut sum = so_far;
                        for i in 0..8 {
                            let f = pull_of(me, tile[part * 8 + i]);
                            sum = (sum.0 + f.0, sum.1 + f.1, sum.2 + f.2);
                        }
                        sum
                    });
                });
            }
            sums.push().take(own.len())
        }))
    }
}
