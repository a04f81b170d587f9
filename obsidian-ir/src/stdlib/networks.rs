/// `f` of each of `2^k` equal parts, the results joined. The part that an element lies in is found by a computed index,
/// so `f` is evaluated for each element unless its result is stored. Cost: nothing is stored. Source: JFP 2016 §6.3.1
/// (`unsafeBinSplit`).
fn bin_split<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(Pull<A, S>) -> Pull<B, S>) -> Pull<B, S> {
    let n = div_exact(xs.len(), 1 << k);
    mk_pull((1 << k) * n, |i| f(mk_pull(n, |j| xs[i / n * n + j]))[i % n])
}

/// `f` of each half, the results joined. Cost: nothing is stored. Source: ICCS 2010 §4.1 (`two`).
fn two<A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(Pull<A, S>) -> Pull<B, S>) -> Pull<B, S> {
    xs.bin_split(1, f)
}

/// `f` of the elements at even places and of those at odd ones, the results in turn. Cost: nothing is stored.
/// Source: ICCS 2010 §4.1 (`ilv`).
fn ilv<A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(Pull<A, S>) -> Pull<B, S>) -> Pull<B, S> {
    let n = div_exact(xs.len(), 2);
    mk_pull(2 * n, |i| f(mk_pull(n, |j| xs[2 * j + i % 2]))[i / 2])
}

/// `f` of the pairs of neighbours, the results in turn. Cost: a conditional for each element. Source: ICCS 2010 §4.1
/// (`evens`).
fn on_pairs<A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(A, A) -> (B, B)) -> Pull<B, S> {
    xs.pair().map(|p| f(p.0, p.1)).unpair()
}

/// Neighbours at distance `2^k`: `f` of the two stays at the lower place, `g` at the upper. Cost: a thread and a
/// conditional for each element. Source: DAMP 2012 §3 (`ilv1`).
fn ilv<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    mk_pull(xs.len(), |i| {
        let j = flip_bit(i, k);
        if low_bit(i, k) { f(xs[i], xs[j]) } else { g(xs[j], xs[i]) }
    })
}

/// Another name of `ilv`. Source: DAMP 2012 §3.
fn ilv1<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    xs.ilv(k, f, g)
}

/// As `ilv`, written by half the threads, each two elements. Cost: no conditional; the length is known.
/// Source: DAMP 2012 §3 (`ilv2`).
fn ilv2<L: AtMost<Block>, A, B: Data>(xs: Pull<A>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Push<L, B> {
    xs.ilv_vee2(k, 0, f, g)
}

/// Mirror images within blocks of `2^(k + 1)`: `f` of the two stays at the lower place, `g` at the upper. Cost: a thread
/// and a conditional for each element. Source: DAMP 2012 §3 (`vee1`).
fn vee<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    mk_pull(xs.len(), |i| {
        let j = flip_lsbs_to(i, k);
        if low_bit(i, k) { f(xs[i], xs[j]) } else { g(xs[j], xs[i]) }
    })
}

/// Another name of `vee`. Source: DAMP 2012 §3.
fn vee1<A, B, S: Size>(xs: Pull<A, S>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    xs.vee(k, f, g)
}

/// As `vee`, written by half the threads, each two elements. Cost: no conditional; the length is known.
/// Source: DAMP 2012 §3 (`vee2`).
fn vee2<L: AtMost<Block>, A, B: Data>(xs: Pull<A>, k: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Push<L, B> {
    xs.ilv_vee2(0, k, f, g)
}

/// `2^k` interleaved sequences, in each the mirror images within blocks of `2^(j + 1)`: `f` of the two stays at the lower
/// place, `g` at the upper. `ilv` is the case `j = 0`, `vee` the case `k = 0`. Cost: a thread and a conditional for each
/// element. Source: DAMP 2012 §3 (`ilvVee1`).
fn ilv_vee<A, B, S: Size>(xs: Pull<A, S>, k: u32, j: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    mk_pull(xs.len(), |i| {
        let m = flip_bits_from(i, k, j);
        if low_bit(i, k + j) { f(xs[i], xs[m]) } else { g(xs[m], xs[i]) }
    })
}

/// Another name of `ilv_vee`. Source: DAMP 2012 §3.
fn ilv_vee1<A, B, S: Size>(xs: Pull<A, S>, k: u32, j: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Pull<B, S> {
    xs.ilv_vee(k, j, f, g)
}

/// As `ilv_vee`, written by half the threads, each two elements. Cost: no conditional; the length is known.
/// Source: DAMP 2012 §3 (`ilvVee2`).
fn ilv_vee2<L: AtMost<Block>, A, B: Data>(xs: Pull<A>, k: u32, j: u32, f: impl Fn(A, A) -> B, g: impl Fn(A, A) -> B) -> Push<L, B> {
    push_each(div_exact(xs.len(), 2), 2, |p, part| {
        let lower = insert_zero(p, k + j);
        let upper = flip_bits_from(lower, k, j);
        if part == 0 { (f(xs[lower], xs[upper]), lower) } else { (g(xs[lower], xs[upper]), upper) }
    })
}
