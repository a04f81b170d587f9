use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn first(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| if x > 3 { break } else { x }).push()
    }

    #[kernel(threads = 64)]
    pub fn valued(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| loop { if x > 3 { break x; } }).push()
    }

    #[kernel(threads = 64)]
    pub fn labelled(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| { 'outer: for i in 0..x { for j in 0..i { if j > 3 { break 'outer; } } } x }).push()
    }

    #[kernel(threads = 64)]
    pub fn endless(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| { let mut n = x; loop { n += 1; } }).push()
    }
}

fn main() {}
