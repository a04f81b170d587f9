// buffer u32: 3 1 4 1 5 9 2 6 5 3 5 8
// output: 6 8 10 4 8 2 2 18 12 4
// output: 7 6 5 4 3 2 1 0 15 14 13 12 11 10 9 8 23 22 21 20 19 18 17 16
#[kernel(threads = 5)]
pub fn k(v7: DPull<u32>) -> (DPush<Grid, u32>, Push<Grid, u32>) {
    (v7.coalesce(6).as_grid_map(|c| mk_pull(5, |i| c[i % 6] + c[i & 3]).push()),
     iota(1).as_grid_map(|v4| vee2(iota(24), 2, |a, b| b, |a, b| a)))
}
