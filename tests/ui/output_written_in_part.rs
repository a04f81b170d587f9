use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn halves(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(32, |i| write(c[i], i))))
    }

    #[kernel(threads = 64)]
    pub fn positive(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| {
            mk_push(64, |write| for_all(64, |i| {
                if c[i] > 0 {
                    write(c[i], i);
                }
            }))
        })
    }

    #[kernel(threads = 64)]
    pub fn positive_computed(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| exec_block({
            let positive = mk_push(64, |write| for_all(64, |i| {
                if c[i] > 0 {
                    write(c[i], i);
                }
            }));
            positive.compute().map(|x| x + 1).push()
        }))
    }
}

fn main() {}
