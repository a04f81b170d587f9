use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64, deny(guards))]
    pub fn followed(places: DPull<u32>) -> DPush<Grid, u32> {
        places.split_up(64).as_grid_map(|c| exec_block({
            let next = c.compute();
            next.map(|i| next[i]).push()
        }))
    }
}

fn main() {}
