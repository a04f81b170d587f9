use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn reversed(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(128).as_grid_map(|c| exec_block({
            let m = new_mut(c);
            m.to_pull().reverse().push().compute_in_place(m)
        }))
    }
}

fn main() {}
