//! Ranks that die without a word, on wires that tell the others of it, and on wires that do not.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::failures::TIME_LIMIT;
use super::*;

/// What each rank makes of its end of the wire.
fn on_wires<R: Send>(size: usize, work: impl Fn(Threads) -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let run = |wire| scope.spawn(|| work(wire));
        let spawned: Vec<_> = Threads::all(size).into_iter().map(run).collect();
        spawned.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// A wire between threads that leaves as it is told, hears that its process is told to end, and notes how it ends.
struct Watched<'a> {
    wire: Threads,
    leaving: Leaving,
    told: &'a AtomicBool,
    endings: &'a Mutex<Vec<Ending>>,
}

impl Wire for Watched<'_> {
    fn rank(&self) -> usize {
        self.wire.rank()
    }
    fn size(&self) -> usize {
        self.wire.size()
    }
    fn send(&self, to: usize, message: Vec<u8>) -> Result<(), String> {
        self.wire.send(to, message)
    }
    fn receive(&self, wait: Duration) -> Result<Option<(usize, Vec<u8>)>, String> {
        self.wire.receive(wait.min(Duration::from_millis(5)))
    }
    fn is_told_to_end(&self) -> bool {
        self.told.load(Ordering::Relaxed)
    }
    fn leaving(&self) -> Leaving {
        self.leaving
    }
    fn end(&self, ending: Ending) {
        self.endings.lock().unwrap().push(ending);
    }
}

#[test]
fn ranks_that_are_told_to_end_name_the_one_that_has_died() {
    for (size, dead) in [(2, 1), (3, 1), (4, 2), (5, 3)] {
        let (told, endings) = (AtomicBool::new(false), Mutex::new(vec![]));
        let start = Instant::now();
        let work = |wire: Threads| {
            let wire = Watched { wire, leaving: Leaving::AtOnce, told: &told, endings: &endings };
            let ranks = Ranks::introduced(wire, "here", LIMIT)?;
            ranks.all_reduce(&Done::from(vec![1u32]), |a, b| a + b)?;
            if ranks.rank() == dead {
                // Without a farewell.
                std::mem::forget(ranks);
                told.store(true, Ordering::Relaxed);
                return Ok(vec![]);
            }
            ranks.all_reduce(&Done::from(vec![1u32]), |a, b| a + b)
        };
        let found = on_wires(size, work);
        assert!(start.elapsed() < LIMIT / 2);
        let errors: Vec<String> = found.into_iter().filter_map(|result| Some(result.err()?.to_string())).collect();
        let named = |error: &String| {
            error.starts_with(&format!("rank {dead}, exchange 2 (all_reduce): rank ")) && error.contains("told to end")
        };
        assert!(errors.len() == size - 1 && errors.iter().all(named), "{errors:?}");
    }
}

#[test]
fn who_has_left_does_not_wait_for_the_dead_for_good() {
    for (dead, expected) in [(None, vec![Ending::Done; 3]), (Some(1), vec![Ending::BrokenOff; 2])] {
        let (told, endings) = (AtomicBool::new(false), Mutex::new(vec![]));
        let start = Instant::now();
        let work = |wire: Threads| {
            let wire = Watched { wire, leaving: Leaving::TogetherWithinLimit, told: &told, endings: &endings };
            let ranks = Ranks::introduced(wire, "here", TIME_LIMIT)?;
            let all = ranks.all_reduce(&Done::from(vec![1u32]), |a, b| a + b)?;
            if Some(ranks.rank()) == dead {
                // Without a farewell.
                std::mem::forget(ranks);
            }
            Ok::<_, Error>(all)
        };
        // All have what they have asked for.
        assert!(on_wires(3, work).into_iter().all(|found| found.unwrap() == [3]));
        assert_eq!(endings.into_inner().unwrap(), expected);
        assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    }
}
