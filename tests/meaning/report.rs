//! The programs of Accelerate's OpenCL report: a map, a fold, options, a sparse matrix.

use obsidian::IndexedArray;

use super::*;

#[test]
fn a_map_and_a_fold() {
    let input: Vec<i32> = (0..768).map(|i| h(i) as i32).collect();
    let expected: Vec<i32> = input.iter().map(|x| x.wrapping_add(7)).collect();
    everywhere!(programs::map_plus, (|_| 7, upload!(input)), expected);
    // Whole numbers: every order of adding gives the same.
    let input: Vec<f32> = (0..3072).map(|i| (h(i) >> 24) as f32).collect();
    let expected: Vec<f32> = input.chunks(1024).map(|c| c.iter().sum()).collect();
    everywhere!(programs::fold_sum, (upload!(input)), expected);
}

/// The formula in `f64`, with the normal distribution by Simpson's rule.
fn worth(rate: f64, volatility: f64, (price, strike, years): (f64, f64, f64)) -> (f64, f64) {
    let below = |x: f64| {
        let density = |t: f64| (-0.5 * t * t).exp() / std::f64::consts::TAU.sqrt();
        let (n, step) = (2000, x / 2000.0);
        let weight = |i: u32| if i == 0 || i == n { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
        0.5 + (0..=n).map(|i| weight(i) * density(f64::from(i) * step)).sum::<f64>() * step / 3.0
    };
    let spread = volatility * years.sqrt();
    let d1 = ((price / strike).ln() + (rate + volatility * volatility / 2.0) * years) / spread;
    let (n1, n2, later) = (below(d1), below(d1 - spread), strike * (-rate * years).exp());
    (price * n1 - later * n2, later * (1.0 - n2) - price * (1.0 - n1))
}

#[test]
fn options_are_worth_what_the_formula_says() {
    let dev = Device::cpu();
    // J. Hull, Options, Futures and Other Derivatives: 42 now, 40 in half a year, 10 % interest, 20 % a year: 4.76 and 0.81.
    let mut options = vec![(42.0f32, 40.0f32, 0.5f32)];
    let unit = |i: u32| (h(i) >> 8) as f32 / (1 << 24) as f32;
    options.extend((1..256).map(|i| (5.0 + 25.0 * unit(i), 1.0 + 99.0 * unit(i + 500), 0.25 + 9.75 * unit(i + 900))));
    let input = dev.upload(&options).unwrap();
    for variant in programs::black_scholes.kernel().variants() {
        let found = programs::black_scholes.with(variant).run(&dev, 0.1, 0.2, &input).unwrap().to_vec().unwrap();
        assert!((found[0].0 - 4.76).abs() < 0.005 && (found[0].1 - 0.81).abs() < 0.005, "{:?}", found[0]);
        for (option, found) in options.iter().zip(found) {
            let expected =
                worth(f64::from(0.1f32), f64::from(0.2f32), (option.0.into(), option.1.into(), option.2.into()));
            let near = |found: f32, expected: f64| (f64::from(found) - expected).abs() < 1e-4;
            assert!(near(found.0, expected.0) && near(found.1, expected.1), "{option:?}: {found:?}, {expected:?}");
        }
    }
}

/// Rows of a sparse matrix: where each starts and ends.
type Rows = Vec<(u32, u32)>;

/// A matrix of 128 rows and 50 columns: empty rows, rows of one entry, one of 700 in the middle. The entries are filled up
/// to a multiple of 256 with those of no row.
fn matrix() -> (Rows, Vec<(u32, f32)>, Vec<f32>) {
    let lengths = (0..128).map(|r| match r % 5 {
        _ if r == 64 => 700,
        0 => 0,
        1 => 1,
        _ => h(r) >> 27,
    });
    let mut rows: Rows = Vec::new();
    for len in lengths {
        let start = rows.last().map_or(0, |r| r.1);
        rows.push((start, start + len));
    }
    let count = rows.last().map_or(0, |r| r.1).next_multiple_of(256);
    let entries = (0..count).map(|i| (h(i) % 50, (h(i + 1) >> 28) as f32 - 8.0)).collect();
    (rows, entries, (0..50).map(|i| (i % 11) as f32 - 5.0).collect())
}

#[test]
fn a_sparse_matrix_times_a_vector() {
    let (rows, entries, x) = matrix();
    let row = |&(start, end): &(u32, u32)| {
        entries[start as usize..end as usize].iter().map(|&(column, value)| value * x[column as usize]).sum::<f32>()
    };
    let expected: Vec<f32> = rows.iter().map(row).collect();
    assert!(expected.iter().any(|&y| y != 0.0) && rows.iter().any(|r| r.0 == r.1));
    everywhere!(programs::smvm_threads, (upload!(rows), upload!(entries), upload!(x)), expected.clone());
    everywhere!(programs::smvm_warps, (upload!(rows), upload!(entries), upload!(x)), expected.clone());

    let mut heads = vec![false; entries.len()];
    rows.iter().filter(|row| row.0 < row.1).for_each(|row| heads[row.0 as usize] = true);
    let mut sums: Vec<f32> = Vec::new();
    for (chunk, heads) in entries.chunks(256).zip(heads.chunks(256)) {
        let mut sum = 0.0;
        for (&(column, value), &head) in chunk.iter().zip(heads) {
            sum = value * x[column as usize] + if head { 0.0 } else { sum };
            sums.push(sum);
        }
    }
    everywhere!(programs::smvm_products, (upload!(entries), upload!(heads), upload!(x)), sums.clone());
    everywhere!(programs::smvm_pieces, (upload!(rows), upload!(sums)), expected);
}

#[test]
fn a_column_that_is_not_there_is_an_error() {
    let dev = Device::cpu();
    let (rows, mut entries, x) = matrix();
    entries[3].0 = 50;
    let (rows, entries, x) = (dev.upload(&rows).unwrap(), dev.upload(&entries).unwrap(), dev.upload(&x).unwrap());
    for error in [
        programs::smvm_threads.run(&dev, &rows, &entries, &x).unwrap_err(),
        programs::smvm_warps.run(&dev, &rows, &entries, &x).unwrap_err(),
    ] {
        assert!(
            matches!(error, Error::OutOfRange { array: IndexedArray::Named("x"), index: 50, len: 50, .. }),
            "{error}"
        );
    }
}
