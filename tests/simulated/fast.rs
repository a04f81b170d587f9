//! `fast_math` through the whole way: what the GPU's own functions give is within their error, and the CPU stays exact.

use obsidian::kernel;
use obsidian::prelude::*;

use super::{gpu, simulated};

kernel! {
    #[kernel(threads = 64, fast_math)]
    fn approximated(x: DPull<f32>) -> DPush<Grid, (f32, f32, f32, f32)> {
        x.map(|v| (recip(v), rsqrt(v), sqrt(v), 3.0 / v)).split_up(64).as_grid_map(|c| c.push())
    }
}

/// The largest of the documented errors (PTX ISA, `rcp`, `rsqrt`, `sqrt`, `div.full`: 2 ulp).
const ERROR: f64 = 1.0 / (1 << 22) as f64;

#[test]
fn approximations_are_within_their_error() {
    simulated("fast::approximations_are_within_their_error", &[""], || {
        let values: Vec<f32> = (0..256).map(|i| 2f32.powi(i - 128) * (1.0 + i as f32 / 256.0)).collect();
        let values: Vec<f32> = values.into_iter().map(|v| if v.is_normal() { v } else { 1.5 }).collect();
        let run =
            |device: &Device| approximated.run(device, &device.upload(&values).unwrap()).unwrap().to_vec().unwrap();
        for (&v, found) in values.iter().zip(run(&gpu())) {
            let v = f64::from(v);
            let all = [(found.0, 1.0 / v), (found.1, 1.0 / v.sqrt()), (found.2, v.sqrt()), (found.3, 3.0 / v)];
            for (found, exact) in all.into_iter().filter(|(_, exact)| (*exact as f32).is_normal()) {
                assert!((f64::from(found) / exact - 1.0).abs() <= ERROR, "{v}: {found} for {exact}");
            }
        }
        let exact = values.iter().map(|v| (1.0 / v, 1.0 / v.sqrt(), v.sqrt(), 3.0 / v));
        assert_eq!(run(&Device::cpu()), exact.collect::<Vec<_>>());
    });
}
