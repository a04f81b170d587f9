use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn powers(n: u32, input: DPull<i32>) -> DPush<Grid, i32> {
        let mut ys = input;
        for _k in 0..n {
            ys = ys.zip_with(input, |a, b| a * b);
        }
        ys.push()
    }
}

fn main() {}
