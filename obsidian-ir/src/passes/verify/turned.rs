//! R30. Places that a number which all lanes share turns, such as `b * 64 + (i + n) % 64` or `b * 64 + (i ^ n)`.
//!
//! *Why:* `x -> (x + n) % d` for a power of two `d`, and `x -> x ^ n` below one, are permutations of the numbers below it, whatever `n`
//! is. The rest of the place is a multiple of what these reach, so it says which of such blocks of places a lane is in, and the
//! permutation where in it. Two lanes meet if and only if they would without the turn; and blocks that are filled without it are
//! filled with it.

use super::output::{Part, Piece, piece};
use crate::passes::access::{Site, Sites};
use crate::passes::index::Sum;
use crate::program::VarId;
use crate::tables::HashSet;

/// The sites without their turn, and how many places it turns, if all have the same one, which nobody has for himself.
pub(super) fn straight(sites: &[&Site], own: &HashSet<VarId>, finder: &Sites<'_>) -> Option<(Vec<Site>, u32)> {
    let first = sites.first()?.turned.as_ref()?;
    let shared = first.turn.by.terms.iter().all(|(symbols, _)| !finder.depends(symbols, own));
    let one = |site: &&Site| {
        let turned = site.turned.as_ref().filter(|t| t.turn == first.turn && t.reach == first.reach)?;
        Some(Site { index: Some(turned.straight.clone()), turned: None, ..(*site).clone() })
    };
    let sites = sites.iter().map(one).collect::<Option<Vec<Site>>>();
    sites.filter(|_| shared).map(|sites| (sites, first.reach))
}

/// The interval that a grid fills by such writes, each sure: so no counter of a loop of unknown length is among them.
pub(super) fn piece_if_straight(part: &Part<'_>, sites: &mut Sites<'_>) -> Option<Piece> {
    let (straight, reach) = straight(&part.sites, &HashSet::default(), sites)?;
    let found = piece(&Part { sites: straight.iter().collect(), ..part.clone() }, sites).ok()?;
    let whole = |sum: &Sum| {
        let even = |v: Option<u32>| v.is_some_and(|v| v % reach == 0);
        even(sum.rest.as_uniform()) && sum.terms.iter().all(|(_, times)| even(times.as_uniform()))
    };
    (whole(&found.start) && whole(&found.len)).then_some(found)
}
