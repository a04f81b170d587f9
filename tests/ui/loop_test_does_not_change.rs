use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn stuck(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| while_(x, |_y| true, |y| y + 1)).push()
    }
}

fn main() {}
