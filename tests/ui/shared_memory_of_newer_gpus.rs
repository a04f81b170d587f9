use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64, shared = 200000)]
    pub fn products(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(16384).as_grid_map(|chunk| {
            let a = chunk.map(|x| x + 1).compute();
            let b = a.reverse().compute();
            a.zip_with(b, |x, y| x * y).push()
        })
    }
}

fn main() {}
