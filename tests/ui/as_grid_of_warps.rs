use obsidian::prelude::*;

kernel! {
    fn warp_copy(xs: Pull<i32>) -> Push<Warp, i32> {
        xs.push()
    }

    #[kernel(threads = 64)]
    pub fn wrong(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(32).map(|c| warp_copy(c)).as_grid()
    }
}

fn main() {}
