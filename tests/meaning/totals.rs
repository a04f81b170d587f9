//! The first lines of a first day's programs, and what all elements of an array give together, against plain Rust.

use super::*;

kernel! {
    #[kernel]
    pub fn mean(xs: DPull<f32>) -> Program<Device, f32> {
        xs.sum() / xs.len() as f32
    }

    #[kernel]
    pub fn blurred(m: DMat<f32>) -> PushMat<Grid, f32> {
        m.stencil_2d_mirror(1, 1, |near| near.flatten().sum() / 9.0).push()
    }

    #[kernel]
    pub fn product_of(a: DMat<f32>, b: DMat<f32>) -> PushMat<Grid, f32> {
        mk_mat(a.len(), b[0].len(), |r, c| a.row(r).zip_with(b.col(c), |x, y| x * y).sum()).push()
    }

    #[kernel]
    pub fn of_bytes(xs: DPull<u8>) -> Program<Device, Pull<u32>> {
        histogram(xs, 256)
    }

    #[kernel]
    pub fn of_wide(xs: DPull<i64>) -> Program<Device, Pull<u32>> {
        histogram(xs, 8)
    }

    #[kernel]
    pub fn differences(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x| xs.map(|y| y - x).sum()).push()
    }

    #[kernel]
    pub fn normalised(m: DMat<f32>) -> PushMat<Grid, f32> {
        m.as_grid_rows(|row| {
            let top = row.maximum();
            let shifted = row.map(|x| x - top);
            let all = shifted.sum();
            shifted.map(|x| x / all).push()
        })
    }

    #[kernel]
    pub fn of_parts(xs: DPull<i32>) -> DPush<Grid, (i32, i32, i32, i32, u32)> {
        xs.chunks(100).as_grid_map(|c| exec_block((c.sum(), c.product(), c.minimum(), c.maximum(), c.count(|x| x % 2 == 0))))
    }

    #[kernel]
    pub fn of_parts_by_threads(xs: DPull<i32>) -> DPush<Grid, (i32, i32, i32, i32, u32)> {
        xs.chunks(100).as_grid_map(|c| mk_pull(1, |_i| exec_thread(
            (c.sum(), c.product(), c.minimum(), c.maximum(), c.count(|x| x % 2 == 0))
        )).as_block())
    }

    #[kernel]
    pub fn of_all(xs: DPull<i32>) -> Program<Device, (i32, i32, u32)> {
        (xs.sum(), xs.product(), xs.count(|x| x % 2 == 0))
    }

    #[kernel]
    pub fn ends(xs: DPull<i32>) -> Program<Device, (i32, i32)> {
        (xs.minimum(), xs.maximum())
    }
}

/// Around a tile of `reduce` at `Device`, and none.
const LENGTHS: [usize; 6] = [0, 1, 31, 257, 4097, 10_003];

fn signed(n: usize) -> Vec<i32> {
    hashes(n as u32).iter().map(|&x| x as i32 >> 8 | 1).collect()
}

fn even(xs: &[i32]) -> u32 {
    xs.iter().filter(|x| *x % 2 == 0).count() as u32
}

fn total(xs: &[i32], f: fn(i32, i32) -> i32, none: i32) -> i32 {
    xs.iter().fold(none, |a, &b| f(a, b))
}

#[test]
fn totals_of_whole_arrays_and_of_none() {
    let dev = Device::cpu();
    for n in LENGTHS {
        let xs = signed(n);
        let buffer = dev.upload(&xs).unwrap();
        let (sum, product, count) = of_all.run(&dev, &buffer).unwrap();
        let found = (sum.to_vec().unwrap()[0], product.to_vec().unwrap()[0], count.to_vec().unwrap()[0]);
        let expected = (total(&xs, i32::wrapping_add, 0), total(&xs, i32::wrapping_mul, 1), even(&xs));
        assert_eq!(found, expected, "{n} elements");
        let floats: Vec<f32> = xs.iter().map(|x| (x % 16) as f32).collect();
        let found = mean.run(&dev, &dev.upload(&floats).unwrap()).unwrap().to_vec().unwrap()[0];
        let sum: f32 = floats.iter().sum();
        assert_eq!(found.to_bits(), (0.0 + sum / n as f32).to_bits(), "{n} elements");
        match (ends.run(&dev, &buffer), xs.iter().min().zip(xs.iter().max())) {
            (Ok((low, high)), Some((least, greatest))) => {
                assert_eq!((low.to_vec().unwrap(), high.to_vec().unwrap()), (vec![*least], vec![*greatest]));
            }
            (Err(said), None) => assert!(said.to_string().contains("at least 1"), "{said}"),
            (found, _) => panic!("{n} elements, and the launch went well: {}", found.is_ok()),
        }
    }
}

#[test]
fn totals_of_parts_by_blocks_and_by_threads() {
    let dev = Device::cpu();
    for n in LENGTHS {
        let xs = signed(n);
        let buffer = dev.upload(&xs).unwrap();
        let of = |c: &[i32]| {
            let (sum, product) = (total(c, i32::wrapping_add, 0), total(c, i32::wrapping_mul, 1));
            (sum, product, total(c, i32::min, i32::MAX), total(c, i32::max, i32::MIN), even(c))
        };
        let expected: Vec<_> = xs.chunks(100).map(of).collect();
        assert_eq!(of_parts.run(&dev, &buffer).unwrap().to_vec().unwrap(), expected, "{n} elements");
        assert_eq!(of_parts_by_threads.run(&dev, &buffer).unwrap().to_vec().unwrap(), expected, "{n} elements");
    }
}

#[test]
fn sums_for_each_element() {
    let dev = Device::cpu();
    for n in [0, 1, 31, 257] {
        let xs = signed(n);
        let of = |x: &i32| xs.iter().fold(0i32, |a, y| a.wrapping_add(y.wrapping_sub(*x)));
        let found = differences.run(&dev, &dev.upload(&xs).unwrap()).unwrap().to_vec().unwrap();
        assert_eq!(found, xs.iter().map(of).collect::<Vec<_>>(), "{n} elements");
    }
    let (rows, inner, cols) = (3usize, 5usize, 4usize);
    let a: Vec<f32> = (0..rows * inner).map(|i| (i % 7) as f32).collect();
    let b: Vec<f32> = (0..inner * cols).map(|i| (i % 5) as f32).collect();
    let at = |r: usize, c: usize| (0..inner).map(|k| a[r * inner + k] * b[k * cols + c]).sum::<f32>();
    let expected: Vec<f32> = (0..rows * cols).map(|i| at(i / cols, i % cols)).collect();
    let (left, right) = (dev.upload_matrix(&a, rows, inner).unwrap(), dev.upload_matrix(&b, inner, cols).unwrap());
    assert_eq!(product_of.run(&dev, &left, &right).unwrap().to_vec().unwrap(), expected);
}

#[test]
fn sums_of_neighbourhoods_and_of_rows() {
    let dev = Device::cpu();
    let (rows, cols) = (5usize, 37usize);
    let xs: Vec<f32> = hashes((rows * cols) as u32).iter().map(|x| (x % 64) as f32).collect();
    let m = dev.upload_matrix(&xs, rows, cols).unwrap();
    let near = |i: usize, d: usize, n: usize| (i + d).saturating_sub(1).min(n - 1);
    let of = |r: usize, c: usize| {
        let cells = (0..9).map(|k| xs[near(r, k / 3, rows) * cols + near(c, k % 3, cols)]);
        cells.sum::<f32>() / 9.0
    };
    let inner = |i: &usize| (1..rows - 1).contains(&(i / cols)) && (1..cols - 1).contains(&(i % cols));
    let found = blurred.run(&dev, &m).unwrap().to_vec().unwrap();
    let checked = (0..rows * cols).filter(inner).inspect(|&i| assert_eq!(found[i], of(i / cols, i % cols), "{i}"));
    assert_eq!(checked.count(), (rows - 2) * (cols - 2));
    let found = normalised.run(&dev, &m).unwrap().to_vec().unwrap();
    for (row, found) in xs.chunks(cols).zip(found.chunks(cols)) {
        let top = row.iter().copied().fold(f32::MIN, f32::max);
        let all: f32 = row.iter().map(|x| x - top).sum();
        assert_eq!(found, row.iter().map(|x| (x - top) / all).collect::<Vec<_>>());
    }
}

#[test]
fn keys_of_any_integer() {
    let dev = Device::cpu();
    let bytes: Vec<u8> = hashes(10_003).iter().map(|x| *x as u8).collect();
    let mut expected = vec![0u32; 256];
    bytes.iter().for_each(|&x| expected[usize::from(x)] += 1);
    assert_eq!(of_bytes.run(&dev, &dev.upload(&bytes).unwrap()).unwrap().to_vec().unwrap(), expected);
    let wide = |xs: &[i64]| of_wide.run(&dev, &dev.upload(xs).unwrap()).and_then(|bins| bins.to_vec());
    assert_eq!(wide(&[3, 3, 7]).unwrap(), [0, 0, 0, 2, 0, 0, 0, 1]);
    // The low bits of these are bins.
    assert!(wide(&[1 << 32 | 3]).is_err() && wide(&[-(1 << 32) + 3]).is_err() && wide(&[-1]).is_err());
}
