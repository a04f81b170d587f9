//! Programs of tiles in a chain: scans whose prefixes are one fold over the tiles, and folds that do not associate.

use obsidian::Module;
use obsidian::prelude::*;

kernel! {
    use crate::operators::associative::*;

    /// A scan: each tile's elements after all that is before the tile.
    #[kernel(
        threads = 96,
        OP = [0, 1, 2],
        T = [u32, i64, f32, f64],
        where(T == u32 || T == i64 && OP == 2 || T == f32 && OP == 0 || T == f64 && OP == 1)
    )]
    pub fn device_chained<const OP: u32, T: Num>(xs: DPull<T>, init: T) -> Program<Device, DPull<T>> {
        chain(
            xs.chunks(512),
            init,
            |tile| {
                let inside = scan(tile, |a, b| combined::<OP, _>(a, b));
                (inside.last(), inside)
            },
            |a, b| combined::<OP, _>(a, b),
            |_tile, before, inside| inside.map(|x| combined::<OP, _>(before, x)).push(),
        )
    }

    /// The values of `y = m * y + x`: tiles give maps, the fold applies them, so what is carried is no map.
    #[kernel(threads = [256, 33])]
    pub fn device_recurrence(xs: DPull<(u32, u32)>, first: u32) -> Program<Device, DPull<u32>> {
        chain(
            xs.chunks(300),
            first,
            |tile| {
                let maps = scan(tile, |f, g| then(f, g));
                (maps.last(), maps)
            },
            |y, map| map.0 * y + map.1,
            |_tile, y, maps| maps.map(|map| map.0 * y + map.1).push(),
        )
    }

    /// Each element after a hash of the tiles before its own and their number: a fold that does not associate, of a wider state than
    /// what a tile gives.
    #[kernel(threads = [256, 33])]
    pub fn device_hashed(xs: DPull<u32>) -> Program<Device, DPull<(u32, u64, u32)>> {
        chain(
            xs.chunks(64),
            (2166136261u32, 0u64),
            |tile| (scan(tile, |a, b| a + b).last(), ()),
            |hash, sum| ((hash.0 ^ sum ^ (hash.0 >> 7)) * 16777619, hash.1 + 1),
            |tile, hash, _nothing| tile.map(|x| (hash.0, hash.1, x)).push(),
        )
    }

    /// Which bytes of a text are quoted: a state machine of two states, whose map a tile gives as two bits.
    #[kernel(threads = 96)]
    pub fn device_quoted(text: DPull<u8>) -> Program<Device, DPull<bool>> {
        chain(
            text.chunks(1024),
            false,
            |tile| {
                let odd = scan(tile.map(|c| c == 34u8), |a, b| a != b);
                (odd.last(), odd)
            },
            |inside, odd| inside != odd,
            |_tile, inside, odd| odd.map(|o| inside != o).push(),
        )
    }
}

/// Every module of this file.
pub fn modules() -> Vec<&'static Module> {
    vec![device_chained.module(), device_recurrence.module(), device_hashed.module(), device_quoted.module()]
}
