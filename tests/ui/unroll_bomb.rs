use obsidian::prelude::*;

kernel! {
    fn count(n: u32) -> u32 {
        let mut total = 0;
        for i in 0..n {
            for j in 0..n {
                total = total + i * j;
            }
        }
        total
    }

    #[kernel(threads = 64)]
    pub fn bomb(input: DPull<u32>) -> DPush<Grid, u32> {
        input.map(|x| x + count(100000)).split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {}
