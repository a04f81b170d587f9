// output: 6 6
#[kernel(threads = 2)]
pub fn k() -> Push<Grid, u32> {
    iota(1).as_grid_map(|v1| iota(2).as_block_map(|v2| exec_thread({
        let m = mk_pull(1, |v3| 0u32).new_mut();
        for_all(3, |i| { atomic_add(m, 0, 2u32); });
        m.to_pull().push()
    })))
}
