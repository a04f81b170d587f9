use obsidian::prelude::*;

kernel_lib! {
    pub mod mine {
        pub fn in_order<T: Num>(p: (T, T)) -> (T, T) {
            (max(p.0, p.1), min(p.0, p.1))
        }
    }
}

kernel! {
    use mine::*;
    use obsidian_fixture_nets::compare::*;

    #[kernel(threads = 64)]
    pub fn ordered(xs: DPull<(i32, i32)>) -> DPush<Grid, (i32, i32)> {
        xs.split_up(64).as_grid_map(|c| c.map(in_order).push())
    }
}

fn main() {}
