/// The large scan of JFP 2016 §7.2 in three launches. The first: a sum for each block, by every reduction of §6.2.
#[kernel(
    threads = [32, 64, 128, 256, 512, 1024],
    RED = [1, 2, 3, 4, 5, 6, 7],
    N = [1024, 2048, 4096],
    max_variants = 126
)]
pub fn sums_of_chunks<const RED: u32, const N: u32>(input: DPull<u32>) -> DPush<Grid, u32> {
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

/// The second: one block scans at most 4,096 of these, by every scan of §6.3.
#[kernel(threads = [32, 64, 128, 256, 512, 1024], SCAN = [1, 2, 3, 4, 5], max_variants = 30)]
pub fn scan_of_sums<const SCAN: u32>(sums: DPull<u32>) -> DPush<Grid, u32> {
    sums.chunks(4096).as_grid_map(|c| exec_block({
        let scanned = scanned(c.pad_to(4096, 0), SCAN);
        scanned.to_dyn().take(c.len()).push()
    }))
}

/// The third: blocks scan the chunks by Sklansky's scans, each from the sum of those before it.
#[kernel(
    threads = [32, 64, 128, 256, 512, 1024],
    SCAN = [1, 2, 3],
    N = [1024, 2048, 4096],
    max_variants = 54
)]
pub fn scan_from_sums<const SCAN: u32, const N: u32>(input: DPull<u32>, before: DPull<u32>) -> DPush<Grid, u32> {
    let chunks = input.split_up(N);
    mk_pull(chunks.len(), |b| exec_block({
        let carry = if b == 0 { 0 } else { before[b - 1] };
        let scanned = scanned(chunks[b], SCAN);
        scanned.map(|x| x + carry).push()
    })).as_grid()
}

fn scanned(c: Pull<u32>, which: u32) -> Program<Block, Pull<u32>> {
    match which {
        1 => scan_sklansky1(c, |a, b| a + b),
        2 => scan_sklansky2(c, |a, b| a + b),
        3 => scan_sklansky3(c, |a, b| a + b),
        4 => scan_kogge_stone(c, |a, b| a + b),
        _ => scan_kogge_stone_push(c, |a, b| a + b),
    }
}
