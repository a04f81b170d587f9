use obsidian::prelude::*;

kernel! {
    #[kernel(N = [64, 128])]
    pub fn copy<const N: u32>(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(N).as_grid_map(|c| c.push())
    }

    #[kernel(N = [64, 128])]
    pub fn turn<const N: u32>(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(N).as_grid_map(|c| c.reverse().push())
    }
}

fn main() {
    let _ = copy.with(TurnParams { threads: 256, N: 64 });
}
