use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn own(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(64, |i| {
            let m = mk_push(16, |w| w(c[i], 0)).new_mut();
            for k in 0..n { m[k % 16] = k; }
            write(m[5], i);
        })))
    }
}

fn main() {}
