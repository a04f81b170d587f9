/// The first launch of a large reduction (JFP 2016 §7.1): a sum for each block, by every reduction, for three numbers of elements a
/// block and every number of threads.
#[kernel(
    threads = [32, 64, 128, 256, 512, 1024],
    RED = [1, 2, 3, 4, 5, 6, 7],
    N = [2048, 4096, 8192],
    max_variants = 126
)]
pub fn sums_of_blocks<const RED: u32, const N: u32>(input: DPull<u32>) -> DPush<Grid, u32> {
    input.split_up(N).as_grid_map(|c| exec_block(reduced(c, RED)))
}

/// The second: one block adds 4,096 of these sums, by every reduction and for every number of threads.
#[kernel(threads = [32, 64, 128, 256, 512, 1024], RED = [1, 2, 3, 4, 5, 6, 7], max_variants = 42)]
pub fn sum_of_sums<const RED: u32>(input: Pull<u32, 4096>) -> Push<Grid, u32> {
    singleton(input).as_grid_map(|c| exec_block(reduced(c, RED)))
}

/// JFP 2016 §6.2.
fn reduced(c: Pull<u32>, which: u32) -> Program<Block, Push<Block, u32>> {
    match which {
        1 => red1(c, |a, b| a + b),
        2 => red2(c, |a, b| a + b),
        3 => red3(c, 2, |a, b| a + b),
        4 => red4(c, |a, b| a + b),
        5 => red5(c, |a, b| a + b),
        6 => red6(c, |a, b| a + b),
        _ => red7(c, |a, b| a + b),
    }
}
