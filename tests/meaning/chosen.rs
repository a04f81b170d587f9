//! Branches whose sides compute and give arrays: each side stores its own, and what comes after reads the one that was stored.

use super::*;

kernel! {
    /// Chunks that begin with more than they end with are sorted; also the last one, of any length.
    #[kernel(threads = [64, 7, 256])]
    pub fn sorted_where_it_falls(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(100).as_grid_map(|c| exec_block({
            let ys = if c[0] > c[c.len() - 1] { sort(c) } else { c.reverse() };
            ys.map(|y| y + ys[0]).push()
        }))
    }

    /// Arrays of pairs beside a scalar, in variables that a side assigns.
    #[kernel(threads = [64, 33])]
    pub fn of_pairs(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| exec_block({
            let mut pairs = c.map(|x| (x, 1u32));
            let mut rounds = 0;
            if c[0] % 2 == 0 {
                pairs = c.zip(scan(c, |a, b| a + b)).compute().reverse();
                rounds = 5;
            }
            pairs.map(|p| p.0 ^ p.1 + rounds).push()
        }))
    }

    /// Of warps and of threads, and of one side that does not compute.
    #[kernel(threads = [64, 128])]
    pub fn below(xs: DPull<u32>, n: u32) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        let warps = xs.split_up(128).as_grid_map(|c| c.split_up(32).as_block_map(|w| exec_warp({
            let ys = if w[0] % 3 == n { w.compute().reverse().compute() } else { w };
            mk_pull(32, |i| ys[i ^ 1]).push()
        })));
        let threads = xs.split_up(128).as_grid_map(|c| c.split_up(16).as_block_map(|t| exec_thread({
            let ys = if t[1] % 4 > n { scan(t, |a, b| a + b) } else { t.map(|x| x + n) };
            ys.reverse().push()
        })));
        (warps, threads)
    }

    /// Sides of two lengths, one of which follows from data.
    #[kernel(threads = [64, 256])]
    pub fn of_two_lengths(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| exec_block({
            let kept = if c[0] % 2 == 1 { compact(c, |x| x % 3 == 0) } else { c.take(7).map(|x| x / 2).compute().to_dyn() };
            let sums = if c[1] % 2 == 1 { scan(kept, |a, b| a + b) } else { kept };
            mk_pull(64, |i| sums.get_or(i, 1000 + sums.len())).push()
        }))
    }
}

/// The processor and the interpreter, and OpenCL where there is any.
fn devices() -> impl Iterator<Item = Device> {
    [Device::cpu(), Device::check().expect("the tests have the feature")].into_iter().chain(Device::opencl(0))
}

fn sums(xs: &[u32], f: impl Fn(u32, u32) -> u32) -> Vec<u32> {
    let mut acc = None;
    xs.iter().map(|&x| *acc.insert(acc.map_or(x, |a| f(a, x)))).collect()
}

#[test]
fn chunks_of_any_length() {
    for dev in devices() {
        for n in [0, 1, 31, 99, 100, 101, 257, 1003] {
            let xs = hashes(n);
            let input = dev.upload(&xs).unwrap();
            let expected: Vec<u32> = xs
                .chunks(100)
                .flat_map(|c| {
                    let mut ys = c.to_vec();
                    if c[0] > c[c.len() - 1] {
                        ys.sort_unstable()
                    } else {
                        ys.reverse()
                    }
                    let first = ys[0];
                    ys.into_iter().map(move |y| y.wrapping_add(first)).collect::<Vec<_>>()
                })
                .collect();
            for variant in sorted_where_it_falls.kernel().variants() {
                let found = sorted_where_it_falls.with(variant).run(&dev, &input).unwrap().to_vec().unwrap();
                assert_eq!(found, expected, "{dev:?}, {variant}, {n}");
            }
        }
    }
}

#[test]
fn pairs_in_variables() {
    let xs = hashes(64 * 5);
    let expected = |c: &[u32]| -> Vec<u32> {
        let sums = sums(c, u32::wrapping_add);
        let pairs = c.iter().copied().zip(sums);
        if c[0].is_multiple_of(2) {
            pairs.rev().map(|p| p.0 ^ p.1.wrapping_add(5)).collect()
        } else {
            c.iter().map(|x| x ^ 1).collect()
        }
    };
    let expected: Vec<u32> = xs.chunks(64).flat_map(expected).collect();
    for dev in devices() {
        let found = of_pairs.run(&dev, &dev.upload(&xs).unwrap()).unwrap();
        assert_eq!(found.to_vec().unwrap(), expected, "{dev:?}");
    }
}

#[test]
fn warps_and_threads() {
    let xs = hashes(128 * 3);
    for (dev, n) in devices().flat_map(|dev| (0..4u32).map(move |n| (dev.clone(), n))) {
        let warp = |w: &[u32]| {
            let mut ys = w.to_vec();
            if w[0] % 3 == n {
                ys.reverse();
            }
            (0..32).map(|i| ys[i ^ 1]).collect::<Vec<_>>()
        };
        let thread = |t: &[u32]| {
            let scanned = t[1] % 4 > n;
            let ys = if scanned { sums(t, u32::wrapping_add) } else { t.iter().map(|x| x.wrapping_add(n)).collect() };
            ys.into_iter().rev().collect::<Vec<_>>()
        };
        let (warps, threads) = below.run(&dev, &dev.upload(&xs).unwrap(), n).unwrap();
        assert_eq!(warps.to_vec().unwrap(), xs.chunks(32).flat_map(warp).collect::<Vec<_>>(), "{dev:?}, {n}");
        assert_eq!(threads.to_vec().unwrap(), xs.chunks(16).flat_map(thread).collect::<Vec<_>>(), "{dev:?}, {n}");
    }
}

#[test]
fn sides_of_two_lengths() {
    let xs = hashes(64 * 9);
    let expected = |c: &[u32]| {
        let kept: Vec<u32> = if c[0] % 2 == 1 {
            c.iter().copied().filter(|x| x % 3 == 0).collect()
        } else {
            c[..7].iter().map(|x| x / 2).collect()
        };
        let ys = if c[1] % 2 == 1 { sums(&kept, u32::wrapping_add) } else { kept };
        (0..64).map(|i| ys.get(i).copied().unwrap_or(1000 + ys.len() as u32)).collect::<Vec<_>>()
    };
    let expected: Vec<u32> = xs.chunks(64).flat_map(expected).collect();
    for dev in devices() {
        let found = of_two_lengths.run(&dev, &dev.upload(&xs).unwrap()).unwrap();
        assert_eq!(found.to_vec().unwrap(), expected, "{dev:?}");
    }
}
