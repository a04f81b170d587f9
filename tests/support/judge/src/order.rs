//! The order of instances. Members of a block or a warp wait for one another between two statements of their list, and between
//! two rounds of a loop in it; blocks never wait, and neither do threads inside a `forall`.

use crate::eval::Known;
use crate::expr::Counter;
use crate::site::{Kind, Site};
use crate::text::Level;

/// A relation of two instances, by their counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Relation {
    Never,
    Always,
    /// The counters differ.
    Differ(Counter),
    /// The counters agree.
    Agree(Counter),
    /// The first instance's counter is less.
    Less(Counter),
    All(Box<(Relation, Relation)>),
    Any(Box<(Relation, Relation)>),
}

impl Relation {
    pub(crate) fn and(self, other: Relation) -> Relation {
        match (self, other) {
            (Relation::Never, _) | (_, Relation::Never) => Relation::Never,
            (Relation::Always, r) | (r, Relation::Always) => r,
            pair => Relation::All(Box::new(pair)),
        }
    }

    pub(crate) fn or(self, other: Relation) -> Relation {
        match (self, other) {
            (Relation::Always, _) | (_, Relation::Always) => Relation::Always,
            (Relation::Never, r) | (r, Relation::Never) => r,
            pair => Relation::Any(Box::new(pair)),
        }
    }

    /// Whether it holds of two instances; `None` where a counter is not known.
    pub(crate) fn holds(&self, first: &Known, second: &Known) -> Option<bool> {
        let both = |c: &Counter| Some((*first.counters.get(c)?, *second.counters.get(c)?));
        Some(match self {
            Relation::Never => false,
            Relation::Always => true,
            Relation::Differ(c) => both(c).map(|(a, b)| a != b)?,
            Relation::Agree(c) => both(c).map(|(a, b)| a == b)?,
            Relation::Less(c) => both(c).map(|(a, b)| a < b)?,
            Relation::All(ab) => ab.0.holds(first, second)? && ab.1.holds(first, second)?,
            Relation::Any(ab) => ab.0.holds(first, second)? || ab.1.holds(first, second)?,
        })
    }

    /// What is left of it where these counters agree.
    pub(crate) fn where_agree(self, counters: &[Counter]) -> Relation {
        match self {
            Relation::Differ(c) | Relation::Less(c) if counters.contains(&c) => Relation::Never,
            Relation::Agree(c) if counters.contains(&c) => Relation::Always,
            Relation::All(ab) => ab.0.where_agree(counters).and(ab.1.where_agree(counters)),
            Relation::Any(ab) => ab.0.where_agree(counters).or(ab.1.where_agree(counters)),
            other => other,
        }
    }
}

/// When nothing orders an instance of `p` and one of `q`.
pub(crate) fn unordered(p: &Site, q: &Site) -> Relation {
    unordered_from(p, q, 0)
}

fn unordered_from(p: &Site, q: &Site, depth: usize) -> Relation {
    let (Some(a), Some(b)) = (p.path.get(depth), q.path.get(depth)) else { return Relation::Never };
    if a.at != b.at {
        // Blocks of different statements may run at one time.
        return if a.level == Level::Grid { Relation::Always } else { Relation::Never };
    }
    let deeper = || if a.branch == b.branch { unordered_from(p, q, depth + 1) } else { Relation::Never };
    match a.kind {
        Kind::Share(c) => Relation::Differ(c).or(Relation::Agree(c).and(deeper())),
        // Nobody waits between rounds of the grid.
        Kind::Rounds(c) if a.level == Level::Grid => Relation::Differ(c).or(Relation::Agree(c).and(deeper())),
        Kind::Rounds(c) => Relation::Agree(c).and(deeper()),
        Kind::Plain => deeper(),
    }
}

/// When an instance of `p` is done before one of `q` begins.
pub(crate) fn before(p: &Site, q: &Site) -> Relation {
    before_from(p, q, 0)
}

fn before_from(p: &Site, q: &Site, depth: usize) -> Relation {
    let (Some(a), Some(b)) = (p.path.get(depth), q.path.get(depth)) else { return Relation::Never };
    if a.level == Level::Grid && (a.at != b.at || matches!(a.kind, Kind::Rounds(_))) {
        return Relation::Never;
    }
    if a.at != b.at {
        return if a.at < b.at { Relation::Always } else { Relation::Never };
    }
    let deeper = || match a.branch.cmp(&b.branch) {
        std::cmp::Ordering::Equal => before_from(p, q, depth + 1),
        // The head of a loop comes before its body.
        std::cmp::Ordering::Less if matches!(a.kind, Kind::Rounds(_)) => Relation::Always,
        _ => Relation::Never,
    };
    match a.kind {
        Kind::Share(c) => Relation::Agree(c).and(deeper()),
        Kind::Rounds(c) => Relation::Less(c).or(Relation::Agree(c).and(deeper())),
        Kind::Plain => deeper(),
    }
}
