/// `f` of each element in a thread, joined one after the other. Source: JFP 2016 §4.3.
fn as_thread_map<A, T: Data, S: Size>(xs: Pull<A, S>, f: impl Fn(A) -> Push<Thread, T>) -> Push<Thread, T, S> {
    xs.map(|x| exec_thread(f(x))).as_thread()
}

/// `f` of each element at its level, joined by a warp. Source: JFP 2016 §4.3.
fn as_warp_map<L: AtMost<Warp>, A, T: Data>(xs: Pull<A>, f: impl Fn(A) -> Push<L, T>) -> Push<Warp, T> {
    xs.map(|x| exec(f(x))).as_warp()
}

/// `f` of each element at its level, joined by a block. Source: JFP 2016 §4.3.
fn as_block_map<L: AtMost<Block>, A, T: Data>(xs: Pull<A>, f: impl Fn(A) -> Push<L, T>) -> Push<Block, T> {
    xs.map(|x| exec(f(x))).as_block()
}

/// `f` of each element in a block of its own. Source: JFP 2016 §4.3.
fn as_grid_map<A, T: Data, S: Size>(xs: Pull<A, S>, f: impl Fn(A) -> Push<Block, T>) -> Push<Grid, T, S> {
    xs.map(|x| exec_block(f(x))).as_grid()
}
