//! Arrays in registers, against plain Rust: every number of threads and of blocks gives the same.

use super::*;

#[test]
fn registers_between_barriers() {
    let xs: Vec<f32> = hashes(1024).iter().map(|x| (x % 1000) as f32 / 7.0).collect();
    for rounds in [0u32, 1, 2, 3, 6] {
        let part = |c: &[f32]| {
            // Element `q` of thread `t` is at `t * 4 + q`.
            let mut own: Vec<f32> = (0..256).map(|i| c[i % 4 * 64 + i / 4]).collect();
            for _ in 0..rounds % 4 {
                own = (0..256).map(|i| own[i] + own[(i + 1) % 256] * 0.5).collect();
            }
            own
        };
        let expected: Vec<f32> = xs.chunks(256).flat_map(part).collect();
        everywhere!(programs::registers_between_barriers, (upload!(xs), |_: &Device| rounds), expected);
    }
}

#[test]
fn registers_of_pairs() {
    let xs: Vec<(u8, u64)> = hashes(480).iter().map(|&x| (x as u8, u64::from(x) << 20 | 5)).collect();
    let part = |c: &[(u8, u64)]| {
        let mut own: Vec<[(u8, u64); 3]> = c.chunks(3).map(|e| [e[0], e[1], e[2]]).collect();
        for k in 0..2u64 {
            let sums: Vec<u64> = own.iter().map(|e| e.iter().fold(0, |sum: u64, x| sum.wrapping_add(x.1))).collect();
            for (t, e) in own.iter_mut().enumerate() {
                let (a, b) = (e[0], e[2]);
                e[0] = (b.0, b.1 ^ sums[39 - t]);
                e[2] = (a.0, a.1.wrapping_add(k));
            }
        }
        own.into_iter().flat_map(|e| [e[2], e[1], e[0]]).collect::<Vec<_>>()
    };
    let expected: Vec<(u8, u64)> = xs.chunks(120).flat_map(part).collect();
    everywhere!(programs::registers_of_pairs, (upload!(xs)), expected);
}

#[test]
fn registers_beside_lanes() {
    let xs: Vec<i32> = hashes(640).iter().map(|&x| x as i32).collect();
    let part = |c: &[i32]| {
        let sums: Vec<i32> = (0..64).map(|i| c[i].wrapping_add(c[i ^ 16])).collect();
        let next = |t: usize| match c[0] % 2 {
            0 => c[t] ^ sums[63 - t],
            _ => c[t].wrapping_sub(c[(t + 7) % 64]),
        };
        (0..64).map(next).collect::<Vec<_>>()
    };
    let expected: Vec<i32> = xs.chunks(64).flat_map(part).collect();
    everywhere!(programs::registers_and_lanes, (upload!(xs)), expected);
}

/// What a product of two matrices gives, for shapes that are multiples of its tiles, and others; each sum in the order of `k`.
pub(super) fn assert_products(product: impl Fn(&Device, &Matrix<f32>, &Matrix<f32>) -> Matrix<f32>) {
    let dev = Device::cpu();
    for (m, k, n) in [(1, 1, 1), (64, 8, 64), (65, 9, 63), (7, 33, 130), (200, 70, 3), (3, 0, 4), (0, 3, 4), (4, 3, 0)]
    {
        // Products that do not fit in 24 bits: the order of the sums is told.
        let of = |rows: usize, cols: usize| -> Vec<f32> {
            hashes((rows * cols) as u32).iter().map(|x| (x % 100_003) as f32 / 3.0).collect()
        };
        let (a, b) = (of(m, k), of(k, n));
        let sum = |r: usize, c: usize| (0..k).fold(0.0f32, |sum, i| a[r * k + i].mul_add(b[i * n + c], sum));
        let expected: Vec<f32> = (0..m).flat_map(|r| (0..n).map(move |c| (r, c))).map(|(r, c)| sum(r, c)).collect();
        let (x, y) = (dev.upload_matrix(&a, m, k).unwrap(), dev.upload_matrix(&b, k, n).unwrap());
        let found = product(&dev, &x, &y);
        assert_eq!((found.rows(), found.cols()), (m, n));
        assert_eq!(found.to_vec().unwrap(), expected, "{m} x {k} x {n}");
    }
}

#[test]
fn products_of_any_shape() {
    assert_products(|dev, a, b| programs::sgemm.run(dev, a, b).unwrap());
}
