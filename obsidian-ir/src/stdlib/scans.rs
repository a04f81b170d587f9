/// Inclusive scan of `2^k` elements by recursive doubling of scanned blocks; `f` need only associate. Cost: k phases, each
/// stores the array anew. Source: ICCS 2010 §4.2; JFP 2016 §6.3.1.
fn scan_sklansky1<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let n = xs.len();
    let mut scanned = xs;
    let mut half = 1;
    while half < n {
        let before = scanned;
        let h = half;
        // The upper half of each block takes in the last element of the lower half.
        scanned = mk_pull(n, |i| {
            if i & h == 0 { before[i] } else { f(before[i / (2 * h) * (2 * h) + h - 1], before[i]) }
        }).compute();
        half = 2 * half;
    }
    scanned
}

/// Inclusive scan of any length: in phase `k` each element takes in the one `2^k` before it; `f` need only associate.
/// Cost: ⌈log2 len⌉ phases, more work than Sklansky's. Source: JFP 2016 §6.3.2.
fn scan_kogge_stone<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let n = xs.len();
    let mut scanned = xs;
    let mut step = 1;
    while step < n {
        let before = scanned;
        let d = step;
        scanned = mk_pull(n, |i| if i < d { before[i] } else { f(before[i - d], before[i]) }).compute();
        step = 2 * step;
    }
    scanned
}

/// As `scan_kogge_stone`, written as two loops: the first `2^k` elements are copied, the others combined, and no thread
/// tests anything. Source: JFP 2016 §6.3.2.
fn scan_kogge_stone_push<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let n = xs.len();
    let mut scanned = xs;
    let mut step = 1;
    while step < n {
        let copied = scanned.take(step).push();
        let combined = scanned.zip_with(scanned.drop(step), f).push();
        scanned = copied.append(combined).compute();
        step = 2 * step;
    }
    scanned
}

/// One phase of Sklansky's scan, written by half the threads without a conditional: in blocks of `2^(k + 1)` the lower half
/// is copied, and each element of the upper half takes in the last one of the lower. Source: JFP 2016 §6.3.1 (`phase`).
fn sklansky_phase<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32, f: impl Fn(T, T) -> T) -> Push<L, T> {
    push_each(div_exact(xs.len(), 2), 2, |p, part| {
        let lower = insert_zero(p, k);
        let upper = flip_bit(lower, k);
        let last = lower | one_bits(k);
        if part == 0 { (xs[lower], lower) } else { (f(xs[last], xs[upper]), upper) }
    })
}

/// As `scan_sklansky1`, by half the threads: each writes two elements in a phase and tests nothing. The length is `2^k`.
/// Cost: k phases; two arrays in shared memory. Source: JFP 2016 §6.3.1.
fn scan_sklansky2<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let mut scanned = xs;
    for k in 0..log2_exact(xs.len()) {
        scanned = scanned.sklansky_phase(k, f).compute();
    }
    scanned
}

/// As `scan_sklansky2`, after each thread has loaded two elements half the array apart. Cost: k + 1 phases; two arrays in
/// shared memory. Source: JFP 2016 §6.3.1.
fn scan_sklansky3<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let half = div_exact(xs.len(), 2);
    push_each(half, 2, |i, part| (xs[i + part * half], i + part * half)).compute().scan_sklansky2(f)
}

/// Inclusive scan of any length by Brent and Kung's network: sums of growing blocks on the way up, what lacks on the way
/// down; `f` need only associate. Cost: 2 ⌈log2 len⌉ - 1 phases, fewer applications of `f` than the other scans, each
/// phase stores the array anew. Source: Brent and Kung 1982; reference.md §5.
fn scan_brent_kung<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let n = xs.len();
    let mut scanned = xs;
    let mut step = 1;
    while step < n {
        let before = scanned;
        let d = step;
        // The last place of each block of 2 d.
        scanned = before.take_in(d, |i| (i + 1) & (2 * d - 1) == 0, f).compute();
        step = 2 * step;
    }
    step = step / 4;
    while step >= 1 {
        let before = scanned;
        let d = step;
        // The last place of the first half of each block but the first.
        scanned = before.take_in(d, |i| (i + 1) & (2 * d - 1) == d && i >= 2 * d, f).compute();
        step = step / 2;
    }
    scanned
}

/// Each element for whose place `at` holds takes in the one `d` before it. Source: Brent and Kung 1982.
fn take_in<T>(xs: Pull<T>, d: u32, at: impl Fn(u32) -> bool, f: impl Fn(T, T) -> T) -> Pull<T> {
    mk_pull(xs.len(), |i| if i >= d && at(i) { f(xs[i - d], xs[i]) } else { xs[i] })
}

/// Inclusive scan of at most 32 elements by a warp in its lanes' registers; `f` need only associate. Cost: ⌈log2 len⌉
/// shuffles for each field of `T`; no shared memory, no barrier. Source: JFP 2016 §6.3.2, with reference.md §4.
fn scan_lanes_32<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Warp, Pull<T>> {
    let n = xs.len();
    let mut scanned = xs.compute_lanes();
    let mut step = 1;
    while step < n {
        let (before, d) = (scanned, step);
        scanned = mk_pull(n, |i| if i < d { before[i] } else { f(before[i - d], before[i]) }).compute_lanes();
        step = 2 * step;
    }
    scanned
}

/// Inclusive scan of any length by a warp in its lanes' registers, 32 elements after 32; `f` need only associate. Cost: at
/// most 6 shuffles for each 32 elements and field of `T`; no shared memory, no barrier. Source: reference.md §4.
fn scan_lanes<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Warp, Pull<T>> {
    let n = xs.len();
    let mut scanned = scan_lanes_32(xs.take(min(n, 32)), f);
    let mut at = 32;
    while at < n {
        let (before, m) = (scanned, at);
        let part = scan_lanes_32(xs.drop(m).take(min(n - m, 32)), f);
        let carried = part.map(|x| f(before[m - 1], x)).compute_lanes();
        scanned = before.append(carried);
        at = at + 32;
    }
    scanned
}

/// Inclusive scan by a block as an expert would write it, of a multiple of 512 elements: a warp moves its 512 through a padded
/// tile, so that each thread has 16 neighbours, of which it makes one; the warp scans these; each thread scans its own from what
/// comes before. `f` need only associate. Cost: `2.5 * len + len / 16` elements of shared memory, one barrier, 5 shuffles
/// for each field of `T`; each element is read twice from shared memory, without conflicts; vector accesses throughout.
/// Source: CUB (`BlockScan`, `BlockLoad`); JFP 2016 §6.3.
fn scan_block<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    let n = div_exact(xs.len(), 512);
    let own = xs.runs_by_warps().compute_padded(16, 4).split_up(16);
    let ends = own.map(|part| part.fold1(f)).split_up(32).as_block_map(|w| exec_warp(scan_lanes_32(w, f))).compute();
    let scanned = mk_pull(32 * n, |t| exec_thread({
        // Read whatever `t` is, so that nothing branches.
        let warps = mk_pull(n, |w| ends[32 * w + 31]).compute();
        let left = singleton(ends[max(t, 1) - 1]).compute();
        let mut carry = warps[0];
        for w in 1..n - 1 {
            let (before, at) = (carry, w);
            carry = if t >= 32 * at + 32 { f(before, warps[at]) } else { before };
        }
        let below = if t % 32 == 0 { carry } else if t < 32 { left[0] } else { f(carry, left[0]) };
        let first = if t > 0 { f(below, own[t][0]) } else { own[t][0] };
        seq_scan(mk_pull(16, |k| if k == 0 { first } else { own[t][k] }), f)
    })).as_block().compute_padded(16, 4);
    scanned.runs_by_warps()
}
