//! What the programs of `programs/src/device.rs` give, by plain Rust, for generated inputs; floats by the CPU's own bits for
//! one number of threads, which every other run must have.

use obsidian::{Device, Params};
use obsidian_programs::device::*;

/// Around the tiles of 1024 to 16,384 elements.
pub const LENGTHS: [usize; 7] = [0, 1, 31, 257, 2049, 16_385, 65_537];

/// Threads of each program's variants.
const THREADS: [u32; 2] = [256, 33];

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

fn after(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
    (f.0.wrapping_mul(g.0), f.1.wrapping_mul(g.0).wrapping_add(g.1))
}

/// How often each key is there.
pub fn counts(keys: &[u32]) -> Vec<u32> {
    let mut counts = vec![0; 60];
    keys.iter().for_each(|k| counts[(k % 60) as usize] += 1);
    counts
}

/// Runs every program on `n` elements.
pub fn check_all(device: &Device, n: usize) {
    let keys = numbers(n);
    let maps: Vec<(u32, u32)> = keys.iter().map(|&a| (a | 1, a >> 3)).collect();
    let (xs, fs) = (device.upload(&keys).unwrap(), device.upload(&maps).unwrap());
    for threads in THREADS.map(|threads| Params { threads }) {
        let what = format!("{n} elements, {threads:?}");
        if n > 0 {
            let composed = device_composed.with(threads).run(device, &fs).unwrap().to_vec().unwrap();
            assert_eq!(composed, [maps.iter().copied().reduce(after).unwrap()], "{what}");
        }
        let mut sum = None;
        let expected: Vec<_> = maps.iter().map(|&f| *sum.insert(sum.map_or(f, |before| after(before, f)))).collect();
        let scanned = device_scanned.with(threads).run(device, &fs).unwrap().to_vec().unwrap();
        assert!(scanned == expected, "{what}: scanned");
        let counted = device_counts.with(threads).run(device, &xs).unwrap().to_vec().unwrap();
        assert_eq!(counted, counts(&keys), "{what}");
        mixed(device, threads, &keys);
        floats(device, threads, n);
    }
}

fn mixed(device: &Device, threads: Params, keys: &[u32]) {
    let xs = device.upload(keys).unwrap();
    let (sums, mixed, one) = device_mixed.with(threads).run(device, 7, &xs).unwrap();
    let ys: Vec<u32> = keys.iter().map(|x| x.wrapping_mul(7)).collect();
    let zs: Vec<u32> = ys.iter().zip(ys.iter().rev()).map(|(a, b)| a.wrapping_add(*b)).collect();
    assert!(sums.to_vec().unwrap() == zs, "{} elements", keys.len());
    let expected: Vec<u32> = zs.iter().map(|z| z ^ keys.len() as u32).collect();
    assert!(mixed.to_vec().unwrap() == expected, "{} elements", keys.len());
    assert_eq!(one.to_vec().unwrap(), [keys.len() as u32 + 7]);
}

/// Sums of floats: near to what they are, and on this device the bits of the CPU.
fn floats(device: &Device, threads: Params, n: usize) {
    let values: Vec<f32> = numbers(n).iter().map(|&x| (x % 10_007) as f32 / 64.0).collect();
    let wide: Vec<f64> = values.iter().map(|&x| f64::from(x) / 3.0).collect();
    let run = |device: &Device, threads| {
        let running = device_running.with(threads).run(device, &device.upload(&wide).unwrap()).unwrap().to_vec();
        let variance = (n > 0).then(|| {
            let xs = device.upload(&values).unwrap();
            device_variance.with(threads).run(device, &xs).unwrap().to_vec().unwrap()[0]
        });
        (running.unwrap(), variance)
    };
    let (running, variance) = run(device, threads);
    let bits = |xs: &[f64]| xs.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let (of_cpu, variance_of_cpu) = run(&Device::cpu(), Params { threads: 256 });
    assert!(bits(&running) == bits(&of_cpu), "{n} elements: a scan of floats has other bits than on the CPU");
    assert_eq!(variance.map(f32::to_bits), variance_of_cpu.map(f32::to_bits), "{n} elements");
    let mut sum = 0.0;
    for (x, found) in wide.iter().zip(&running) {
        sum += x;
        assert!((sum - found).abs() <= 1e-9 * sum, "{n} elements: {found} against {sum}");
    }
    let Some(variance) = variance else { return };
    let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / n as f64;
    let expected = values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n as f64;
    assert!((f64::from(variance) - expected).abs() <= 1e-4 * expected.max(1.0), "{n}: {variance} against {expected}");
}
