//! Whatever goes wrong between ranks ends in an error on every one of them, which names the rank and the step.

use std::time::Instant;

use super::*;
use crate::exchange::message::{Header, Kind, Operation, Step};

/// For ranks that wait for what never comes.
pub const TIME_LIMIT: Duration = Duration::from_secs(1);

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
        let found = failing(size, TIME_LIMIT, |ranks| {
            numbers(ranks)?;
            if ranks.rank() == sleeper {
                std::thread::sleep(TIME_LIMIT * 3 / 2);
            }
            numbers(ranks)
        });
        let named = |error: &String| error.starts_with(&format!("rank {sleeper}, exchange 2 (all_reduce): rank "));
        assert!(found.iter().all(named), "{found:?}");
        assert!(found[0].ends_with("for 1s, the limit, and nothing came"), "{found:?}");
    }
}

/// An answer of the exchange before, and one of this exchange that was true when it was sent.
#[test]
fn nobody_is_blamed_for_a_late_answer() {
    for (step, about) in [(1, 3), (2, 0)] {
        let found = failing(4, TIME_LIMIT, |ranks| {
            numbers(ranks)?;
            if ranks.rank() == 1 {
                let step = Step { number: step, operation: Operation::AllReduce, root: 0, elements: 1 };
                let answer = Header { kind: Kind::Blocked, step, bytes: 0, about };
                // Rank 0 waits by then.
                std::thread::sleep(TIME_LIMIT / 8);
                ranks.wire().send(0, answer.encode().to_vec()).unwrap();
                std::thread::sleep(TIME_LIMIT * 3 / 2);
            } else if ranks.rank() > 1 {
                // So it is rank 0 that gives up.
                std::thread::sleep(TIME_LIMIT / 4);
            }
            numbers(ranks)
        });
        assert!(found[0].starts_with("rank 1, exchange 2 (all_reduce): rank "), "{found:?}");
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
fn ranks_that_know_other_rows_are_an_error_on_every_rank() {
    let halo = |ranks: &Ranks<Threads>, starts: [u64; 3], radius: usize, rows: usize| {
        let shares = RowShares { starts: &starts, width: 2, radius, around: false };
        let edge = Done::from(vec![0u8; 2 * rows]);
        ranks.halo(&shares, &edge, &edge, || Ok(())).map(drop)
    };
    let cases = [
        ([0, 2, 4], 2, 2, "all ranks must know the same parts"),
        ([0, 2, 4], 1, 0, "its first and last rows have 0 and 0 elements, where 1 rows of 2 are expected"),
        ([0, 5, 4], 1, 1, "the first rows [0, 5, 4] do not share rows out over 2 ranks"),
    ];
    for (starts, radius, rows, reason) in cases {
        let found = failing(2, LIMIT, |ranks| {
            if ranks.rank() == 1 { halo(ranks, starts, radius, rows) } else { halo(ranks, [0, 2, 4], 1, 1) }?;
            numbers(ranks)
        });
        assert!(found.iter().all(|error| error.contains("(halo): ") && error.contains(reason)), "{found:?}");
    }
}

#[test]
fn a_root_that_is_no_rank_is_an_error_on_every_rank() {
    type Work = fn(&Ranks<Threads>, usize) -> Result<(), Error>;
    let given: Work = |ranks, root| ranks.broadcast(root, &Done::from(vec![1u8])).map(drop);
    let gathered: Work = |ranks, root| ranks.gather(root, &Done::from(vec![1u8])).map(drop);
    for work in [given, gathered] {
        let found = failing(3, LIMIT, |ranks| {
            numbers(ranks)?;
            work(ranks, 3)
        });
        assert!(found.iter().all(|error| error.ends_with("there is no rank 3, of 3 ranks")), "{found:?}");
    }
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
        let join = |wire| Ranks::introduced(wire, "here", TIME_LIMIT).map(drop);
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
