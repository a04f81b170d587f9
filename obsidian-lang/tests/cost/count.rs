//! Requests counted one by one from a trace: the instances of a loop over threads to consecutive lanes, and what the lanes
//! of a warp ask for in one statement for the k-th time is one request. Written apart from the compiler's own counting.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use obsidian_ir::Level;
use obsidian_ir::interp::{Asked, Kind, Touch};
use obsidian_ir::passes::cost::Action;
use obsidian_ir::program::{ArrayId, ParamKind, Program, Space};

/// Sums over requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub requests: u64,
    pub transactions: u64,
    pub least: u64,
    pub worst: u32,
    pub wanted: u64,
    pub elements: u64,
}

/// What makes accesses one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    array: ArrayId,
    kind: u8,
    statement: usize,
    block: u32,
    run: u32,
    /// Round, warp.
    share: (u64, u64),
    /// Of code of a warp outside of loops over threads: the warp.
    alone: Option<u32>,
    time: u32,
}

/// What a lane asks for: its number, the first element, and how many there are.
type Ask = (u64, u64, u64);

/// The counts of each array, by its name in reports.
pub fn counted(p: &Program, trace: &[Touch]) -> BTreeMap<(String, Action), Count> {
    let mut seen: HashMap<(Asked, ArrayId, u8, u32, Option<u32>), u32> = HashMap::new();
    let mut requests: BTreeMap<Key, Vec<Ask>> = BTreeMap::new();
    for t in trace.iter().filter(|t| !matches!(p.array(t.array).space, Space::Local | Space::Registers)) {
        let kind = t.kind as u8;
        let real = u64::from(if t.asked.of == Some(Level::Warp) { p.lanes() } else { p.threads });
        let (round, lane) = (t.asked.instance / real, t.asked.instance % real);
        let alone = t.warp.filter(|_| t.asked.run == 0);
        let time = seen.entry((t.asked, t.array, kind, t.block, alone)).or_default();
        let (statement, run, share) = (t.asked.statement, t.asked.run, (round, lane / 32));
        let key = Key { array: t.array, kind, statement, block: t.block, run, share, alone, time: *time };
        *time += 1;
        let copy = match p.array(t.array).space {
            Space::Shared(Level::Warp) => u64::from(t.warp.unwrap_or(0)),
            _ => 0,
        };
        let len = p.exprs.as_u32(p.array(t.array).len).map_or(0, u64::from);
        requests.entry(key).or_default().push((lane % 32, copy * len + t.index, t.width.into()));
    }
    let mut out: BTreeMap<(String, Action), Count> = BTreeMap::new();
    for (key, asks) in requests {
        let (array, kind) = (p.array(key.array), key.kind);
        let action = [Action::Load, Action::Store, Action::Atomic][kind as usize];
        // Outside of loops over threads all do the same: those of the block, or of the warp.
        let (times, lanes) = match (key.run, key.alone) {
            (0, None) => (u64::from(p.threads.div_ceil(32)), u64::from(p.threads)),
            (0, Some(_)) => (1, u64::from(p.lanes())),
            _ => (1, asks.len() as u64),
        };
        let count = out.entry((name(p, key.array), action)).or_default();
        let bytes = u64::from(array.elem.bytes());
        let width = asks[0].2;
        let elements: BTreeSet<u64> = asks.iter().flat_map(|a| a.1..a.1 + a.2).collect();
        let (transactions, least, worst) = match array.space {
            Space::Global(_) => {
                let sectors = elements.iter().map(|e| e * bytes / 32).collect::<BTreeSet<_>>().len() as u64;
                (sectors, (elements.len() as u64 * bytes).div_ceil(32), sectors)
            }
            _ => turns(&asks, bytes, u64::from(array.offset.expect("laid out")), kind == Kind::Atomic as u8),
        };
        count.requests += times;
        count.transactions += transactions * times;
        count.least += least * times;
        count.worst = count.worst.max(worst as u32);
        count.wanted += elements.len() as u64 * bytes * times;
        count.elements += lanes * width;
    }
    out
}

/// Turns of the busiest bank, the least, and those of the worst part: of a warp that asks for more than 4 bytes a lane a half
/// is served at a time, for more than 8 a quarter.
fn turns(asks: &[Ask], bytes: u64, offset: u64, atomic: bool) -> (u64, u64, u64) {
    let size = bytes * asks[0].2;
    let lanes = if size > 8 { 8 } else { 16 * (2 - u64::from(size > 4)) };
    let mut parts: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    asks.iter().for_each(|a| parts.entry(a.0 / lanes).or_default().push(a.1));
    let mut all = Vec::new();
    for part in parts.values() {
        let first = |e: &u64| (offset + e * bytes) / 4;
        let mut words: Vec<u64> = part.iter().flat_map(|e| (0..size.div_ceil(4)).map(move |k| first(e) + k)).collect();
        if !atomic {
            words = words.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        }
        all.push((0..32).map(|bank| words.iter().filter(|w| **w % 32 == bank).count() as u64).max().unwrap_or(0));
    }
    (all.iter().sum(), all.len() as u64, all.iter().copied().max().unwrap_or(0))
}

/// The array as reports name it.
fn name(p: &Program, array: ArrayId) -> String {
    for param in &p.params {
        if let ParamKind::Input { arrays, .. } | ParamKind::InOut { arrays, .. } | ParamKind::Output { arrays, .. } =
            &param.kind
            && let Some(place) = arrays.iter().position(|&a| a == array)
        {
            return if arrays.len() > 1 { format!("{}.{place}", param.name) } else { param.name.clone() };
        }
    }
    p.array(array).name.clone()
}
