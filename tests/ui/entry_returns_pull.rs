use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn wrong(input: DPull<i32>) -> DPull<i32> {
        input.map(|x| x + 1)
    }
}

fn main() {}
