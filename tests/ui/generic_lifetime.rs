use obsidian::prelude::*;

kernel! {
    fn same<'a>(xs: Pull<i32>) -> Pull<i32> {
        xs
    }

    #[kernel(threads = 64)]
    pub fn copy(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.push()
    }
}

fn main() {}
