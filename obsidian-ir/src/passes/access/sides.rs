//! Writes of one element in both sides of a branch: together they are one write, which is as sure as the branch itself.

use super::site::{Guard, Kind, Site};
use crate::program::{ArrayId, Block, ExprId, StmtKind};

/// Makes one site of each two that write the same element in the sides of a branch under `outer`: those found from `from` on in the
/// first side, those from `between` on in the other, for one reason each: what stands in `unsafe` in one side says nothing of the
/// other. Conditions that are known lane by lane have parted the lanes already.
pub(super) fn join(
    found: &mut Vec<Site>,
    (from, mut between): (usize, usize),
    [then, els]: [&Block; 2],
    outer: &Guard,
) {
    let other = surely_written(els);
    for (array, at) in surely_written(then).into_iter().filter(|write| other.contains(write)) {
        let only = |sites: std::ops::Range<usize>| {
            let mut of = sites.filter(|&k| {
                let site: &Site = &found[k];
                (site.array, site.at, site.kind) == (array, at, Kind::Write)
            });
            let one = of.next()?;
            (of.next().is_none() && found[one].guard.mask == outer.mask).then_some(one)
        };
        let (Some(one), Some(two)) = (only(from..between), only(between..found.len())) else { continue };
        if found[one].claim != found[two].claim {
            continue;
        }
        found[one].guard = outer.clone();
        found.remove(two);
        between = between.min(found.len());
    }
}

/// The elements that a list writes wherever it runs.
fn surely_written(list: &Block) -> Vec<(ArrayId, ExprId)> {
    let of = |kind: &StmtKind| match kind {
        StmtKind::Assign { array, index, .. } => vec![(*array, *index)],
        StmtKind::If { then, els, .. } => {
            let other = surely_written(els);
            surely_written(then).into_iter().filter(|write| other.contains(write)).collect()
        }
        _ => Vec::new(),
    };
    list.iter().flat_map(|stmt| of(&stmt.kind)).collect()
}
