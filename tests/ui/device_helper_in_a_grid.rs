use obsidian::prelude::*;

kernel! {
    fn total(xs: DPull<u32>) -> Program<Device, u32> {
        reduce(xs, |a, b| a + b).first()
    }

    #[kernel(threads = 64)]
    pub fn shares(xs: DPull<u32>) -> DPush<Grid, u32> {
        let sum = total(xs);
        xs.map(|x| x / sum).push()
    }
}

fn main() {}
