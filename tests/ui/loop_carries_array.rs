use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn shift(m: DMat<i32>, n: u32) -> DPush<Grid, i32> {
        m.as_grid_map(|row| exec_block({
            let mut ys = row;
            for k in 0..n {
                ys = ys.map(|y| y + k as i32);
            }
            reduce(ys, |a, b| a + b)
        }))
    }
}

fn main() {}
