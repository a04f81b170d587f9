//! Programs of several launches on a GPU: chains of tiles in one pass among blocks that really run at once, the papers' programs,
//! and every algorithm of the library.

use rayon::prelude::*;

use super::{
    device_chains as chains, device_papers as papers, device_programs as programs, device_segments as segments, gpu,
    is_small,
};

/// The lengths of tests that `OBSIDIAN_TEST_SMALL` makes short.
fn lengths(all: &[usize]) -> impl Iterator<Item = usize> {
    let most = if is_small() { 300 } else { usize::MAX };
    all.iter().copied().filter(move |&n| n <= most)
}

#[test]
fn programs_of_several_launches() {
    let Some(device) = gpu() else { return };
    for n in lengths(&programs::LENGTHS).chain(lengths(&[1_000_003])) {
        programs::check_all(device, n);
    }
}

#[test]
fn programs_of_the_papers() {
    let Some(device) = gpu() else { return };
    for n in lengths(&papers::LENGTHS).chain(lengths(&[1 << 20, 1_000_003])) {
        papers::check_all(device, n);
    }
}

#[test]
fn parts_of_arrays() {
    let Some(device) = gpu() else { return };
    for n in lengths(&[0, 1, 33, 257, 65_537, 1_000_003]) {
        segments::check_all(device, n);
    }
}

/// A block that waits for one before it must see what that one has written; the more tiles, the more of them wait.
#[test]
fn chains_of_tiles() {
    let Some(device) = gpu() else { return };
    for n in lengths(&[0, 1, 65, 300, 513, 16_449, 65_537, 1_000_003]) {
        chains::check_all(device, n);
    }
    let (few, again) = if is_small() { (1000, 1000) } else { (100_000, 10_000_019) };
    chains::on_few_blocks(device, few);
    chains::prepared(device, again);
    // In one pass: nothing but the cells, two words for each of 98 tiles and one more.
    assert_eq!(chains::temporary_bytes(device, 100_000), (16 * 99u64).next_multiple_of(256));
}

#[test]
fn every_algorithm() {
    let Some(device) = gpu() else { return };
    let lengths: Vec<usize> = lengths(&[0, 1, 33, 257, 65_535, 65_536, 65_537, 1_000_003]).collect();
    let cells = obsidian_table::cells();
    cells.into_par_iter().with_max_len(1).for_each(|cell| lengths.iter().for_each(|&n| (cell.check)(device, n)));
}
