//! Programs that change arrays in place (`programs/src/mutable.rs`): each on the CPU, in every variant and on several
//! numbers of real blocks, against plain Rust and results that were worked out by hand.

use obsidian::prelude::*;
use obsidian::{Error, IndexedArray};

use obsidian_programs::mutable as kernels;

/// Runs `$body` for each variant of a kernel, on 1, 7 and all real blocks, with `$run` as the kernel and `$dev` the CPU.
macro_rules! everywhere {
    ($kernel:expr, |$dev:ident, $run:ident| $body:block) => {{
        let $dev = Device::cpu();
        for variant in $kernel.kernel().variants() {
            let threads = variant.threads();
            for blocks in [None, Some(1), Some(7)] {
                let mut $run = $kernel.with(Params { threads });
                if let Some(n) = blocks {
                    $run = $run.blocks(n);
                }
                $body
            }
        }
    }};
}

/// Knuth's multiplicative hash.
fn h(i: u32) -> u32 {
    i.wrapping_mul(2_654_435_761)
}

fn counts(keys: &[u32], bins: usize, start: u32) -> Vec<u32> {
    let mut all = vec![start; bins];
    keys.iter().filter(|&&k| (k as usize) < bins).for_each(|&k| all[k as usize] += 1);
    all
}

#[test]
fn histograms_count_into_what_is_there() {
    let ones = vec![1u32; 256];
    let each: Vec<u32> = (0..65536).collect();
    everywhere!(kernels::counted, |dev, kernel| {
        for (keys, bins) in [(&ones, 256), (&each, 65536)] {
            let mut out = dev.upload(&vec![0u32; bins]).unwrap();
            kernel.run(&dev, &dev.upload(keys).unwrap(), &mut out).unwrap();
            assert_eq!(out.to_vec().unwrap(), counts(keys, bins, 0));
        }
    });
    let few = vec![0u32, 0, 3, 2, 1, 1, 2, 1, 3, 3, 1, 0, 0, 2, 1, 1];
    everywhere!(kernels::counted_any, |dev, kernel| {
        let mut out = dev.upload(&[0u32; 4]).unwrap();
        kernel.run(&dev, &dev.upload(&few).unwrap(), &mut out).unwrap();
        assert_eq!(out.to_vec().unwrap(), [4, 6, 3, 3]);
        let keys: Vec<u32> = (0..1001).map(|i| h(i) % 300).collect();
        let mut out = dev.upload(&[5u32; 300]).unwrap();
        kernel.run(&dev, &dev.upload(&keys).unwrap(), &mut out).unwrap();
        assert_eq!(out.to_vec().unwrap(), counts(&keys, 300, 5));
    });
    let keys: Vec<u32> = (0..4096).map(|i| h(i) % 64).collect();
    everywhere!(kernels::counted_by_blocks, |dev, kernel| {
        let mut out = dev.upload(&[1u32; 64]).unwrap();
        kernel.run(&dev, &dev.upload(&keys).unwrap(), &mut out).unwrap();
        assert_eq!(out.to_vec().unwrap(), counts(&keys, 64, 1));
    });
    let parts: Vec<u32> =
        keys.chunks(64).flat_map(|c| counts(&c.iter().map(|k| k % 16).collect::<Vec<_>>(), 16, 0)).collect();
    everywhere!(kernels::counted_by_warps, |dev, kernel| {
        assert_eq!(kernel.run(&dev, &dev.upload(&keys).unwrap()).unwrap().to_vec().unwrap(), parts);
    });
}

#[test]
fn buffers_are_updated_in_place() {
    let (x, y): (Vec<f32>, Vec<f32>) = ((0..1000).map(|i| i as f32).collect(), vec![0.5; 900]);
    let expected: Vec<f32> = (0..900).map(|i| 0.5 + 3.0 * i as f32).collect();
    everywhere!(kernels::saxpy_in_place, |dev, kernel| {
        let mut out = dev.upload(&y).unwrap();
        kernel.run(&dev, 3.0, &dev.upload(&x).unwrap(), &mut out).unwrap();
        assert_eq!(out.to_vec().unwrap(), expected);
    });
    let pairs: Vec<(i32, i32)> = (0..640).map(|i| (i, -i)).collect();
    let swapped: Vec<(i32, i32)> = (0..640).map(|i| (-i, i)).collect();
    everywhere!(kernels::swapped_in_place, |dev, kernel| {
        let mut out = dev.upload(&pairs).unwrap();
        kernel.run(&dev, &mut out).unwrap();
        assert_eq!(out.to_vec().unwrap(), swapped);
    });
}

#[test]
fn writes_are_seen_by_later_phases() {
    let input: Vec<i32> = (0..512).map(|i| h(i) as i32 % 1000).collect();
    let expected: Vec<i32> = input
        .chunks(128)
        .flat_map(|c| {
            let mut m: Vec<i32> = c.iter().rev().map(|x| 3 * x).collect();
            m.swap(0, 127);
            m.into_iter().map(|x| x + 1).rev().collect::<Vec<_>>()
        })
        .collect();
    everywhere!(kernels::phases, |dev, kernel| {
        assert_eq!(kernel.run(&dev, &dev.upload(&input).unwrap()).unwrap().to_vec().unwrap(), expected);
    });
}

#[test]
fn every_atomic_operation() {
    let input: Vec<i32> = (0..1280).map(|i| h(i) as i32).collect();
    let start = [1, 2, i32::MAX, i32::MIN, -1, 0, 0, 0];
    let fold = |f: fn(i32, i32) -> i32, first: i32| input.iter().fold(first, |a, &b| f(a, b));
    let sum = fold(i32::wrapping_add, 0);
    // What is taken from the blocks' own differences is added again.
    let expected = vec![
        1i32.wrapping_add(sum),
        2i32.wrapping_add(sum),
        fold(i32::min, i32::MAX),
        fold(i32::max, i32::MIN),
        fold(|a, b| a & b, -1),
        fold(|a, b| a | b, 0),
        fold(|a, b| a ^ b, 0),
        fold(i32::max, 0),
    ];
    everywhere!(kernels::atomics, |dev, kernel| {
        let mut totals = dev.upload(&start).unwrap();
        kernel.run(&dev, &dev.upload(&input).unwrap(), &mut totals).unwrap();
        assert_eq!(totals.to_vec().unwrap(), expected);
    });
    let (new, old): (Vec<u64>, Vec<u64>) = (0..256).map(|i| (i + 1000, u64::MAX - i)).unzip();
    everywhere!(kernels::exchanged, |dev, kernel| {
        let mut slots = dev.upload(&old).unwrap();
        let out = kernel.run(&dev, &dev.upload(&new).unwrap(), &mut slots).unwrap();
        assert_eq!((out.to_vec().unwrap(), slots.to_vec().unwrap()), (old.clone(), new.clone()));
    });
}

kernel! {
    /// Sums of floats, which are whole numbers here: so no order of adding rounds.
    #[kernel(threads = [64, 33])]
    fn float_sums(x: DPull<f32>, y: DPull<f64>, single: Mut<f32, 2>, double: Mut<f64, 2>) -> Program<Grid, ()> {
        for_all(min(x.len(), y.len()), |i| {
            atomic_add(single, i % 2, x[i]);
            atomic_sub(double, i % 2, y[i]);
        })
    }
}

kernel! {
    /// Rows of any length: `rows[i]` to `rows[i + 1]` are the entries of row `i`.
    #[kernel(threads = [64, 33])]
    fn csr_product(rows: DPull<u32>, columns: DPull<u32>, values: DPull<f32>, x: DPull<f32>, y: DMut<f32>) -> Program<Grid, ()> {
        for_all(min(y.len(), rows.len() - 1), |i| {
            let start = rows[i];
            y[i] = seq_fold(rows[i + 1] - start, 0.0, |sum, k| sum + values[start + k] * x[columns[start + k]]);
        })
    }

    /// A scatter by data, which the author knows to be a permutation.
    #[kernel(threads = [64, 33])]
    fn permuted(to: DPull<u32>, out: DMut<u32>) -> Program<Grid, ()> {
        for_all(to.len(), |i| unsafe { out[to[i]] = i; })
    }

    #[kernel(threads = [64, 1])]
    fn exactly(keys: DPull<u32>, bins: DMut<u32>) -> Program<Grid, ()> {
        histogram_into(keys, bins)
    }

    /// A tile with gaps between its rows, read by indices from memory.
    #[kernel(threads = [64, 32, 1])]
    fn from_rows_with_gaps(places: DPull<u32>) -> DPush<Grid, u32> {
        places.split_up(64).as_grid_map(|c| exec_block({
            let tile = mk_pull(64, |i| i + 1).compute_padded(1);
            c.map(|i| tile[i]).push()
        }))
    }

    /// An array in lanes, read by indices from memory.
    #[kernel(threads = [64, 32])]
    fn from_lanes(places: DPull<u32>) -> DPush<Grid, u32> {
        places.split_up(32).as_grid_map(|c| exec_block(singleton(c).as_block_map(|w| exec_warp({
            let rows = mk_pull(20, |i| i + 1).compute_lanes();
            w.map(|at| rows[at]).push()
        }))))
    }

    #[kernel(threads = 64)]
    fn exactly_by_blocks(keys: DPull<u32>, bins: Mut<u32, 8>) -> Program<Grid, ()> {
        histogram_by_blocks(keys, 64, bins)
    }
}

#[test]
fn gathers_and_updates_by_data_need_no_proof() {
    let (rows, columns) = ([0u32, 2, 2, 5, 6], [0u32, 3, 1, 2, 3, 0]);
    let (values, x) = ([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0f32, 10.0, 100.0, 1000.0]);
    everywhere!(csr_product, |dev, kernel| {
        let rows = dev.upload(&rows).unwrap();
        let (columns, values) = (dev.upload(&columns).unwrap(), dev.upload(&values).unwrap());
        let (x, mut y) = (dev.upload(&x).unwrap(), dev.alloc::<f32>(4).unwrap());
        kernel.run(&dev, &rows, &columns, &values, &x, &mut y).unwrap();
        assert_eq!(y.to_vec().unwrap(), [2001.0, 0.0, 5430.0, 6.0]);
    });
    let table: Vec<u32> = (0..100).map(h).collect();
    let places: Vec<u32> = (0..640).map(|i| h(i) % 100).collect();
    let expected: Vec<u32> = places.iter().map(|&p| table[p as usize].wrapping_mul(2).wrapping_add(1)).collect();
    everywhere!(kernels::gathered, |dev, kernel| {
        let out = kernel.run(&dev, &dev.upload(&table).unwrap(), &dev.upload(&places).unwrap()).unwrap();
        assert_eq!(out.to_vec().unwrap(), expected);
    });
}

#[test]
fn an_index_out_of_range_is_an_error_that_names_it() {
    let table = [5u32; 100];
    let mut places = vec![3u32; 640];
    places[77] = 4_000_000_000;
    everywhere!(kernels::gathered, |dev, kernel| {
        let error = kernel.run(&dev, &dev.upload(&table).unwrap(), &dev.upload(&places).unwrap()).unwrap_err();
        let Error::OutOfRange { kernel, array, index, len } = &error else { panic!("{error}") };
        assert_eq!((*kernel, *array, *index, *len), ("gathered", IndexedArray::Named("table"), 4_000_000_000, 100));
        assert!(error.to_string().contains("index 4000000000 is out of range of `table`, which has 100 elements"));
    });
    everywhere!(exactly, |dev, kernel| {
        let mut bins = dev.upload(&[0u32; 8]).unwrap();
        let error = kernel.run(&dev, &dev.upload(&[1u32, 7, 8, 1]).unwrap(), &mut bins).unwrap_err();
        assert!(
            matches!(error, Error::OutOfRange { array: IndexedArray::Named("bins"), index: 8, len: 8, .. }),
            "{error}"
        );
        // The others are done; the next launch begins with a clean record.
        assert_eq!(bins.to_vec().unwrap(), [0, 2, 0, 0, 0, 0, 0, 1]);
        kernel.run(&dev, &dev.upload(&[7u32]).unwrap(), &mut bins).unwrap();
    });
    everywhere!(permuted, |dev, kernel| {
        let mut out = dev.upload(&[9u32; 4]).unwrap();
        kernel.run(&dev, &dev.upload(&[2u32, 0, 3, 1]).unwrap(), &mut out).unwrap();
        assert_eq!(out.to_vec().unwrap(), [1, 3, 0, 2]);
        let error = kernel.run(&dev, &dev.upload(&[2u32, 0, 4, 1]).unwrap(), &mut out).unwrap_err();
        assert!(
            matches!(error, Error::OutOfRange { array: IndexedArray::Named("out"), index: 4, len: 4, .. }),
            "{error}"
        );
    });
    everywhere!(exactly_by_blocks, |dev, kernel| {
        let mut bins = dev.upload(&[0u32; 8]).unwrap();
        let error = kernel.run(&dev, &dev.upload(&[9u32; 64]).unwrap(), &mut bins).unwrap_err();
        assert!(matches!(error, Error::OutOfRange { array: IndexedArray::Computed, index: 9, len: 8, .. }), "{error}");
    });
}

#[test]
fn a_gap_between_rows_is_out_of_range_too() {
    // 4164816803 + 4164816803 / 32 wraps to 32, which is the gap after the first row.
    let wraps = 4_164_816_803u32;
    assert_eq!(wraps.wrapping_add(wraps / 32), 32);
    everywhere!(from_rows_with_gaps, |dev, kernel| {
        let mut places: Vec<u32> = (0..64).rev().collect();
        let out = kernel.run(&dev, &dev.upload(&places).unwrap()).unwrap();
        assert_eq!(out.to_vec().unwrap(), (1..=64).rev().collect::<Vec<u32>>());
        for stray in [wraps, 64, u32::MAX] {
            places[5] = stray;
            let error = kernel.run(&dev, &dev.upload(&places).unwrap()).unwrap_err();
            let Error::OutOfRange { array: IndexedArray::Computed, index, len: 64, .. } = error else {
                panic!("{error}")
            };
            assert_eq!(index, stray.into());
        }
    });
}

/// All lanes come by where they exchange, also the one whose index is out of range.
#[test]
fn lanes_are_read_by_an_index_of_data() {
    everywhere!(from_lanes, |dev, kernel| {
        let mut places: Vec<u32> = (0..64).map(|i| i * 7 % 20).collect();
        let out = kernel.run(&dev, &dev.upload(&places).unwrap()).unwrap();
        assert_eq!(out.to_vec().unwrap(), places.iter().map(|at| at + 1).collect::<Vec<u32>>());
        for stray in [20, 31, 32, u32::MAX] {
            places[37] = stray;
            let error = kernel.run(&dev, &dev.upload(&places).unwrap()).unwrap_err();
            let Error::OutOfRange { array: IndexedArray::Computed, index, len: 20, .. } = error else {
                panic!("{error}")
            };
            assert_eq!(index, u64::from(stray));
        }
    });
}

#[test]
fn kernels_without_such_accesses_have_no_guards() {
    let guarded = |k: &obsidian::Kernel| k.ptx().contains("fault");
    assert!(guarded(kernels::gathered.kernel()));
    assert!(!guarded(kernels::saxpy_in_place.kernel()) && !guarded(kernels::counted.kernel()));
}

#[test]
fn atomic_sums_of_floats() {
    let n = 1001;
    let (x, y): (Vec<f32>, Vec<f64>) = (0..n).map(|i| (i as f32, f64::from(i))).unzip();
    let sums: [f64; 2] = [0, 1].map(|r| (0..n).filter(|i| i % 2 == r).map(f64::from).sum());
    everywhere!(float_sums, |dev, kernel| {
        let (mut single, mut double) = (dev.upload(&[0f32; 2]).unwrap(), dev.upload(&[0f64; 2]).unwrap());
        let (x, y) = (dev.upload(&x).unwrap(), dev.upload(&y).unwrap());
        kernel.run(&dev, &x, &y, &mut single, &mut double).unwrap();
        assert_eq!(single.to_vec().unwrap(), sums.map(|s| s as f32));
        assert_eq!(double.to_vec().unwrap(), sums.map(|s| -s));
    });
}

#[test]
fn a_threads_own_array() {
    let input: Vec<u32> = (0..1024).map(h).collect();
    let expected: Vec<u32> =
        input.chunks(32).flat_map(|c| counts(&c.iter().map(|k| k % 10).collect::<Vec<_>>(), 10, 0)).collect();
    everywhere!(kernels::digit_counts, |dev, kernel| {
        assert_eq!(kernel.run(&dev, &dev.upload(&input).unwrap()).unwrap().to_vec().unwrap(), expected);
    });
}

fn scanned(xs: &[u32]) -> Vec<u32> {
    xs.iter().scan(0u32, |sum, x| Some(std::mem::replace(sum, sum.wrapping_add(*x)).wrapping_add(*x))).collect()
}

#[test]
fn chained_scans_carry_from_chunk_to_chunk() {
    let input: Vec<u32> = (0..1024).collect();
    let expected = scanned(&input);
    assert_eq!(expected[1023], 523_776);
    everywhere!(kernels::chained_scan, |dev, kernel| {
        assert_eq!(kernel.run(&dev, &dev.upload(&input).unwrap()).unwrap().to_vec().unwrap(), expected);
    });
    for chunks in [0, 1, 2, 11] {
        let input: Vec<u32> = (0..256 * chunks).map(h).collect();
        let expected = scanned(&input);
        everywhere!(kernels::chained_scan_any, |dev, kernel| {
            let mut sums = dev.alloc::<u32>(input.len()).unwrap();
            kernel.run(&dev, &dev.upload(&input).unwrap(), &mut sums).unwrap();
            assert_eq!(sums.to_vec().unwrap(), expected);
        });
    }
}

#[test]
fn the_number_of_chunks_costs_no_shared_memory() {
    let any = kernels::chained_scan_any.kernel().shared_bytes();
    assert_eq!(any, 2 * 256 * 4, "two arrays of a chunk, by turns");
}

#[test]
fn scans_in_threads() {
    let input: Vec<i32> = (0..256).map(|i| h(i) as i32).collect();
    let (mut scan, mut cin, mut right) = (Vec::new(), Vec::new(), Vec::new());
    for c in input.chunks(16) {
        let (mut sum, mut mix, mut acc) = (0i32, 7, 1i32);
        let mut back = Vec::new();
        for (x, last) in c.iter().zip(c.iter().rev()) {
            sum = sum.wrapping_add(*x);
            mix ^= x;
            scan.push(sum);
            cin.push(mix);
            back.push((acc, *last));
            acc = acc.wrapping_add(*last);
        }
        right.extend(back.into_iter().rev());
    }
    everywhere!(kernels::thread_scans, |dev, kernel| {
        let (a, b, c) = kernel.run(&dev, &dev.upload(&input).unwrap()).unwrap();
        assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (scan.clone(), cin.clone()));
        assert_eq!(c.to_vec().unwrap(), right);
    });
}

#[test]
fn push_arrays_written_by_hand() {
    let input: Vec<i32> = (0..384).collect();
    let reversed: Vec<i32> = input.chunks(128).flat_map(|c| c.iter().rev().copied()).collect();
    let mut mixed = vec![0; 384];
    input.iter().for_each(|&x| mixed[(x / 128 * 128 + x % 128 * 37 % 128) as usize] = x);
    everywhere!(kernels::written_by_hand, |dev, kernel| {
        let (a, b, c) = kernel.run(&dev, &dev.upload(&input).unwrap()).unwrap();
        assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (reversed.clone(), reversed.clone()));
        assert_eq!(c.to_vec().unwrap(), mixed);
    });
}

#[test]
fn push_arrays_written_in_branches() {
    let input: Vec<i32> = (0..384).collect();
    for least in [-7, 0, 200] {
        let raised = input.chunks(128).flat_map(|c| c.iter().rev().map(|&x| x.max(least)));
        let raised: Vec<i32> = raised.collect();
        let mixed = |(i, &x): (usize, &i32)| match (i % 3 == 0, least > 0) {
            (true, true) => x,
            (true, false) => least,
            _ => i as i32,
        };
        let mixed: Vec<i32> = input.chunks(128).flat_map(|c| c.iter().enumerate().map(mixed).rev()).collect();
        everywhere!(kernels::written_in_branches, |dev, kernel| {
            let (a, b) = kernel.run(&dev, least, &dev.upload(&input).unwrap()).unwrap();
            assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (raised.clone(), mixed.clone()));
        });
    }
}

#[test]
fn loops_over_arrays() {
    let input: Vec<u32> = (0..128).map(h).collect();
    for rounds in [0u32, 1, 2, 7] {
        let (mut powers, mut whiles, mut unrolled) = (Vec::new(), Vec::new(), Vec::new());
        for c in input.chunks(64) {
            let mut xs = c.to_vec();
            for k in 0..rounds {
                xs = xs.iter().rev().map(|x| x.wrapping_mul(3).wrapping_add(k)).collect();
            }
            powers.extend(xs);
            let mut xs: Vec<u32> = c.iter().map(|x| x % 100).collect();
            while xs[0] < 200 {
                xs = (0..64).map(|i| xs[i].wrapping_add(xs[(i + 1) % 64]).wrapping_add(1)).collect();
            }
            whiles.extend(xs);
            unrolled.extend(c.iter().rev().map(|x| x.wrapping_add(3).wrapping_mul(2)));
        }
        everywhere!(kernels::array_loops, |dev, kernel| {
            let (a, b, c) = kernel.run(&dev, &dev.upload(&input).unwrap(), rounds).unwrap();
            assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (powers.clone(), whiles.clone()));
            assert_eq!(c.to_vec().unwrap(), unrolled);
        });
    }
}

#[test]
fn a_fixed_length_and_the_device_are_checked_of_updated_buffers_too() {
    let dev = Device::cpu();
    let keys = dev.upload(&[0u32; 256]).unwrap();
    let mut short = dev.upload(&[0u32; 63]).unwrap();
    let error = kernels::counted_by_blocks.run(&dev, &keys, &mut short).unwrap_err();
    assert!(matches!(error, Error::Length { parameter: "bins", expected: 64, found: 63, .. }), "{error}");
    assert_eq!(short.to_vec().unwrap(), [0; 63]);
    let ready = kernels::counted_by_blocks.prepare(&dev, 256, 64).unwrap();
    let mut bins = dev.upload(&[0u32; 64]).unwrap();
    ready.run_into(&keys, &mut bins).unwrap();
    ready.run_into(&keys, &mut bins).unwrap();
    assert_eq!(bins.to_vec().unwrap()[..2], [512, 0]);
}

#[test]
fn a_stage_in_place_needs_one_array() {
    let input: Vec<i32> = (0..256).map(|i| h(i) as i32 % 1000).collect();
    let staged: Vec<i32> = (0..256)
        .map(|i: usize| if i & 8 == 0 { input[i].min(input[i ^ 8]) } else { input[i].max(input[i ^ 8]) })
        .collect();
    let step = |a: i32, x: &i32| a.wrapping_mul(3).wrapping_add(*x);
    let folds: Vec<i32> = input.chunks(8).map(|c| c.iter().fold(5, step)).collect();
    let scans: Vec<i32> = input.chunks(8).flat_map(|c| (0..=8).map(|n| c[..n].iter().fold(5, step))).collect();
    everywhere!(kernels::stage_in_place, |dev, kernel| {
        let (a, b, c) = kernel.run(&dev, &dev.upload(&input).unwrap()).unwrap();
        assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (staged.clone(), folds.clone()));
        assert_eq!(c.to_vec().unwrap(), scans);
    });
    assert_eq!(kernels::stage_in_place.shared_bytes(), 512);
}

/// A ring has no end: a walk in it has as many steps as the rounds reach.
#[test]
fn lists_are_ranked_by_jumps() {
    let chain: Vec<u32> = (0..256).map(|i| if i == 77 { u32::MAX } else { (i * 5 + 3) % 256 }).collect();
    let ring: Vec<u32> = (1..256).chain([0]).collect();
    let ended: Vec<u32> = (1..=256).collect();
    let next = [chain, ring, ended].concat();
    let walks = next.chunks(256).flat_map(|part| {
        (0..256).map(|start| {
            let mut walk = (0u32, start);
            for _ in 0..256 {
                let to = part.get(walk.1 as usize).copied().unwrap_or(walk.1);
                walk = (walk.0 + u32::from(to < 256), to);
            }
            walk
        })
    });
    let walks: Vec<(u32, u32)> = walks.collect();
    everywhere!(kernels::list_ranks, |dev, kernel| {
        let found = kernel.run(&dev, &dev.upload(&next).unwrap()).unwrap();
        assert_eq!(found.to_vec().unwrap(), walks);
    });
}
