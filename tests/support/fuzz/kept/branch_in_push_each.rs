// output: 0 0 0 7
#[kernel(threads = 1)]
pub fn k() -> Push<Grid, i64> {
    iota(1).as_grid_map(|v14| iota(1).as_block_map(|v19| exec_warp({
        let m = mk_pull(1, |v16| 0i64).new_mut();
        for_all(1, |i| { atomic_or(m, 0, 7i64); });
        m.to_pull().pad_to(4, 0i64).tsort2()
    })))
}
