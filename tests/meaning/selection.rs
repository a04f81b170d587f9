//! Elements parted and sorted by their bits inside blocks, warps and threads, without `unsafe`, against plain Rust.

use super::*;

kernel! {
    /// Of each chunk the multiples of three, then the others.
    #[kernel(threads = [64, 1, 33, 256])]
    pub fn parted(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(200).as_grid_map(|c| exec_block({
            let (all, _kept) = partition(c, |x| x % 3 == 0);
            all.push()
        }))
    }

    /// How many multiples of three there are in each chunk.
    #[kernel(threads = [64, 33])]
    pub fn counted(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(200).as_grid_map(|c| exec_block({
            let (_all, kept) = partition(c, |x| x % 3 == 0);
            singleton(kept).push()
        }))
    }

    #[kernel(threads = [64, 1, 33])]
    pub fn parted_in_warps(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(96).as_grid_map(|c| c.split_up(32).as_block_map(|part| exec_warp({
            let (all, _kept) = partition(part, |x| x % 3 == 0);
            all.push()
        })))
    }

    #[kernel(threads = [64, 33])]
    pub fn parted_in_threads(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(96).as_grid_map(|c| c.split_up(12).as_block_map(|part| exec_thread({
            let (all, _kept) = partition(part, |x| x % 3 == 0);
            all.push()
        })))
    }

    /// Keys of four bits, which many elements share.
    #[kernel(threads = [64, 33])]
    pub fn sorted_by_bits(xs: DPull<(u32, u32)>) -> DPush<Grid, (u32, u32)> {
        xs.chunks(100).as_grid_map(|c| exec_block(radix_sort(c, 4, |x| x.0).push()))
    }
}

const LENGTHS: [u32; 10] = [0, 1, 31, 32, 33, 199, 200, 201, 1003, 4096];

fn kept_first(xs: &[u32], width: usize) -> Vec<u32> {
    let part = |chunk: &[u32]| {
        let (mut kept, left): (Vec<u32>, Vec<u32>) = chunk.iter().partition(|x| *x % 3 == 0);
        kept.extend(left);
        kept
    };
    xs.chunks(width).flat_map(part).collect()
}

#[test]
fn chunks_are_parted() {
    for n in LENGTHS {
        // All kept, and none, too.
        for xs in [hashes(n), hashes(n).into_iter().map(|x| x / 3 * 3).collect(), vec![7; n as usize]] {
            everywhere!(parted, (upload!(xs)), kept_first(&xs, 200));
            let counts: Vec<u32> = xs.chunks(200).map(|c| c.iter().filter(|x| *x % 3 == 0).count() as u32).collect();
            everywhere!(counted, (upload!(xs)), counts);
        }
    }
}

#[test]
fn parts_of_warps_and_threads() {
    let xs = hashes(96 * 11);
    everywhere!(parted_in_warps, (upload!(xs)), kept_first(&xs, 32));
    everywhere!(parted_in_threads, (upload!(xs)), kept_first(&xs, 12));
}

#[test]
fn elements_of_one_key_stay_in_order() {
    for n in LENGTHS {
        let xs: Vec<(u32, u32)> = hashes(n).into_iter().map(|x| x >> 28).zip(0..).collect();
        let sorted = |chunk: &[(u32, u32)]| {
            let mut chunk = chunk.to_vec();
            chunk.sort_by_key(|x| x.0);
            chunk
        };
        let expected: Vec<(u32, u32)> = xs.chunks(100).flat_map(sorted).collect();
        everywhere!(sorted_by_bits, (upload!(xs)), expected);
    }
}

kernel! {
    /// The multiples of three of each chunk, behind those of other chunks: a block reserves what it needs by one sum.
    #[kernel(threads = [64, 1, 33, 256])]
    pub fn queued(xs: DPull<u32>, queue: DMut<u32>, count: Mut<u32, 1>) -> Program<Grid, ()> {
        let chunks = xs.chunks(200);
        distr_par(chunks.len(), |b| {
            let some = compact(chunks[b], |x| x % 3 == 0);
            let first = new_mut(replicate(1, 0u32));
            single_thread({ first[0] = atomic_add(count, 0, some.len()); });
            for_all(some.len(), |i| { queue[first[0] + i] = some[i]; });
        })
    }

    /// The same by warps, each of 40 elements.
    #[kernel(threads = [64, 33])]
    pub fn queued_by_warps(xs: DPull<u32>, queue: DMut<u32>, count: Mut<u32, 1>) -> Program<Grid, ()> {
        let chunks = xs.split_up(200);
        distr_par(chunks.len(), |b| {
            let parts = chunks[b].split_up(40);
            distr_par(parts.len(), |w| {
                let some = compact(parts[w], |x| x % 3 == 0);
                let first = new_mut(replicate(1, 0u32));
                single_thread({ first[0] = atomic_add(count, 0, some.len()); });
                for_all(some.len(), |i| { queue[first[0] + i] = some[i]; });
            })
        })
    }

    /// Each thread reserves two places for a number and its square; two arrays have the same places.
    #[kernel(threads = [64, 1, 33])]
    pub fn queued_by_threads(xs: DPull<u32>, queue: DMut<u32>, count: Mut<u32, 1>, from: DMut<u32>) -> Program<Grid, ()> {
        let chunks = xs.split_up(50);
        distr_par(chunks.len(), |b| for_all(50, |i| {
            let x = chunks[b][i];
            if x % 3 == 0 {
                let first = atomic_add(count, 0, 2);
                for k in 0..2 {
                    queue[first + k] = if k == 0 { x } else { x * x };
                    from[first + k] = 50 * b + i;
                }
            }
        }))
    }
}

/// A launch leaves what it has counted, in some order, behind what was there; elements that do not fit end it in an error.
#[test]
fn queues_whose_places_are_reserved() {
    for (n, dev) in LENGTHS.into_iter().flat_map(|n| [(n, Device::cpu()), (n, Device::check().unwrap())]) {
        let xs = hashes(n);
        let input = dev.upload(&xs).unwrap();
        let multiples: Vec<u32> = xs.iter().copied().filter(|x| x % 3 == 0).collect();
        for variant in queued.kernel().variants() {
            let mut queue = dev.upload(&vec![u32::MAX; multiples.len() + 5]).unwrap();
            let mut count = dev.upload(&[2u32]).unwrap();
            queued.with(variant).run(&dev, &input, &mut queue, &mut count).unwrap();
            assert_eq!(count.to_vec().unwrap(), [2 + multiples.len() as u32], "{n}, {variant}");
            let left = queue.to_vec().unwrap();
            let (old, new) = left.split_at(2);
            let (mut new, behind) = (new[..multiples.len()].to_vec(), &new[multiples.len()..]);
            assert_eq!((old, behind), (&[u32::MAX; 2][..], &[u32::MAX; 3][..]), "{n}, {variant}");
            new.sort_unstable();
            let mut sorted = multiples.clone();
            sorted.sort_unstable();
            assert_eq!(new, sorted, "{n}, {variant}");
        }
        let whole = &xs[..xs.len() / 200 * 200];
        let input = dev.upload(whole).unwrap();
        let mut sorted: Vec<u32> = whole.iter().copied().filter(|x| x % 3 == 0).collect();
        sorted.sort_unstable();
        let mut queue = dev.upload(&vec![0u32; sorted.len()]).unwrap();
        let mut count = dev.upload(&[0u32]).unwrap();
        queued_by_warps.run(&dev, &input, &mut queue, &mut count).unwrap();
        let mut left = queue.to_vec().unwrap();
        left.sort_unstable();
        assert_eq!(left, sorted, "{n}: by warps");
        let mut queue = dev.upload(&vec![0u32; 2 * sorted.len()]).unwrap();
        let mut from = dev.upload(&vec![0u32; 2 * sorted.len()]).unwrap();
        let mut count = dev.upload(&[0u32]).unwrap();
        queued_by_threads.run(&dev, &input, &mut queue, &mut count, &mut from).unwrap();
        let (pairs, places) = (queue.to_vec().unwrap(), from.to_vec().unwrap());
        for (pair, place) in pairs.chunks(2).zip(places.chunks(2)) {
            let x = whole[place[0] as usize];
            assert_eq!((pair, place[1]), (&[x, x.wrapping_mul(x)][..], place[0]), "{n}: by threads");
        }
        let mut first: Vec<u32> = pairs.chunks(2).map(|pair| pair[0]).collect();
        first.sort_unstable();
        assert_eq!(first, sorted, "{n}: by threads");
        if sorted.is_empty() {
            continue;
        }
        let mut short = dev.upload(&vec![0u32; sorted.len() - 1]).unwrap();
        let mut count = dev.upload(&[0u32]).unwrap();
        let error = queued_by_warps.run(&dev, &input, &mut short, &mut count).unwrap_err().to_string();
        assert!(error.contains("`queue`") && error.contains(&format!("has {} elements", sorted.len() - 1)), "{error}");
    }
}
