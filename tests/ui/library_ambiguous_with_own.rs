use obsidian::prelude::*;

kernel_lib! {
    pub mod first {
        pub fn twice(x: i32) -> i32 {
            x + x
        }
    }
}

kernel_lib! {
    pub mod second {
        pub fn twice(x: i32) -> i32 {
            2 * x
        }
    }
}

kernel! {
    use first::*;
    use second::*;

    #[kernel]
    pub fn doubled(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.map(|x| twice(x)).push()
    }
}

fn main() {}
