//! Rows of a width that is known at launch, against plain Rust.

use super::*;

/// Rows and their width.
const SHAPES: [(usize, usize); 12] =
    [(0, 5), (1, 1), (3, 1), (7, 31), (5, 32), (4, 33), (3, 255), (2, 256), (3, 257), (7, 333), (2, 1003), (3, 5000)];

/// Each shape with an array of hashes that fills it.
fn shaped() -> impl Iterator<Item = (usize, usize, Vec<u32>)> {
    SHAPES.into_iter().map(|(rows, width)| (rows, width, hashes((rows * width) as u32)))
}

#[test]
fn products_with_a_vector() {
    let dev = Device::cpu();
    for (rows, width, xs) in shaped() {
        // Whole numbers that no sum rounds: the association is the library's.
        let matrix: Vec<f32> = xs.iter().map(|x| (x % 16) as f32).collect();
        let v: Vec<f32> = (0..width).map(|c| (c % 7) as f32).collect();
        let expected: Vec<f32> = matrix.chunks(width).map(|row| row.iter().zip(&v).map(|(a, b)| a * b).sum()).collect();
        let (dev_matrix, dev_v) = (dev.upload(&matrix).unwrap(), dev.upload(&v).unwrap());
        let found = programs::row_products.run(&dev, &dev_matrix, &dev_v).unwrap().to_vec().unwrap();
        assert_eq!(found, expected, "{rows} x {width}");
        let found = programs::row_products_by_warps.run(&dev, &dev_matrix, &dev_v).unwrap().to_vec().unwrap();
        assert_eq!(found, expected, "{rows} x {width} by warps");
    }
}

#[test]
fn every_number_of_threads_and_blocks_gives_the_same() {
    let (rows, width) = (7, 333);
    let matrix: Vec<f32> = hashes(rows * width).iter().map(|x| (x % 16) as f32).collect();
    let v = vec![1.0f32; width as usize];
    let sums: Vec<f32> = matrix.chunks(width as usize).map(|row| row.iter().sum()).collect();
    everywhere!(programs::row_products, (upload!(matrix), upload!(v)), sums);
}

#[test]
fn softmax() {
    let dev = Device::cpu();
    for (rows, width, xs) in shaped() {
        let xs: Vec<f32> = xs.iter().map(|x| (x % 1000) as f32 / 100.0).collect();
        let bias: Vec<f32> = (0..width).map(|c| (c % 3) as f32).collect();
        let found = programs::row_softmax.run(&dev, &dev.upload(&xs).unwrap(), &dev.upload(&bias).unwrap());
        let found = found.unwrap().to_vec().unwrap();
        assert_eq!(found.len(), rows * width);
        for (row, found) in xs.chunks(width).zip(found.chunks(width)) {
            let powers: Vec<f64> = row.iter().zip(&bias).map(|(x, b)| f64::from(x + b).exp()).collect();
            let sum: f64 = powers.iter().sum();
            for (found, power) in found.iter().zip(&powers) {
                assert!((f64::from(*found) - power / sum).abs() <= 1e-5 * power / sum, "{rows} x {width}");
            }
        }
    }
}

#[test]
fn reductions_keep_the_order() {
    let dev = Device::cpu();
    for (rows, width, xs) in shaped() {
        let maps: Vec<(u32, u32)> = xs.iter().map(|&x| (x | 1, x >> 3)).collect();
        let like = dev.upload(&vec![0u8; width]).unwrap();
        let found = programs::row_composed.run(&dev, &dev.upload(&maps).unwrap(), &like).unwrap().to_vec().unwrap();
        assert_eq!(found, maps.chunks(width).map(left_fold).collect::<Vec<_>>(), "{rows} x {width}");
    }
}

#[test]
fn scans_keep_the_order() {
    let dev = Device::cpu();
    for (rows, width, xs) in shaped() {
        let maps: Vec<(u32, u32)> = xs.iter().map(|&x| (x | 1, x >> 3)).collect();
        let (input, like) = (dev.upload(&maps).unwrap(), dev.upload(&vec![0u8; width]).unwrap());
        let beginnings = |row: &[(u32, u32)]| (1..=row.len()).map(|n| left_fold(&row[..n])).collect::<Vec<_>>();
        let expected: Vec<(u32, u32)> = maps.chunks(width).flat_map(beginnings).collect();
        let found = programs::row_scans.run(&dev, &input, &like).unwrap().to_vec().unwrap();
        assert!(found == expected, "{rows} x {width}");
    }
}

#[test]
fn histograms_and_columns() {
    let dev = Device::cpu();
    for (rows, width, xs) in shaped() {
        let (input, like) = (dev.upload(&xs).unwrap(), dev.upload(&vec![0u8; width]).unwrap());
        let counts = |row: &[u32]| (0..16).map(|k| row.iter().filter(|&&x| x % 16 == k).count() as u32).collect();
        let expected: Vec<u32> = xs.chunks(width).flat_map(|row| -> Vec<u32> { counts(row) }).collect();
        let found = programs::row_counts.run(&dev, &input, &like).unwrap().to_vec().unwrap();
        assert_eq!(found, expected, "{rows} x {width}");
        let turned: Vec<u32> = (0..width).flat_map(|c| (0..rows).map(move |r| r * width + c)).map(|i| xs[i]).collect();
        let found = programs::rows_turned.run(&dev, &input, &like).unwrap().to_vec().unwrap();
        assert_eq!(found, turned, "{rows} x {width}");
    }
}

/// What is made of all elements of a row needs one.
#[test]
fn rows_of_no_width_are_an_error() {
    let dev = Device::cpu();
    let (none, some) = (dev.upload::<f32>(&[]).unwrap(), dev.upload(&[1.0f32; 5]).unwrap());
    let error = programs::row_products.run(&dev, &some, &none).unwrap_err().to_string();
    assert!(error.contains("the length of `v` must be at least 1"), "{error}");
}
