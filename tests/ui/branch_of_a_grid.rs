use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn cleared(n: u32, m: DMut<i32>) -> Program<Grid, ()> {
        if n > 3 {
            write_to(m, m.to_pull().map(|_x| 0).push());
        }
    }
}

fn main() {}
