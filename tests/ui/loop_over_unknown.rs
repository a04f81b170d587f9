use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn powers(n: u32, input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| {
            let mut ys = c;
            for _k in 0..n {
                ys = ys.zip_with(c, |a, b| a * b);
            }
            ys.push()
        })
    }
}

fn main() {}
