use obsidian::prelude::*;

kernel! {
    fn f(c: Pull<u32>) -> Program<Block, Pull<u32>> { c.compute() }
    #[kernel]
    pub fn k(x: DPull<u32>) -> DPush<Grid, u32> {
        x.split_up(64).as_grid_map(|c| c.split_up(8).as_block_map(|d| exec_thread(f(d).push())))
    }
}

fn main() {}
