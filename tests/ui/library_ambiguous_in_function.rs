use obsidian::prelude::*;

kernel_lib! {
    pub mod mine {
        pub fn lesser_of(x: i32, y: i32) -> i32 {
            min(x, y)
        }

        pub fn in_order(p: (i32, i32)) -> (i32, i32) {
            (lesser_of(p.0, p.1), max(p.0, p.1))
        }
    }
}

kernel! {
    use obsidian_fixture_nets::compare::*;
    use mine::*;

    fn ordered(a: i32, b: i32) -> (i32, i32) {
        in_order((a, b))
    }

    #[kernel]
    pub fn pairs(xs: DPull<i32>) -> DPush<Grid, (i32, i32)> {
        xs.map(|x| ordered(x, 0)).push()
    }
}

fn main() {}
