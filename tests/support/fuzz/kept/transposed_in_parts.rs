// buffer u16: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
// output: 13 13 2 4 6 8 10 12 13 1 3 5 7 9 11 13
#[kernel(threads = 1)]
pub fn k(v1: DPull<u16>) -> Program<Device, DPush<Grid, u16>> {
    ({ let a3 = v1.shift_right(3, 13u16); transpose_2d(a3, 2 - a3.len() % 2) }).split_up(16).as_grid_map(|v4| v4.push())
}
