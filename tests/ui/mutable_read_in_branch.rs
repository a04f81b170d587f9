use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn raised(n: u32, total: DMut<i32>, input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| exec_block({
            let sums = total.to_pull();
            let by = if n > 3 { sums[0] } else { 0 };
            c.map(|x| x + by).push()
        }))
    }
}

fn main() {}
