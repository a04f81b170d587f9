//! Rows whose blocks compute in shared memory.

use obsidian::Device;
use rayon::prelude::*;

use crate::kernels::{
    counted, reduced_by_blocks, reduced_by_red7, reductions, scans, sklansky, softmax, sorted, sums, transforms,
    transposed,
};
use crate::race::{Result, Row, TASK, near, race, same};
use crate::{LEN, ramp};

const WORD: usize = size_of::<u32>();
/// Rows and columns of the matrix that is transposed.
const SIDE: usize = 4096;
/// Points of a transform, and elements of a row of `softmax`.
const POINTS: usize = 1024;
/// Lanes in which sums of `f32` are added by hand, as a compiler may not do by itself.
const LANES: usize = 16;

pub fn rows(dev: &Device) -> Result {
    integers(dev)?;
    floats(dev)?;
    words(dev)?;
    histogram(dev)?;
    transforms_of_points(dev)
}

/// Writes `f` of each chunk of `n` elements.
fn each<T: Sync, O: Send>(x: &[T], out: &mut [O], n: usize, f: impl Fn(&[T]) -> O + Sync) {
    out.par_chunks_mut(TASK / n).zip(x.par_chunks(TASK)).for_each(|(out, x)| {
        for (out, chunk) in out.iter_mut().zip(x.chunks_exact(n)) {
            *out = f(chunk);
        }
    });
}

fn integers(dev: &Device) -> Result {
    let x: Vec<i32> = (0..LEN as i32).map(|i| i.wrapping_mul(0x9e37)).collect();
    let dev_x = dev.upload(&x)?;
    let sum = |chunk: &[i32]| chunk.iter().fold(0, |sum: i32, &x| sum.wrapping_add(x));
    let row = |name, n: usize| Row { name, bytes: (LEN + LEN / n) * WORD, aim: Some(1.2) };
    let (mut dev_few, mut few) = (dev.alloc::<i32>(LEN / 4096)?, vec![0i32; LEN / 4096]);
    let (mut dev_out, mut out) = (dev.alloc::<i32>(LEN / 512)?, vec![0i32; LEN / 512]);
    race(
        row("reductions of 512", 512),
        || reductions.run_into(dev, &dev_x, &mut dev_out),
        || each(&x, &mut out, 512, sum),
    )?;
    race(
        row("reduce_block of 4096", 4096),
        || reduced_by_blocks.run_into(dev, &dev_x, &mut dev_few),
        || each(&x, &mut few, 4096, sum),
    )?;
    race(
        row("red7 of 4096", 4096),
        || reduced_by_red7.run_into(dev, &dev_x, &mut dev_few),
        || each(&x, &mut few, 4096, sum),
    )?;
    reductions.run_into(dev, &dev_x, &mut dev_out)?;
    each(&x, &mut out, 512, sum);
    same("reductions", &dev_out.to_vec()?, &out)?;
    reduced_by_red7.run_into(dev, &dev_x, &mut dev_few)?;
    each(&x, &mut few, 4096, sum);
    same("red7", &dev_few.to_vec()?, &few)?;
    reduced_by_blocks.run_into(dev, &dev_x, &mut dev_few)?;
    same("reduce_block", &dev_few.to_vec()?, &few)
}

fn floats(dev: &Device) -> Result {
    let x = ramp(1000, 7.0);
    let dev_x = dev.upload(&x)?;
    let (mut dev_few, mut few) = (dev.alloc::<f32>(LEN / 4096)?, vec![0f32; LEN / 4096]);
    let sum = |chunk: &[f32]| {
        let mut lanes = [0f32; LANES];
        for part in chunk.chunks_exact(LANES) {
            lanes.iter_mut().zip(part).for_each(|(lane, x)| *lane += x);
        }
        lanes.iter().sum::<f32>()
    };
    race(
        Row { name: "sums of 4096 f32", bytes: (LEN + LEN / 4096) * WORD, aim: Some(1.1) },
        || sums.run_into(dev, &dev_x, &mut dev_few),
        || each(&x, &mut few, 4096, sum),
    )?;
    sums.run_into(dev, &dev_x, &mut dev_few)?;
    each(&x, &mut few, 4096, sum);
    near("sums", &dev_few.to_vec()?, &few)?;

    let (mut dev_out, mut out) = (dev.alloc::<f32>(LEN)?, vec![0f32; LEN]);
    let by_hand = |out: &mut [f32]| {
        out.par_chunks_mut(SIDE * 16).enumerate().for_each(|(strip, out)| {
            for column in (0..SIDE).step_by(16) {
                for r in 0..16 {
                    for c in column..column + 16 {
                        out[r * SIDE + c] = x[c * SIDE + strip * 16 + r];
                    }
                }
            }
        });
    };
    race(
        Row { name: "transpose_tiled 4096^2", bytes: 2 * LEN * WORD, aim: Some(4.0) },
        || transposed.run_into(dev, &dev_x, &mut dev_out),
        || by_hand(&mut out),
    )?;
    transposed.run_into(dev, &dev_x, &mut dev_out)?;
    by_hand(&mut out);
    same("transpose", &dev_out.to_vec()?, &out)?;

    let by_hand = |out: &mut [f32]| {
        out.par_chunks_mut(POINTS).zip(x.par_chunks(POINTS)).for_each(|(out, x)| {
            let most = x.iter().fold(f32::MIN, |most, &x| most.max(x));
            out.iter_mut().zip(x).for_each(|(out, x)| *out = (x - most).exp());
            let sum: f32 = out.iter().sum();
            out.iter_mut().for_each(|p| *p /= sum);
        });
    };
    race(
        Row { name: "softmax of 1024", bytes: 2 * LEN * WORD, aim: None },
        || softmax.run_into(dev, &dev_x, &mut dev_out),
        || by_hand(&mut out),
    )?;
    softmax.run_into(dev, &dev_x, &mut dev_out)?;
    by_hand(&mut out);
    near("softmax", &dev_out.to_vec()?, &out)
}

fn words(dev: &Device) -> Result {
    let x: Vec<u32> = (0..LEN as u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 7).collect();
    let dev_x = dev.upload(&x)?;
    let (mut dev_out, mut out) = (dev.alloc::<u32>(LEN)?, vec![0u32; LEN]);
    let row = |name, aim| Row { name, bytes: 2 * LEN * WORD, aim: Some(aim) };
    let scan = |out: &mut [u32], n: usize| {
        out.par_chunks_mut(TASK).zip(x.par_chunks(TASK)).for_each(|(out, x)| {
            for (out, x) in out.chunks_exact_mut(n).zip(x.chunks_exact(n)) {
                let mut sum = 0u32;
                for (out, x) in out.iter_mut().zip(x) {
                    sum = sum.wrapping_add(*x);
                    *out = sum;
                }
            }
        });
    };
    race(row("scan_block of 4096", 1.2), || scans.run_into(dev, &dev_x, &mut dev_out), || scan(&mut out, 4096))?;
    scans.run_into(dev, &dev_x, &mut dev_out)?;
    scan(&mut out, 4096);
    same("scan_block", &dev_out.to_vec()?, &out)?;
    race(row("scan_sklansky1 of 1024", 1.4), || sklansky.run_into(dev, &dev_x, &mut dev_out), || scan(&mut out, 1024))?;
    sklansky.run_into(dev, &dev_x, &mut dev_out)?;
    scan(&mut out, 1024);
    same("scan_sklansky1", &dev_out.to_vec()?, &out)?;

    let sort = |out: &mut [u32]| {
        out.par_chunks_mut(TASK).zip(x.par_chunks(TASK)).for_each(|(out, x)| {
            out.copy_from_slice(x);
            out.chunks_exact_mut(512).for_each(<[u32]>::sort_unstable);
        });
    };
    race(row("sort_bitonic of 512", 4.0), || sorted.run_into(dev, &dev_x, &mut dev_out), || sort(&mut out))?;
    sorted.run_into(dev, &dev_x, &mut dev_out)?;
    sort(&mut out);
    same("sort_bitonic", &dev_out.to_vec()?, &out)
}

fn histogram(dev: &Device) -> Result {
    let keys: Vec<u32> = (0..LEN as u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 24).collect();
    let (dev_keys, mut dev_bins) = (dev.upload(&keys)?, dev.upload(&[0u32; 256])?);
    let mut bins = vec![0u32; 256];
    let by_hand = || {
        let tables = keys.par_chunks(TASK).map(|keys| {
            let mut bins = vec![0u32; 256];
            keys.iter().for_each(|&k| bins[k as usize] += 1);
            bins
        });
        let joined = |mut a: Vec<u32>, b: Vec<u32>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        tables.reduce(|| vec![0u32; 256], joined)
    };
    race(
        Row { name: "histogram of 256", bytes: LEN * WORD, aim: Some(1.1) },
        || counted.run(dev, &dev_keys, &mut dev_bins),
        || bins = by_hand(),
    )?;
    // Rounds have added up.
    let mut dev_bins = dev.upload(&[0u32; 256])?;
    counted.run(dev, &dev_keys, &mut dev_bins)?;
    same("histogram", &dev_bins.to_vec()?, &by_hand())
}

fn transforms_of_points(dev: &Device) -> Result {
    let len = LEN / 4;
    let x: Vec<(f32, f32)> = (0..len).map(|i| ((i % 101) as f32 / 50.0 - 1.0, (i % 31) as f32 / 15.0 - 1.0)).collect();
    let dev_x = dev.upload(&x)?;
    let (mut dev_out, mut out) = (dev.alloc::<(f32, f32)>(len)?, vec![(0f32, 0f32); len]);
    let roots: Vec<(f32, f32)> = (0..POINTS / 2)
        .map(|k| (-std::f64::consts::TAU * k as f64 / POINTS as f64).sin_cos())
        .map(|(s, c)| (c as f32, s as f32))
        .collect();
    let by_hand = |out: &mut [(f32, f32)]| {
        out.par_chunks_mut(POINTS).zip(x.par_chunks(POINTS)).for_each(|(out, x)| {
            let mut from = x.to_vec();
            let mut half = 1;
            while half < POINTS {
                for block in 0..POINTS / 2 / half {
                    for at in 0..half {
                        let (a, b) = (from[block * half + at], from[block * half + at + POINTS / 2]);
                        let (c, s) = roots[at * (POINTS / 2 / half)];
                        let turned = (b.0 * c - b.1 * s, b.0 * s + b.1 * c);
                        out[2 * block * half + at] = (a.0 + turned.0, a.1 + turned.1);
                        out[(2 * block + 1) * half + at] = (a.0 - turned.0, a.1 - turned.1);
                    }
                }
                from.copy_from_slice(out);
                half *= 2;
            }
        });
    };
    race(
        Row { name: "transforms of 1024", bytes: 2 * len * size_of::<(f32, f32)>(), aim: None },
        || transforms.run_into(dev, &dev_x, &mut dev_out),
        || by_hand(&mut out),
    )?;
    transforms.run_into(dev, &dev_x, &mut dev_out)?;
    by_hand(&mut out);
    let flat = |xs: &[(f32, f32)]| xs.iter().flat_map(|x| [x.0, x.1]).collect::<Vec<f32>>();
    near("transforms", &flat(&dev_out.to_vec()?), &flat(&out))?;
    // The loop is itself a transform: its first number is the sum, its second one by the definition.
    let first = &x[..POINTS];
    let defined = |k: usize| {
        first.iter().enumerate().fold((0f64, 0f64), |(re, im), (n, x)| {
            let (s, c) = (-std::f64::consts::TAU * (k * n % POINTS) as f64 / POINTS as f64).sin_cos();
            let (a, b) = (f64::from(x.0), f64::from(x.1));
            (re + a * c - b * s, im + a * s + b * c)
        })
    };
    let defined: Vec<f32> = (0..POINTS).map(defined).flat_map(|x| [x.0 as f32, x.1 as f32]).collect();
    near("transforms by the definition", &flat(&out[..POINTS]), &defined)
}
