//! What the functions of the rows mean on lists.

/// Element by element.
pub fn map(xs: &[u32], f: impl FnMut(u32) -> u32) -> Vec<u32> {
    xs.iter().copied().map(f).collect()
}

/// `f` of each index.
pub fn made(n: usize, f: impl FnMut(usize) -> u32) -> Vec<u32> {
    (0..n).map(f).collect()
}

pub fn sum(xs: &[u32]) -> u32 {
    xs.iter().fold(0, |a, b| a.wrapping_add(*b))
}

pub fn sums(xs: &[u32]) -> Vec<u32> {
    let mut acc = 0u32;
    map(xs, |x| {
        acc = acc.wrapping_add(x);
        acc
    })
}

/// 3 and what comes before each element.
pub fn sums_before(xs: &[u32]) -> Vec<u32> {
    let mut acc = 3u32;
    map(xs, |x| {
        let before = acc;
        acc = acc.wrapping_add(x);
        before
    })
}

pub fn sorted(xs: &[u32]) -> Vec<u32> {
    let mut xs = xs.to_vec();
    xs.sort_unstable();
    xs
}

/// By the lowest three bits, those that have these alike in their order.
pub fn by_lowest_bits(xs: &[u32]) -> Vec<u32> {
    let mut xs = xs.to_vec();
    xs.sort_by_key(|x| x % 8);
    xs
}

/// The elements of which `keep` holds, then the others.
pub fn parted(xs: &[u32], keep: impl Fn(u32) -> bool) -> Vec<u32> {
    let (mut first, others): (Vec<u32>, Vec<u32>) = xs.iter().partition(|x| keep(**x));
    first.extend(others);
    first
}

/// Partners `mask` apart: the lower place has the smaller of the two.
pub fn swapped(xs: &[u32], distance: usize, mask: usize) -> Vec<u32> {
    made(xs.len(), |i| if i & distance == 0 { xs[i].min(xs[i ^ mask]) } else { xs[i ^ mask].max(xs[i]) })
}

/// The sum of each element and of its neighbours, which `at` finds; `None` counts as 5.
pub fn neighbours(xs: &[u32], at: impl Fn(isize, isize) -> Option<isize>) -> Vec<u32> {
    let n = xs.len() as isize;
    made(xs.len(), |i| {
        let of = |d: isize| at(i as isize + d, n).map_or(5, |j| xs[j as usize]);
        of(-1).wrapping_add(of(0)).wrapping_add(of(1))
    })
}

pub fn mirrored(i: isize, n: isize) -> isize {
    if n == 1 {
        0
    } else if i < 0 {
        -i
    } else if i >= n {
        2 * n - 2 - i
    } else {
        i
    }
}

/// How often each of 16 keys is there.
pub fn counted(xs: &[u32]) -> Vec<u32> {
    made(16, |k| xs.iter().filter(|x| **x % 16 == k as u32).count() as u32)
}

/// The first elements of runs of equal ones.
pub fn firsts(xs: &[u32]) -> Vec<u32> {
    let mut all = map(xs, |x| x % 3);
    all.dedup();
    all
}

/// Sums within segments that begin at 0 and at each element that 5 divides.
pub fn in_segments(xs: &[u32]) -> Vec<u32> {
    let mut acc = 0u32;
    map(xs, |x| {
        acc = if x % 5 == 0 { x } else { acc.wrapping_add(x) };
        acc
    })
}
