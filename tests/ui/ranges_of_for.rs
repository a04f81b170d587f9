use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn last_step_first(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {
        xs.map(|x| {
            let mut sum = x;
            for i in (0..n).step_by(3).rev() { sum += i; }
            sum
        }).push()
    }
}

kernel! {
    #[kernel]
    pub fn endless(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.map(|x| {
            let mut sum = x;
            for i in (0..).step_by(3) { sum += i; }
            sum
        }).push()
    }
}

fn main() {}
