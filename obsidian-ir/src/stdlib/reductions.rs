/// Tree reduction of a non-empty array of any length, at any level that can compute. Neighbours are combined, so that `f`
/// need not commute, only associate. Cost: ⌈log2 len⌉ phases. Source: JFP 2016 §3, §6.2.
fn reduce<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    let n = xs.len();
    if n == 1 {
        xs.push()
    } else {
        let pairs = mk_pull(n / 2, |i| f(xs[2 * i], xs[2 * i + 1])).push();
        let all = if n % 2 == 1 { pairs.append(singleton(xs.last()).push()) } else { pairs };
        reduce(all.compute(), f)
    }
}

/// Reduction of `2^k` elements, neighbours first; `f` need not commute. Cost: k phases, strided reads.
/// Source: JFP 2016 §6.2 (`red1`).
fn red1<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    if xs.len() == 1 {
        xs.push()
    } else {
        let (es, os) = xs.even_odds();
        red1(es.zip_with(os, f).compute(), f)
    }
}

/// Reduction of `2^k` elements by halves: `f` must commute. Cost: k phases, reads side by side.
/// Source: JFP 2016 §6.2 (`red2`).
fn red2<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    if xs.len() == 1 {
        xs.push()
    } else {
        let (lo, hi) = xs.halve();
        red2(lo.zip_with(hi, f).compute(), f)
    }
}

/// As `red2`, but the last `stop` elements are folded without storing: `f` must commute. Cost: k - log2 stop phases.
/// Source: JFP 2016 §6.2 (`red3`).
fn red3<L: Compute, T: Data>(xs: Pull<T>, stop: u32, f: impl Fn(T, T) -> T) -> Program<L, Push<L, T>> {
    if xs.len() <= stop {
        singleton(xs.fold1(f)).push()
    } else {
        let (lo, hi) = xs.halve();
        red3(lo.zip_with(hi, f).compute(), stop, f)
    }
}

/// Each thread folds 8 neighbours, then `red3`: `f` must commute. Source: JFP 2016 §6.2 (`red4`).
fn red4<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    let sums = xs.split_up(8).as_block_map(|c| exec_thread(c.seq_reduce(f))).compute();
    red3(sums, 2, f)
}

/// Each thread folds `per_thread` elements that lie a stride apart, so that neighbouring threads read neighbouring
/// elements, then `red3`: `f` must commute. Source: JFP 2016 §6.2 (`red5` with 8, `red6` with 16, `red7` with 32).
fn red_coalesced<T: Data>(xs: Pull<T>, per_thread: u32, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    let sums = xs.coalesce(per_thread).as_block_map(|c| exec_thread(c.seq_reduce(f))).compute();
    red3(sums, 2, f)
}

/// `red_coalesced` with 8 elements a thread. Source: JFP 2016 §6.2.
fn red5<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    red_coalesced(xs, 8, f)
}

/// `red_coalesced` with 16 elements a thread. Source: JFP 2016 §6.2.
fn red6<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    red_coalesced(xs, 16, f)
}

/// `red_coalesced` with 32 elements a thread. Source: JFP 2016 §6.2.
fn red7<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    red_coalesced(xs, 32, f)
}

/// Reduction by a warp in its lanes' registers, of any length: a lane folds the elements `i, i + 32 ..`, then neighbours are
/// combined. `f` must commute where there are more than 32 elements. Cost: ⌈log2 len⌉ shuffles, at most 5, for each field
/// of `T`; no shared memory, no barrier. Source: reference.md §4.
fn reduce_lanes<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Warp, Push<Warp, T>> {
    let n = xs.len();
    let m = min(n, 32);
    let mut acc = mk_pull(m, |i| {
        let mut own = xs[i];
        for k in 1..(n + 31) / 32 {
            own = if i + 32 * k < n { f(own, xs[i + 32 * k]) } else { own };
        }
        own
    }).compute_lanes();
    let mut d = 1;
    while d < m {
        let (before, e) = (acc, d);
        // A full tree needs no test; only lane 0 counts, and there the order is right.
        acc = if m & (m - 1) == 0 {
            mk_pull(m, |i| f(before[i], before[i ^ e])).compute_lanes()
        } else {
            mk_pull(m, |i| if i + e < m { f(before[i], before[i + e]) } else { before[i] }).compute_lanes()
        };
        d = 2 * d;
    }
    acc.take(1).push()
}

/// Reduction by a block as an expert would write it, of a multiple of 512 elements: a thread folds 16, in fours that lie side
/// by side, a warp combines its lanes', one warp the warps'. `f` must commute. Cost: `len / 512` elements of shared memory, one
/// barrier, 5 shuffles for each field of `T` and at most 5 more; vector loads where the elements lie in memory. Source: Harris,
/// Optimizing parallel reduction in CUDA; CUB (`BlockReduce`).
fn reduce_block<T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> Program<Block, Push<Block, T>> {
    let n = div_exact(xs.len(), 16);
    let sums = mk_pull(n, |t| mk_pull(16, |k| xs[4 * (t + n * (k / 4)) + k % 4]).fold1(f));
    let warps = sums.split_up(32).as_block_map(|w| reduce_lanes(w, f)).compute();
    mk_pull(1, |_i| exec_warp(reduce_lanes(warps, f))).as_block()
}
