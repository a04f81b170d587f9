use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn own(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(64, |i| {
            let m = replicate(4194304, c[i]).push().new_mut();
            write(m[i], i);
        })))
    }
}

fn main() {}
