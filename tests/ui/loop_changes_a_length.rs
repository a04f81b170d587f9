use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn halved(xs: DPull<i32>, n: u32) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| exec_block({
            let mut ys = c;
            for _k in 0..n {
                let (low, high) = ys.halve();
                ys = low.zip_with(high, |a, b| a + b).compute();
            }
            ys.push()
        }))
    }
}

fn main() {}
