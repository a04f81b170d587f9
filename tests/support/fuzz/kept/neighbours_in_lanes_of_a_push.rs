// output: 1 0 3 2 5 4 7 6 9 8 11 10
#[kernel(threads = 33)]
pub fn k() -> Push<Grid, u32> {
    iota(1).as_grid_map(|v5| iota(1).as_block_map(|v13| exec_warp(iota(64).split_up(2).as_warp_map(|v15| exec_thread(v15.reverse())).compute_lanes(2).take(12))))
}
