/// `f` of each element's neighbourhood, `radius` elements to either side; beyond the ends the end's element stands. Nothing
/// is stored: `compute` what is read often first. Source: Accelerate 2011 (`stencil`, `Clamp`).
fn stencil<A, B, S: Size>(xs: Pull<A, S>, radius: u32, f: impl Fn(Pull<A>) -> B) -> Pull<B, S> {
    let n = xs.len();
    mk_pull(n, |i| f(mk_pull(2 * radius + 1, |j| xs[min(max(i + j, radius) - radius, n - 1)])))
}

/// As `stencil`; beyond the ends `fill` stands. Source: Accelerate 2011 (`stencil`, `Constant`).
fn stencil_fill<A, B, S: Size>(xs: Pull<A, S>, radius: u32, fill: A, f: impl Fn(Pull<A>) -> B) -> Pull<B, S> {
    let inside = |i, j| i + j >= radius && i + j - radius < xs.len();
    mk_pull(xs.len(), |i| {
        f(mk_pull(2 * radius + 1, |j| if inside(i, j) { xs[i + j - radius] } else { fill }))
    })
}

/// As `stencil`; beyond one end the array begins anew at the other. For fewer than 2^30 elements and radius.
/// Source: Accelerate 2011 (`stencil`, `Wrap`).
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

/// `f` of each element's neighbourhood in a matrix, `r` rows up and down and `c` columns to either side; beyond the edges
/// the edge's element stands. Nothing is stored. Source: Accelerate 2011 (`stencil`, `Clamp`).
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
