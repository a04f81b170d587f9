use obsidian::prelude::*;

kernel! {
    fn doubled(m: Mut<i32>) -> Pull<i32> {
        mk_pull(m.len(), |i| 2 * m[i])
    }

    #[kernel(threads = 64)]
    pub fn unused(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
