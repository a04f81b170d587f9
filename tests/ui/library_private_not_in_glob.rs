use obsidian::prelude::*;

kernel! {
    use obsidian_fixture_nets::compare::*;

    #[kernel(threads = 64)]
    pub fn halved(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| c.map(|x| lesser(x, 1)).push())
    }
}

fn main() {}
