/// The seven reductions of JFP 2016 §6.2, for every number of elements a block and of threads. The first three store half of
/// their elements, which of 32,768 is more shared memory than a block has.
#[kernel(
    threads = [32, 64, 128, 256, 512, 1024],
    RED = [1, 2, 3, 4, 5, 6, 7],
    N = [256, 512, 1024, 2048, 4096, 8192, 16384, 32768],
    where(RED >= 4 || N < 32768),
    max_variants = 318
)]
pub fn sums<const RED: u32, const N: u32>(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(N).as_grid_map(|c| exec_block(match RED {
        1 => red1(c, |a, b| a + b),
        2 => red2(c, |a, b| a + b),
        3 => red3(c, 2, |a, b| a + b),
        4 => red4(c, |a, b| a + b),
        5 => red5(c, |a, b| a + b),
        6 => red6(c, |a, b| a + b),
        _ => red7(c, |a, b| a + b),
    }))
}
