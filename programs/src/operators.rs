//! Operators of the programs of several launches.

use obsidian::prelude::*;

kernel_lib! {
    /// Operators that associate.
    pub(crate) mod associative {
        /// Three operators that associate: a sum, the greater one, and the last one that is not 0, which does not commute.
        pub fn combined<const OP: u32, T: Num>(a: T, b: T) -> T {
            match OP {
                0 => a + b,
                1 => max(a, b),
                _ => if b == 0 as T { a } else { b },
            }
        }

        /// Affine maps, one after the other.
        pub fn then(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
            (f.0 * g.0, f.1 * g.0 + g.1)
        }
    }
}
