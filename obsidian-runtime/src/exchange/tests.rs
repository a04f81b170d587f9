//! Exchanges between threads: what they give on 1 to 5 ranks, and that whatever goes wrong ends in an error on every rank.

use std::time::{Duration, Instant};

use super::*;
use crate::device::Device;

const LIMIT: Duration = Duration::from_secs(20);
/// For ranks that wait for what never comes.
const SHORT: Duration = Duration::from_secs(1);

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

/// The errors of ranks that do not end well: the same on all of them, and long before a test would be called hanging.
fn failing(size: usize, limit: Duration, work: impl Fn(&Ranks<Threads>) -> Result<(), Error> + Sync) -> Vec<String> {
    let start = Instant::now();
    let found = in_process(size, &Device::cpu(), limit, work);
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    found.into_iter().map(|result| result.unwrap_err().to_string()).collect()
}

fn numbers(ranks: &Ranks<Threads>) -> Result<(), Error> {
    ranks.all_reduce(&Done::from(vec![1u32]), |a, b| a + b).map(drop)
}

#[test]
fn a_rank_that_leaves_is_named() {
    for size in 2..=5 {
        let found = failing(size, LIMIT, |ranks| {
            numbers(ranks)?;
            match ranks.rank() {
                1 => Err(Error::UnknownBackend { found: "it has left".into() }),
                _ => numbers(ranks),
            }
        });
        for (rank, error) in found.iter().enumerate().filter(|(rank, _)| *rank != 1) {
            assert_eq!(error, "rank 1, exchange 2 (all_reduce): it has left after step 1", "rank {rank} of {size}");
        }
    }
}

#[test]
fn a_rank_that_panics_is_named() {
    let found = failing(3, LIMIT, |ranks| {
        numbers(ranks)?;
        if ranks.rank() == 2 {
            std::panic::resume_unwind(Box::new("died"));
        }
        numbers(ranks)
    });
    let left = "rank 2, exchange 2 (all_reduce): it has left after step 1";
    assert_eq!(found, [left, left, "rank 2, exchange 0 (run): it panicked"]);
}

#[test]
fn a_rank_that_sleeps_is_named_by_those_who_do_not_wait_for_it_themselves() {
    for (size, sleeper) in [(3, 2), (5, 3)] {
        let found = failing(size, SHORT, |ranks| {
            numbers(ranks)?;
            if ranks.rank() == sleeper {
                std::thread::sleep(SHORT * 3 / 2);
            }
            numbers(ranks)
        });
        let named = |error: &String| error.starts_with(&format!("rank {sleeper}, exchange 2 (all_reduce): rank "));
        assert!(found.iter().all(named), "{found:?}");
        assert!(found[0].ends_with("for 1s, the limit, and nothing came"), "{found:?}");
    }
}

#[test]
fn exchanges_in_another_order_are_found_by_their_number() {
    type Work = fn(&Ranks<Threads>) -> Result<(), Error>;
    let gather: Work = |ranks| ranks.gather(0, &Done::from(vec![1u32])).map(drop);
    let scan: Work = |ranks| ranks.scan_exclusive(&Done::from(vec![1u32]), |a, b| a + b).map(drop);
    let halves: Work = |ranks| ranks.all_reduce(&Done::from(vec![0.5f32]), |a, b| a + b).map(drop);
    let from: [Work; 2] = [0, 1].map(|root| -> Work {
        match root {
            0 => |ranks| ranks.broadcast(0, &Done::from(vec![1u8])).map(drop),
            _ => |ranks| ranks.broadcast(1, &Done::from(vec![1u8])).map(drop),
        }
    });
    for (first, second) in
        [(gather as Work, scan), (scan, numbers), (numbers, halves), (from[0], from[1]), (from[1], from[0])]
    {
        for size in 2..=5 {
            let start = Instant::now();
            let found = failing(size, LIMIT, |ranks| {
                numbers(ranks)?;
                let (first, second) = if ranks.rank() == 1 { (second, first) } else { (first, second) };
                first(ranks)?;
                second(ranks)?;
                numbers(ranks)
            });
            assert!(start.elapsed() < LIMIT / 2, "found by a number, not by the limit");
            let named = |error: &String| error.contains("as step 2, and rank") || error.contains("as step 3, and rank");
            assert!(found.iter().all(named), "{found:?}");
        }
    }
}

#[test]
fn one_exchange_more_than_the_others_is_an_error() {
    let found = in_process(3, &Device::cpu(), LIMIT, |ranks| {
        numbers(ranks)?;
        if ranks.rank() == 1 { numbers(ranks) } else { Ok(()) }
    });
    let error = found[1].as_ref().unwrap_err().to_string();
    assert!(error.ends_with("(all_reduce): it has left after step 1"), "{error}");
    assert!(found[0].is_ok() && found[2].is_ok());
}

#[test]
fn unequal_lengths_are_an_error_on_every_rank() {
    for size in 2..=5 {
        let found = failing(size, LIMIT, |ranks| {
            let len = if ranks.rank() == 1 { 4 } else { 3 };
            ranks.all_reduce(&Done::from(vec![1u32; len]), |a, b| a + b).map(drop)
        });
        let named = |error: &String| error.contains("exchange 1 (all_reduce): its array has ");
        assert!(found.iter().all(named), "{found:?}");
    }
    let counts = failing(3, LIMIT, |ranks| {
        let counts = if ranks.rank() == 2 { [1, 1, 1] } else { [1, 1, 0] };
        ranks.all_to_all_v(&Done::from(vec![1u32; 2]), &counts).map(drop)
    });
    assert!(
        counts.iter().all(|e| e.starts_with("rank 2, exchange 1 (all_to_all_v): it sends 2 elements")),
        "{counts:?}"
    );
}

#[test]
fn what_one_rank_cannot_do_ends_all() {
    let found = failing(4, LIMIT, |ranks| {
        numbers(ranks)?;
        if ranks.rank() == 3 { Err(ranks.fail(3, "the file is gone".into())) } else { numbers(ranks) }
    });
    // Rank 3 is in no exchange: it says what it did last.
    assert!(found.iter().all(|error| error == "rank 3, exchange 1 (all_reduce): the file is gone"), "{found:?}");
    let again = in_process(2, &Device::cpu(), LIMIT, |ranks| match ranks.rank() {
        0 => {
            let first = ranks.fail(0, "no".into()).to_string();
            assert_eq!(numbers(ranks).unwrap_err().to_string(), first, "and for good");
            Ok(())
        }
        _ => numbers(ranks),
    });
    let errors: Vec<String> = again.into_iter().filter_map(|result| Some(result.err()?.to_string())).collect();
    assert_eq!(errors, ["rank 0, exchange 0 (hello): no"]);
}

#[test]
fn other_versions_and_back_ends_do_not_meet() {
    for odd in 1..4 {
        let introductions =
            |rank: usize| if rank == odd { "version 9.9.9 on back end cuda" } else { "version 1 on back end cpu" };
        let found = std::thread::scope(|scope| {
            let join = |wire: Threads| {
                let introduction = introductions(wire.rank());
                Ranks::introduced(wire, introduction, LIMIT).map(drop)
            };
            let spawned: Vec<_> = Threads::all(4).into_iter().map(|wire| scope.spawn(move || join(wire))).collect();
            spawned.into_iter().map(|thread| thread.join().unwrap().unwrap_err().to_string()).collect::<Vec<_>>()
        });
        let expected = format!(
            "rank {odd}, exchange 0 (hello): it is version 9.9.9 on back end cuda, and rank 0 version 1 on back end cpu"
        );
        assert!(found.iter().all(|error| *error == expected), "{found:?}");
    }
}

#[test]
fn a_rank_that_never_comes_is_named() {
    let mut wires = Threads::all(3);
    let absent = wires.pop();
    let found = std::thread::scope(|scope| {
        let join = |wire| Ranks::introduced(wire, "here", SHORT).map(drop);
        let spawned: Vec<_> = wires.into_iter().map(|wire| scope.spawn(move || join(wire))).collect();
        spawned.into_iter().map(|thread| thread.join().unwrap().unwrap_err().to_string()).collect::<Vec<_>>()
    });
    drop(absent);
    assert!(found.iter().all(|error| error.starts_with("rank 2, exchange 0 (hello): ")), "{found:?}");
}

#[test]
fn what_is_no_message_of_this_version_is_an_error() {
    let mut wires = Threads::all(2);
    let (stranger, wire) = (wires.pop().unwrap(), wires.pop().unwrap());
    stranger.send(0, b"GET / HTTP/1.1".to_vec()).unwrap();
    let error = Ranks::introduced(wire, "here", LIMIT).unwrap_err().to_string();
    assert_eq!(error, "rank 1, exchange 0 (hello): it sent what is no message of this version");
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
