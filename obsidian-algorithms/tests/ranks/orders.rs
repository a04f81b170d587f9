//! Counts, sorts and selections of arrays.

use obsidian::exchange::Exchange;
use obsidian::prelude::*;
use obsidian_algorithms::dist::{self, Spread};

use crate::{LENGTHS, bits, everywhere, floats, mixed, on};

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
