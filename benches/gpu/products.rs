//! What is bound by arithmetic: products of matrices, beside the kernel by hand, and attention.

use std::error::Error;
use std::fmt::Write;

use obsidian::cudarc::driver::DevicePtr;
use obsidian::{Buffer, Device, Matrix};
use obsidian_programs::{attention, sgemm, sgemm_staged};

use crate::baseline::Baseline;
use crate::rows::{Bench, mixed};
use crate::timing::{Work, interleaved};

/// Rows and columns of both matrices.
const SIDE: usize = 4096;
/// Queries, and keys, of `WIDTH` numbers each.
const QUERIES: usize = 16_384;
const WIDTH: usize = 32;
/// How many elements of a result are computed on the host.
const SAMPLES: usize = 1000;

/// The table of these.
pub fn table(bench: &Bench) -> Result<String, Box<dyn Error>> {
    let mut text = String::from("| program | us | TFLOP/s | beside | us | to it |\n|---|---|---|---|---|---|\n");
    products(bench, &mut text)?;
    attentive(bench, &mut text)?;
    Ok(text)
}

/// Small numbers of both signs.
fn numbers(n: usize, seed: usize) -> Vec<f32> {
    (0..n).map(|i| (mixed(i + seed) % 2001) as f32 / 1000.0 - 1.0).collect()
}

fn line(text: &mut String, name: &str, operations: f64, us: f64, beside: Option<(&str, f64)>) -> std::fmt::Result {
    let (of, base, ratio) = match beside {
        Some((of, base)) => (of, format!("{base:.1}"), format!("{:.3}", base / us)),
        None => ("-", "-".to_owned(), "-".to_owned()),
    };
    writeln!(text, "| {name} | {us:.1} | {:.2} | {of} | {base} | {ratio} |", operations / us / 1e6)
}

/// Some elements of the product have the host's bits: one fused step per element of a row, in order.
fn tested(name: &str, a: &[f32], b: &[f32], found: &[f32]) -> Result<(), Box<dyn Error>> {
    for at in (0..SAMPLES).map(|i| mixed(i) as usize % found.len()) {
        let (r, c) = (at / SIDE, at % SIDE);
        let expected = (0..SIDE).fold(0.0_f32, |sum, d| a[r * SIDE + d].mul_add(b[d * SIDE + c], sum));
        if expected.to_bits() != found[at].to_bits() {
            return Err(format!("{name}: {} in row {r}, column {c}, {expected} on the host", found[at]).into());
        }
    }
    Ok(())
}

type Product = fn(&Device, &Matrix<f32>, &Matrix<f32>, &mut Matrix<f32>) -> Result<(), obsidian::Error>;

fn products(bench: &Bench, text: &mut String) -> Result<(), Box<dyn Error>> {
    let ours: [(&str, Product); 2] = [
        ("product f32, 4096 x 4096", |dev, a, b, out| sgemm.run_into(dev, a, b, out)),
        ("the same in three stages", |dev, a, b, out| sgemm_staged.run_into(dev, a, b, out)),
    ];
    let (a, b) = (numbers(SIDE * SIDE, 0), numbers(SIDE * SIDE, SIDE));
    let dev = &bench.device;
    let (on_a, on_b) = (dev.upload_matrix(&a, SIDE, SIDE)?, dev.upload_matrix(&b, SIDE, SIDE)?);
    let mut outs = [dev.alloc_matrix::<f32>(SIDE, SIDE)?, dev.alloc_matrix::<f32>(SIDE, SIDE)?];
    for ((name, product), out) in ours.iter().zip(&mut outs) {
        product(dev, &on_a, &on_b, out)?;
        tested(name, &a, &b, &out.to_vec()?)?;
    }
    let (from_a, from_b) = (bench.stream.clone_htod(&a)?, bench.stream.clone_htod(&b)?);
    let from = [from_a.device_ptr(&bench.stream).0, from_b.device_ptr(&bench.stream).0];
    let mut by_hand = bench.stream.clone_htod(&vec![f32::NAN; SIDE * SIDE])?;
    let (to, on) = (bench.pointer_mut(&mut by_hand), bench.stream.cu_stream());
    // SAFETY: slices of the stream's context of `SIDE * SIDE` elements, which outlive the works.
    let launch = |library: &Baseline| unsafe { library.product(on, from, to, SIDE as u32) };
    if let Some(library) = &bench.baseline {
        launch(library)?;
        tested("the product by hand", &a, &b, &bench.stream.clone_dtoh(&by_hand)?)?;
    }
    let mut works: Vec<Work<'_>> = Vec::new();
    for ((_, product), out) in ours.iter().zip(&mut outs) {
        works.push(Box::new(|| Ok(product(dev, &on_a, &on_b, out)?)));
    }
    if let Some(library) = &bench.baseline {
        works.push(Box::new(|| launch(library)));
    }
    let times = interleaved(&bench.stream, &mut works, bench.runs)?;
    let beside = times.get(ours.len()).map(|&us| ("matrix_product.cu", us));
    for ((name, _), us) in ours.iter().zip(&times) {
        line(text, name, 2.0 * (SIDE as f64).powi(3), *us, beside)?;
    }
    Ok(())
}

/// A query's result in doubles.
fn attended(q: &[f32], keys: &[f32], values: &[f32]) -> Vec<f64> {
    let product = |key: &[f32]| q.iter().zip(key).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let scaled = keys.chunks(WIDTH).map(|key| product(key) / (WIDTH as f64).sqrt());
    let weights: Vec<f64> = scaled.map(f64::exp).collect();
    let total: f64 = weights.iter().sum();
    let mean =
        |d: usize| weights.iter().zip(values.chunks(WIDTH)).map(|(w, v)| w * f64::from(v[d])).sum::<f64>() / total;
    (0..WIDTH).map(mean).collect()
}

/// Whether a result is too far from its value, or none.
fn is_far(expected: f64, found: f32) -> bool {
    let error = (expected - f64::from(found)).abs();
    error.is_nan() || error >= 1e-5
}

fn attentive(bench: &Bench, text: &mut String) -> Result<(), Box<dyn Error>> {
    let [q, k, v] = [1, 2, 3].map(|seed| numbers(QUERIES * WIDTH, seed * 1_000_000));
    let dev = &bench.device;
    let [on_q, on_k, on_v]: [Buffer<f32>; 3] = [dev.upload(&q)?, dev.upload(&k)?, dev.upload(&v)?];
    let mut out = dev.alloc::<f32>(QUERIES * WIDTH)?;
    attention.run_into(dev, &on_q, &on_k, &on_v, &mut out)?;
    let found = out.to_vec()?;
    for at in (0..SAMPLES / WIDTH).map(|i| mixed(i) as usize % QUERIES) {
        let row = at * WIDTH..(at + 1) * WIDTH;
        let expected = attended(&q[row.clone()], &k, &v);
        let far = expected.iter().zip(&found[row]).find(|(a, b)| is_far(**a, **b));
        if let Some((expected, found)) = far {
            return Err(format!("attention: {found} for query {at}, {expected} in doubles").into());
        }
    }
    let run = || Ok(attention.run_into(dev, &on_q, &on_k, &on_v, &mut out)?);
    let times = interleaved(&bench.stream, &mut [Box::new(run)], bench.runs)?;
    let operations = 4.0 * (WIDTH * QUERIES * QUERIES) as f64;
    Ok(line(text, "attention f32, 16,384 queries and keys of 32", operations, times[0], None)?)
}
