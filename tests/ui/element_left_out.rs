use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn halves(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| exec_block({
            let half = mk_push(64, |write| for_all(32, |i| write(c[i], i))).compute();
            half.map(|x| x + 1).push()
        }))
    }
}

fn main() {}
