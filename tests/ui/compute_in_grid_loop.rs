use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn chain(xs: DPull<i32>) -> DPush<Grid, i32> {
        let once = xs.map(|x| x + 1).compute();
        let twice = once.map(|x| x * 2).compute();
        twice.push()
    }
}

fn main() {}
