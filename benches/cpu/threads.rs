//! Rows whose threads compute alone.

use obsidian::Device;
use rayon::prelude::*;

use crate::kernels::{calls, forces, mandelbrot, nearest, product, sparse};
use crate::race::{Result, Row, TASK, near, race, same};
use crate::{LEN, ramp};

/// Rows and columns of the picture.
const PICTURE: usize = 1024;
/// Rows and columns of the matrices.
const SIDE: usize = 512;
const BODIES: usize = 4096;
/// Rows of the sparse matrix, about 18 entries each.
const ROWS: u32 = 1 << 18;

pub fn rows(dev: &Device) -> Result {
    picture(dev)?;
    matrices(dev)?;
    bodies(dev)?;
    sparse_matrix(dev)?;
    options(dev)?;
    points(dev)
}

fn iterations(b: usize, t: usize) -> u32 {
    let (cx, cy) = (-2.0 + 3.0 * t as f32 / 1024.0, -1.5 + 3.0 * b as f32 / 1024.0);
    let (mut x, mut y, mut n) = (0f32, 0f32, 0u32);
    while x * x + y * y <= 4.0 && n < 512 {
        (x, y, n) = (x * x - y * y + cx, 2.0 * x * y + cy, n + 1);
    }
    n
}

fn picture(dev: &Device) -> Result {
    let (mut dev_out, mut out) = (dev.alloc::<u32>(PICTURE * PICTURE)?, vec![0u32; PICTURE * PICTURE]);
    let by_hand = |out: &mut [u32]| {
        out.par_chunks_mut(PICTURE)
            .enumerate()
            .for_each(|(b, row)| row.iter_mut().enumerate().for_each(|(t, n)| *n = iterations(b, t)));
    };
    let row = Row { name: "Mandelbrot 1024^2", bytes: PICTURE * PICTURE * size_of::<u32>(), aim: Some(12.0) };
    race(row, || mandelbrot.run_into(dev, &mut dev_out), || by_hand(&mut out))?;
    mandelbrot.run_into(dev, &mut dev_out)?;
    by_hand(&mut out);
    same("mandelbrot", &dev_out.to_vec()?, &out)
}

fn matrices(dev: &Device) -> Result {
    let (a, b) = (ramp(1000, 100.0)[..SIDE * SIDE].to_vec(), ramp(77, 3.0)[..SIDE * SIDE].to_vec());
    let (dev_a, dev_b) = (dev.upload(&a)?, dev.upload(&b)?);
    let (mut dev_out, mut out) = (dev.alloc::<f32>(SIDE * SIDE)?, vec![0f32; SIDE * SIDE]);
    let by_hand = |out: &mut [f32]| {
        out.par_chunks_mut(SIDE).enumerate().for_each(|(r, out)| {
            out.fill(0.0);
            for k in 0..SIDE {
                let x = a[r * SIDE + k];
                out.iter_mut().zip(&b[k * SIDE..][..SIDE]).for_each(|(out, b)| *out += x * b);
            }
        });
    };
    race(
        Row { name: "product 512^3", bytes: 3 * SIDE * SIDE * size_of::<f32>(), aim: Some(3.0) },
        || product.run_into(dev, &dev_a, &dev_b, &mut dev_out),
        || by_hand(&mut out),
    )?;
    product.run_into(dev, &dev_a, &dev_b, &mut dev_out)?;
    by_hand(&mut out);
    same("product", &dev_out.to_vec()?, &out)
}

fn bodies(dev: &Device) -> Result {
    let at = |i: usize, k: usize| (i * k % 1009) as f32 / 1009.0;
    let all: Vec<(f32, f32, f32, f32)> =
        (0..BODIES).map(|i| (at(i, 31), at(i, 57), at(i, 101), 1.0 + at(i, 7))).collect();
    let field = |f: fn(&(f32, f32, f32, f32)) -> f32| all.iter().map(f).collect::<Vec<f32>>();
    let (xs, ys, zs, masses) = (field(|b| b.0), field(|b| b.1), field(|b| b.2), field(|b| b.3));
    let dev_all = dev.upload(&all)?;
    let mut dev_out = dev.alloc::<(f32, f32, f32)>(BODIES)?;
    let mut out = vec![0f32; 3 * BODIES];
    // A body of the inner loop after another, so that the compiler makes vectors of the outer one's.
    let by_hand = |out: &mut [f32]| {
        out.par_chunks_mut(3 * 64).enumerate().for_each(|(strip, out)| {
            let (fx, rest) = out.split_at_mut(64);
            let (fy, fz) = rest.split_at_mut(64);
            let own = strip * 64..strip * 64 + 64;
            let (ox, oy, oz) = (&xs[own.clone()], &ys[own.clone()], &zs[own]);
            [&mut *fx, &mut *fy, &mut *fz].into_iter().for_each(|f| f.fill(0.0));
            for j in 0..BODIES {
                let (x, y, z, mass) = (xs[j], ys[j], zs[j], masses[j]);
                for i in 0..64 {
                    let (dx, dy, dz) = (x - ox[i], y - oy[i], z - oz[i]);
                    let squared = dx * dx + dy * dy + dz * dz + 0.01;
                    let factor = mass / (squared * squared.sqrt());
                    fx[i] += dx * factor;
                    fy[i] += dy * factor;
                    fz[i] += dz * factor;
                }
            }
        });
    };
    race(
        Row { name: "4096 bodies", bytes: 7 * BODIES * size_of::<f32>(), aim: Some(1.25) },
        || forces.run_into(dev, &dev_all, &mut dev_out),
        || by_hand(&mut out),
    )?;
    forces.run_into(dev, &dev_all, &mut dev_out)?;
    by_hand(&mut out);
    let found = dev_out.to_vec()?;
    let strips = found.chunks_exact(64).flat_map(|s| {
        let field = |f: fn(&(f32, f32, f32)) -> f32| s.iter().map(f).collect::<Vec<f32>>();
        [field(|b| b.0), field(|b| b.1), field(|b| b.2)].concat()
    });
    same("bodies", &strips.collect::<Vec<f32>>(), &out)
}

fn sparse_matrix(dev: &Device) -> Result {
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for r in 0..ROWS {
        let start = rows.last().map_or(0, |row| row.1);
        rows.push((start, start + r % 37));
    }
    let count = rows.last().map_or(0, |row| row.1);
    let entries: Vec<(u32, f32)> = (0..count).map(|i| (i.wrapping_mul(37) % ROWS, (i % 7) as f32)).collect();
    let (columns, values): (Vec<u32>, Vec<f32>) = entries.iter().copied().unzip();
    let x: Vec<f32> = (0..ROWS).map(|i| (i % 11) as f32).collect();
    let (dev_rows, dev_entries, dev_x) = (dev.upload(&rows)?, dev.upload(&entries)?, dev.upload(&x)?);
    let (mut dev_out, mut out) = (dev.alloc::<f32>(rows.len())?, vec![0f32; rows.len()]);
    let by_hand = |out: &mut [f32]| {
        out.par_chunks_mut(4096).zip(rows.par_chunks(4096)).for_each(|(out, rows)| {
            for (out, row) in out.iter_mut().zip(rows) {
                let own = row.0 as usize..row.1 as usize;
                *out = columns[own.clone()].iter().zip(&values[own]).fold(0.0, |sum, (&c, v)| sum + v * x[c as usize]);
            }
        });
    };
    race(
        Row { name: "SpMV", bytes: entries.len() * 8 + rows.len() * 16, aim: Some(1.2) },
        || sparse.run_into(dev, &dev_rows, &dev_entries, &dev_x, &mut dev_out),
        || by_hand(&mut out),
    )?;
    sparse.run_into(dev, &dev_rows, &dev_entries, &dev_x, &mut dev_out)?;
    by_hand(&mut out);
    same("SpMV", &dev_out.to_vec()?, &out)
}

fn normal_below(x: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.2316419 * x.abs());
    let poly = ((((1.3302744 * k - 1.8212559) * k + 1.7814779) * k - 0.35656378) * k + 0.31938153) * k;
    let above = 0.398_942_3 * (-0.5 * x * x).exp() * poly;
    if x > 0.0 { 1.0 - above } else { above }
}

fn options(dev: &Device) -> Result {
    let len = LEN / 4;
    let between = |low: f32, high: f32, i: usize| low + (high - low) * (i * 40_503 % 65_536) as f32 / 65_536.0;
    let option = |i| (between(5.0, 30.0, i), between(1.0, 100.0, 3 * i + 1), between(0.25, 10.0, 7 * i + 2));
    let all: Vec<(f32, f32, f32)> = (0..len).map(option).collect();
    let field = |f: fn(&(f32, f32, f32)) -> f32| all.iter().map(f).collect::<Vec<f32>>();
    let (prices, strikes, years) = (field(|o| o.0), field(|o| o.1), field(|o| o.2));
    let dev_all = dev.upload(&all)?;
    let (mut dev_out, mut out) = (dev.alloc::<f32>(len)?, vec![0f32; len]);
    let by_hand = |out: &mut [f32]| {
        out.par_chunks_mut(TASK).enumerate().for_each(|(task, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                let i = task * TASK + i;
                let (price, strike, years) = (prices[i], strikes[i], years[i]);
                let spread = 0.3 * years.sqrt();
                let d1 = ((price / strike).ln() + 0.065 * years) / spread;
                *out = price * normal_below(d1) - strike * (-0.02 * years).exp() * normal_below(d1 - spread);
            }
        });
    };
    race(
        Row { name: "Black-Scholes 2^22", bytes: 4 * len * size_of::<f32>(), aim: Some(4.0) },
        || calls.run_into(dev, &dev_all, &mut dev_out),
        || by_hand(&mut out),
    )?;
    calls.run_into(dev, &dev_all, &mut dev_out)?;
    by_hand(&mut out);
    near("options", &dev_out.to_vec()?, &out)
}

fn points(dev: &Device) -> Result {
    let len = LEN / 4;
    let all: Vec<(f32, f32)> = (0..len).map(|i| ((i % 1013) as f32 / 64.0, (i % 677) as f32 / 42.0)).collect();
    let (xs, ys): (Vec<f32>, Vec<f32>) = all.iter().copied().unzip();
    let centres: Vec<(f32, f32)> = (0..16).map(|k| ((k % 4) as f32 * 4.0 + 1.5, (k / 4) as f32 * 4.0 + 2.0)).collect();
    let (dev_all, dev_centres) = (dev.upload(&all)?, dev.upload(&centres)?);
    let (mut dev_out, mut out) = (dev.alloc::<u32>(len)?, vec![0u32; len]);
    let by_hand = |out: &mut [u32]| {
        out.par_chunks_mut(TASK).enumerate().for_each(|(task, out)| {
            let (xs, ys) = (&xs[task * TASK..], &ys[task * TASK..]);
            for ((out, x), y) in out.iter_mut().zip(xs).zip(ys) {
                let (mut least, mut which) = (3.0e38f32, 0u32);
                for (k, centre) in centres.iter().enumerate() {
                    let (dx, dy) = (x - centre.0, y - centre.1);
                    let squared = dx * dx + dy * dy;
                    (least, which) = if squared < least { (squared, k as u32) } else { (least, which) };
                }
                *out = which;
            }
        });
    };
    race(
        Row { name: "k-means of 16, 2^22", bytes: 3 * len * size_of::<f32>(), aim: None },
        || nearest.run_into(dev, &dev_all, &dev_centres, &mut dev_out),
        || by_hand(&mut out),
    )?;
    nearest.run_into(dev, &dev_all, &dev_centres, &mut dev_out)?;
    by_hand(&mut out);
    same("k-means", &dev_out.to_vec()?, &out)
}
