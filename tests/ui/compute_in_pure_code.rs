use obsidian::prelude::*;

kernel! {
    fn pure(xs: Pull<i32>) -> Pull<i32> {
        xs.map(|x| x * x).compute()
    }

    #[kernel(threads = 64)]
    pub fn unused(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
