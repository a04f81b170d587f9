/// Neighbours at distance `2^k`: `f` of the two stays at the lower place, `g` at the upper. Cost: a conditional for each
/// element. Source: DAMP 2012 §3 (`ilv1`).
fn ilv<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    let d = 1 << k;
    mk_pull(xs.len(), |i| if i & d == 0 { f(xs[i], xs[i ^ d]) } else { g(xs[i ^ d], xs[i]) })
}

/// Mirror images within blocks of `2^(k + 1)`: `f` of the two stays at the lower place, `g` at the upper. Cost: a
/// conditional for each element. Source: DAMP 2012 §3 (`vee1`).
fn vee<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    let mirror = (2 << k) - 1;
    mk_pull(xs.len(), |i| if i & (1 << k) == 0 { f(xs[i], xs[i ^ mirror]) } else { g(xs[i ^ mirror], xs[i]) })
}

/// Sorts two ascending halves, the upper one read backwards, into one ascending array of `2^k` elements.
/// Cost: k phases. Source: DAMP 2012 §3.
fn bitonic_merge<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    let mut sorted = xs;
    let mut d = xs.len() / 2;
    while d >= 1 {
        let before = sorted;
        let h = d;
        sorted = mk_pull(before.len(), |i| {
            if i & h == 0 { min(before[i], before[i ^ h]) } else { max(before[i ^ h], before[i]) }
        }).compute();
        d = d / 2;
    }
    sorted
}

/// Sorts `2^k` elements, ascending: trees of merges, each a `vee` and then `ilv`s of falling distance.
/// Cost: k (k + 1) / 2 phases. Source: DAMP 2012 §3 (`tsort`).
fn sort_tree<L: Compute, T: Num>(xs: Pull<T>) -> Program<L, Pull<T>> {
    let mut sorted = xs;
    let mut k = 0;
    while (2 << k) <= xs.len() {
        sorted = sorted.vee(k, min, max).compute();
        for j in 0..k {
            sorted = sorted.ilv(k - 1 - j, min, max).compute();
        }
        k += 1;
    }
    sorted
}
