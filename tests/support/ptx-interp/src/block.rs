//! A block: its threads take turns, each runs until it needs others; then those who wait together go on together.

use crate::copies::Copies;
use crate::fault::{Fault, Thread};
use crate::memory::Memory;
use crate::op::{Instruction, Op, Operand, Shuffle, Vote};
use crate::step::{Around, Lane, State, binary};
use crate::text::Entry;
use crate::{Launch, Order};

/// The most instructions of all threads of one launch together.
pub(crate) const MAX_STEPS: u64 = 2_000_000_000;
/// What shared and local memory hold before anything is written: bits that no result should show.
const UNWRITTEN: u8 = 0xa5;

/// A block that has begun.
pub(crate) struct Block<'a> {
    entry: &'a Entry,
    launch: &'a Launch,
    params: &'a [u64],
    lanes: Vec<Lane>,
    shared: Vec<u8>,
    /// The order in which its threads take turns.
    turns: Vec<usize>,
}

impl<'a> Block<'a> {
    /// A block of which nothing has run.
    pub(crate) fn new(entry: &'a Entry, launch: &'a Launch, block: u32, params: &'a [u64]) -> Block<'a> {
        let lane = |tid| Lane {
            id: Thread { block, tid },
            registers: vec![0; entry.registers.len()],
            local: vec![UNWRITTEN; entry.local],
            next: 0,
            state: State::Running,
            copies: Copies::default(),
        };
        let lanes: Vec<Lane> = (0..launch.threads).map(lane).collect();
        let mut turns: Vec<usize> = (0..lanes.len()).collect();
        if launch.order == Order::Descending {
            turns.reverse();
        }
        Block { entry, launch, params, lanes, shared: vec![UNWRITTEN; entry.shared + launch.shared], turns }
    }

    /// The next block, in the memory of this one.
    pub(crate) fn begin(&mut self, block: u32) {
        for lane in &mut self.lanes {
            lane.id.block = block;
            lane.registers.fill(0);
            lane.local.fill(UNWRITTEN);
            lane.next = 0;
            lane.state = State::Running;
            lane.copies = Copies::default();
        }
        self.shared.fill(UNWRITTEN);
    }

    /// Whether all its threads have ended.
    pub(crate) fn is_done(&self) -> bool {
        self.lanes.iter().all(|lane| lane.state == State::Done)
    }

    /// Runs each thread until it must wait for others, and lets those go on who have met.
    pub(crate) fn round(&mut self, memory: &mut Memory, budget: &mut u64) -> Result<(), Fault> {
        let Launch { blocks, threads, .. } = *self.launch;
        let (entry, params, shared) = (self.entry, self.params, &mut self.shared);
        let mut around = Around { entry, params, blocks, threads, global: memory, shared };
        for &t in &self.turns {
            let lane = &mut self.lanes[t];
            while lane.state == State::Running {
                if *budget == 0 {
                    return Err(Fault::Endless { line: line(entry, lane) });
                }
                *budget -= 1;
                lane.step(&mut around)?;
            }
        }
        meet(&mut self.lanes, &around)
    }
}

fn line(entry: &Entry, lane: &Lane) -> u32 {
    entry.code.get(lane.next).map_or(0, |i| i.line)
}

/// Releases the threads that wait for one another: whole warps first, then the block.
fn meet(lanes: &mut [Lane], around: &Around<'_>) -> Result<(), Fault> {
    let mut moved = false;
    for warp in lanes.chunks_mut(32) {
        moved |= meet_in_warp(warp, around)?;
    }
    if moved {
        return Ok(());
    }
    let Some(first) = lanes.iter().find(|l| l.state == State::Waiting) else { return Ok(()) };
    let (at, id) = (first.next, first.id);
    // Barrier 0 counts every thread of the block (PTX ISA §9.7.13, bar): none may have left, none be elsewhere.
    if let Some(other) = lanes.iter().find(|l| l.next != at || l.state != State::Waiting) {
        let place = match other.state {
            State::Done => "has left the kernel".to_string(),
            _ => format!("waits at line {}", line(around.entry, other)),
        };
        let what = format!("waits for all threads, but thread {} {place}", other.id.tid);
        return Err(Fault::Divergence { line: around.entry.code[at].line, thread: id, what });
    }
    lanes.iter_mut().for_each(go_on);
    Ok(())
}

fn go_on(lane: &mut Lane) {
    lane.state = State::Running;
    lane.next += 1;
}

/// One meeting in a warp, where it is complete. Gives whether anyone went on.
fn meet_in_warp(warp: &mut [Lane], around: &Around<'_>) -> Result<bool, Fault> {
    let waits = |l: &Lane| l.state == State::Waiting && !matches!(around.entry.code[l.next].op, Op::Barrier);
    let Some(first) = warp.iter().find(|l| waits(l)) else { return Ok(false) };
    let (at, id) = (first.next, first.id);
    let i = &around.entry.code[at];
    let mask = i.args.last().map_or(0, |m| first.value(m, around)) as u32;
    let missing = (0..32usize).find(|&k| {
        let named = mask >> k & 1 == 1;
        // A lane that has ended, or that the block never had, is not waited for by a barrier; a shuffle needs it.
        let there = warp.get(k).is_some_and(|l| waits(l) && l.next == at);
        let gone = warp.get(k).is_none_or(|l| l.state == State::Done) && i.op == Op::WarpBarrier;
        named && !there && !gone
    });
    if let Some(k) = missing {
        let what = format!("waits for lanes {mask:#x} of its warp, but lane {k} does not come");
        return Err(Fault::Divergence { line: i.line, thread: id, what });
    }
    exchange(warp, i, mask, around)?;
    for (k, lane) in warp.iter_mut().enumerate() {
        if mask >> k & 1 == 1 && lane.state == State::Waiting && lane.next == at {
            go_on(lane);
        }
    }
    Ok(true)
}

/// Gives each lane what it gets from the others.
fn exchange(warp: &mut [Lane], i: &Instruction, mask: u32, around: &Around<'_>) -> Result<(), Fault> {
    let members: Vec<usize> = (0..warp.len()).filter(|k| mask >> k & 1 == 1).collect();
    let arg = |lane: &Lane, k: usize| i.args.get(k).map_or(0, |o| lane.value(o, around));
    let given: Vec<u64> = warp.iter().map(|l| arg(l, 1)).collect();
    match i.op {
        Op::Shuffle(mode) => {
            let picks: Vec<(usize, bool)> =
                (0..warp.len()).map(|k| source(mode, k as u32, arg(&warp[k], 2), arg(&warp[k], 3))).collect();
            for &k in &members {
                let (from, inside) = picks[k];
                let value = given.get(from).copied().unwrap_or(0);
                let lane = &mut warp[k];
                match i.args.first() {
                    Some(Operand::Pair(d, p)) => {
                        lane.put(d, value, around.entry);
                        lane.put(p, inside.into(), around.entry);
                    }
                    Some(d) => lane.put(d, value, around.entry),
                    None => {}
                }
            }
        }
        Op::Vote(vote) => {
            let ballot = members.iter().fold(0u64, |b, &k| b | (given[k] & 1) << k);
            let result = match vote {
                Vote::Ballot => ballot,
                Vote::Any => u64::from(ballot != 0),
                Vote::All => u64::from(ballot == u64::from(mask)),
                Vote::Same => {
                    for &k in &members {
                        let own = members.iter().filter(|&&other| given[other] == given[k]);
                        give_all(warp, &[k], i, own.fold(0, |b, &other| b | 1 << other), around);
                    }
                    return Ok(());
                }
            };
            give_all(warp, &members, i, result, around);
        }
        Op::Reduce(op, ty) => {
            let mut values = members.iter().map(|&k| given[k]);
            let first = values.next().unwrap_or(0);
            let Some(total) = values.try_fold(first, |a, b| binary(op, ty, a, b)) else {
                return Err(Fault::Text { line: i.line, what: "this reduction is not defined".to_string() });
            };
            give_all(warp, &members, i, ty.extend(total), around);
        }
        _ => {}
    }
    Ok(())
}

fn give_all(warp: &mut [Lane], members: &[usize], i: &Instruction, value: u64, around: &Around<'_>) {
    if let Some(target) = i.args.first() {
        members.iter().for_each(|&k| warp[k].put(target, value, around.entry));
    }
}

/// The lane that `lane` reads, and whether that is inside its segment; else it reads itself (PTX ISA §9.7.9, shfl.sync:
/// the pseudocode of `b`, `c`, `maxLane` and `minLane`).
fn source(mode: Shuffle, lane: u32, b: u64, c: u64) -> (usize, bool) {
    let (b, c) = (b as u32 & 31, c as u32);
    let (clamp, segment) = (c & 31, c >> 8 & 31);
    let most = (lane & segment) | (clamp & !segment);
    let least = lane & segment;
    let (from, inside) = match mode {
        Shuffle::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= most as i32),
        Shuffle::Down => (lane + b, lane + b <= most),
        Shuffle::Butterfly => (lane ^ b, lane ^ b <= most),
        Shuffle::Index => (least | (b & !segment), (least | (b & !segment)) <= most),
    };
    (if inside { from as usize } else { lane as usize }, inside)
}
