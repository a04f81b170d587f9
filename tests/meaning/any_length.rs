//! Programs for arrays of any length, against plain Rust: around warps, blocks and 16 bits, and a million and three.

use super::*;

const LENGTHS: [usize; 13] = [0, 1, 31, 32, 33, 255, 256, 257, 1003, 4099, 65_535, 65_536, 65_537];
const LARGE: usize = 1_000_003;

/// `f` of each `n` neighbours, the last ones too, joined.
fn of_chunks<A, B>(xs: &[A], n: usize, f: impl Fn(&[A]) -> Vec<B>) -> Vec<B> {
    xs.chunks(n).flat_map(f).collect()
}

#[test]
fn maps() {
    let dev = Device::cpu();
    for n in LENGTHS.into_iter().chain([LARGE]) {
        let xs: Vec<f32> = (0..n).map(|i| i as f32 / 8.0).collect();
        let ys: Vec<f32> = (0..n + n / 3).map(|i| i as f32).collect();
        let (dev_xs, dev_ys) = (dev.upload(&xs).unwrap(), dev.upload(&ys).unwrap());
        let found = programs::any_squares.run(&dev, &dev_xs).unwrap().to_vec().unwrap();
        assert_eq!(found, xs.iter().map(|x| x * x).collect::<Vec<_>>(), "{n}");
        let found = programs::any_saxpy.run(&dev, 2.0, &dev_xs, &dev_ys).unwrap().to_vec().unwrap();
        let sums: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| 2.0 * x + y).collect();
        assert_eq!(found, sums, "{n}");
        let mut updated = dev.upload(&ys).unwrap();
        programs::any_updated.run(&dev, &mut updated, 2.0, &dev_xs).unwrap();
        assert_eq!(updated.to_vec().unwrap(), [&sums[..], &ys[n..]].concat(), "{n}: the rest stays");
    }
}

#[test]
fn a_known_length_that_divides_into_nothing() {
    let xs: Vec<u32> = (0..1003).collect();
    everywhere!(programs::any_known, (upload!(xs)), (1..1004).collect::<Vec<u32>>());
}

#[test]
fn reductions_and_scans_keep_the_order() {
    let dev = Device::cpu();
    let compose = |f: &(u32, u32), g: &(u32, u32)| (f.0.wrapping_mul(g.0), f.1.wrapping_mul(g.0).wrapping_add(g.1));
    for n in LENGTHS {
        let maps: Vec<(u32, u32)> = hashes(n as u32).iter().map(|&x| (x | 1, x >> 3)).collect();
        let input = dev.upload(&maps).unwrap();
        let found = programs::any_composed.run(&dev, &input).unwrap().to_vec().unwrap();
        let one = |c: &[(u32, u32)]| vec![c[1..].iter().fold(c[0], |f, g| compose(&f, g))];
        assert_eq!(found, of_chunks(&maps, 64, one), "{n}");
        let found = programs::any_scanned.run(&dev, &input).unwrap().to_vec().unwrap();
        let all = |c: &[(u32, u32)]| {
            let mut so_far = Vec::new();
            for g in c {
                so_far.push(so_far.last().map_or(*g, |f| compose(f, g)));
            }
            so_far
        };
        assert_eq!(found, of_chunks(&maps, 100, all), "{n}");
    }
}

/// The multiples of three among `xs`, filled up to `width` by what `fill` makes of them.
fn compacted(xs: &[u32], width: usize, fill: impl Fn(&[u32]) -> u32) -> Vec<u32> {
    let mut kept: Vec<u32> = xs.iter().copied().filter(|x| x % 3 == 0).collect();
    let filler = fill(&kept);
    kept.resize(width, filler);
    kept
}

#[test]
fn elements_are_compacted_at_each_level() {
    let dev = Device::cpu();
    for n in LENGTHS {
        let xs = hashes(n as u32);
        let input = dev.upload(&xs).unwrap();
        let sum = |kept: &[u32]| kept.iter().fold(0u32, |a, b| a.wrapping_add(*b));
        let found = programs::any_compacted.run(&dev, &input).unwrap().to_vec().unwrap();
        assert_eq!(found, of_chunks(&xs, 100, |c| compacted(c, 100, sum)), "{n}");
        let mut padded = xs.clone();
        padded.resize(n.next_multiple_of(96), 1);
        let expected = of_chunks(&padded, 24, |c| compacted(c, 24, |_| 1));
        let (warps, threads) = programs::any_compacted_below.run(&dev, &input).unwrap();
        assert_eq!(warps.to_vec().unwrap(), expected, "{n}: by warps");
        assert_eq!(threads.to_vec().unwrap(), expected, "{n}: by threads");
    }
}

#[test]
fn grids_are_cut() {
    let dev = Device::cpu();
    for n in LENGTHS {
        let xs = hashes(n as u32);
        let input = dev.upload(&xs).unwrap();
        for cut in [0, n / 3, n] {
            let (rest, first) = programs::any_cut.run(&dev, &input, cut as u32).unwrap();
            assert_eq!(rest.to_vec().unwrap(), xs[cut..].iter().map(|x| x ^ 5).collect::<Vec<_>>(), "{n} from {cut}");
            let expected: Vec<u32> = xs[..cut].iter().map(|x| (x ^ 5).wrapping_add(1)).collect();
            assert_eq!(first.to_vec().unwrap(), expected, "{n} up to {cut}");
        }
        assert!(first_ones.run(&dev, &input, n as u32 + 1).is_err(), "{n}: there are no more");
        let after: Vec<u32> = (0..n).map(|i| xs.get(i + 2).copied().unwrap_or(7)).collect();
        assert_eq!(programs::any_after.run(&dev, &input).unwrap().to_vec().unwrap(), after, "{n}");
    }
}

kernel! {
    /// Of which there must be as many.
    #[kernel]
    pub fn first_ones(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {
        xs.chunks(64).as_grid_map(|c| c.push()).take(n)
    }
}

#[test]
fn sorts_sums_and_histograms() {
    let dev = Device::cpu();
    for n in LENGTHS {
        let xs = hashes(n as u32);
        let signed: Vec<i32> = xs.iter().map(|&x| x as i32).collect();
        let found = programs::any_sorted.run(&dev, &dev.upload(&signed).unwrap()).unwrap().to_vec().unwrap();
        let sorted = |c: &[i32]| {
            let mut c = c.to_vec();
            c.sort_unstable();
            c
        };
        assert_eq!(found, of_chunks(&signed, 32, sorted), "{n}");
        let input = dev.upload(&xs).unwrap();
        let found = programs::any_sums.run(&dev, &input).unwrap().to_vec().unwrap();
        let sum = |c: &[u32]| vec![c.iter().fold(0u32, |a, &b| a.wrapping_add(b))];
        assert_eq!(found, of_chunks(&xs, 512, sum), "{n}");
        let found = programs::any_counts.run(&dev, &input).unwrap().to_vec().unwrap();
        let counts = |c: &[u32]| (0..16).map(|k| c.iter().filter(|&&x| x % 16 == k).count() as u32).collect();
        assert_eq!(found, of_chunks(&xs, 96, counts), "{n}");
    }
}

#[test]
fn a_thread_or_a_warp_for_each_element() {
    let dev = Device::cpu();
    for n in LENGTHS {
        let xs = hashes(n as u32);
        let input = dev.upload(&xs).unwrap();
        let found = programs::any_threads.run(&dev, &input).unwrap().to_vec().unwrap();
        let fold = |x: &u32| (0..x % 8).fold(1u32, |acc, i| acc * 2 + i);
        assert_eq!(found, xs.iter().map(fold).collect::<Vec<_>>(), "{n}");
        let found = programs::any_warps.run(&dev, &input).unwrap().to_vec().unwrap();
        let all = |x: &u32| (0..32).fold(0, |acc, i| acc ^ x.wrapping_add(i));
        assert_eq!(found, xs.iter().map(all).collect::<Vec<_>>(), "{n}");
    }
}

/// All threads of a block, or of a warp, take the side that its first element says.
#[test]
fn branches_of_blocks_and_warps() {
    let xs = hashes(384);
    let block = |c: &[u32]| {
        let mut m = c.to_vec();
        let mut seen = c[1];
        if c[0].is_multiple_of(2) {
            m.reverse();
            seen = m[0];
            m.iter_mut().for_each(|x| *x ^= 1);
        } else if c[0].is_multiple_of(3) {
            m.iter_mut().zip(c.iter().rev()).for_each(|(x, y)| *x = x.wrapping_add(*y));
        }
        m.into_iter().map(|x| x ^ seen).collect()
    };
    everywhere!(programs::turned_by_the_first, (upload!(xs)), of_chunks(&xs, 64, block));
    let warp = |c: &[u32]| if c[0].is_multiple_of(2) { c.iter().rev().copied().collect() } else { c.to_vec() };
    everywhere!(programs::turned_by_warps, (upload!(xs)), of_chunks(&xs, 48, warp));
}

#[test]
fn several_devices_share_an_array_of_any_length() {
    let (one, other) = (Device::cpu(), Device::cpu());
    for n in [0, 1, 1003, 65_537] {
        let xs: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let found = programs::any_squares.run_on(&[one.share(1), other.share(2)], &xs).unwrap();
        assert_eq!(found, xs.iter().map(|x| x * x).collect::<Vec<_>>(), "{n}");
    }
}

kernel! {
    /// The first 5 of each 64 neighbours.
    #[kernel(threads = [64, 3])]
    fn firsts(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(64).as_grid_map(|c| c.take(5).push())
    }
}

/// What a chunk's block demands, the last chunk must satisfy where there is one: it is told by its length.
#[test]
fn a_demand_on_the_last_chunk_is_none_where_there_is_no_last_chunk() {
    let dev = Device::cpu();
    for n in [0, 5, 63, 64, 69, 128, 1003] {
        let xs: Vec<u32> = (0..n).collect();
        let found = firsts.run(&dev, &dev.upload(&xs).unwrap()).unwrap().to_vec().unwrap();
        assert_eq!(found, of_chunks(&xs, 64, |c| c[..5].to_vec()), "{n}");
    }
    for n in [1, 4, 65, 132] {
        let error = firsts.run(&dev, &dev.upload(&vec![0u32; n]).unwrap()).unwrap_err().to_string();
        assert!(error.contains("the length of the last chunk must be at least 5"), "{error}");
    }
}
