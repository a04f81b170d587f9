use obsidian::prelude::*;

kernel! {
    fn same<T: Copy>(xs: Pull<T>) -> Pull<T> {
        xs
    }
}

fn main() {}
