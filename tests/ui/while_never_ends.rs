use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn stuck(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| {
            let mut ys = c;
            let n = 4;
            while n > 2 {
                ys = ys.reverse();
            }
            ys.push()
        })
    }
}

fn main() {}
