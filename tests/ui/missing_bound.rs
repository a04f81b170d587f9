use obsidian::prelude::*;

kernel! {
    fn total<L: Compute, T: Data>(xs: Pull<T>) -> Program<L, Push<L, T>> {
        reduce(xs, |a, b| a + b)
    }

    #[kernel(threads = 64)]
    pub fn totals(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| total(c))
    }
}

fn main() {}
