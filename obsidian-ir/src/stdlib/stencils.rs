/// `f` of each element's neighbourhood, `radius` elements to either side; beyond an end, the element at that end is
/// repeated. Nothing is stored: `compute` what is read often first. Source: Accelerate 2011 (`stencil`, `Clamp`).
fn stencil<A, B, S: Size>(xs: Pull<A, S>, radius: u32, f: impl Fn(Pull<A>) -> B) -> Pull<B, S> {
    let n = xs.len();
    mk_pull(n, |i| f(mk_pull(2 * radius + 1, |j| xs[min(max(i + j, radius) - radius, n - 1)])))
}

/// As `stencil`; beyond the ends the elements are `fill`. Source: Accelerate 2011 (`stencil`, `Constant`).
fn stencil_fill<A, B, S: Size>(xs: Pull<A, S>, radius: u32, fill: A, f: impl Fn(Pull<A>) -> B) -> Pull<B, S> {
    let inside = |i, j| i + j >= radius && i + j - radius < xs.len();
    mk_pull(xs.len(), |i| {
        f(mk_pull(2 * radius + 1, |j| if inside(i, j) { xs[i + j - radius] } else { fill }))
    })
}

/// As `stencil`; beyond one end the array continues at the other. Length and radius are below 2^30. Source: Accelerate
/// 2011 (`stencil`, `Wrap`).
fn stencil_wrap<A, B, S: Size>(xs: Pull<A, S>, radius: u32, f: impl Fn(Pull<A>) -> B) -> Pull<B, S> {
    let n = xs.len();
    mk_pull(n, |i| f(mk_pull(2 * radius + 1, |j| xs[(i + j + (n - radius % n)) % n])))
}

/// As `stencil`; beyond the ends the array is mirrored at the end's element. `radius` is below the length.
/// Source: Accelerate 2011 (`stencil`, `Mirror`).
fn stencil_mirror<A, B, S: Size>(xs: Pull<A, S>, radius: u32, f: impl Fn(Pull<A>) -> B) -> Pull<B, S> {
    let n = xs.len();
    let last = n - 1;
    mk_pull(n, |i| {
        f(mk_pull(2 * radius + 1, |j| {
            let k = if i + j < radius { radius - (i + j) } else { i + j - radius };
            xs[min(if k > last { last - min(k - last, last) } else { k }, last)]
        }))
    })
}

/// `f` of each element's neighbourhood in a matrix, `r` rows up and down and `c` columns to either side; beyond an
/// edge, the element at that edge is repeated. Nothing is stored. Source: Accelerate 2011 (`stencil`, `Clamp`).
fn stencil_2d<A, B>(xss: Pull<Pull<A>>, r: u32, c: u32, f: impl Fn(Pull<Pull<A>>) -> B) -> Pull<Pull<B>> {
    mk_pull(xss.len(), |i| {
        mk_pull(xss[0].len(), |j| {
            f(mk_pull(2 * r + 1, |a| {
                let row = xss[min(max(i + a, r) - r, xss.len() - 1)];
                mk_pull(2 * c + 1, |b| row[min(max(j + b, c) - c, row.len() - 1)])
            }))
        })
    })
}
