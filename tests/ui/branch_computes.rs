use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(n: u32, input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| {
            if n > 3 { c.reverse().compute().push() } else { c.push() }
        })
    }
}

fn main() {}
