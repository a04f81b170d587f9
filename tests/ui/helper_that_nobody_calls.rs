//! A helper that no kernel leads to is told as a function of Rust's that nobody calls.
#![deny(dead_code)]

use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn ones(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|_x| one()).push()
    }

    fn one() -> u32 {
        1
    }

    fn nobody_calls() -> u32 {
        nor_this()
    }

    fn nor_this() -> u32 {
        1
    }

    fn _silenced() -> u32 {
        1
    }

    #[allow(dead_code)]
    fn silenced() -> u32 {
        1
    }
}

fn main() {}
