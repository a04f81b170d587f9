use obsidian::prelude::*;

kernel! {
    fn last_of(xs: Pull<i32>) -> i32 {
        let x = 0;
        for i in 0..xs.len() {
            x = xs[i];
        }
        x
    }
}

fn main() {}
