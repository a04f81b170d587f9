// Launches of every kind that a manifest describes, for the programs in other languages that read it.

/// Tuples, two scalars and a length that is none of its multiples: two outputs, one of tuples.
#[kernel(threads = [32, 64])]
pub fn mixed(pairs: DPull<(i32, f32)>, by: f32, on: bool) -> (DPush<Grid, f32>, DPush<Grid, (bool, u32)>) {
    let products = pairs.map(|(n, x)| if on { n as f32 * x * by } else { x });
    let signs = pairs.map(|(n, _)| (n < 0, n as u32));
    (products.push(), signs.push())
}

/// An index by data, tested when the kernel runs.
#[kernel(threads = 32)]
pub fn gathered(table: DPull<u32>, places: DPull<u32>) -> DPush<Grid, u32> {
    places.map(|i| 2 * table[i] + 1).push()
}

/// The sum of each 1000 neighbours: of whole thousands only, which a launch is asked for.
#[kernel(threads = 32)]
pub fn thousands(xs: DPull<u32>) -> DPush<Grid, u32> {
    xs.split_up(1000).as_grid_map(|c| exec_block(reduce(c, |a, b| a + b)))
}

/// A buffer that is updated.
#[kernel(threads = 32)]
pub fn counted(keys: DPull<u32>, bins: Mut<u32, 16>) -> Program<Grid, ()> {
    histogram_into(keys.map(|k| k % 16), bins)
}
