use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn stuck(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| {
            let mut y = x;
            while true {
                y = y + 1;
            }
            y
        }).push()
    }
}

fn main() {}
