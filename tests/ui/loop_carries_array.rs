use obsidian::prelude::*;

kernel! {
    fn shifted(n: u32, xs: Pull<i32>) -> Program<Thread, i32> {
        let mut ys = xs;
        for _k in 0..n {
            ys = ys.reverse();
        }
        ys.first()
    }

    #[kernel]
    pub fn shift(input: DPull<i32>, n: u32) -> DPush<Grid, i32> {
        input.split_up(256).as_grid_map(|c| c.split_up(4).as_block_map(|p| exec_thread(shifted(n, p))))
    }
}

fn main() {}
