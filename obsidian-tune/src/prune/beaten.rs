//! Variants that another beats: it does no more of anything that a launch of the problem asks for, and at most half of one thing.

use obsidian_abi::cost::{Certainty, Cost};
use obsidian_lang::driver::Variant;

use super::Reason;
use crate::arguments::Problem;

/// How many times more of a thing are a proof. Less may be caught by a cache, or be the price of something that is not counted.
const TWICE: f64 = 2.0;

/// What a launch of a variant does; of variants whose costs are counted exactly.
struct Counted {
    /// Of this the better variant has at most half.
    most: f64,
    /// Of these it has no more.
    others: [f64; 5],
    /// Of these it has no less.
    percent: Vec<u32>,
}

impl Counted {
    fn beats(&self, other: &Counted) -> bool {
        self.most * TWICE <= other.most
            && self.others.iter().zip(&other.others).all(|(a, b)| a <= b)
            && self.percent.iter().zip(&other.percent).all(|(a, b)| a >= b)
    }
}

/// On a GPU: variants that move twice the bytes of another which is no worse in operations, conflicts, barriers, blocks and occupancy.
pub fn by_bytes(variants: &[&Variant], problem: &Problem, reasons: &mut [Option<Reason>]) {
    let counted = |variant: &&Variant| {
        let (cost, blocks) = exact(variant, problem)?;
        let barriers = [cost.barriers.block, cost.barriers.warp].map(f64::from);
        let others = [cost.operations.total as f64, cost.conflicts()?, barriers[0], barriers[1], 1.0];
        Some(Counted {
            most: cost.bytes_moved()? * blocks,
            others: others.map(|n| n * blocks),
            percent: cost.occupancy.iter().map(|o| o.percent).collect(),
        })
    };
    beaten("bytes moved", variants.iter().map(counted).collect(), reasons);
}

/// The costs of a block, where they are counted exactly, and how many blocks the problem has.
fn exact(variant: &Variant, problem: &Problem) -> Option<(Cost, f64)> {
    let cost = variant.report.data();
    let exact = cost.operations.certainty == Certainty::Exact
        && cost.accesses.iter().all(|access| access.certainty == Certainty::Exact)
        && !cost.cut_short;
    let blocks = problem.geometry(&variant.native).ok()?.blocks;
    exact.then_some((cost, f64::from(blocks)))
}

fn beaten(what: &'static str, counted: Vec<Option<Counted>>, reasons: &mut [Option<Reason>]) {
    for i in 0..counted.len() {
        let Some(own) = &counted[i] else { continue };
        let better = (0..counted.len()).find_map(|j| {
            let other = counted[j].as_ref().filter(|_| j != i && reasons[j].is_none())?;
            other.beats(own).then_some(Reason::Beaten { than: j, what, own: own.most, other: other.most })
        });
        reasons[i] = reasons[i].take().or(better);
    }
}
