use obsidian::prelude::*;

kernel_lib! {
    pub fn twice<T: Num>(x: T) -> T {
        x + x
    }
}

fn main() {}
