// buffer u8: 1 0 5 0 3 0 9 0 2 0 7 0
// output: 5 5 9
#[kernel(threads = 1)]
pub fn k(v3: DPull<u8>) -> Program<Device, DPush<Grid, u8>> {
    ({ let a9 = non_empty((v3.evens().compute()).odds()); scan_exclusive(a9, a9[0], |v7, v8| max(v7, v8)) }).as_grid_map(|v11| mk_pull(1, |v12| v11).push())
}
