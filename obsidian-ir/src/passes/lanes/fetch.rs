//! Which shuffle fetches what each lane reads of one register.

use crate::program::ShuffleKind;

/// How the lanes get at what they read of one register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fetch {
    /// Each has it.
    Own,
    /// By a shuffle with a constant.
    Shuffle(ShuffleKind, u32),
    /// Each names its lane.
    Gather,
}

/// The constant that takes a lane to the one it reads.
type Way = fn(u32, u32) -> Option<u32>;

/// The cheapest way, for pairs of a lane and the lane that it reads.
pub(super) fn fetch(pairs: &[(u32, u32)]) -> Fetch {
    let all = |f: Way| {
        let first = pairs.first().and_then(|&(to, from)| f(to, from))?;
        pairs.iter().all(|&(to, from)| f(to, from) == Some(first)).then_some(first)
    };
    if pairs.iter().all(|&(to, from)| to == from) {
        return Fetch::Own;
    }
    let ways: [(ShuffleKind, Way); 4] = [
        (ShuffleKind::Index, |_, from| Some(from)),
        (ShuffleKind::Up, |to, from| to.checked_sub(from)),
        (ShuffleKind::Down, |to, from| from.checked_sub(to)),
        (ShuffleKind::Xor, |to, from| Some(to ^ from)),
    ];
    ways.into_iter().find_map(|(kind, way)| all(way).map(|by| Fetch::Shuffle(kind, by))).unwrap_or(Fetch::Gather)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(n: u32, from: impl Fn(u32) -> u32) -> Fetch {
        fetch(&(0..n).map(|lane| (lane, from(lane))).collect::<Vec<_>>())
    }

    #[test]
    fn each_pattern_has_its_shuffle() {
        assert_eq!(by(32, |l| l), Fetch::Own);
        assert_eq!(by(32, |_| 7), Fetch::Shuffle(ShuffleKind::Index, 7));
        assert_eq!(by(32, |l| l ^ 5), Fetch::Shuffle(ShuffleKind::Xor, 5));
        assert_eq!(by(20, |l| l + 12), Fetch::Shuffle(ShuffleKind::Down, 12));
        assert_eq!(by(32, |l| (l + 1) % 32), Fetch::Gather);
        let up: Vec<_> = (3..32).map(|lane| (lane, lane - 3)).collect();
        assert_eq!(fetch(&up), Fetch::Shuffle(ShuffleKind::Up, 3));
    }
}
