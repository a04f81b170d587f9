//! The algorithms at `Device` as entries: of numbers of four types, and of pairs. `OP` is an operator.

use obsidian::prelude::*;

kernel! {
    /// A sum, the greater one, and the last that is not 0, which does not commute.
    fn number<const OP: u32, T: Num>(a: T, b: T) -> T {
        match OP {
            0 => a + b,
            1 => max(a, b),
            _ => if b == 0 as T { a } else { b },
        }
    }

    /// A sum of each field, the bounds of both, and sums that begin anew where the first is not 0, which do not commute.
    fn pair<const OP: u32>(a: (u32, i64), b: (u32, i64)) -> (u32, i64) {
        match OP {
            0 => (a.0 + b.0, a.1 + b.1),
            1 => (max(a.0, b.0), min(a.1, b.1)),
            _ => if b.0 == 0 { (a.0, a.1 + b.1) } else { b },
        }
    }

    /// Ascending, descending, and by a key that many share.
    fn number_order<T: Num>(order: u32, a: T, b: T) -> bool {
        if order == 0 { a <= b } else if order == 1 { a >= b } else { a as u32 % 17 <= b as u32 % 17 }
    }

    fn pair_order(order: u32, a: (u32, i64), b: (u32, i64)) -> bool {
        if order == 0 { a.0 <= b.0 } else if order == 1 { a.0 >= b.0 } else { a.1 % 17 <= b.1 % 17 }
    }

    /// Keys of all numbers, of few, and in descending order.
    fn key(by: u32, x: u32) -> u32 {
        if by == 0 { x } else if by == 1 { x % 17 } else { 4294967295 - x }
    }

    /// Some, none, all.
    fn kept(which: u32, x: u32) -> bool {
        if which == 0 { x % 3 == 0 } else { which == 2 }
    }

    #[kernel(threads = 96, OP = [0, 1, 2], T = [u32, i64, f32, f64])]
    pub fn reduced<const OP: u32, T: Num>(xs: DPull<T>) -> Program<Device, Pull<T>> {
        reduce(xs, |a, b| number::<OP, _>(a, b))
    }

    #[kernel(threads = 96, OP = [0, 1, 2])]
    pub fn reduced_pairs<const OP: u32>(xs: DPull<(u32, i64)>) -> Program<Device, Pull<(u32, i64)>> {
        reduce(xs, |a, b| pair::<OP>(a, b))
    }

    #[kernel(threads = 96, OP = [0, 1, 2], T = [u32, i64, f32, f64])]
    pub fn scanned<const OP: u32, T: Num>(xs: DPull<T>) -> Program<Device, DPull<T>> {
        scan(xs, |a, b| number::<OP, _>(a, b))
    }

    #[kernel(threads = 96, OP = [0, 1, 2])]
    pub fn scanned_pairs<const OP: u32>(xs: DPull<(u32, i64)>) -> Program<Device, DPull<(u32, i64)>> {
        scan(xs, |a, b| pair::<OP>(a, b))
    }

    #[kernel(threads = 96, OP = [0, 1, 2], T = [u32, i64, f32, f64])]
    pub fn before<const OP: u32, T: Num>(xs: DPull<T>, init: T) -> Program<Device, DPull<T>> {
        scan_exclusive(xs, init, |a, b| number::<OP, _>(a, b))
    }

    #[kernel(threads = 96, OP = [0, 1, 2])]
    pub fn before_pairs<const OP: u32>(xs: DPull<(u32, i64)>) -> Program<Device, DPull<(u32, i64)>> {
        scan_exclusive(xs, (3, 5), |a, b| pair::<OP>(a, b))
    }

    /// Segments begin where a key ends in a 0 of the base.
    #[kernel(threads = 96, OP = [0, 1, 2], T = [u32, i64, f32, f64])]
    pub fn in_segments<const OP: u32, T: Num>(xs: DPull<T>, keys: DPull<u32>, base: u32) -> Program<Device, DPull<T>> {
        segmented_scan(xs, keys.map(|k| k % base == 0), |a, b| number::<OP, _>(a, b))
    }

    // 13 bytes for an element and its flag, in two buffers of a tile that is not full.
    #[kernel(threads = 96, shared = 65536, OP = [0, 1, 2])]
    pub fn in_segments_pairs<const OP: u32>(xs: DPull<(u32, i64)>, keys: DPull<u32>, base: u32) -> Program<Device, DPull<(u32, i64)>> {
        segmented_scan(xs, keys.map(|k| k % base == 0), |a, b| pair::<OP>(a, b))
    }

    #[kernel(threads = 96, OP = [0, 1, 2], T = [u32, i64, f32, f64])]
    pub fn segments<const OP: u32, T: Num>(xs: DPull<T>, offsets: DPull<u32>, init: T) -> Program<Device, DPull<T>> {
        segmented_reduce(xs, offsets, init, |a, b| number::<OP, _>(a, b))
    }

    #[kernel(threads = 96, OP = [0, 1, 2])]
    pub fn segments_pairs<const OP: u32>(xs: DPull<(u32, i64)>, offsets: DPull<u32>) -> Program<Device, DPull<(u32, i64)>> {
        segmented_reduce(xs, offsets, (3, 5), |a, b| pair::<OP>(a, b))
    }

    #[kernel(threads = 96, T = [u32, i64, f32, f64])]
    pub fn sorted<T: Num>(xs: DPull<T>, order: u32) -> Program<Device, DPull<T>> {
        sort_by(xs, |a, b| number_order(order, a, b))
    }

    #[kernel(threads = 96)]
    pub fn sorted_pairs(xs: DPull<(u32, i64)>, order: u32) -> Program<Device, DPull<(u32, i64)>> {
        sort_by(xs, |a, b| pair_order(order, a, b))
    }

    #[kernel(threads = 96, T = [u32, i64, f32, f64])]
    pub fn by_key<T: Num>(xs: DPull<T>, by: u32) -> Program<Device, DPull<T>> {
        sort_by_key(xs, |x| key(by, x as u32))
    }

    #[kernel(threads = 96)]
    pub fn by_key_pairs(xs: DPull<(u32, i64)>, by: u32) -> Program<Device, DPull<(u32, i64)>> {
        sort_by_key(xs, |x| key(by, x.0))
    }

    #[kernel(threads = 96, T = [u32, i64, f32, f64])]
    pub fn first<T: Num>(xs: DPull<T>, k: u32, order: u32) -> Program<Device, DPull<T>> {
        top_k_by(xs, k, |a, b| number_order(order, a, b))
    }

    #[kernel(threads = 96)]
    pub fn first_pairs(xs: DPull<(u32, i64)>, k: u32, order: u32) -> Program<Device, DPull<(u32, i64)>> {
        top_k_by(xs, k, |a, b| pair_order(order, a, b))
    }

    #[kernel(threads = 96, T = [u32, i64, f32, f64])]
    pub fn counted<T: Num>(xs: DPull<T>, by: u32) -> Program<Device, Pull<u32>> {
        histogram(xs.map(|x| key(by, x as u32) % 60), 60)
    }

    #[kernel(threads = 96)]
    pub fn counted_pairs(xs: DPull<(u32, i64)>, by: u32) -> Program<Device, Pull<u32>> {
        histogram(xs.map(|x| key(by, x.0) % 60), 60)
    }

    #[kernel(threads = 96, T = [u32, i64, f32, f64])]
    pub fn filtered<T: Num>(xs: DPull<T>, which: u32) -> Program<Device, DPull<T>> {
        filter(xs, |x| kept(which, x as u32))
    }

    #[kernel(threads = 96)]
    pub fn filtered_pairs(xs: DPull<(u32, i64)>, which: u32) -> Program<Device, DPull<(u32, i64)>> {
        filter(xs, |x| kept(which, x.0))
    }

    #[kernel(threads = 96, T = [u32, i64, f32, f64])]
    pub fn parted<T: Num>(xs: DPull<T>, which: u32) -> Program<Device, (DPull<T>, DPull<T>)> {
        partition(xs, |x| kept(which, x as u32))
    }

    #[kernel(threads = 96)]
    pub fn parted_pairs(xs: DPull<(u32, i64)>, which: u32) -> Program<Device, (DPull<(u32, i64)>, DPull<(u32, i64)>)> {
        partition(xs, |x| kept(which, x.0))
    }

    /// Of numbers: pairs have no `!=`.
    #[kernel(threads = 96, T = [u32, i64, f32, f64])]
    pub fn distinct<T: Num>(xs: DPull<T>) -> Program<Device, DPull<T>> {
        unique(xs)
    }

    /// Of numbers, as `distinct`.
    #[kernel(threads = 96, T = [u32, i64, f32, f64])]
    pub fn runs<T: Num>(xs: DPull<T>) -> Program<Device, DPull<(T, u32)>> {
        run_length(xs)
    }

    #[kernel(threads = 96, T = [u32, i64, f32, f64])]
    pub fn turned<T: Num>(xs: DPull<T>, columns: u32) -> Program<Device, DPull<T>> {
        transpose_2d(xs, columns)
    }

    #[kernel(threads = 96)]
    pub fn turned_pairs(xs: DPull<(u32, i64)>, columns: u32) -> Program<Device, DPull<(u32, i64)>> {
        transpose_2d(xs, columns)
    }
}
