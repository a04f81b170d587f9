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

/// A loop in one thread: `acc = f(i, acc)` for `i` in `0 .. n`. Source: Obsidian's library (`seqIterate`).
fn seq_iterate<A: Data>(n: u32, init: A, f: impl Fn(u32, A) -> Program<Thread, A>) -> Program<Thread, A> {
    seq_fold(n, init, |acc, i| f(i, acc))
}

/// `f` of each element, written by a loop in one thread. Source: Obsidian's library (`seqMap`).
fn seq_map<A, B: Data, S: Size>(xs: Pull<A, S>, f: impl Fn(A) -> B) -> Push<Thread, B, S> {
    xs.map(f).push()
}

/// A loop in one thread that carries a value from the first element to the last: `f` gives the next value and an element of
/// the result. Source: Obsidian's library (`mapAccumL`).
fn map_accum_l<T, A: Data, B: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> Program<Thread, (A, B)>) -> Push<Thread, B, S> {
    xs.s_map_accum(init, |acc, x| {
        let (next, y) = f(acc, x);
        (next, singleton(y).push())
    })
}

/// As `map_accum_l`, from the last element to the first. Source: Obsidian's library (`mapAccumR`).
fn map_accum_r<T, A: Data, B: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> Program<Thread, (A, B)>) -> Push<Thread, B, S> {
    xs.reverse().map_accum_l(init, f).reverse()
}

/// The left folds of all beginnings of a non-empty array, by a loop in one thread. Source: Obsidian's library (`seqScan`).
fn seq_scan<T: Data, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> Push<Thread, T, S> {
    xs.take(1).push().append(xs.tail().seq_scan_cin(xs[0], f))
}

/// The left folds of all beginnings but the empty one, from `init`, by a loop in one thread. Source: Obsidian's library
/// (`seqScanCin`).
fn seq_scan_cin<T, A: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> A) -> Push<Thread, A, S> {
    xs.map_accum_l(init, |acc, x| {
        let next = f(acc, x);
        (next, next)
    })
}

/// `f` of `f` of .. `x`, `n` times, unrolled while compiling. Source: Obsidian's library (`rep`).
fn rep<L: Level, A>(n: u32, f: impl Fn(A) -> Program<L, A>, x: A) -> Program<L, A> {
    let mut y = x;
    for _k in 0..n {
        y = f(y);
    }
    y
}

/// A loop of the whole level over an array: round `k` makes the next array, of the same length, of `k` and the last one.
/// Two buffers serve all rounds; their number may be known at launch only. Source: FCL 2016 (`power`).
fn power<L: Compute, T: Data>(xs: Pull<T>, n: u32, step: impl Fn(u32, Pull<T>) -> Program<L, Push<L, T>>) -> Program<L, Pull<T>> {
    let m = two_buffers(xs);
    seq_for(n, |k| turn_buffers(m, k, step(k, half_of(m, k))));
    half_of(m, n)
}

/// A loop of the whole level over an array, as long as `test` holds: `step` makes the next array, of the same length. Two
/// buffers serve all rounds. Source: FCL 2016 (`while`).
fn while_<L: Compute, T: Data>(xs: Pull<T>, test: impl Fn(Pull<T>) -> bool, step: impl Fn(Pull<T>) -> Program<L, Push<L, T>>) -> Program<L, Pull<T>> {
    let m = two_buffers(xs);
    let rounds = seq_while(0u32, |k| test(half_of(m, k)), |k| {
        turn_buffers(m, k, step(half_of(m, k)));
        k + 1
    });
    half_of(m, rounds)
}

/// Memory for two arrays of that length, the first being `xs`: what `power` and `while_` work in. Source: reference.md §5.
fn two_buffers<L: Compute, T: Data>(xs: Pull<T>) -> Program<L, Mut<T>> {
    new_mut(mk_pull(2 * xs.len(), |i| xs[i % xs.len()]))
}

/// What round `k` of a loop in two buffers reads. Source: reference.md §5.
fn half_of<T>(m: Mut<T>, k: u32) -> Pull<T> {
    let len = m.len() / 2;
    let both = m.to_pull();
    mk_pull(len, |j| both[k % 2 * len + j])
}

/// What round `k` of a loop in two buffers writes. Source: reference.md §5.
fn turn_buffers<L: Compute, T: Data>(m: Mut<T>, k: u32, xs: Push<L, T>) -> Program<L, ()> {
    let len = m.len() / 2;
    push_app(xs.from_dyn(len), |x, j| {
        // Each index once, as `xs` writes them, and never the half that this round reads.
        unsafe {
            m[(1 - k % 2) * len + j] = x;
        }
    })
}

/// Left fold from `init`, a loop in one thread; the array may be empty. Source: FCL 2016 (`foldl`).
fn foldl<T, A: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> A) -> Program<Thread, A> {
    seq_fold(xs.len(), init, |acc, i| f(acc, xs[i]))
}

/// The left folds of all beginnings, the empty one first: one element more than the array has. Source: FCL's library
/// (`scanl`).
fn scanl<T, A: Data, S: Size>(xs: Pull<T, S>, init: A, f: impl Fn(A, T) -> A) -> Push<Thread, A, S> {
    replicate(1, init).push().append(xs.seq_scan_cin(init, f))
}
