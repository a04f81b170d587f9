//! `fast_math` through the whole way: what the GPU's own functions give is within their error, and the CPU stays exact.

use obsidian::kernel;
use obsidian::prelude::*;

use super::{gpu, simulated};

kernel! {
    #[kernel(threads = 64, fast_math)]
    fn approximated(x: DPull<f32>) -> DPush<Grid, (f32, f32, f32, f32)> {
        x.map(|v| (recip(v), rsqrt(v), sqrt(v), 3.0 / v)).split_up(64).as_grid_map(|c| c.push())
    }

    fn functions(v: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
        (v.exp(), v.exp2(), v.ln(), v.log2(), v.log10(), v.sin(), v.cos(), v.tanh())
    }

    #[kernel(threads = 64, fast_math, target = "sm_75")]
    fn own_functions(x: DPull<f32>) -> DPush<Grid, (f32, f32, f32, f32, f32, f32, f32, f32)> {
        x.map(functions).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    fn exact_functions(x: DPull<f32>) -> DPush<Grid, (f32, f32, f32, f32, f32, f32, f32, f32)> {
        x.map(functions).split_up(64).as_grid_map(|c| c.push())
    }
}

/// The largest of the documented errors (PTX ISA, `rcp`, `rsqrt`, `sqrt`, `div.approx`: 2 ulp).
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
            // Of a divisor above 2^126 the quotient is 0.
            let quotients = if v > 2f64.powi(126) { &all[..3] } else { &all };
            for &(found, exact) in quotients.iter().filter(|(_, exact)| (*exact as f32).is_normal()) {
                assert!((f64::from(found) / exact - 1.0).abs() <= ERROR, "{v}: {found} for {exact}");
            }
        }
        let exact = values.iter().map(|v| (1.0 / v, 1.0 / v.sqrt(), v.sqrt(), 3.0 / v));
        assert_eq!(run(&Device::cpu()), exact.collect::<Vec<_>>());
    });
}

/// The bounds of PTX ISA, `ex2`, `lg2` (2^-22), `sin`, `cos` (2^-20.5 from -2 pi to 2 pi), `tanh` (2^-11), and what one rounded
/// product before or after adds: half an ulp of the result, or of the exponent, which counts `|x|` times.
#[test]
fn functions_of_a_gpus_own_are_within_their_error() {
    simulated("fast::functions_of_a_gpus_own_are_within_their_error", &[""], || {
        let values: Vec<f32> = (1..=256).map(|i| i as f32 * 0.0245).collect();
        let from_gpu = own_functions.run(&gpu(), &gpu().upload(&values).unwrap()).unwrap().to_vec().unwrap();
        let ulp = f64::from(f32::EPSILON);
        for (&v, found) in values.iter().zip(from_gpu) {
            let v = f64::from(v);
            let log = |exact: f64| ERROR * exact.abs().max(1.0) + ulp * exact.abs();
            let trig = 2f64.powf(-20.5);
            let all = [
                (found.0, v.exp(), v.exp() * (ERROR + 2.0 * ulp * (1.0 + v))),
                (found.1, v.exp2(), v.exp2() * ERROR),
                (found.2, v.ln(), log(v.ln())),
                (found.3, v.log2(), log(v.log2())),
                (found.4, v.log10(), log(v.log10())),
                (found.5, v.sin(), trig),
                (found.6, v.cos(), trig),
                (found.7, v.tanh(), v.tanh() * 2f64.powi(-11)),
            ];
            for (found, exact, most) in all {
                assert!((f64::from(found) - exact).abs() <= most, "{v}: {found} for {exact}");
            }
        }
        let cpu = Device::cpu();
        let lent = cpu.upload(&values).unwrap();
        let run = |fast: bool| {
            let out = if fast { own_functions.run(&cpu, &lent) } else { exact_functions.run(&cpu, &lent) };
            out.unwrap().to_vec().unwrap()
        };
        assert_eq!(run(true), run(false), "the CPU stays exact");
    });
}
