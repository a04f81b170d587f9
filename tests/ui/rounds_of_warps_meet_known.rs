use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn rounds(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(512).as_grid_map(|c| exec_block({
            let m = c.push().new_mut();
            distr_par(2, |w| seq_for(8, |k| for_all(32, |i| { m[(w + k) * 32 + i] = w; })));
            m.to_pull().push()
        }))
    }
}

fn main() {}
