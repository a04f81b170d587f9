use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn rows_for_one_array(m: DMat<f32>) -> DPush<Grid, f32> {
        m.as_grid_rows(|row| row.map(|x| x * 2.0).push())
    }

    #[kernel]
    pub fn one_array_for_rows(m: DMat<f32>) -> PushMat<Grid, f32> {
        m.as_grid_map(|row| row.map(|x| x * 2.0).push())
    }

    #[kernel]
    pub fn one_array_for_two(xs: DPull<f32>) -> (DPush<Grid, f32>, DPush<Grid, f32>) {
        xs.split_up(64).as_grid_map(|row| row.map(|x| x * 2.0).push())
    }
}

fn main() {}
