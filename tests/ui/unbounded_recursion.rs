use obsidian::prelude::*;

kernel! {
    fn forever<L: Compute>(xs: Pull<i32>) -> Program<L, Push<L, i32>> {
        forever(xs.map(|x| x + 1).compute())
    }

    #[kernel(threads = 64)]
    pub fn wrong(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|chunk| forever(chunk))
    }
}

fn main() {}
