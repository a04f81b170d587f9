use obsidian::prelude::*;

kernel! {
    use obsidian_fixture_nets::deep::sums::endless;

    #[kernel(threads = 64)]
    pub fn waiting(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| c.map(endless).push())
    }
}

fn main() {}
