//! Sums, reductions and scans of arrays.

use obsidian::exchange::Exchange;
use obsidian::prelude::*;
use obsidian_algorithms::dist::{self, Operator, Spread};

use crate::{Cut, LENGTHS, bits, everywhere, floats, mixed, on, starts};

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
