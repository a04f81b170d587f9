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
