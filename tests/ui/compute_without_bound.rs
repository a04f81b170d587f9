use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn twice(m: DMat<i32>) -> PushMat<Grid, i32> {
        m.as_grid_rows(|row| row.map(|x| x + x).compute().reverse().push())
    }
}

fn main() {}
