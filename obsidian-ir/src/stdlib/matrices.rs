/// A vector as `rows` rows of `columns`; the length must be their product. Source: FCL 2016 §3.
fn reshape<T>(xs: Pull<T>, rows: u32, columns: u32) -> Pull<Pull<T>> {
    xs.from_dyn(rows * columns).split_up(columns)
}

/// The rows one after the other; another name of `concat`. Source: FCL 2016 §3.
fn flatten<T, S: Size>(xss: Pull<Pull<T>, S>) -> Pull<T, S> {
    xss.concat()
}

/// Rows as columns. Nothing is stored. Source: FCL 2016 §3.
fn transpose<T>(xss: Pull<Pull<T>>) -> Pull<Pull<T>> {
    mk_pull(xss[0].len(), |j| mk_pull(xss.len(), |i| xss[i][j]))
}

/// Stores a matrix with `k` unused elements after every row, so that with an odd row in all a column's elements fall into
/// different banks. Cost: as `compute`, and `k` elements of shared memory a row. Source: LANGUAGE.md §4; FCL 2016 §3.
fn compute_rows_padded<L: Compute, T: Data>(xss: Pull<Pull<T>>, k: u32) -> Program<L, Pull<Pull<T>>> {
    let n = xss[0].len();
    xss.flatten().compute_padded(n, k).split_up(n)
}

/// The inner product of two vectors of one length, in one thread. Source: Obsidian's examples (`MatMul`).
fn seq_dot<T: Num, S: Size>(xs: Pull<T, S>, ys: Pull<T, S>) -> Program<Thread, T> {
    xs.zip_with(ys, |a, b| a * b).seq_reduce(|a, b| a + b)
}
