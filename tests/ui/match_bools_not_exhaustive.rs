use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn which(input: DPull<(bool, bool)>) -> DPush<Grid, u8> {
        input
            .map(|p| match p {
                (true, _) => 1,
                (false, x) if x => 2,
                (_, true) => 3,
            })
            .split_up(64)
            .as_grid_map(|c| c.push())
    }
}

fn main() {}
