use obsidian::prelude::*;

kernel! {
    use obsidian_fixture_nets::compare::{in_order, lesser};

    #[kernel(threads = 64)]
    pub fn halved(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x| lesser(x, 1)).push()
    }
}

fn main() {}
