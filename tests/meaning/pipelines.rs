//! Loops of blocks whose loads are in stages, against plain Rust: no round, one, as many as there are stages, more.

use super::*;

#[test]
fn columns_of_any_length() {
    for n in [0, 1, 255, 256, 257, 512, 700, 1024, 1999] {
        let xs = hashes(n);
        let at = |i: usize| xs.get(i).copied().unwrap_or(0);
        let of_round = |t: usize, first: usize| {
            (0..4).fold(0u32, |sum, r| {
                sum.wrapping_add(at(first + r * 64 + t).wrapping_add(at(first + 255 - r * 64 - t).wrapping_mul(3)))
            })
        };
        let rounds = (0..n.div_ceil(256) as usize).map(|k| k * 256);
        let sum = |t: usize| rounds.clone().fold(0u32, |sum, first| sum.wrapping_add(of_round(t, first)));
        let expected: Vec<u32> = (0..64).map(sum).collect();
        everywhere!(programs::staged_columns, (upload!(xs)), expected.clone());
        everywhere!(programs::staged_columns_in_registers, (upload!(xs)), expected);
    }
}

#[test]
fn one_loop_after_another() {
    for blocks in [0, 1, 2, 9] {
        let xs: Vec<(f32, u64)> =
            (0..blocks * 1024).map(|i| ((h(i) >> 8) as f32 / 64.0, u64::from(h(i)) << (i % 31))).collect();
        let mut expected = Vec::new();
        for c in xs.chunks(1024) {
            for t in 0..64 {
                for part in 0..2 {
                    let mut sum = (0.0f32, 0u64);
                    for k in 0..4 - part {
                        for r in 0..4 {
                            let (i, turned) = (k * 256 + r * 64 + t, k * 256 + 255 - r * 64 - t);
                            let ((x, n), (y, m)) = (c[i], c[turned]);
                            sum = (sum.0 + (x - y * 0.5), sum.1.wrapping_add(n ^ (m.wrapping_add(k as u64))));
                        }
                    }
                    expected.push(sum);
                }
            }
        }
        everywhere!(programs::staged_differences, (upload!(xs)), expected);
    }
}

#[test]
fn products_in_stages() {
    super::registers::assert_products(|dev, a, b| programs::sgemm_staged.run(dev, a, b).unwrap());
}

#[test]
fn attention_of_any_number() {
    let reals = |n: usize, seed: u32| -> Vec<[f32; 32]> {
        let one = |i: u32| (h(i ^ seed) >> 8) as f32 / (1 << 22) as f32 - 2.0;
        (0..n as u32).map(|r| std::array::from_fn(|d| one(r * 32 + d as u32))).collect()
    };
    let dev = Device::cpu();
    for (queries, keys) in [(1, 1), (3, 31), (64, 32), (65, 33), (130, 100), (0, 5)] {
        let (q, k, v) = (reals(queries, 0), reals(keys, 1 << 20), reals(keys, 1 << 21));
        let mut expected: Vec<f64> = Vec::new();
        for query in &q {
            let product = |key: &[f32; 32]| {
                query.iter().zip(key).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() / 32f64.sqrt()
            };
            let weights: Vec<f64> = k.iter().map(|key| product(key).exp()).collect();
            let all: f64 = weights.iter().sum();
            let mean = |d: usize| weights.iter().zip(&v).map(|(w, v)| w * f64::from(v[d])).sum::<f64>() / all;
            expected.extend((0..32).map(mean));
        }
        let [q, k, v] = [&q, &k, &v].map(|m| dev.upload(m.as_flattened()).unwrap());
        for variant in programs::attention.kernel().variants() {
            let found = programs::attention.with(variant).run(&dev, &q, &k, &v).unwrap().to_vec().unwrap();
            assert_eq!(found.len(), expected.len());
            for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
                assert!((f64::from(*a) - b).abs() <= 1e-4, "{queries}, {keys}: element {i} is {a}, not {b}");
            }
        }
    }
}
