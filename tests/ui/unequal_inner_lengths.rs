use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(input: Pull<i32, 1024>) -> Push<Grid, i32> {
        let parts = mk_pull(2, |i| if i == 0 { input.take(256) } else { input.drop(256) });
        parts.as_grid_map(|c| c.push())
    }
}

fn main() {}
