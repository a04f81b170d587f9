// buffer f32 u32: 1081866207; 1498240739
// buffer u32: 8
// output: 8
#[kernel(threads = 1)]
pub fn k(v1: DPull<(f32, u32)>, v3: Pull<u32, 1>) -> DPush<Grid, u32> {
    v1.as_grid_map(|v23| iota(1).as_block_map(|v27| v3.seq_scan(|v30, v31| 0u32)))
}
