use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn count(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| {
            let mut n = x;
            let mut steps = 0;
            while { steps += 1; n > 1 } {
                n = n / 2;
            }
            steps
        }).push()
    }
}

fn main() {}
