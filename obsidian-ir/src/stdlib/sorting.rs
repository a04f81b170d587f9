/// The one of two that `le` puts first; of equal ones `a`. Source: DAMP 2012 §3 (`min2`, mended).
fn first_of<T: Data>(a: T, b: T, le: impl Fn(T, T) -> bool) -> T {
    if le(a, b) { a } else { b }
}

/// The one of two that `le` puts last; of equal ones `b`, so that with `first_of` nothing is lost.
/// Source: DAMP 2012 §3 (`max2`, mended).
fn last_of<T: Data>(a: T, b: T, le: impl Fn(T, T) -> bool) -> T {
    if le(a, b) { b } else { a }
}

/// Sorts `2^k` elements of which the first half ascends and the second descends, or any rotation of such. Floats: without
/// NaN. Cost: k phases. Source: DAMP 2012 §3 (`bmerge`).
fn bitonic_merge<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    xs.bitonic_merge_with(min, max)
}

/// As `bitonic_merge`, in the order of `le`. Source: DAMP 2012 §3.
fn bitonic_merge_by<L: Compute, T: Data>(xs: Pull<T>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    xs.bitonic_merge_with(|a, b| first_of(a, b, le), |a, b| last_of(a, b, le))
}

/// As `bitonic_merge`; `f` of two stays at the lower place, `g` at the upper. Source: DAMP 2012 §3.
fn bitonic_merge_with<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let k = log2_exact(xs.len());
    let mut sorted = xs;
    for j in 0..k {
        sorted = sorted.ilv(k - 1 - j, f, g).compute();
    }
    sorted
}

/// Sorts `2^k` elements, ascending: a tree of merges, each a `vee` and then `ilv`s of falling distance. Floats: without
/// NaN. Cost: k (k + 1) / 2 phases, a thread an element; two arrays in shared memory. Source: DAMP 2012 §3 (`tsort1`).
fn sort_tree<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    let mut sorted = xs;
    for k in 0..log2_exact(xs.len()) {
        sorted = sorted.vee(k, min, max).compute();
        for j in 0..k {
            sorted = sorted.ilv(k - 1 - j, min, max).compute();
        }
    }
    sorted
}

/// As `sort_tree`, in the order of `le`, which compares by a key: elements of one key all stay. Cost: k (k + 1) / 2
/// phases, a thread for two elements. Source: DAMP 2012 §3 (`tsort2`).
fn sort_tree_by<L: Compute, T: Data>(xs: Pull<T>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    xs.sort_tree_with(|a, b| first_of(a, b, le), |a, b| last_of(a, b, le))
}

/// As `sort_tree`; `f` of two stays at the lower place, `g` at the upper. Cost: k (k + 1) / 2 phases, a thread for two
/// elements. Source: DAMP 2012 §3 (`tsort2`).
fn sort_tree_with<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let mut sorted = xs;
    for k in 0..log2_exact(xs.len()) {
        sorted = sorted.vee2(k, f, g).compute();
        for j in 0..k {
            sorted = sorted.ilv2(k - 1 - j, f, g).compute();
        }
    }
    sorted
}

/// Another name of `sort_tree`. Source: DAMP 2012 §3.
fn tsort1<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    xs.sort_tree()
}

/// As `sort_tree` by half the threads and without conditionals: each thread writes two elements. Floats: without NaN.
/// Cost: k (k + 1) / 2 phases; two arrays in shared memory. Source: DAMP 2012 §3 (`tsort2`).
fn tsort2<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    xs.sort_tree_with(min, max)
}

/// Sorts `2^k` elements, ascending, by the balanced periodic merger: `ilv_vee`s only. Floats: without NaN.
/// Cost: k (k + 1) / 2 phases, a thread an element; two arrays in shared memory. Source: DAMP 2012 §3 (`vsort1`).
fn sort_periodic<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    let k = log2_exact(xs.len());
    let mut sorted = xs;
    for i in 1..=k {
        for j in 1..=i {
            sorted = sorted.ilv_vee(k - i, i - j, min, max).compute();
        }
    }
    sorted
}

/// As `sort_periodic`, in the order of `le`, which compares by a key: elements of one key all stay. Cost: k (k + 1) / 2
/// phases, a thread for two elements. Source: DAMP 2012 §3 (`vsort2`).
fn sort_periodic_by<L: Compute, T: Data>(xs: Pull<T>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    xs.sort_periodic_with(|a, b| first_of(a, b, le), |a, b| last_of(a, b, le))
}

/// As `sort_periodic`; `f` of two stays at the lower place, `g` at the upper. Cost: k (k + 1) / 2 phases, a thread for two
/// elements. Source: DAMP 2012 §3 (`vsort2`).
fn sort_periodic_with<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let k = log2_exact(xs.len());
    let mut sorted = xs;
    for i in 1..=k {
        for j in 1..=i {
            sorted = sorted.ilv_vee2(k - i, i - j, f, g).compute();
        }
    }
    sorted
}

/// Another name of `sort_periodic`. Source: DAMP 2012 §3.
fn vsort1<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    xs.sort_periodic()
}

/// As `sort_periodic` by half the threads and without conditionals: each thread writes two elements. Floats: without NaN.
/// Cost: k (k + 1) / 2 phases; two arrays in shared memory. Source: DAMP 2012 §3 (`vsort2`).
fn vsort2<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    xs.sort_periodic_with(min, max)
}

/// Sorts `2^k` elements, ascending, by Batcher's bitonic network: blocks ascend and descend in turn, and each two become
/// one. Floats: without NaN. Cost: k (k + 1) / 2 phases, a thread for two elements; two arrays in shared memory.
/// Source: Batcher 1968; reference.md §5.
fn sort_bitonic<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    xs.sort_bitonic_with(min, max)
}

/// As `sort_bitonic`, in the order of `le`, which compares by a key: elements of one key all stay. Source: Batcher 1968.
fn sort_bitonic_by<L: Compute, T: Data>(xs: Pull<T>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    xs.sort_bitonic_with(|a, b| first_of(a, b, le), |a, b| last_of(a, b, le))
}

/// As `sort_bitonic`; `f` gives the first of two, `g` the last. Source: Batcher 1968.
fn sort_bitonic_with<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let k = log2_exact(xs.len());
    let mut sorted = xs;
    for block in 1..=k {
        for j in 0..block {
            let before = sorted;
            let bit = block - 1 - j;
            sorted = push_each(before.len() / 2, 2, |p, part| {
                let lower = insert_zero(p, bit);
                let upper = flip_bit(lower, bit);
                let (a, b) = (before[lower], before[upper]);
                // The last blocks are one, which ascends.
                let ascends = if block == k { true } else { low_bit(lower, block) };
                let at_lower = if part == 0 { ascends } else { !ascends };
                (if at_lower { f(a, b) } else { g(a, b) }, if part == 0 { lower } else { upper })
            }).compute();
        }
    }
    sorted
}

/// Sorts any number of elements, ascending, by Batcher's odd-even merges (Knuth's order of them, 5.2.2 M). Floats: without
/// NaN. Cost: k (k + 1) / 2 phases for at most `2^k` elements, each with fewer comparisons than the other networks; two
/// arrays in shared memory. Source: ICCS 2010 §4.1 (`sortOE`).
fn sort_odd_even<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    xs.sort_odd_even_with(min, max)
}

/// As `sort_odd_even`, in the order of `le`, which compares by a key: elements of one key all stay. Source: ICCS 2010 §4.1.
fn sort_odd_even_by<L: Compute, T: Data>(xs: Pull<T>, le: impl Fn(T, T) -> bool) -> Program<L, Pull<T>> {
    xs.sort_odd_even_with(|a, b| first_of(a, b, le), |a, b| last_of(a, b, le))
}

/// As `sort_odd_even`; `f` of two stays at the lower place, `g` at the upper. Source: ICCS 2010 §4.1.
fn sort_odd_even_with<L: Compute, T: Data>(xs: Pull<T>, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Program<L, Pull<T>> {
    let n = xs.len();
    let mut sorted = xs;
    let mut top = 1;
    while 2 * top < n {
        top = 2 * top;
    }
    let mut p = top;
    while p >= 1 && n > 1 {
        let mut d = p;
        let mut q = top;
        let mut r = 0;
        let mut more = true;
        while more {
            sorted = compare_apart(sorted, p, d, r, f, g).compute();
            more = q != p;
            d = q - p;
            q = q / 2;
            r = p;
        }
        p = p / 2;
    }
    sorted
}

/// One phase of `sort_odd_even`: places `i` with `i & p == r` and `i + d` are compared. Source: Knuth 5.2.2 M.
fn compare_apart<T>(xs: Pull<T>, p: u32, d: u32, r: u32, f: impl Fn(T, T) -> T, g: impl Fn(T, T) -> T) -> Pull<T> {
    let n = xs.len();
    mk_pull(n, |i| {
        if i & p == r && i + d < n {
            f(xs[i], xs[i + d])
        } else if i >= d && (i - d) & p == r {
            g(xs[i - d], xs[i])
        } else {
            xs[i]
        }
    })
}

/// Another name of `sort_tree`. Source: DAMP 2012 §3.
fn tsort<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    sort_tree(xs)
}

/// Another name of `sort_periodic`. Source: DAMP 2012 §3.
fn vsort<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    sort_periodic(xs)
}
