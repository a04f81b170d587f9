//! What the algorithms mean, in plain Rust.

use crate::items::{Item, kept, key, mixed};

/// The left folds of all beginnings.
pub(crate) fn scanned<T: Item>(xs: &[T], op: u32) -> Vec<T> {
    in_segments(xs, |_| false, op)
}

/// `init`, and what it and all beginnings but the whole give.
pub(crate) fn before<T: Item>(xs: &[T], op: u32) -> Vec<T> {
    let next = |acc: &mut T, x: &T| Some(std::mem::replace(acc, T::combined(op, *acc, *x)));
    xs.iter().scan(T::INIT, next).collect()
}

/// The left folds of all beginnings of each segment.
pub(crate) fn in_segments<T: Item>(xs: &[T], starts: impl Fn(usize) -> bool, op: u32) -> Vec<T> {
    let mut out: Vec<T> = Vec::with_capacity(xs.len());
    for (i, &x) in xs.iter().enumerate() {
        out.push(if i == 0 || starts(i) { x } else { T::combined(op, out[i - 1], x) });
    }
    out
}

/// Offsets into `n` elements: of segments of all lengths below `longest`, some of them empty or overlapping, one out of order.
pub(crate) fn offsets(n: usize, longest: u32) -> Vec<u32> {
    let mut offsets = vec![0];
    while let Some(&last) = offsets.last().filter(|last| **last < n as u32) {
        let step = if offsets.len() % 5 == 0 { 0 } else { mixed(offsets.len()) % longest };
        offsets.push((last + step).min(n as u32));
    }
    offsets.extend([n as u32 / 3, n as u32]);
    offsets
}

/// The left folds of the segments.
pub(crate) fn segments<T: Item>(xs: &[T], offsets: &[u32], op: u32) -> Vec<T> {
    let part = |w: &[u32]| xs.get(w[0] as usize..w[1] as usize).unwrap_or(&[]);
    let fold = |part: &[T]| part.iter().fold(T::INIT, |a, &b| T::combined(op, a, b));
    offsets.windows(2).map(|w| fold(part(w))).collect()
}

/// In the order, elements of which neither must be first in theirs.
pub(crate) fn sorted<T: Item>(xs: &[T], order: u32) -> Vec<T> {
    let mut out = xs.to_vec();
    out.sort_by(|&a, &b| T::in_order(order, b, a).cmp(&T::in_order(order, a, b)));
    out
}

/// By a key.
pub(crate) fn by_key<T: Item>(xs: &[T], by: u32) -> Vec<T> {
    let mut out = xs.to_vec();
    out.sort_by_key(|x| key(by, x.number()));
    out
}

/// How often each of 60 keys is there.
pub(crate) fn counted<T: Item>(xs: &[T], by: u32) -> Vec<u32> {
    let mut counts = vec![0; 60];
    xs.iter().for_each(|x| counts[(key(by, x.number()) % 60) as usize] += 1);
    counts
}

/// What stays, and what does not.
pub(crate) fn parted<T: Item>(xs: &[T], which: u32) -> (Vec<T>, Vec<T>) {
    xs.iter().partition(|x| kept(which, x.number()))
}

/// Each run of equal neighbours, and its length.
pub(crate) fn runs<T: Item>(xs: &[T]) -> Vec<(T, u32)> {
    let mut runs: Vec<(T, u32)> = Vec::new();
    for &x in xs {
        match runs.last_mut() {
            Some(last) if last.0 == x => last.1 += 1,
            _ => runs.push((x, 1)),
        }
    }
    runs
}

/// Rows as columns.
pub(crate) fn turned<T: Item>(xs: &[T], columns: usize) -> Vec<T> {
    (0..columns).flat_map(|c| xs.iter().skip(c).step_by(columns)).copied().collect()
}
