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
/// different banks. Cost: as `compute`, and `k` elements of shared memory a row. Source: reference.md §4; FCL 2016 §3.
fn compute_rows_padded<L: Compute, T: Data>(xss: Pull<Pull<T>>, k: u32) -> Program<L, Pull<Pull<T>>> {
    let n = xss[0].len();
    xss.flatten().compute_padded(n, k).split_up(n)
}

/// The inner product of two vectors of one length, in one thread. Source: Obsidian's examples (`MatMul`).
fn seq_dot<T: Num, S: Size>(xs: Pull<T, S>, ys: Pull<T, S>) -> Program<Thread, T> {
    xs.zip_with(ys, |a, b| a * b).seq_reduce(|a, b| a + b)
}

/// A matrix as a matrix of tiles of `r` rows by `c` columns, which must divide it. Nothing is stored.
/// Source: FCL 2016 §3.
fn tiles<T>(xss: Pull<Pull<T>>, r: u32, c: u32) -> Pull<Pull<Pull<Pull<T>>>> {
    let across = div_exact(xss[0].len(), c);
    mk_pull(div_exact(xss.len(), r), |a| {
        mk_pull(across, |b| mk_pull(r, |i| mk_pull(c, |j| xss[a * r + i][b * c + j])))
    })
}

/// A matrix of tiles of `r` rows by `c` columns as one matrix, stored row by row: a block for each tile. Undoes `tiles`.
/// Source: FCL 2016 §3.
fn untile_grid<T: Data>(tiles: Pull<Pull<Push<Block, T>>>, r: u32, c: u32) -> Push<Grid, T> {
    tiles.concat().concat_2d_grid(tiles[0].len() * c, r, c)
}

/// A matrix of `columns` columns, stored row by row, as tiles of `r` rows by `c` columns, each stored row by row. Nothing
/// is stored anew. Source: FCL's library (`splitGrid`).
fn split_2d<T, S: Size>(xs: Pull<T, S>, columns: u32, r: u32, c: u32) -> Pull<Pull<T>, S> {
    let across = div_exact(columns, c);
    let down = div_exact(div_exact(xs.len(), columns), r);
    mk_pull(down * across, |t| {
        mk_pull(r * c, |k| xs[(t / across * r + k / c) * columns + t % across * c + k % c])
    })
}

/// Rows as columns of a matrix of `columns` columns, stored row by row: a block for each tile of `tile` rows and columns,
/// which reads rows, stores the tile, and writes rows. Cost: one phase, `tile * (tile + 1)` elements of shared memory, one
/// barrier; where `tile` is even, a column's elements are in different banks. Source: FCL 2016 §3.
fn transpose_tiled<T: Data>(xs: Pull<T>, columns: u32, tile: u32) -> Push<Grid, T> {
    let rows = div_exact(xs.len(), columns);
    let across = div_exact(rows, tile);
    let turned = mk_pull(div_exact(columns, tile) * across, |t| {
        let (row, column) = (t % across * tile, t / across * tile);
        let part = mk_pull(tile, |y| mk_pull(tile, |x| xs[(row + y) * columns + column + x]));
        exec_block(part.compute_rows_padded(1).transpose().flatten())
    });
    turned.concat_2d_grid(rows, tile, tile)
}

/// The inner product of two vectors of one length, at any level that can compute: products, then `reduce`.
/// Cost: ⌈log2 len⌉ phases. Source: Accelerate 2011 (`dotp`).
fn dot<L: Compute, T: Num>(xs: Pull<T>, ys: Pull<T>) -> Program<L, Push<L, T>> {
    xs.zip_with(ys, |a, b| a * b).reduce(|a, b| a + b)
}
