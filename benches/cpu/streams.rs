//! Rows that read and write memory once, element by element.

use obsidian::Device;
use rayon::prelude::*;

use crate::kernels::{blurred, exponentials, reversed, saxpy, saxpy_any};
use crate::race::{Result, Row, TASK, near, race, same};
use crate::{LEN, ramp};

const F32: usize = size_of::<f32>();

pub fn rows(dev: &Device) -> Result {
    let (x, y) = (ramp(1000, 1.0), ramp(77, 3.0));
    let (dev_x, dev_y) = (dev.upload(&x)?, dev.upload(&y)?);
    let (mut dev_out, mut out) = (dev.alloc::<f32>(LEN)?, vec![0f32; LEN]);
    let row = |name, arrays, aim| Row { name, bytes: arrays * LEN * F32, aim };
    let alpha = 1.5f32;
    let saxpy_by_hand = |out: &mut Vec<f32>| {
        out.par_chunks_mut(TASK).zip(x.par_chunks(TASK).zip(y.par_chunks(TASK))).for_each(|(out, (x, y))| {
            for (out, (x, y)) in out.iter_mut().zip(x.iter().zip(y)) {
                *out = alpha * x + y;
            }
        });
    };
    race(
        row("saxpy", 3, Some(1.6)),
        || saxpy.run_into(dev, alpha, &dev_x, &dev_y, &mut dev_out),
        || saxpy_by_hand(&mut out),
    )?;
    race(
        row("saxpy, any length", 3, None),
        || saxpy_any.run_into(dev, alpha, &dev_x, &dev_y, &mut dev_out),
        || saxpy_by_hand(&mut out),
    )?;
    saxpy_any.run_into(dev, alpha, &dev_x, &dev_y, &mut dev_out)?;
    saxpy_by_hand(&mut out);
    same("saxpy", &dev_out.to_vec()?, &out)?;

    let scaled: Vec<f32> = x.iter().map(|x| x / 100.0).collect();
    let by_hand = |out: &mut Vec<f32>| {
        out.par_chunks_mut(TASK).zip(scaled.par_chunks(TASK)).for_each(|(out, x)| {
            for (out, x) in out.iter_mut().zip(x) {
                *out = x.exp();
            }
        });
    };
    let dev_scaled = dev.upload(&scaled)?;
    race(
        row("exp of f32", 2, Some(4.0)),
        || exponentials.run_into(dev, &dev_scaled, &mut dev_out),
        || by_hand(&mut out),
    )?;
    exponentials.run_into(dev, &dev_scaled, &mut dev_out)?;
    by_hand(&mut out);
    near("exp", &dev_out.to_vec()?, &out)?;

    let by_hand = |out: &mut Vec<f32>| {
        out.par_chunks_mut(TASK).enumerate().for_each(|(task, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                let i = task * TASK + i;
                *out = (x[i.saturating_sub(1)] + x[i] + x[(i + 1).min(LEN - 1)]) * 0.25;
            }
        });
    };
    race(row("blur of 3", 2, Some(3.5)), || blurred.run_into(dev, &dev_x, &mut dev_out), || by_hand(&mut out))?;
    blurred.run_into(dev, &dev_x, &mut dev_out)?;
    by_hand(&mut out);
    same("blur", &dev_out.to_vec()?, &out)?;
    reverse(dev)
}

fn reverse(dev: &Device) -> Result {
    let x: Vec<u32> = (0..LEN as u32).collect();
    let dev_x = dev.upload(&x)?;
    let (mut dev_out, mut out) = (dev.alloc::<u32>(LEN)?, vec![0u32; LEN]);
    race(
        Row { name: "reverse", bytes: 2 * LEN * size_of::<u32>(), aim: Some(1.8) },
        || reversed.run_into(dev, &dev_x, &mut dev_out),
        || {
            out.par_chunks_mut(TASK).zip(x.par_chunks(TASK).rev()).for_each(|(out, x)| {
                for (out, x) in out.iter_mut().zip(x.iter().rev()) {
                    *out = *x;
                }
            });
        },
    )?;
    reversed.run_into(dev, &dev_x, &mut dev_out)?;
    same("reverse", &dev_out.to_vec()?, &x.iter().rev().copied().collect::<Vec<_>>())
}
