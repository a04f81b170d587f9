use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn rests(xs: DPull<u32>) -> DPush<Grid, u32> {
        let chunks = xs.chunks(64);
        let pairs = mk_pull(chunks.len(), |b| (chunks[b], xs.drop(b * 2)));
        pairs.as_grid_map(|c| exec_block(reduce(c.0.append(c.1), |a, b| a + b)))
    }
}

kernel! {
    #[kernel(threads = 256)]
    pub fn tails(xs: DPull<u32>) -> DPush<Grid, u32> {
        let (n, tiles) = (xs.len(), xs.len() / 256 + min(xs.len() % 256, 1));
        mk_pull(tiles, |b| mk_pull(min(256, n - b * 256), |i| xs[b * 256 + i]).push()).as_grid()
    }
}

fn main() {}
