/// Left fold of a non-empty array, a loop in one thread. Source: JFP 2016 §6.2 (`seqReduce`).
fn seq_reduce<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Program<Thread, T> {
    seq_fold(xs.len() - 1, xs[0], |acc, i| f(acc, xs[i + 1]))
}

/// Left fold of a non-empty array, unrolled. Source: Obsidian's library (`fold1`).
fn fold1<T>(xs: Pull<T>, f: impl Fn(T, T) -> T) -> T {
    let mut acc = xs[0];
    for i in 1..xs.len() {
        acc = f(acc, xs[i]);
    }
    acc
}
