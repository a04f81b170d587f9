use obsidian::prelude::*;

kernel! {
    fn twice(x: i32) -> i32 {
        x + x
    }

    fn twice(x: f32) -> f32 {
        x + x
    }
}

fn main() {}
