use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn gathered(input: DPull<i32>, places: Pull<u32, 128>) -> DPush<Grid, i32> {
        input.split_up(128).as_grid_map(|c| exec_block({
            let m = new_mut(c);
            let v = m.to_pull();
            mk_pull(128, |i| v[places[i] & 127]).push().compute_in_place(m)
        }))
    }
}

fn main() {}
