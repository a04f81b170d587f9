//! A launch on the CPU: the virtual blocks cut into ranges, the ranges spread over rayon's threads.

use std::ops::Range;

use rayon::prelude::*;

use obsidian_abi::cost::Cost;
use obsidian_abi::{NativeArgs, NativeFn};

/// Ranges per thread: enough to even out unequal blocks, few enough that each is long.
const RANGES_PER_THREAD: usize = 4;
/// Below this much work waking other threads costs more than it saves: some ten microseconds of one thread, at a few operations
/// or elements a nanosecond.
const PARALLEL_WORK: u64 = 64 << 10;
/// The operations and accesses that are taken for each byte of a kernel of which nothing is known.
const WORK_A_BYTE: u64 = 4;

/// What is to be run.
#[derive(Debug, Clone)]
pub(super) struct Work {
    /// The kernel's code.
    pub native: NativeFn,
    /// Virtual blocks.
    pub blocks: Range<u32>,
    /// Real blocks asked for: the number of ranges.
    pub ranges: Option<u32>,
    /// Operations and elements touched, by all blocks.
    pub amount: u64,
}

/// The work of `blocks` blocks: what is known of the kernel's costs, otherwise the bytes of its inputs and outputs.
pub(super) fn amount(cost: &Cost, blocks: u32, bytes: u64) -> u64 {
    let known = cost.work().map(|work| work.saturating_mul(blocks.into()));
    known.unwrap_or(bytes.saturating_mul(WORK_A_BYTE))
}

/// Runs all blocks, and returns when they are done.
///
/// # Safety
/// `args` must be valid for `work.native`, as [`NativeFn`] asks, until this returns; the blocks must be those of the
/// launch.
pub(super) unsafe fn run(work: &Work, args: &NativeArgs<'_>) {
    let (first, blocks) = (work.blocks.start, work.blocks.end - work.blocks.start);
    let ranges = match work.ranges {
        Some(ranges) => ranges.min(blocks),
        None => default_ranges(blocks, work.amount),
    };
    if ranges <= 1 {
        // SAFETY: the caller's promise; all blocks in one call, so none is shared.
        unsafe { (work.native)(args, work.blocks.clone()) };
        return;
    }
    (0..ranges).into_par_iter().with_max_len(1).for_each(|index| {
        let Range { start, end } = part(blocks, ranges, index);
        // SAFETY: the caller's promise; `part` gives disjoint ranges, so no two calls share a block.
        unsafe { (work.native)(args, first + start..first + end) };
    });
}

fn default_ranges(blocks: u32, amount: u64) -> u32 {
    if blocks <= 1 || amount < PARALLEL_WORK {
        return 1;
    }
    let wanted = rayon::current_num_threads().saturating_mul(RANGES_PER_THREAD);
    u32::try_from(wanted).unwrap_or(u32::MAX).min(blocks)
}

/// Part `index` of `0..blocks` cut into `ranges` parts whose lengths differ by at most one.
fn part(blocks: u32, ranges: u32, index: u32) -> Range<u32> {
    let cut = |index: u32| (u64::from(blocks) * u64::from(index) / u64::from(ranges)) as u32;
    cut(index)..cut(index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use obsidian_abi::cost::{Certainty, Operations};

    #[test]
    fn parts_cover_all_blocks_once() {
        for blocks in [1, 2, 3, 7, 64, 1000, u32::MAX] {
            for ranges in [1, 2, 3, 5, 64] {
                let mut next = 0;
                for index in 0..ranges {
                    let part = part(blocks, ranges, index);
                    assert_eq!(part.start, next);
                    assert!(part.end >= part.start);
                    next = part.end;
                }
                assert_eq!(next, blocks);
            }
        }
    }

    /// What it costs to do a little, block by block.
    fn cost(operations: u64, certainty: Certainty) -> Cost {
        let operations = Operations { total: operations, elements: 0, certainty };
        Cost { threads: 64, cut_short: false, operations, ..Cost::UNKNOWN }
    }

    #[test]
    fn work_is_what_the_kernel_does_and_not_its_bytes() {
        // A map of 2,048 elements, however wide; and 32 blocks of 64 elements that iterate until something holds.
        let (map, search) = (cost(2 * 64, Certainty::Exact), cost(10 * 64, Certainty::EachRound));
        assert_eq!(default_ranges(32, amount(&map, 32, 1 << 20)), 1);
        assert!(default_ranges(32, amount(&search, 32, 8 << 10)) > 1);
        // Of a kernel by hand nothing is known but its bytes.
        assert_eq!(amount(&Cost::UNKNOWN, 32, 100), 400);
        assert_eq!(amount(&cost(u64::MAX, Certainty::EachRound), u32::MAX, 0), u64::MAX);
    }

    #[test]
    fn little_work_stays_on_one_thread() {
        assert_eq!(default_ranges(100, 400), 1);
        assert!(default_ranges(100, 1 << 20) >= RANGES_PER_THREAD as u32);
        assert_eq!(default_ranges(2, 1 << 20), 2);
    }
}
