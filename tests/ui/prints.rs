use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn shown_otherwise(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| { println!("{:?}", x); x }).push()
    }

    #[kernel(threads = 64)]
    pub fn no_value(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| { print!("{} of {}", x); x }).push()
    }

    #[kernel(threads = 64)]
    pub fn no_text(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| { println!(x); x }).push()
    }
}

kernel! {
    #[kernel(threads = 64)]
    pub fn a_pair(xs: DPull<(u32, u32)>) -> DPush<Grid, u32> {
        xs.map(|x| { println!("{x}"); x.0 }).push()
    }
}

kernel! {
    #[kernel(threads = 64)]
    pub fn by_nobody(xs: DPull<u32>) -> DPush<Grid, u32> {
        println!("{} elements", xs.len());
        xs.push()
    }
}

fn main() {}
