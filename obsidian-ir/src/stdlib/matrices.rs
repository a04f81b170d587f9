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

/// The inner product of two vectors of one length, in one thread. Source: Obsidian's examples (`MatMul`).
fn seq_dot<T: Num, S: Size>(xs: Pull<T, S>, ys: Pull<T, S>) -> Program<Thread, T> {
    xs.zip_with(ys, |a, b| a * b).seq_reduce(|a, b| a + b)
}
