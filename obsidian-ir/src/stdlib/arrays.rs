/// The array of `n` elements whose element `i` is `f(i)`; another name of `mk_pull`. Source: FCL 2016.
fn generate<T, S: Size>(n: u32, f: impl Fn(u32) -> T) -> Pull<T, S> {
    mk_pull(n, f)
}

/// `f` of each element. Source: JFP 2016 §4.1.
fn map<A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(A) -> B) -> Pull<B, S> {
    mk_pull(xs.len(), |i| f(xs[i]))
}

/// Pairs of elements; the shorter length. Source: JFP 2016 §4.1.
fn zip<A, B, S: Size>(xs: Pull<A, S>, ys: Pull<B, S>) -> Pull<(A, B), S> {
    mk_pull(min(xs.len(), ys.len()), |i| (xs[i], ys[i]))
}

/// Triples of elements; the shortest length. Source: Obsidian's library.
fn zip3<A, B, C, S: Size>(xs: Pull<A, S>, ys: Pull<B, S>, zs: Pull<C, S>) -> Pull<(A, B, C), S> {
    mk_pull(min(xs.len(), min(ys.len(), zs.len())), |i| (xs[i], ys[i], zs[i]))
}

/// `f` of elements at the same index; the shorter length. Source: JFP 2016 §4.1.
fn zip_with<A, B, C, S: Size>(xs: Pull<A, S>, ys: Pull<B, S>, f: impl Fn(A, B) -> C) -> Pull<C, S> {
    mk_pull(min(xs.len(), ys.len()), |i| f(xs[i], ys[i]))
}

/// `f` of elements at the same index; the shortest length. Source: Obsidian's library.
fn zip_with3<A, B, C, D, S: Size>(xs: Pull<A, S>, ys: Pull<B, S>, zs: Pull<C, S>, f: impl Fn(A, B, C) -> D) -> Pull<D, S> {
    mk_pull(min(xs.len(), min(ys.len(), zs.len())), |i| f(xs[i], ys[i], zs[i]))
}

/// An array of pairs as a pair of arrays. Source: JFP 2016 §4.1.
fn unzip<A, B, S: Size>(xs: Pull<(A, B), S>) -> (Pull<A, S>, Pull<B, S>) {
    (mk_pull(xs.len(), |i| xs[i].0), mk_pull(xs.len(), |i| xs[i].1))
}

/// An array of triples as a triple of arrays. Source: Obsidian's library.
fn unzip3<A, B, C, S: Size>(xs: Pull<(A, B, C), S>) -> (Pull<A, S>, Pull<B, S>, Pull<C, S>) {
    (mk_pull(xs.len(), |i| xs[i].0), mk_pull(xs.len(), |i| xs[i].1), mk_pull(xs.len(), |i| xs[i].2))
}

/// The first `n` elements, `n` at most the length. Source: JFP 2016 §4.1.
fn take<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<T, S> {
    mk_pull(at_most(n, xs.len()), |i| xs[i])
}

/// All but the first `n` elements, `n` at most the length. Source: JFP 2016 §4.1.
fn drop<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<T, S> {
    mk_pull(xs.len() - at_most(n, xs.len()), |i| xs[i + n])
}

/// The first `n` elements and the others. Source: JFP 2016 §4.1.
fn split_at<T, S: Size>(xs: Pull<T, S>, n: u32) -> (Pull<T, S>, Pull<T, S>) {
    (xs.take(n), xs.drop(n))
}

/// The two halves of an array of even length. Source: JFP 2016 §4.1.
fn halve<T, S: Size>(xs: Pull<T, S>) -> (Pull<T, S>, Pull<T, S>) {
    xs.split_at(div_exact(xs.len(), 2))
}

/// The first element. Source: JFP 2016.
fn first<T, S: Size>(xs: Pull<T, S>) -> T {
    xs[0]
}

/// The last element. Source: JFP 2016.
fn last<T, S: Size>(xs: Pull<T, S>) -> T {
    xs[xs.len() - 1]
}

/// All but the first element. Source: Obsidian's library.
fn tail<T, S: Size>(xs: Pull<T, S>) -> Pull<T, S> {
    xs.drop(1)
}

/// The elements in the other order. Source: JFP 2016 §4.1; FCL 2016 §3.
fn reverse<T, S: Size>(xs: Pull<T, S>) -> Pull<T, S> {
    mk_pull(xs.len(), |i| xs[xs.len() - 1 - i])
}

/// Element `i` is `xs[f(i)]`: a gather. Source: JFP 2016 §4.1 (`ixMap`).
fn ix_map<T, S: Size>(xs: Pull<T, S>, f: impl Fn(u32) -> u32) -> Pull<T, S> {
    mk_pull(xs.len(), |i| xs[f(i)])
}

/// Chunks of `n` neighbouring elements; `n` must divide the length. Source: JFP 2016 §4.1.
fn split_up<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<Pull<T>, S> {
    mk_pull(div_exact(xs.len(), n), |i| mk_pull(n, |j| xs[i * n + j]))
}

/// `parts` chunks of neighbouring elements; `parts` must divide the length. Source: reference.md §5.
fn split_into<T>(xs: Pull<T>, parts: u32) -> Pull<Pull<T>> {
    xs.split_up(div_exact(xs.len(), parts))
}

/// `len / n` arrays of `n` elements; element `j` of array `i` is `xs[i + (len / n) * j]`, so that neighbouring threads
/// that walk one array each read neighbouring elements. Source: JFP 2016 §6.2.
fn coalesce<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<Pull<T>, S> {
    let parts = div_exact(xs.len(), n);
    mk_pull(parts, |i| mk_pull(n, |j| xs[i + parts * j]))
}

/// The elements of equally long arrays, one array after the other. Source: JFP 2016 §4.3.
fn concat<T, S: Size>(xss: Pull<Pull<T>, S>) -> Pull<T, S> {
    let n = xss[0].len();
    mk_pull(xss.len() * n, |i| xss[i / n][i % n])
}

/// The elements at even indices and those at odd ones; the length must be even. Source: JFP 2016 §6.2.
fn even_odds<T, S: Size>(xs: Pull<T, S>) -> (Pull<T, S>, Pull<T, S>) {
    let n = div_exact(xs.len(), 2);
    (mk_pull(n, |i| xs[2 * i]), mk_pull(n, |i| xs[2 * i + 1]))
}

/// The elements at even indices. Source: Obsidian's library.
fn evens<T, S: Size>(xs: Pull<T, S>) -> Pull<T, S> {
    mk_pull((xs.len() + 1) / 2, |i| xs[2 * i])
}

/// The elements at odd indices. Source: Obsidian's library.
fn odds<T, S: Size>(xs: Pull<T, S>) -> Pull<T, S> {
    mk_pull(xs.len() / 2, |i| xs[2 * i + 1])
}

/// One array after the other; a conditional for each element (see `append` of push arrays). Source: DAMP 2012 §1.4.
fn append<T, S: Size>(xs: Pull<T, S>, ys: Pull<T, S>) -> Pull<T, S> {
    let n = xs.len();
    mk_pull(add_exact(n, ys.len()), |i| if i < n { xs[i] } else { ys[i - n] })
}

/// The array of one element. Source: JFP 2016.
fn singleton<T>(x: T) -> Pull<T> {
    mk_pull(1, |_i| x)
}

/// `n` times the same element. Source: JFP 2016.
fn replicate<T, S: Size>(n: u32, x: T) -> Pull<T, S> {
    mk_pull(n, |_i| x)
}

/// `0, 1, .. n - 1`. Source: FCL 2016.
fn iota<S: Size>(n: u32) -> Pull<u32, S> {
    mk_pull(n, |i| i)
}

/// Neighbours as pairs; the length must be even. Source: DAMP 2012 §2.
fn pair<T, S: Size>(xs: Pull<T, S>) -> Pull<(T, T), S> {
    mk_pull(div_exact(xs.len(), 2), |i| (xs[2 * i], xs[2 * i + 1]))
}

/// Pairs as neighbours; a conditional for each element. Source: DAMP 2012 §2.
fn unpair<T, S: Size>(xs: Pull<(T, T), S>) -> Pull<T, S> {
    mk_pull(2 * xs.len(), |i| if i % 2 == 0 { xs[i / 2].0 } else { xs[i / 2].1 })
}

/// The last `n` elements, `n` at most the length. Source: Obsidian's library.
fn take_last<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<T, S> {
    xs.drop(xs.len() - at_most(n, xs.len()))
}

/// The first element and the others. Source: Obsidian's library.
fn head_tail<T, S: Size>(xs: Pull<T, S>) -> (T, Pull<T, S>) {
    (xs.first(), xs.tail())
}

/// Element `i` is element `i + n` of the array read as a ring. Source: reference.md §5.
fn rotate<T>(xs: Pull<T>, n: u32) -> Pull<T> {
    mk_pull(xs.len(), |i| xs[(i + n % xs.len()) % xs.len()])
}

/// All but the first `n` elements; another name of `drop`. Source: Obsidian's library (`shiftLeft`).
fn shift_left<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<T, S> {
    xs.drop(n)
}

/// The elements `n` places later, the first `n` being `fill`; the length stays. Source: reference.md §5.
fn shift_right<T, S: Size>(xs: Pull<T, S>, n: u32, fill: T) -> Pull<T, S> {
    mk_pull(xs.len(), |i| if i < n { fill } else { xs[i - n] })
}

/// `n` elements: those of the array, then `fill`; `n` is not below the length. Source: FCL's library (`pad`).
fn pad_to<T, S: Size>(xs: Pull<T>, n: u32, fill: T) -> Pull<T, S> {
    mk_pull(n, |i| if i < xs.len() { xs[i] } else { fill })
}

/// Chunks of `n` neighbours; what the last one lacks is `fill`. Source: FCL's library (`pad`).
fn split_up_padded<T, S: Size>(xs: Pull<T, S>, n: u32, fill: T) -> Pull<Pull<T>, S> {
    let chunks = xs.len() / n + min(xs.len() % n, 1);
    mk_pull(chunks, |i| mk_pull(n, |j| if i * n + j < xs.len() { xs[i * n + j] } else { fill }))
}

/// The elements at `0, n, 2 n ..`, counted from `offset`. Source: Obsidian's library (`everyNth`).
fn every_nth<T>(xs: Pull<T>, n: u32, offset: u32) -> Pull<T> {
    mk_pull((xs.len() - offset + n - 1) / n, |i| xs[offset + i * n])
}

/// Elements of two arrays of one length in turn. Source: DAMP 2012 §2.
fn interleave<T, S: Size>(xs: Pull<T, S>, ys: Pull<T, S>) -> Pull<T, S> {
    xs.zip(ys).unpair()
}

/// Neighbours as triples; 3 must divide the length. Source: Obsidian's library.
fn triple<T, S: Size>(xs: Pull<T, S>) -> Pull<(T, T, T), S> {
    mk_pull(div_exact(xs.len(), 3), |i| (xs[3 * i], xs[3 * i + 1], xs[3 * i + 2]))
}

/// Neighbours as quadruples; 4 must divide the length. Source: Obsidian's library.
fn quadruple<T, S: Size>(xs: Pull<T, S>) -> Pull<(T, T, T, T), S> {
    mk_pull(div_exact(xs.len(), 4), |i| (xs[4 * i], xs[4 * i + 1], xs[4 * i + 2], xs[4 * i + 3]))
}

/// Triples as neighbours; conditionals for each element. Source: Obsidian's library (`untriple`).
fn untriple<T, S: Size>(xs: Pull<(T, T, T), S>) -> Pull<T, S> {
    mk_pull(3 * xs.len(), |i| {
        let x = xs[i / 3];
        if i % 3 == 0 { x.0 } else if i % 3 == 1 { x.1 } else { x.2 }
    })
}

/// Quadruples as neighbours; conditionals for each element. Source: Obsidian's library (`unquadruple`).
fn unquadruple<T, S: Size>(xs: Pull<(T, T, T, T), S>) -> Pull<T, S> {
    mk_pull(4 * xs.len(), |i| {
        let x = xs[i / 4];
        if i % 4 < 2 { if i % 4 == 0 { x.0 } else { x.1 } } else { if i % 4 == 2 { x.2 } else { x.3 } }
    })
}

/// The same array. Source: reference.md §5 (`push` of a push array).
fn push<L: AtMost<Block>, T: Data, S: Size>(xs: Push<L, T, S>) -> Push<L, T, S> {
    xs
}
