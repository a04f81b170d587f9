//! What the library promises of its functions: how far they are from the true values at most, on a sample of all `f32`
//! and on a table of `f64`. The whole range: `cargo xtask accuracy`.

use obsidian::prelude::*;

#[path = "accuracy/measure.rs"]
mod measure;

use measure::Worst;

/// Odd and large: a sample of every exponent.
const STRIDE: usize = 4_099;

fn within_limits(found: &[Worst]) {
    for w in found {
        assert!(w.ulps <= w.limit, "{}: {} ulp at {}, not {} at most", w.name, w.ulps, w.at, w.limit);
    }
    assert_eq!(found.len(), 23);
    // A measure that never finds an error measures nothing.
    assert!(found.iter().all(|w| w.ulps > 0.4), "{found:#?}");
}

#[test]
fn single_precision() {
    within_limits(&measure::single(&Device::cpu(), STRIDE).unwrap());
}

#[test]
fn double_precision() {
    within_limits(&measure::double(&Device::cpu()).unwrap());
}

#[test]
fn functions_of_16_bit_floats_are_those_of_f32_rounded() {
    let dev = Device::cpu();
    let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let single: Vec<f32> = all.iter().map(|x| x.to_f32()).collect();
    let (first, _, _) = obsidian_programs::functions::functions_f16.run(&dev, &dev.upload(&all).unwrap()).unwrap();
    let exp =
        obsidian_programs::functions::single_exp.run(&dev, &dev.upload(&single).unwrap()).unwrap().to_vec().unwrap();
    let sin =
        obsidian_programs::functions::single_sin.run(&dev, &dev.upload(&single).unwrap()).unwrap().to_vec().unwrap();
    for (i, (e, s)) in first.to_vec().unwrap().into_iter().enumerate() {
        for (found, wanted) in [(e, exp[i]), (s, sin[i])] {
            let wanted = f16::from_f32(wanted);
            assert!(found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(), "{}", all[i]);
        }
    }
}
