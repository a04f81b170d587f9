//! Which threads touch which byte of shared memory, by counting through all of them: what is told apart so is not asked.

use std::collections::HashMap;

use super::Threads;
use crate::expr::{Counter, Id};
use crate::site::{Program, Site};
use crate::table::Table;

/// Threads of a warp.
const LANES: i128 = super::LANES as i128;

/// Who touches a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    One(i128),
    Several,
}

impl Who {
    fn and(self, other: Who) -> Who {
        if self == other { self } else { Who::Several }
    }
}

/// The bytes that a site touches, each with the thread, and with the warp.
#[derive(Debug)]
pub(super) struct Touched {
    by_thread: HashMap<i128, Who>,
    by_warp: HashMap<i128, Who>,
}

/// Who must differ for two accesses to be unordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    Threads,
    Warps,
}

impl Touched {
    /// `None` where the index depends on more than the thread and on rounds whose number is known, or where there are too many.
    pub(super) fn by(program: &Program, threads: Threads, site: &Site, base: Id, offsets: &[i128]) -> Option<Touched> {
        let declared = &program.arrays[site.array];
        let start = i128::from(declared.place?.offset);
        let mut counters: Vec<Counter> = program.exprs.leaves(base).counters.iter().copied().collect();
        if !counters.contains(&threads.thread) {
            counters.push(threads.thread);
        }
        let mut table = Table::over(program, &counters)?;
        let index = table.column(base)?;
        let thread = table.column(threads.id)?;
        // A condition that is not known may hold.
        let known = site.when.iter().filter_map(|&(cond, holds)| Some((table.column(cond)?, holds)));
        let known: Vec<_> = known.collect();
        let size = i128::from(declared.ty.bytes());
        let mut found = Touched { by_thread: HashMap::new(), by_warp: HashMap::new() };
        for point in 0..table.points() {
            if known.iter().any(|(column, holds)| (column[point] != 0) != *holds) {
                continue;
            }
            for offset in offsets {
                let from = start + (index[point] + offset).rem_euclid(1 << 32) * size;
                for byte in from..from + size {
                    note(&mut found.by_thread, byte, thread[point]);
                    note(&mut found.by_warp, byte, thread[point] / LANES);
                }
            }
        }
        Some(found)
    }

    /// Whether two different threads, or warps, may touch one byte.
    pub(super) fn meets(&self, other: &Touched, apart: Apart) -> bool {
        let (a, b) = match apart {
            Apart::Threads => (&self.by_thread, &other.by_thread),
            Apart::Warps => (&self.by_warp, &other.by_warp),
        };
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        few.iter().any(|(byte, who)| many.get(byte).is_some_and(|other| who.and(*other) == Who::Several))
    }
}

fn note(bytes: &mut HashMap<i128, Who>, byte: i128, who: i128) {
    let who = Who::One(who);
    bytes.entry(byte).and_modify(|known| *known = known.and(who)).or_insert(who);
}
