use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn repeated(input: DPull<i32>, n: u32) -> DPush<Grid, i32> {
        input.split_up(256).as_grid_map(|c| {
            let mut xs = c;
            let mut k = 0;
            while k < n {
                xs = xs.reverse().compute();
                k += 1;
            }
            xs.push()
        })
    }
}

fn main() {}
