use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn shift(xs: DPull<i32>, n: u32) -> DPush<Grid, i32> {
        xs.split_up(64).as_grid_map(|c| c.split_up(4).as_block_map(|p| exec_thread({
            let mut ys = p.take(2);
            for _k in 0..n {
                ys = ys.map(|x| x + 1);
            }
            ys.first()
        })))
    }
}

fn main() {}
