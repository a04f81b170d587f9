use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn two_values(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| { assert!(x < 10, "{} of {}", x, 10); x }).push()
    }

    #[kernel(threads = 64)]
    pub fn no_value(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| { assert!(x < 10, "x is {}"); x }).push()
    }

    #[kernel(threads = 64)]
    pub fn equal(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| { assert_eq!(x, 10); x }).push()
    }
}

kernel! {
    #[kernel(threads = 64)]
    pub fn wide(xs: DPull<f64>) -> DPush<Grid, f64> {
        xs.map(|x| { assert!(x < 10.0, "x is {x}"); x }).push()
    }

    #[kernel(threads = 64)]
    pub fn no_condition(xs: DPull<u32>) -> DPush<Grid, u32> {
        assert!(xs[0] > 0, "begins with zero");
        xs.map(|x| { assert!(x); x }).push()
    }
}

fn main() {}
