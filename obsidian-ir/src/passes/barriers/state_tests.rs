//! Joined states, by trying every pair of short histories.

use super::state::{Need, Ordered, State, stronger};
use super::touch::{Cells, Touch, Who};
use crate::level::Level;
use crate::passes::access::Kind;
use crate::program::ScalarType;

/// What a history is made of.
#[derive(Debug, Clone)]
enum Step {
    Sync(Level),
    Touch(Touch, Ordered),
}

/// The last is touched by few of the histories, the middle one only with all others.
const CELLS: usize = 3;

fn touch(kind: Kind, cell: u32, who: u32, ty: ScalarType) -> Touch {
    Touch { kind, ty, cells: Cells::Exact { first: vec![cell], who: [who].into(), width: 1 } }
}

/// Touches of each kind by threads of two warps, of each cell, and of all cells by anybody.
fn touches() -> Vec<Touch> {
    let mut all = Vec::new();
    for kind in [Kind::Read, Kind::Write, Kind::Atomic] {
        for who in [0, 1, 32] {
            all.push(touch(kind, 0, who, ScalarType::F32));
        }
        all.push(touch(kind, 2, 0, ScalarType::F32));
        all.push(Touch { kind, ty: ScalarType::F32, cells: Cells::Range(0..CELLS as u32, Who::MANY) });
    }
    all.push(touch(Kind::Write, 0, 0, ScalarType::U32));
    all
}

/// Only the block's code sees touches with a barrier of their warp behind them.
fn steps(scope: Level) -> Vec<Step> {
    let mut all = vec![Step::Sync(Level::Warp), Step::Sync(Level::Block)];
    all.extend(touches().into_iter().map(|t| Step::Touch(t, Ordered::No)));
    if scope == Level::Block {
        all.push(Step::Touch(touch(Kind::Write, 0, 0, ScalarType::F32), Ordered::ByWarp));
    }
    all
}

fn after(history: &[&Step], scope: Level) -> State {
    let mut state = State::new(CELLS, scope);
    for step in history {
        match step {
            Step::Sync(level) => state.sync(*level),
            Step::Touch(touch, ordered) => state.note(touch, *ordered),
        }
    }
    state
}

/// No history, each step, and each step after each.
fn histories(steps: &[Step]) -> Vec<Vec<&Step>> {
    let one = steps.iter().map(|s| vec![s]);
    let two = steps.iter().flat_map(|a| steps.iter().map(move |b| vec![a, b]));
    [vec![]].into_iter().chain(one).chain(two).collect()
}

/// Whether a need is no weaker than another.
fn covers(need: Need, least: Need) -> bool {
    stronger(need, least) == need
}

#[test]
fn a_joined_state_needs_what_either_needs() {
    let later = touches();
    for scope in [Level::Block, Level::Warp] {
        let steps = steps(scope);
        let histories = histories(&steps);
        let states: Vec<State> = histories.iter().map(|h| after(h, scope)).collect();
        let needs: Vec<Vec<Need>> =
            states.iter().map(|s| later.iter().map(|t| s.need(t, Ordered::No)).collect()).collect();
        // Every pair of one long and one short history, and a sample of pairs of long ones.
        let pairs = (0..states.len()).flat_map(|a| (0..states.len()).map(move |b| (a, b)));
        for (a, b) in pairs.filter(|&(a, b)| a.min(b) <= steps.len() || (a * 31 + b) % 7 == 0) {
            let joined = states[a].clone().join(&states[b]);
            for (i, touch) in later.iter().enumerate() {
                let (found, least) = (joined.need(touch, Ordered::No), stronger(needs[a][i], needs[b][i]));
                assert!(
                    covers(found, least),
                    "{touch:?} after {:?} or {:?}: {found:?}, but one of them needs {least:?}",
                    histories[a],
                    histories[b]
                );
            }
        }
    }
}

#[test]
fn what_neither_touched_needs_nothing_when_joined() {
    let write = touch(Kind::Write, 0, 0, ScalarType::F32);
    let (mut a, mut b) = (State::new(CELLS, Level::Block), State::new(CELLS, Level::Block));
    a.note(&write, Ordered::No);
    b.note(&write, Ordered::No);
    b.sync(Level::Block);
    let other = touch(Kind::Read, 2, 32, ScalarType::F32);
    let same = touch(Kind::Read, 0, 32, ScalarType::F32);
    let joined = b.clone().join(&a);
    assert_eq!((joined.need(&other, Ordered::No), joined.need(&same, Ordered::No)), (None, Some(Level::Block)));
    assert_eq!(b.clone().join(&b).need(&same, Ordered::No), None);
    // A warp's barrier lies behind both.
    a.sync(Level::Warp);
    let mate = touch(Kind::Read, 0, 1, ScalarType::F32);
    assert_eq!(State::new(CELLS, Level::Block).join(&a).need(&mate, Ordered::No), None);
}
