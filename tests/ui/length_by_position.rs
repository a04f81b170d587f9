use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn rests(xs: DPull<u32>) -> DPush<Grid, u32> {
        let chunks = xs.chunks(64);
        let pairs = mk_pull(chunks.len(), |b| (chunks[b], xs.drop(b * 2)));
        pairs.as_grid_map(|c| exec_block(reduce(c.0.append(c.1), |a, b| a + b)))
    }
}

fn main() {}
