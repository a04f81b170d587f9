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
}

/// Every program of this file.
pub fn modules() -> Vec<&'static Module> {
    vec![
        device_composed.module(),
        device_scanned.module(),
        device_counts.module(),
        device_variance.module(),
        device_running.module(),
        device_mixed.module(),
    ]
}
