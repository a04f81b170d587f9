//! Functions over several ranks, each a thread: the same bits on 1, 2, 3 and 4 ranks, whatever part each of them has; and what is right. Mistakes
//! are errors on every rank.

use std::time::Duration;

use obsidian::exchange::{Exchange, Ranks, Threads, in_process};
use obsidian::prelude::*;
use obsidian_algorithms::dist::{self, Beyond, Operator, Rows, Spread};

kernel! {
    fn then(f: (f32, f32), g: (f32, f32)) -> (f32, f32) {
        (f.0 * g.0, f.1 * g.0 + g.1)
    }

    /// What each tile of affine maps gives, one after the other.
    #[kernel]
    pub fn maps_of_tiles(xs: DPull<(f32, f32)>) -> DPush<Grid, (f32, f32)> {
        ends_of_tiles(xs, then)
    }

    #[kernel]
    pub fn maps_in_tiles(xs: DPull<(f32, f32)>, before: DPull<(f32, f32)>) -> DPush<Grid, (f32, f32)> {
        let tiles = xs.chunks(2048);
        mk_pull(tiles.len(), |k| exec_block(scan_tile(tiles[k], then).map(|x| then(before[k], x)))).as_grid()
    }

    /// Of rows with one more above and below, those between: three rows' weighted sums, columns go around.
    #[kernel(threads = 128)]
    pub fn blurred(m: DMat<f32>) -> PushMat<Grid, f32> {
        let (rows, cols) = (m.rows(), m.cols());
        mk_mat(max(rows, 2) - 2, cols, |i, j| {
            0.5 * m[(i + 1, j)] + 0.2 * m[(i, j)] + 0.2 * m[(i + 2, j)] + 0.1 * m[(i + 1, (j + 1) % cols)]
        }).push()
    }
}

/// Affine maps: floats, and an operator that does not commute.
struct Then;

impl Operator for Then {
    type Of = (f32, f32);

    fn unit(&self) -> (f32, f32) {
        (1.0, 0.0)
    }

    fn combine(&self, f: (f32, f32), g: (f32, f32)) -> (f32, f32) {
        (f.0 * g.0, f.1 * g.0 + g.1)
    }

    fn tiles(&self, xs: &Buffer<(f32, f32)>) -> Result<Buffer<(f32, f32)>, Error> {
        maps_of_tiles.run(xs.device(), xs)
    }

    fn scan_tiles(&self, xs: &Buffer<(f32, f32)>, before: &Buffer<(f32, f32)>) -> Result<Buffer<(f32, f32)>, Error> {
        maps_in_tiles.run(xs.device(), xs, before)
    }
}

const LIMIT: Duration = Duration::from_secs(300);
const LENGTHS: [usize; 5] = [0, 1, 3, 1003, 1_000_003];

/// How parts are cut.
#[derive(Debug, Clone, Copy)]
enum Cut {
    Even,
    /// Anywhere, with parts of none and of a few.
    Ragged,
}

/// Where parts begin, and the length.
fn starts(len: usize, size: usize, cut: Cut) -> Vec<usize> {
    let even = |rank: usize| dist::share(len as u64, size, rank).start as usize;
    let ragged = |rank: usize| match (size, rank) {
        (_, 0) => 0,
        (2, 1) => (len / 3).saturating_sub(1),
        (3, 1) | (3, 2) => len / 2,
        (4, 1) => 0,
        (4, 2) => len.min(5),
        _ => len.min(5 + 2041),
    };
    let start = |rank| if rank == size { len } else { [even(rank), ragged(rank)][cut as usize] };
    (0..=size).map(start).collect()
}

fn on<R: Send>(size: usize, work: impl Fn(&Ranks<Threads>) -> Result<R, Error> + Sync) -> Vec<R> {
    in_process(size, &Device::cpu(), LIMIT, work).into_iter().map(Result::unwrap).collect()
}

/// Does `work` on every number of ranks, in every cut, with all of an array's parts; what it gives must be the same everywhere, to the bit.
fn everywhere<T: Element, R: Send + PartialEq + std::fmt::Debug>(
    values: &[T],
    work: impl Fn(&Ranks<Threads>, Spread<T>) -> Result<R, Error> + Sync,
) -> R {
    let len = values.len();
    let mut first: Option<R> = None;
    for (size, cut) in (1..=4).flat_map(|size| [(size, Cut::Even), (size, Cut::Ragged)]) {
        let starts = starts(len, size, cut);
        let found = on(size, |ranks| {
            let part = Device::cpu().upload(&values[starts[ranks.rank()]..starts[ranks.rank() + 1]])?;
            work(ranks, Spread::new(ranks, len as u64, part)?)
        });
        let found = found.into_iter().next().unwrap();
        match &first {
            None => first = Some(found),
            Some(first) => assert!(*first == found, "{len} elements on {size} ranks, {cut:?}"),
        }
    }
    first.unwrap()
}

fn mixed(i: usize) -> u32 {
    let x = (i as u32).wrapping_mul(2_654_435_761);
    (x ^ x >> 15).wrapping_mul(0x2c1b_3c6d)
}

fn floats(len: usize) -> Vec<f32> {
    (0..len).map(|i| (mixed(i) >> 8) as f32 / 65536.0 - 100.0).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn sums_have_the_same_bits_on_all_ranks() {
    for len in LENGTHS {
        let values = floats(len);
        let found = everywhere(&values, |ranks, xs| Ok(dist::sum(ranks, &xs)?.to_bits()));
        let exact: f64 = values.iter().map(|&x| f64::from(x)).sum();
        assert!((f64::from(f32::from_bits(found)) - exact).abs() <= 1e-5 * exact.abs() + 1e-3, "{len}");
        let integers: Vec<u64> = (0..len).map(|i| u64::from(mixed(i)) << 20).collect();
        assert_eq!(
            everywhere(&integers, |ranks, xs| dist::sum(ranks, &xs)),
            integers.iter().fold(0, |sum: u64, x| sum.wrapping_add(*x))
        );
    }
}

/// Maps whose factors cancel out.
fn maps(len: usize) -> Vec<(f32, f32)> {
    (0..len)
        .map(|i| if i % 2 == 0 { (2.0, (mixed(i) >> 24) as f32) } else { (0.5, -((mixed(i) >> 24) as f32)) })
        .collect()
}

#[test]
fn operators_that_do_not_commute_keep_the_order() {
    for len in LENGTHS {
        let values = maps(len);
        let found = everywhere(&values, |ranks, xs| {
            let all = dist::reduce(ranks, &Then, &xs)?;
            Ok((all.0.to_bits(), all.1.to_bits()))
        });
        let exact =
            values.iter().fold((1.0f64, 0.0f64), |f, g| (f.0 * f64::from(g.0), f.1 * f64::from(g.0) + f64::from(g.1)));
        let near = |bits: u32, exact: f64| (f64::from(f32::from_bits(bits)) - exact).abs() <= 5e-4 * len as f64;
        assert!(near(found.0, exact.0) && near(found.1, exact.1), "{len}: {found:?}, {exact:?}");
    }
}

#[test]
fn scans_have_the_same_bits_on_all_ranks() {
    for len in LENGTHS {
        let values = floats(len);
        let found = everywhere(&values, |ranks, xs| Ok(bits(&dist::scan(ranks, &xs)?.gather(ranks, 0)?)));
        let mut exact = 0.0;
        for (i, (&x, &bits)) in values.iter().zip(&found).enumerate() {
            exact += f64::from(x);
            assert!(
                (f64::from(f32::from_bits(bits)) - exact).abs() <= 1e-4 * exact.abs() + 0.5,
                "element {i} of {len}"
            );
        }
        let maps = everywhere(&maps(len), |ranks, xs| {
            let all = dist::scan_by(ranks, &Then, &xs)?.gather(ranks, 0)?;
            Ok(all.into_iter().map(|(a, b)| (a.to_bits(), b.to_bits())).collect::<Vec<_>>())
        });
        assert_eq!(maps.len(), len);
        let integers: Vec<u32> = (0..len).map(mixed).collect();
        let sums = integers.iter().scan(0u32, |sum, &x| {
            *sum = sum.wrapping_add(x);
            Some(*sum)
        });
        let found = everywhere(&integers, |ranks, xs| dist::scan(ranks, &xs)?.gather(ranks, 0));
        assert!(sums.eq(found), "{len}");
    }
}

#[test]
fn parts_of_scans_stay_where_they_were() {
    let starts = starts(10_000, 4, Cut::Ragged);
    on(4, |ranks| {
        let rank = ranks.rank();
        let part = Device::cpu().upload(&vec![1u32; starts[rank + 1] - starts[rank]])?;
        let scanned = dist::scan(ranks, &Spread::new(ranks, 10_000, part)?)?;
        let expected: Vec<u32> = (starts[rank] as u32 + 1..=starts[rank + 1] as u32).collect();
        assert_eq!(scanned.part().to_vec()?, expected);
        Ok(())
    });
}

#[test]
fn keys_are_counted() {
    for (len, bins) in LENGTHS.into_iter().flat_map(|len| [(len, 256), (len, 11)]) {
        let keys: Vec<u32> = (0..len).map(|i| mixed(i) % bins).collect();
        let mut expected = vec![0u64; bins as usize];
        keys.iter().for_each(|&key| expected[key as usize] += 1);
        assert_eq!(everywhere(&keys, |ranks, keys| dist::histogram(ranks, &keys, bins)), expected);
    }
}

#[test]
fn sorts_are_stable_and_the_same_on_all_ranks() {
    for len in LENGTHS {
        // A million once.
        let short = len.min(10_003);
        let few: Vec<f32> = (0..short).map(|i| [0.0, -0.0, 1.5, -2.5][mixed(i) as usize >> 30]).collect();
        for values in [floats(len), few, vec![-0.0; short]] {
            let len = values.len();
            let found = everywhere(&values, |ranks, xs| {
                let sorted = dist::sort(ranks, &xs)?;
                let even = sorted.balanced(ranks)?;
                assert_eq!(even.part().len(), dist::share(len as u64, ranks.size(), ranks.rank()).count());
                Ok((bits(&sorted.gather(ranks, 0)?), bits(&even.gather(ranks, 0)?)))
            });
            let mut expected = values;
            expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
            assert_eq!(found.0, bits(&expected), "{len}");
            assert_eq!(found.1, found.0);
        }
    }
}

#[test]
fn equal_elements_are_shared_out() {
    let longest = on(4, |ranks| {
        let xs = Spread::new(ranks, 40_000, Device::cpu().upload(&[7u32; 10_000])?)?;
        Ok(dist::sort(ranks, &xs)?.part().len())
    });
    assert!(longest.iter().all(|&len| len <= 20_000), "{longest:?}");
}

#[test]
fn what_is_kept_keeps_its_order() {
    for len in LENGTHS {
        let values: Vec<i64> = (0..len).map(|i| i64::from(mixed(i)) - (1 << 31)).collect();
        let expected: Vec<i64> = values.iter().copied().filter(|x| x % 3 == 0).collect();
        let found = everywhere(&values, |ranks, xs| {
            let flags: Vec<bool> = xs.part().to_vec()?.iter().map(|x| x % 3 == 0).collect();
            let flags = Spread::joined(ranks, Device::cpu().upload(&flags)?)?;
            dist::filter(ranks, &xs, &flags)?.gather(ranks, 0)
        });
        assert_eq!(found, expected);
    }
}

/// This rank's rows of a matrix.
fn rows<T: Element>(ranks: &Ranks<Threads>, all: &[T], cols: usize, starts: &[usize]) -> Result<Rows<T>, Error> {
    let (from, to) = (starts[ranks.rank()], starts[ranks.rank() + 1]);
    Rows::joined(ranks, Device::cpu().upload_matrix(&all[from * cols..to * cols], to - from, cols)?)
}

#[test]
fn rows_become_columns() {
    let long = [(1003, 1), (1, 1003), (1_000_003, 1), (1, 1_000_003)];
    for (height, width) in
        [(0, 0), (1, 1), (1, 3), (3, 5), (0, 4), (5, 0), (100, 37), (2, 1003)].into_iter().chain(long)
    {
        let values: Vec<u32> = (0..height * width).map(mixed).collect();
        let expected: Vec<u32> =
            (0..width).flat_map(|c| (0..height).map(move |r| (r, c))).map(|(r, c)| values[r * width + c]).collect();
        for (size, cut) in (1..=4).flat_map(|size| [(size, Cut::Even), (size, Cut::Ragged)]) {
            let starts = starts(height, size, cut);
            let found = on(size, |ranks| {
                let turned = dist::transpose(ranks, &rows(ranks, &values, width, &starts)?)?;
                assert_eq!((turned.rows(), turned.cols()), (width as u64, height));
                turned.gather(ranks, 0)
            });
            assert_eq!(found[0], expected, "{height} x {width} on {size} ranks, {cut:?}");
        }
    }
}

/// The stencil in plain Rust, in the order of the kernel.
fn blurred_in_rust(m: &[f32], height: usize, width: usize, beyond: Beyond<f32>) -> Vec<f32> {
    let at = |i: i64, j: usize| match beyond {
        Beyond::Around => m[i.rem_euclid(height as i64) as usize * width + j % width],
        Beyond::Filled(value) => {
            if i < 0 || i >= height as i64 {
                value
            } else {
                m[i as usize * width + j % width]
            }
        }
    };
    let value = |i: i64, j| 0.5 * at(i, j) + 0.2 * at(i - 1, j) + 0.2 * at(i + 1, j) + 0.1 * at(i, j + 1);
    (0..height as i64).flat_map(|i| (0..width).map(move |j| (i, j))).map(|(i, j)| value(i, j)).collect()
}

#[test]
fn stencils_see_the_rows_of_other_ranks() {
    let long = [(1003, 1), (1, 1003), (1_000_003, 1)];
    for (height, width) in [(0, 5), (1, 1), (1, 3), (2, 2), (3, 1), (10, 7), (101, 33)].into_iter().chain(long) {
        for beyond in [Beyond::Around, Beyond::Filled(2.5)] {
            let values = floats(height * width);
            let mut expected = values.clone();
            (0..3).for_each(|_| expected = blurred_in_rust(&expected, height, width, beyond));
            for (size, cut) in (1..=4).flat_map(|size| [(size, Cut::Even), (size, Cut::Ragged)]) {
                let starts = starts(height, size, cut);
                let found = on(size, |ranks| {
                    let mut m = rows(ranks, &values, width, &starts)?;
                    for _ in 0..3 {
                        m = dist::stencil_rows(ranks, &m, 1, beyond, |m, out| blurred.run_into(m.device(), m, out))?;
                    }
                    m.gather(ranks, 0)
                });
                assert_eq!(bits(&found[0]), bits(&expected), "{height} x {width} on {size} ranks, {cut:?}, {beyond:?}");
            }
        }
    }
}

/// The errors of all ranks.
fn errors(size: usize, work: impl Fn(&Ranks<Threads>) -> Result<(), Error> + Sync) -> Vec<String> {
    let found = in_process(size, &Device::cpu(), LIMIT, work);
    found.into_iter().map(|result| result.unwrap_err().to_string()).collect()
}

#[test]
fn parts_that_do_not_add_up_are_an_error_on_all_ranks() {
    let found = errors(3, |ranks| {
        let len = if ranks.rank() == 1 { 5 } else { 4 };
        Spread::new(ranks, 12, Device::cpu().upload(&vec![1u32; len])?).map(drop)
    });
    let expected = "rank 1, exchange 1 (all_merge): its part has 5 elements; all parts together have 13, not 12";
    assert_eq!(found, [expected; 3]);
    let found =
        errors(2, |ranks| Spread::new(ranks, 2 + ranks.rank() as u64, Device::cpu().upload(&[1u32])?).map(drop));
    let expected = "rank 1, exchange 1 (all_merge): it says that the array has 3 elements, and rank 0 2";
    assert_eq!(found, [expected; 2]);
}

#[test]
fn unequal_parts_are_an_error_on_all_ranks() {
    let found = errors(3, |ranks| {
        let flags = if ranks.rank() == 2 { 3 } else { 4 };
        let xs = Spread::joined(ranks, Device::cpu().upload(&[1u32; 4])?)?;
        let flags = Spread::joined(ranks, Device::cpu().upload(&vec![true; flags])?)?;
        dist::filter(ranks, &xs, &flags).map(drop)
    });
    let expected = "rank 2, exchange 2 (all_merge): its part has 4 elements and 3 flags; the lengths must be equal";
    assert_eq!(found, [expected; 3]);
    let found = errors(2, |ranks| {
        let cols = 2 + ranks.rank();
        Rows::joined(ranks, Device::cpu().upload_matrix(&vec![0u8; 2 * cols], 2, cols)?).map(drop)
    });
    assert!(
        found.iter().all(|e| e.contains("rank 1, exchange 1") && e.contains("its rows have 3 elements")),
        "{found:?}"
    );
}

#[test]
fn what_one_device_refuses_is_an_error_on_all_ranks() {
    let found = errors(3, |ranks| {
        let key = if ranks.rank() == 1 { 99 } else { 0 };
        let keys = Spread::joined(ranks, Device::cpu().upload(&[key; 10])?)?;
        dist::histogram(ranks, &keys, 11).map(drop)
    });
    assert!(found.iter().all(|e| e.starts_with("rank 1, exchange ") && e.contains("99")), "{found:?}");
    let found = errors(2, |ranks| {
        let m = Rows::joined(ranks, Device::cpu().alloc_matrix::<f32>(4, 4)?)?;
        let step = |m: &Matrix<f32>, out: &mut Matrix<f32>| {
            if ranks.rank() == 1 {
                return blurred.run_into(m.device(), m, &mut m.device().alloc_matrix(1, 1)?);
            }
            blurred.run_into(m.device(), m, out)
        };
        // Rank 0 may have all rows that it needs before rank 1 fails: then it is told at its next exchange.
        dist::stencil_rows(ranks, &m, 1, Beyond::Around, step)?.gather(ranks, 0).map(drop)
    });
    assert!(found[0].starts_with("rank 1, exchange "), "{found:?}");
    assert!(found[1].starts_with("rank 1, exchange 2 (halo): ") && found[1].contains("1 x 1"), "{found:?}");
}
