use obsidian::prelude::*;

kernel! {
    use obsidian_fixture_nets::compare::lesser as least;

    #[kernel(threads = 64)]
    pub fn halved(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x| least(x, 1)).push()
    }
}

fn main() {}
