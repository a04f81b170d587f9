//! What entries at `Device` give: structures, one of two matrices; and loops that take arrays beside what they carry.

use obsidian::prelude::*;

kernel! {
    pub struct Extent { least: f32, greatest: f32 }

    pub struct Count { all: u32 }

    #[kernel]
    pub fn extent(xs: DPull<f32>) -> Program<Device, Extent> {
        Extent { least: xs.minimum(), greatest: xs.maximum() }
    }

    /// Beside others, and one that has a single field.
    #[kernel]
    pub fn extent_and_count(xs: DPull<f32>, k: u32) -> Program<Device, (Extent, DPull<f32>, Count)> {
        (Extent { least: xs.minimum(), greatest: 0.0 }, xs.map(|x| x + 1.0).compute(), Count { all: xs.len() + k })
    }

    #[kernel]
    pub fn count(xs: DPull<f32>) -> Program<Device, Count> {
        Count { all: xs.len() }
    }

    /// The shape is the one or the other, as the argument says.
    #[kernel]
    pub fn turned_if(m: DMat<u32>, turned: bool) -> Program<Device, DMat<u32>> {
        if turned { m.transpose().compute() } else { m }
    }

    /// As often as there are bits, so that what is chosen is a choice of choices.
    #[kernel]
    pub fn turned_by_bits(m: DMat<u32>, bits: u32) -> Program<Device, DPull<u32>> {
        let mut now = m;
        for k in 0..16 {
            now = if (bits >> k) & 1 == 1 { now.transpose().compute() } else { now };
        }
        now.concat().compute()
    }

    #[kernel]
    pub fn turned_by_two(m: DMat<u32>, bits: u32) -> Program<Device, DMat<u32>> {
        let once = if bits & 1 == 1 { m.transpose().compute() } else { m };
        if bits & 2 == 2 { once.transpose().compute() } else { once }
    }

    /// Arrays beside the one that is carried, which must be as long.
    #[kernel]
    pub fn added(xs: DPull<u32>, ys: DPull<u32>, zs: DPull<u32>, n: u32) -> Program<Device, DPull<u32>> {
        let mut sums = xs.compute();
        for _k in 0..n {
            let (ys, zs) = (ys.take(sums.len()), zs.take(sums.len()));
            sums = sums.zip_with(ys, |a, b| a + b).zip_with(zs, |a, b| a * b).compute();
        }
        sums
    }
}

fn devices() -> [Device; 2] {
    [Device::cpu(), Device::check().expect("the tests have the feature")]
}

#[test]
fn structures_are_results() -> Result<(), Error> {
    for device in devices() {
        for n in [1, 2, 33, 1009] {
            let xs: Vec<f32> = (0..n).map(|i| ((i * 37) % 101) as f32).collect();
            let [least, greatest] = [f32::min, f32::max].map(|f| xs.iter().copied().reduce(f).unwrap());
            let xs = device.upload(&xs)?;
            let found = extent.run(&device, &xs)?.to_vec()?;
            assert!(matches!(found[..], [Extent { least: a, greatest: b }] if (a, b) == (least, greatest)));
            let (a, more, b) = extent_and_count.run(&device, &xs, 5)?;
            assert!(matches!(a.to_vec()?[..], [Extent { least: a, greatest: 0.0 }] if a == least));
            assert!(matches!(b.to_vec()?[..], [Count { all }] if all == n + 5));
            assert_eq!(more.len(), n as usize);
            assert!(matches!(count.run(&device, &xs)?.to_vec()?[..], [Count { all }] if all == n));
        }
    }
    Ok(())
}

#[test]
fn a_result_is_one_of_two_matrices() -> Result<(), Error> {
    for device in devices() {
        for (rows, cols) in [(0, 0), (1, 1), (3, 5), (33, 64), (64, 33)] {
            let values: Vec<u32> = (0..(rows * cols) as u32).collect();
            let m = device.upload_matrix(&values, rows, cols)?;
            let same = turned_if.run(&device, &m, false)?;
            assert_eq!((same.rows(), same.cols(), same.to_vec()?), (rows, cols, values.clone()));
            let turned = turned_if.run(&device, &m, true)?;
            let expected: Vec<u32> = (0..cols).flat_map(|c| (0..rows).map(move |r| (r * cols + c) as u32)).collect();
            assert_eq!((turned.rows(), turned.cols(), turned.to_vec()?), (cols, rows, expected.clone()));
            for bits in [0, 1, 2, 3] {
                let (found, odd) = (turned_by_two.run(&device, &m, bits)?, bits.count_ones() % 2 == 1);
                let shape = if odd { (cols, rows) } else { (rows, cols) };
                assert_eq!((found.rows(), found.cols()), shape);
                assert_eq!(found.to_vec()?, if odd { expected.clone() } else { values.clone() });
            }
            assert_eq!(turned_by_bits.run(&device, &m, 0x8421)?.to_vec()?, values);
            assert_eq!(turned_by_bits.run(&device, &m, 0x8420)?.to_vec()?, expected);
        }
    }
    Ok(())
}

#[test]
fn arrays_beside_what_a_loop_carries_are_as_long() -> Result<(), Error> {
    for device in devices() {
        for n in [0, 1, 31, 1009] {
            let of = |k: u32| (0..n).map(|i| i * k + 1).collect::<Vec<u32>>();
            let expected: Vec<u32> = (0..n)
                .map(|i| (0..3).fold(i + 1, |sum: u32, _| sum.wrapping_add(i * 2 + 1).wrapping_mul(i * 3 + 1)))
                .collect();
            let [xs, ys, zs] = [1, 2, 3].map(|k| device.upload(&of(k)));
            let (xs, ys, zs) = (xs?, ys?, zs?);
            assert_eq!(added.run(&device, &xs, &ys, &zs, 3)?.to_vec()?, expected);
            let long = device.upload(&[1; 2000])?;
            assert_eq!(added.run(&device, &xs, &ys, &long, 1)?.len(), n as usize);
            if n > 1 {
                let short = device.upload(&of(1)[1..])?;
                let refused = added.run(&device, &xs, &ys, &short, 1).expect_err("it is too short").to_string();
                assert!(refused.contains("length of `zs`"), "{refused}");
                assert_eq!(
                    added.run(&device, &xs, &short, &short, 0)?.to_vec()?,
                    of(1),
                    "nothing is asked where no round begins"
                );
            }
        }
    }
    Ok(())
}
