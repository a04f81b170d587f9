use obsidian::prelude::*;

kernel! {
    fn count<L: Compute>(n: u32, xs: Pull<i32>) -> Program<L, Push<L, i32>> {
        if n == 0 { xs.push() } else { count(n - 1, xs.compute()) }
    }

    #[kernel(threads = 64)]
    pub fn wrong(n: u32, input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|chunk| count(n, chunk))
    }
}

fn main() {}
