//! Numbers that data tells: sums of as many elements as data says, what a launch computes as a number of the host's; and what holds of
//! floats as in Rust.

use super::*;

kernel! {
    /// The first element of a row says how many numbers are added.
    #[kernel]
    pub fn triangular(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(64).as_grid_map(|c| exec_block(mk_pull(c[0], |i| i).sum()))
    }

    #[kernel]
    pub fn triangular_by_warps(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(64).as_grid_map(|c| mk_pull(1, |_i| exec_warp(mk_pull(c[0], |i| i).count(|i| i % 3 == 0))).as_block())
    }

    /// The sums of rows of a sparse matrix, some of them empty.
    #[kernel]
    pub fn sums_of_rows(begins: DPull<u32>, values: DPull<i32>) -> DPush<Grid, i32> {
        mk_pull(begins.len() - min(begins.len(), 1), |r| r).as_grid_map(|r| exec_block({
            let (begin, end) = (begins.get_or(r, 0), begins.get_or(r + 1, 0));
            let n = if begin < end { end - begin } else { 0 };
            if n > 0 { mk_pull(n, |k| values.get_or(begin + k, 0)).sum() } else { 0 }
        }))
    }

    #[kernel]
    pub fn of_large_chunks(xs: DPull<u32>) -> DPush<Grid, (u32, u32)> {
        xs.chunks(20000).as_grid_map(|c| exec_block((c.sum(), c.maximum())))
    }

    /// Halves all elements until their sum is small.
    #[kernel]
    pub fn halved(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        let mut now = xs;
        while now.sum().fetch() > 100 {
            now = now.map(|x| x / 2).compute();
        }
        now
    }

    /// As many elements as are above 3, and a list of as long as their sum says.
    #[kernel]
    pub fn as_many(xs: DPull<u32>) -> Program<Device, (DPull<u32>, DPull<u32>)> {
        let count = xs.count(|x| x > 3).fetch();
        let long = xs.map(|x| x % 4).sum().fetch();
        (xs.take(count).compute(), mk_pull(long, |i| i * i).compute())
    }

    #[kernel]
    pub fn clamped(xs: DPull<f32>, lo: f32, hi: f32) -> DPush<Grid, f32> {
        xs.map(|x| x.clamp(lo, hi)).push()
    }

    #[kernel]
    pub fn greatest_of_a_matrix(m: DMat<i32>) -> Program<Device, i32> {
        m.flatten().maximum()
    }
}

/// The CPU, and the interpreter for short inputs.
fn devices(n: usize) -> Vec<Device> {
    if n <= 300 { vec![Device::cpu(), Device::check().unwrap()] } else { vec![Device::cpu()] }
}

#[test]
fn sums_of_as_many_elements_as_data_says() {
    for dev in devices(0) {
        for firsts in [&[][..], &[0], &[1], &[0, 1, 2, 31, 33, 255, 257, 1000, 0]] {
            let xs: Vec<u32> = firsts.iter().flat_map(|first| std::iter::once(*first).chain([7; 63])).collect();
            let sums: Vec<u32> = firsts.iter().map(|n| (0..*n).sum()).collect();
            let counts: Vec<u32> = firsts.iter().map(|n| n.div_ceil(3)).collect();
            let xs = dev.upload(&xs).unwrap();
            assert_eq!(triangular.run(&dev, &xs).unwrap().to_vec().unwrap(), sums);
            assert_eq!(triangular_by_warps.run(&dev, &xs).unwrap().to_vec().unwrap(), counts);
        }
        for begins in [&[][..], &[0], &[0, 0], &[0, 3, 3, 4, 40, 40, 300]] {
            let values: Vec<i32> = (0..300).map(|i| i * i - 40 * i).collect();
            let expected: Vec<i32> =
                begins.windows(2).map(|row| values[row[0] as usize..row[1] as usize].iter().sum()).collect();
            let (begins, values) = (dev.upload(begins).unwrap(), dev.upload(&values).unwrap());
            assert_eq!(sums_of_rows.run(&dev, &begins, &values).unwrap().to_vec().unwrap(), expected);
        }
    }
}

#[test]
fn chunks_of_more_than_shared_memory_holds_are_summed() {
    let dev = Device::cpu();
    for n in [0, 1, 4097, 19999, 20000, 20001, 65537] {
        let xs: Vec<u32> = (0..n).map(|i: u32| i.wrapping_mul(0x9e37_79b9)).collect();
        let of = |c: &[u32]| (c.iter().fold(0u32, |sum, x| sum.wrapping_add(*x)), c.iter().copied().max().unwrap_or(0));
        let expected: Vec<_> = xs.chunks(20000).map(of).collect();
        assert_eq!(of_large_chunks.run(&dev, &dev.upload(&xs).unwrap()).unwrap().to_vec().unwrap(), expected, "{n}");
    }
}

#[test]
fn what_a_launch_computes_is_a_number_of_the_hosts() {
    for n in [0, 1, 2, 31, 257, 1000, 65537] {
        let xs: Vec<u32> = (0..n).map(|i: u32| i % 11).collect();
        let mut small = xs.clone();
        while small.iter().sum::<u32>() > 100 {
            small.iter_mut().for_each(|x| *x /= 2);
        }
        let count = xs.iter().filter(|x| **x > 3).count();
        let long: u32 = xs.iter().map(|x| x % 4).sum();
        for dev in devices(n as usize) {
            let buffer = dev.upload(&xs).unwrap();
            assert_eq!(halved.run(&dev, &buffer).unwrap().to_vec().unwrap(), small, "{n}");
            let (taken, list) = as_many.run(&dev, &buffer).unwrap();
            assert_eq!(taken.to_vec().unwrap(), xs[..count], "{n}");
            assert_eq!(list.to_vec().unwrap(), (0..long).map(|i| i.wrapping_mul(i)).collect::<Vec<u32>>(), "{n}");
        }
    }
}

#[test]
fn floats_are_clamped_as_rust_clamps_them() {
    let xs = [f32::NAN, -0.0, 0.0, 5.0, -5.0, 0.5, f32::INFINITY, f32::NEG_INFINITY, 1.0];
    for dev in devices(0) {
        for (lo, hi) in [(0.0, 1.0), (-0.0, 0.0), (-1.0, -0.0)] {
            let found = clamped.run(&dev, &dev.upload(&xs).unwrap(), lo, hi).unwrap().to_vec().unwrap();
            let bits = |x: &f32| if x.is_nan() { None } else { Some(x.to_bits()) };
            let expected: Vec<_> = xs.iter().map(|x| bits(&x.clamp(lo, hi))).collect();
            assert_eq!(found.iter().map(bits).collect::<Vec<_>>(), expected, "{lo} {hi}");
        }
    }
}

#[test]
fn a_matrix_of_the_hosts_is_flattened() {
    let dev = Device::cpu();
    let values: Vec<i32> = (0..35).map(|i| (i * 17) % 23).collect();
    let m = dev.upload_matrix(&values, 5, 7).unwrap();
    assert_eq!(greatest_of_a_matrix.run(&dev, &m).unwrap().to_vec().unwrap(), [22]);
}
