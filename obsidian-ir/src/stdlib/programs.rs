/// `f(i, j)` for `i` below `n` and `j` below `m`, each in a thread: `n` programs of a level with `m` instances each.
/// Source: Obsidian's library (`forAll2`).
fn for_all2<L: AtMost<Block>>(n: u32, m: u32, f: impl Fn(u32, u32) -> Program<Thread, ()>) -> Program<Step<L>, ()> {
    distr_par(n, |i| for_all(m, |j| f(i, j)))
}

/// Runs a program in one thread of the level. Source: Obsidian's library (`singleThread`).
fn single_thread<L: AtMost<Block>>(e: Program<Thread, ()>) -> Program<L, ()> {
    for_all(1, |_i| e)
}

/// The elements of an array, `k` moved by each thread, a stride of `len / k` apart; `k` must divide the length. Source:
/// JFP 2016 §6.3 (`load`).
fn load<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32) -> Push<L, T> {
    let stride = div_exact(xs.len(), k);
    mk_push(xs.len(), |write| for_all(stride, |t| seq_for(k, |j| write(xs[t + stride * j], t + stride * j))))
}

/// Another name of `load`, for what is moved out. Source: Obsidian's library (`store`).
fn store<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32) -> Push<L, T> {
    load(xs, k)
}

/// The elements of an array, `k` neighbours moved by each thread; `k` must divide the length. Cost: where `k` is 2, 4 or 8 and
/// the first element lies at a multiple of it, one access of up to 16 bytes for several elements. Source: CUDA C++
/// programming guide, device memory accesses.
fn runs<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32) -> Push<L, T> {
    mk_push(xs.len(), |write| for_all(div_exact(xs.len(), k), |t| seq_for(k, |j| write(xs[k * t + j], k * t + j))))
}

/// The elements of an array, 512 moved by each warp, 4 neighbours by each lane at a time. Source: CUB (`BlockLoad`, warp
/// transpose).
fn runs_by_warps<T: Data>(xs: Pull<T>) -> Push<Block, T> {
    xs.split_up(512).as_block_map(|part| exec_warp(part.runs(4)))
}

/// How often each of `0 .. bins` is among the keys, counted in memory of the level; another key is an error at the launch's
/// end. Source: Obsidian's examples (histogram), privatised.
fn histogram<L: Compute, S: Size>(keys: Pull<u32, S>, bins: u32) -> Program<L, Pull<u32>> {
    let counts = new_mut(replicate(bins, 0));
    for_all(keys.len(), |i| {
        atomic_add(counts, keys[i], 1);
    });
    counts.to_pull()
}

/// Adds to `bins[k]` how often `k` is among the keys, by one atomic update a key; a key past the last bin is an error at the
/// launch's end. Source: Obsidian's examples (histogram).
fn histogram_into<S: Size, R: Size>(keys: Pull<u32, S>, bins: Mut<u32, R>) -> Program<Grid, ()> {
    for_all(keys.len(), |i| {
        atomic_add(bins, keys[i], 1);
    })
}

/// As `histogram_into`, the keys counted by blocks of `n` first: one atomic update of `bins` a block and bin. `n` must divide
/// the number of keys. Source: Obsidian's examples (histogram), privatised.
fn histogram_by_blocks<S: Size>(keys: Pull<u32, S>, n: u32, bins: Mut<u32>) -> Program<Grid, ()> {
    let parts = keys.split_up(n);
    distr_par(parts.len(), |b| {
        let counts = histogram(parts[b], bins.len());
        for_all(bins.len(), |k| {
            atomic_add(bins, k, counts[k]);
        })
    })
}

/// Stores `xs` over the mutable array `m` that it was computed from: there is no second array, and no barrier but for what
/// threads read of one another's. A thread may read only what it writes itself, else it is an error: two threads meet.
/// Source: reference.md §5.
fn compute_in_place<L: Compute, T: Data>(xs: Push<L, T>, m: Mut<T>) -> Program<L, Pull<T>> {
    m.write_to(xs);
    m.to_pull()
}
