//! Mistakes on one rank, which are errors on all of them.

use obsidian::exchange::{Exchange, Ranks, Threads, in_process};
use obsidian::prelude::*;
use obsidian_algorithms::dist::{self, Beyond, Rows, Spread};

use crate::LIMIT;
use crate::matrices::blurred;

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
