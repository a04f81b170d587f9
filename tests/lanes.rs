//! What the programs of `programs/lanes` mean: on the CPU, and on a GPU where there is one, in every variant, against plain
//! Rust; and that their GPU code has shuffles where it should, and no shared memory or barrier beside them.

use obsidian::prelude::*;

use obsidian_programs::lanes::*;

/// Runs a kernel in each of its variants on one and on all blocks of each device; all results must be `expected`.
macro_rules! everywhere {
    ($kernel:expr, ($($arg:expr),*), $expected:expr) => {{
        let expected = $expected;
        for dev in [Some(Device::cpu()), Device::cuda(0).ok()].into_iter().flatten() {
            for variant in $kernel.kernel().variants() {
                let kernel = $kernel.with(Params { threads: variant.threads() });
                for kernel in [kernel.clone(), kernel.blocks(1)] {
                    let out = kernel.run(&dev, $(&dev.upload(&$arg).unwrap()),*).unwrap().to_vec().unwrap();
                    assert_eq!(out, expected, "{dev:?}, {} threads", variant.threads());
                }
            }
        }
    }};
}

fn hash(i: u32) -> u32 {
    i.wrapping_mul(2_654_435_761) >> 3
}

fn hashes(n: u32) -> Vec<u32> {
    (0..n).map(hash).collect()
}

fn reduced<T: Copy>(xs: &[T], chunk: usize, f: impl Fn(T, T) -> T) -> Vec<T> {
    xs.chunks(chunk).map(|c| c[1..].iter().fold(c[0], |a, &b| f(a, b))).collect()
}

fn scanned<T: Copy>(xs: &[T], chunk: usize, f: impl Fn(T, T) -> T) -> Vec<T> {
    let scan = |c: &[T]| {
        let mut acc = c[0];
        let rest = c[1..].iter().map(|&x| {
            acc = f(acc, x);
            acc
        });
        std::iter::once(c[0]).chain(rest).collect::<Vec<T>>()
    };
    xs.chunks(chunk).flat_map(scan).collect()
}

fn compose(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
    (f.0.wrapping_mul(g.0), f.1.wrapping_mul(g.0).wrapping_add(g.1))
}

#[test]
fn reductions() {
    let ints: Vec<i32> = hashes(768).into_iter().map(|x| x as i32).collect();
    everywhere!(lanes_sum, (ints), reduced(&ints, 32, i32::wrapping_add));
    let longs: Vec<u64> = hashes(960).into_iter().map(|x| u64::from(x) << 30 | 5).collect();
    everywhere!(lanes_reduce_u64, (longs), reduced(&longs, 64, u64::wrapping_add));
    let doubles: Vec<f64> = hashes(180).into_iter().map(|x| f64::from(x) - 1e8).collect();
    everywhere!(lanes_reduce_f64, (doubles), reduced(&doubles, 20, f64::max));
    let maps: Vec<(u32, u32)> = (0..240).map(|i| (hash(i) | 1, hash(i + 999))).collect();
    everywhere!(lanes_compose, (maps), reduced(&maps, 20, compose));
}

#[test]
fn a_sum_in_all_lanes() {
    // Whole numbers, so that the order of the sums does not matter.
    let xs: Vec<f32> = (0..480).map(|i| (hash(i) % 1000) as f32).collect();
    let sums = reduced(&xs, 32, |a, b| a + b);
    let expected: Vec<f32> = xs.iter().enumerate().map(|(i, x)| x / sums[i / 32]).collect();
    everywhere!(lanes_share, (xs), expected);
}

#[test]
fn scans() {
    let bytes: Vec<u8> = hashes(576).into_iter().map(|x| x as u8).collect();
    everywhere!(lanes_scan_u8, (bytes), scanned(&bytes, 64, u8::wrapping_add));
    let shorts: Vec<i16> = hashes(192).into_iter().map(|x| x as i16).collect();
    everywhere!(lanes_scan_i16, (shorts), scanned(&shorts, 32, i16::wrapping_add));
    let bits: Vec<bool> = hashes(180).into_iter().map(|x| x % 3 == 0).collect();
    everywhere!(lanes_scan_bool, (bits), scanned(&bits, 20, |a, b| a != b));
    let longs: Vec<i64> = hashes(480).into_iter().map(|x| i64::from(x) * -12345).collect();
    everywhere!(lanes_scan_by_hand, (longs), scanned(&longs, 80, i64::wrapping_add));
    let maps: Vec<(u32, u32)> = (0..450).map(|i| (hash(i) | 1, hash(i + 999))).collect();
    everywhere!(lanes_scan_compose, (maps), scanned(&maps, 50, compose));
}

#[test]
fn a_scan_of_pairs_of_two_types() {
    let keys: Vec<i32> = (0..384).map(|i| (hash(i) % 100) as i32).collect();
    let values: Vec<f32> = (0..384).map(|i| (hash(i + 7) % 5000) as f32).collect();
    let pairs: Vec<(i32, f32)> = keys.iter().copied().zip(values.iter().copied()).collect();
    let pairs = scanned(&pairs, 64, |a, b| (a.0 + b.0, a.1.max(b.1)));
    everywhere!(lanes_scan_pair, (keys, values), pairs.iter().map(|p| p.0 as f32 - p.1).collect::<Vec<f32>>());
}

#[test]
fn reads_of_every_kind() {
    let xs = hashes(360);
    let gathered = xs.chunks(40).flat_map(|a| {
        let at = |i: usize| a[0].wrapping_add(a[(i + 7) % 40].wrapping_mul(3)).wrapping_add(a[39 - i].wrapping_mul(5));
        (0..40).map(move |i| if a[i] % 3 == 0 { at(a[i] as usize % 40) } else { at(i) })
    });
    everywhere!(lanes_gather, (xs), gathered.clone().collect::<Vec<u32>>());
    let xs: Vec<i32> = (0..192).map(|i| i * i).collect();
    let mixed = xs.chunks(32).flat_map(|c| (0..32).map(|i| 2 * c[31 - (i ^ 3)] - c[i]));
    everywhere!(lanes_and_memory, (xs), mixed.clone().collect::<Vec<i32>>());
}

#[test]
fn a_matrix_and_a_vector_in_lanes() {
    let matrix: [i32; 1024] = std::array::from_fn(|i| (i as i32 * 7) % 23 - 11);
    let vectors: Vec<i32> = (0..192).map(|i| i % 17 - 8).collect();
    let product = vectors.chunks(32).flat_map(|v| (0..32).map(|i| (0..32).map(|k| matrix[k * 32 + i] * v[k]).sum()));
    everywhere!(lanes_matrix_vector, (matrix, vectors), product.clone().collect::<Vec<i32>>());
}

/// What each warp's elements vote, as plain Rust says it.
fn mask(xs: impl IntoIterator<Item = bool>) -> u32 {
    xs.into_iter().enumerate().map(|(i, flag)| u32::from(flag) << i).sum()
}

#[test]
fn votes_of_a_warp() {
    let xs = hashes(768);
    let parted = xs.chunks(32).flat_map(|c| {
        let (kept, others): (Vec<u32>, Vec<u32>) = c.iter().partition(|&x| x % 3 != 0);
        [kept, others].concat()
    });
    everywhere!(votes_partition, (xs), parted.clone().collect::<Vec<u32>>());
    let counts = xs.chunks(32).flat_map(|c| (0..16).map(|bin| c.iter().filter(|&x| x % 16 == bin).count() as u32));
    everywhere!(votes_histogram, (xs), counts.clone().collect::<Vec<u32>>());
    // Groups with large elements, with small ones, and with neither.
    let longs: Vec<u64> =
        (0..360).map(|i| u64::from(hash(i)) % if i % 60 < 20 { 9 } else { 100 + i as u64 } + i as u64 / 30).collect();
    let few = longs.chunks(20).flat_map(|c| {
        let (some, every) = (c.iter().any(|&x| x > 250), c.iter().all(|&x| x > 2));
        let odd = mask(c.iter().map(|x| x & 1 == 1));
        let same = |i: usize| mask(c.iter().map(|x| x & 7 == c[i] & 7));
        let value = move |i: usize| match (some, every) {
            (true, true) => odd ^ i as u32,
            (true, false) => same(i),
            _ => same(19 - i) | odd & ((1 << i) - 1),
        };
        (0..20).map(value).collect::<Vec<u32>>()
    });
    let expected = few.clone().collect::<Vec<u32>>();
    everywhere!(votes_few, (longs), expected);
}

#[test]
fn keys_of_every_type_are_compared() {
    macro_rules! of_type {
        ($($ty:ty),*) => {$({
            let keys: Vec<$ty> = hashes(256).into_iter().map(|x| x as $ty).collect();
            let same = keys.chunks(32).flat_map(|c| c.iter().map(|k| mask(c.iter().map(|x| x % 5 == k % 5))));
            let expected: Vec<u32> = same.collect();
            for dev in [Some(Device::cpu()), Device::cuda(0).ok()].into_iter().flatten() {
                let found = votes_same.run(&dev, &dev.upload(&keys).unwrap()).unwrap().to_vec().unwrap();
                assert_eq!(found, expected, "{}", stringify!($ty));
            }
        })*};
    }
    of_type!(i8, u16, i32, i64);
}

#[test]
fn a_vote_is_one_instruction() {
    for variant in votes_few.kernel().variants().filter(|v| v.threads() >= 32) {
        let found = |text: &str, word: &str| text.matches(word).count();
        // With 20 of 32 lanes all votes are ballots.
        assert!(found(variant.ptx(), "vote.sync.ballot.b32") >= 3, "{}", variant.ptx());
        assert_eq!(found(variant.ptx(), "match.any.sync.b64"), 1, "{}", variant.ptx());
        assert!(found(variant.cuda(), "__ballot_sync(") >= 3 && found(variant.cuda(), "__match_any_sync(") == 1);
    }
    assert_eq!(votes_partition.ptx().matches("vote.sync").count(), 1);
    assert!(!votes_partition.ptx().contains("shfl") && votes_partition.shared_bytes() == 0);
    assert!(!votes_same.ptx().contains("shfl") && votes_same.shared_bytes() == 0);
}

#[test]
fn tiles_with_padding_read_by_columns() {
    let input: Vec<i32> = (0..65536).collect();
    let at = |t: i32, k: i32| (t / 16 * 16 + k % 16) * 256 + t % 16 * 16 + k / 16;
    let expected: Vec<i32> = (0..256).flat_map(|t| (0..256).map(move |k| at(t, k))).collect();
    everywhere!(padded_tiles, (input), expected);
    assert_eq!(padded_tiles.shared_bytes(), 1084);

    let input: Vec<f32> = (0..2048).map(|i| i as f32).collect();
    let expected: Vec<f32> = input.chunks(1024).flat_map(|c| (0..1024).map(|k| c[k % 32 * 32 + k / 32])).collect();
    everywhere!(padded_square, (input), expected);
    assert_eq!(padded_square.shared_bytes(), (33 * 32 - 1) * 4);

    let input: Vec<(i32, i32)> = (0..96).map(|i| (i, -i)).collect();
    let expected: Vec<(i32, i32)> = input.chunks(12).flat_map(|c| c.iter().rev().copied()).collect();
    everywhere!(padded_pairs, (input), expected);
    // Two warps, 12 + 2 * 2 elements each, two fields; each field starts in bank 0.
    assert_eq!(padded_pairs.shared_bytes(), 128 + 2 * 16 * 4);
}

#[test]
fn what_stays_in_lanes_needs_neither_memory_nor_barrier() {
    let every = all().into_iter().filter(|k| k.name().starts_with("lanes") && k.name() != "lanes_and_memory");
    for kernel in every {
        for variant in kernel.variants().filter(|v| v.threads() >= 32) {
            assert_eq!(variant.shared_bytes(), 0, "{}, {} threads", kernel.name(), variant.threads());
            assert!(variant.ptx().contains("shfl.sync") && variant.cuda().contains("__shfl"), "{}", kernel.name());
            for word in ["bar.", ".shared", "__shared__", "__sync"] {
                assert!(!variant.ptx().contains(word) && !variant.cuda().contains(word), "{}: {word}", kernel.name());
            }
        }
    }
    // Only the array that its own lanes do not write: 32 elements for each of the two warps.
    assert_eq!(lanes_and_memory.shared_bytes(), 2 * 128);
    assert!(lanes_and_memory.ptx().contains("bar.warp.sync") && lanes_and_memory.ptx().contains("shfl.sync.bfly"));
}

#[test]
fn a_part_of_a_warp_does_not_shuffle() {
    for kernel in all() {
        for variant in kernel.variants().filter(|v| v.threads() < 32) {
            for word in ["shfl", "vote.sync", "match.any"] {
                assert!(!variant.ptx().contains(word), "{}: {word}", kernel.name());
            }
            assert!(!variant.cuda().contains("__shfl"), "{}", kernel.name());
        }
    }
}

#[test]
fn each_type_goes_as_words_of_32_bits() {
    let long = lanes_reduce_u64.ptx();
    assert_eq!(long.matches("shfl.sync.bfly.b32").count(), 2 * 5, "two halves");
    assert!(long.contains("mov.b64 {%u"));
    // A predicate has no bits to move.
    let bits = lanes_scan_bool.ptx();
    assert_eq!(bits.matches("selp.u32").count() - 1, bits.matches("shfl.sync.up.b32").count(), "and one to store");
    assert!(lanes_scan_bool.cuda().contains("__shfl_up_sync(0xffffffffu, (int)v1_"));
    assert!(lanes_scan_u8.cuda().contains("(unsigned char)__shfl_up_sync(0xffffffffu, (int)v1_"));
    assert!(lanes_reduce_u64.cuda().contains("__shfl_xor_sync(0xffffffffu, v1_"), "as it is");
}
