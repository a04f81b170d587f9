//! Exchanges between threads: what they give on 1 to 5 ranks; `failures`: what goes wrong ends in an error on every rank;
//! `endings`: also where a rank says nothing any more.

use std::time::Duration;

mod endings;
mod failures;

use super::*;
use crate::device::Device;

const LIMIT: Duration = Duration::from_secs(20);

fn on<R: Send>(size: usize, work: impl Fn(&Ranks<Threads>) -> Result<R, Error> + Sync) -> Vec<R> {
    in_process(size, &Device::cpu(), LIMIT, work).into_iter().map(Result::unwrap).collect()
}

#[test]
fn merges_keep_the_order_of_the_ranks() {
    for size in 1..=5 {
        let all: Vec<u8> = (0..size).flat_map(|rank| vec![rank as u8; rank]).collect();
        for found in on(size, |ranks| ranks.all_gather(&Done::from(vec![ranks.rank() as u8; ranks.rank()]))) {
            assert_eq!(found, all);
        }
        let join = |left: Run<u8>, right: Run<u8>| {
            for run in [&left, &right] {
                let expected = run.ranks.clone().flat_map(|rank| vec![rank as u8; rank]).collect::<Vec<_>>();
                assert_eq!(run.values, expected, "{:?}", run.ranks);
            }
            assert_eq!(left.ranks.end, right.ranks.start);
            [left.values, right.values].concat()
        };
        on(size, |ranks| ranks.all_merge(&Done::from(vec![ranks.rank() as u8; ranks.rank()]), join));
        let before = on(size, |ranks| ranks.merge_before(&Done::from(vec![ranks.rank() as u8; ranks.rank()]), join));
        for (rank, found) in before.into_iter().enumerate() {
            let expected = all.iter().copied().filter(|&of| usize::from(of) < rank).collect();
            assert_eq!(found, (rank > 0).then_some(expected), "rank {rank} of {size}");
        }
    }
}

#[test]
fn operators_need_not_commute() {
    // Affine maps, one after the other.
    let then = |f: (i64, i64), g: (i64, i64)| (f.0 * g.0, f.1 * g.0 + g.1);
    let map = |rank: usize| (rank as i64 + 2, 3 - 2 * rank as i64);
    for size in 1..=5 {
        let mine = |rank: usize| Done::from(vec![map(rank), map(rank + 1)]);
        let all = |upto: usize, from: usize| (0..upto).map(|rank| map(rank + from)).reduce(then);
        for found in on(size, |ranks| ranks.all_reduce(&mine(ranks.rank()), then)) {
            assert_eq!(found.into_iter().map(Some).collect::<Vec<_>>(), [all(size, 0), all(size, 1)]);
        }
        let before = on(size, |ranks| ranks.scan_exclusive(&mine(ranks.rank()), then));
        for (rank, found) in before.into_iter().enumerate() {
            assert_eq!(found, all(rank, 0).zip(all(rank, 1)).map(|(a, b)| vec![a, b]), "rank {rank} of {size}");
        }
    }
}

#[test]
fn parts_go_to_their_ranks() {
    for size in 1..=5 {
        // Rank `r` sends `(r + to) % 3` elements to rank `to`, some of them none.
        let count = |from: usize, to: usize| (from + to) % 3;
        let found = on(size, |ranks| {
            let me = ranks.rank();
            let counts: Vec<usize> = (0..size).map(|to| count(me, to)).collect();
            let values = (0..size).flat_map(|to| vec![(me as u32, to as u8); count(me, to)]).collect::<Vec<_>>();
            ranks.all_to_all_v(&Done::from(values), &counts)
        });
        for (me, parts) in found.into_iter().enumerate() {
            let expected: Vec<_> = (0..size).map(|from| vec![(from as u32, me as u8); count(from, me)]).collect();
            assert_eq!(parts, expected);
        }
    }
}

#[test]
fn long_parts_arrive_in_parts() {
    let values = |rank: usize, len: usize| (0..len).map(|i| (1000 * rank + i) as u32).collect::<Vec<u32>>();
    // At the most bytes of one message, one element more and less, and several times as many.
    for len in [23, 24, 25, 48, 1003] {
        for found in on(4, |ranks| ranks.all_gather(&Done::from(values(ranks.rank(), len)))) {
            assert_eq!(found, (0..4).flat_map(|rank| values(rank, len)).collect::<Vec<_>>());
        }
    }
}

#[test]
fn one_gives_to_all_and_all_to_one() {
    for (size, root) in (1..=5).flat_map(|size| (0..size).map(move |root| (size, root))) {
        let found = on(size, |ranks| {
            let mine = Done::from(vec![ranks.rank() as f64; 3]);
            Ok((ranks.broadcast(root, &mine)?, ranks.gather(root, &mine)?))
        });
        for (rank, (given, gathered)) in found.into_iter().enumerate() {
            assert_eq!(given, [root as f64; 3]);
            let all: Vec<_> = (0..size).map(|from| vec![from as f64; 3]).collect();
            assert_eq!(gathered, if rank == root { all } else { vec![] });
        }
    }
}

#[test]
fn halos_are_the_rows_beside() {
    // Ranks without rows, fewer rows than the radius, fewer rows than the halo is wide.
    let cases: [&[u64]; 6] = [&[0, 7], &[0, 4, 9], &[0, 3, 3, 8], &[0, 0, 1, 3, 3], &[0, 1, 1], &[0, 0, 0]];
    for (starts, radius, around) in cases.iter().flat_map(|s| (0..4).flat_map(move |r| [(s, r, true), (s, r, false)])) {
        let (size, width) = (starts.len() - 1, 2);
        let all = starts[size] as i64;
        let row = |row: i64| [row as u16 * 10, row as u16 * 10 + 1];
        let rows = |range: std::ops::Range<i64>| match around {
            true => range.flat_map(|r| row(r.rem_euclid(all))).collect::<Vec<_>>(),
            false => range.filter(|&r| r >= 0 && r < all).flat_map(row).collect(),
        };
        let found = on(size, |ranks| {
            let (from, to) = (starts[ranks.rank()] as i64, starts[ranks.rank() + 1] as i64);
            let edge = (to - from).min(radius as i64);
            let (first, last) = (Done::from(rows(from..from + edge)), Done::from(rows(to - edge..to)));
            let shares = RowShares { starts, width, radius, around };
            let (halo, meanwhile) = ranks.halo(&shares, &first, &last, || Ok(7))?;
            assert_eq!(meanwhile, 7);
            Ok((halo, from, to))
        });
        for (halo, from, to) in found {
            let radius = if from == to { 0 } else { radius as i64 };
            let expected = Halo { above: rows(from - radius..from), below: rows(to..to + radius) };
            assert_eq!(halo, expected, "{starts:?}, radius {radius}, around: {around}");
        }
    }
}

#[test]
fn finished_results_are_what_the_buffer_holds() {
    let device = Device::cpu();
    let (numbers, pairs) = (device.upload(&[1u32, 2, 3]).unwrap(), device.upload(&[(true, 1i8), (false, 2)]).unwrap());
    let flags = device.upload(&[true, false]).unwrap();
    assert_eq!(numbers.done().unwrap().as_ptr(), numbers.as_ptr().unwrap().as_ptr().cast_const(), "without a copy");
    assert_eq!(numbers.done_in(1..3).unwrap()[..], [2, 3]);
    assert_eq!(pairs.done_in(1..2).unwrap()[..], [(false, 2)]);
    assert_eq!(flags.done().unwrap().into_vec(), [true, false]);
    assert!(device.upload::<f32>(&[]).unwrap().done().unwrap().is_empty());
    assert!(matches!(numbers.done_in(2..4), Err(Error::View { len: 3, start: 2, end: 4, .. })));
}
