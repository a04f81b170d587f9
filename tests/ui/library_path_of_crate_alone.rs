use obsidian::prelude::*;

kernel! {
    use obsidian_fixture_nets;

    #[kernel(threads = 64)]
    pub fn copy(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.push()
    }
}

fn main() {}
