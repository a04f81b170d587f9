//! What launches make of arrays.

/// What launches make of an array `a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launched {
    /// `a.compute()`.
    Stored,
    /// `scan(a, b)`.
    Scanned,
    /// `b` of `reduce(a, b)` and each element: an element that a launch has stored, read by another.
    Combined,
    /// `a` as it is stored, then `b` of each element of it, stored again: as often as an element that the host fetches says.
    Repeated,
    /// `a` as it is stored, or, as the host decides by its length, `b` of each element of it.
    Chosen,
    /// `a` as it is stored, which a loop of the host's of `len % 4` rounds replaces in every other one, from the first on, by `b` of each element.
    Replaced,
    /// `sort(a)`, of integers.
    Sorted,
    /// The elements of which `b` holds, then the others: both of lengths that the host fetches.
    Parted,
    /// `scan_exclusive(a, a[0], b)`.
    Excluded,
    /// `segmented_scan(a, a.map(c), b)`.
    Segmented,
    /// `segmented_reduce(a, o, a[0], b)`, where `o` are offsets that `segment` gives.
    Segments,
    /// `a`, of integers, with the elements of runs of two and more in front: element `k` is that of run `k`, if it is one.
    Runs,
    /// `a`, of integers, whose first elements are the greatest three.
    Greatest,
    /// `transpose_2d(a, 2)`, or of an odd length `transpose_2d(a, 1)`.
    Turned,
    /// `chain` over tiles of 3 elements from `a[0]`: `b` of the state and a tile's first element is the next state, and `b` of the state
    /// and an element is an element of the result. `b` need not associate.
    Chained,
    /// What `compute_two` stores: `a`, and `b` of each element in reverse; in turns an element of the one and of the other.
    Doubled,
    /// `a` as a matrix that the host carries through a loop, and of which a branch of the host's gives another: `b` of each element, as
    /// often as `reshaped` says.
    Shaped,
}

/// How often a function is applied to each of the `n` elements of a matrix: in `n % 3` rounds, and once more after one round.
pub fn reshaped(n: usize) -> usize {
    if n % 3 == 1 { 2 } else { n % 3 }
}

/// Where segment `s` of an array of `n` elements begins and the one before it ends.
pub fn segment(s: u32, n: u32) -> u32 {
    s * 7 % (n + 1)
}

impl Launched {
    /// Its name, for counts of what was made.
    pub fn name(self) -> &'static str {
        match self {
            Launched::Stored => "stored at Device",
            Launched::Scanned => "scanned at Device",
            Launched::Combined => "reduced at Device",
            Launched::Repeated => "repeated at Device",
            Launched::Chosen => "chosen at Device",
            Launched::Replaced => "replaced in some rounds at Device",
            Launched::Sorted => "sorted at Device",
            Launched::Parted => "parted at Device",
            Launched::Excluded => "scanned without its own at Device",
            Launched::Segmented => "segments scanned at Device",
            Launched::Segments => "segments reduced at Device",
            Launched::Runs => "runs at Device",
            Launched::Greatest => "greatest at Device",
            Launched::Turned => "turned at Device",
            Launched::Chained => "chained at Device",
            Launched::Doubled => "two arrays of one launch",
            Launched::Shaped => "a matrix that the host carries",
        }
    }
}
