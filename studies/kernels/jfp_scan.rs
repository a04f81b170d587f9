/// The scans of JFP 2016 §6.3, for every number of elements a block and of threads: Sklansky's as pull arrays, as push arrays, and
/// after each thread has loaded two elements; Kogge and Stone's as pull and as push arrays.
#[kernel(
    threads = [32, 64, 128, 256, 512, 1024],
    SCAN = [1, 2, 3, 4, 5],
    N = [256, 512, 1024, 2048, 4096],
    max_variants = 150
)]
pub fn scans<const SCAN: u32, const N: u32>(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(N).as_grid_map(|c| exec_block(match SCAN {
        1 => scan_sklansky1(c, |a, b| a + b),
        2 => scan_sklansky2(c, |a, b| a + b),
        3 => scan_sklansky3(c, |a, b| a + b),
        4 => scan_kogge_stone(c, |a, b| a + b),
        _ => scan_kogge_stone_push(c, |a, b| a + b),
    }))
}
