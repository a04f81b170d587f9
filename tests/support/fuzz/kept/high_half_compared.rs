// buffer i32: 5 2147483648 7
// output: 1 0 1
#[kernel(threads = 32)]
pub fn k(v1: DPull<i32>) -> DPush<Grid, u32> {
    v1.split_up(3).as_grid_map(|v2| v2.map(|v3| (if (mul_hi(v3, v3) < (v3 & 3i32)) { 1u32 } else { 0u32 })).push())
}
