//! FCL 2016: reverse, transpose, tiles, interleave, matrix and vector.

use super::*;

#[test]
fn reverse_over_a_grid_and_in_chunks() {
    let input: Vec<i32> = (0..2048).collect();
    everywhere!(programs::reversed, (upload!(input.clone())), input.iter().rev().copied().collect::<Vec<_>>());
    let chunks: Vec<i32> = input.chunks(256).flat_map(|c| c.iter().rev().copied()).collect();
    everywhere!(programs::reversed_chunks, (upload!(input)), chunks);
}

#[test]
fn tiles_one_by_one() {
    let input: Vec<i32> = (0..65536).collect();
    let tiles = (0..256).flat_map(|t| (0..256).map(move |k| (t / 16 * 16 + k % 16) * 256 + t % 16 * 16 + k / 16));
    everywhere!(programs::tiles_transposed, (upload!(input)), tiles.collect::<Vec<i32>>());
}

/// At 256 x 256: one kernel, one array of a tile in shared memory, with rows of 16 elements stored as 17.
#[test]
fn transposed_by_tiles() {
    let input: Vec<i32> = (0..65536).collect();
    let expected: Vec<i32> = (0..65536).map(|k| k % 256 * 256 + k / 256).collect();
    everywhere!(programs::transposed, (upload!(input)), expected);
    // The last row ends with its last element.
    assert_eq!(programs::transposed.shared_bytes(), 1084);
    assert_eq!(programs::transposed.ir().matches("shared per Block").count(), 1);
}

/// Tiles of 8 x 16, each read backwards in itself.
#[test]
fn tiles_put_together() {
    let columns = |input: &[i32], columns: usize, transposed: bool| {
        let mut out = vec![0; input.len()];
        for (k, &x) in input.iter().enumerate() {
            let (row, column) = (k / columns, k % columns);
            let (i, j) = (row % 8, column % 16);
            // Where it stands in the tile's list of elements, then at the mirror image of that.
            let at = 127 - if transposed { j * 8 + i } else { i * 16 + j };
            out[(row / 8 * 8 + at / 16) * columns + column / 16 * 16 + at % 16] = x;
        }
        out
    };
    let input: Vec<i32> = (0..4096).map(|i| h(i) as i32).collect();
    everywhere!(programs::retiled, (upload!(input.clone())), columns(&input, 64, false));
    everywhere!(programs::untiled, (upload!(input.clone())), columns(&input, 128, true));
}

#[test]
fn parts_interleaved() {
    let input: Vec<i32> = (0..192).collect();
    let expected: Vec<i32> = (0..192).map(|k| k / 64 * 64 + k % 4 * 16 + k % 64 / 4).collect();
    everywhere!(programs::interleaved, (upload!(input.clone())), expected.clone());
    everywhere!(programs::interleaved_seq, (upload!(input)), expected);
}

/// 24, smaller: a tree of sums, as `reduce` makes it.
#[test]
fn matrix_times_vector() {
    let matrix: Vec<f64> = (0..128 * 40).map(|k| f64::from(k) / 16_384.0).collect();
    let vector: Vec<f64> = (0..128).map(|c| f64::from(c) / 128.0).collect();
    let dot = |row: &[f64]| {
        let mut products: Vec<f64> = row.iter().zip(&vector).map(|(a, b)| a * b).collect();
        while products.len() > 1 {
            products = products.chunks(2).map(|c| c[0] + c[1]).collect();
        }
        products[0]
    };
    let expected: Vec<f64> = matrix.chunks(128).map(dot).collect();
    everywhere!(programs::matrix_vector, (upload!(matrix), upload!(vector)), expected);
}

/// 22, at the paper's sizes.
#[test]
fn a_large_transpose_and_a_large_reverse() {
    let dev = Device::cpu();
    let input = dev.upload(&(0..1 << 24).collect::<Vec<i32>>()).unwrap();
    let found = programs::large::transposed_4096.run(&dev, &input).unwrap().to_vec().unwrap();
    assert_eq!(found[..3], [0, 4096, 8192]);
    assert!((0..).zip(&found).all(|(k, &x)| x == k % 4096 * 4096 + k / 4096));
    let found = programs::reversed.run(&dev, &input).unwrap().to_vec().unwrap();
    assert!((0..).zip(&found).all(|(i, &x)| x == 16_777_215 - i));
}

/// The known digits.
#[test]
fn a_large_matrix_times_a_vector() {
    let dev = Device::cpu();
    let matrix: Vec<f64> = (0..1 << 24).map(|k| f64::from(k) / 16_777_216.0).collect();
    let vector: Vec<f64> = (0..4096).map(|c| f64::from(c) / 4096.0).collect();
    let (matrix, vector) = (dev.upload(&matrix).unwrap(), dev.upload(&vector).unwrap());
    let found = programs::large::matrix_vector_4096.run(&dev, &matrix, &vector).unwrap().to_vec().unwrap();
    let known = [(0, 0.3332113f64), (1, 0.8330892), (2, 1.3329671), (3, 1.8328451), (4095, 2047.3333333)];
    assert!(known.iter().all(|&(i, x)| (found[i] - x).abs() < 1e-7 * x.max(1.0)), "{:?}", &found[..4]);
}

/// The first and the last 16 rows of the product of 1600 x 800 by 800 x 800.
#[test]
fn a_matrix_product_in_tiles() {
    let dev = Device::cpu();
    let rows = (0..16).chain(1584..1600);
    let a: Vec<f64> = rows.flat_map(|i| (0..800).map(move |j| f64::from(i * 800 + j) / 1_280_000.0)).collect();
    let b: Vec<f64> = (0..640_000).map(|k| f64::from(k) / 640_000.0).collect();
    let (a, b) = (dev.upload(&a).unwrap(), dev.upload(&b).unwrap());
    let found = programs::large::tiled_product.run(&dev, &a, &b).unwrap().to_vec().unwrap();
    let known = [(0, 0.16635), (1, 0.16635), (2, 0.16636), (32 * 800 - 1, 400.41510)];
    assert!(known.iter().all(|&(i, x)| (found[i] - x).abs() <= 5.1e-6), "{:?}, {}", &found[..3], found[32 * 800 - 1]);
}
