use obsidian::prelude::*;

kernel! {
    #[kernel(T = [i32, f32])]
    pub fn ones<T: Num>(n: u32) -> DPush<Grid, i32> {
        mk_pull(n, |_i| 1).to_dyn().split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
