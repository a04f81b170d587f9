use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn own(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(64, |i| {
            let r = mk_push(4, |w| w(c[i], 0)).compute();
            write(r[3], i);
        })))
    }
}

fn main() {}
