use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn repeated(input: DPull<i32>, n: u32) -> DPush<Grid, i32> {
        let mut xs = input;
        let mut k = 0;
        while k < n {
            xs = xs.map(|x| x / 2);
            k += 1;
        }
        xs.push()
    }
}

fn main() {}
