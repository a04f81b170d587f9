//! The programs, each of a few lines at the level `Device`: to be copied, and changed.

use obsidian::prelude::*;

kernel! {
    /// The sum of at least one element.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn sum<T: Num>(xs: DPull<T>) -> Program<Device, T> {
        reduce(xs, |a, b| a + b).first()
    }

    /// The product of at least one element.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn product<T: Num>(xs: DPull<T>) -> Program<Device, T> {
        reduce(xs, |a, b| a * b).first()
    }

    /// The least and the greatest of at least one element.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn extremes<T: Num>(xs: DPull<T>) -> Program<Device, Pull<(T, T)>> {
        reduce(xs.map(|x| (x, x)), |a, b| (min(a.0, b.0), max(a.1, b.1)))
    }

    /// The sums of all beginnings.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn sums<T: Num>(xs: DPull<T>) -> Program<Device, DPull<T>> {
        scan(xs, |a, b| a + b)
    }

    /// The sums of what is before each element, and `init`.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn sums_before<T: Num>(xs: DPull<T>, init: T) -> Program<Device, DPull<T>> {
        scan_exclusive(xs, init, |a, b| a + b)
    }

    /// The sums of segments.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn sums_of_segments<T: Num>(xs: DPull<T>, offsets: DPull<u32>) -> Program<Device, DPull<T>> {
        segmented_reduce(xs, offsets, 0 as T, |a, b| a + b)
    }

    /// The elements in ascending order.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn sorted<T: Num>(xs: DPull<T>) -> Program<Device, DPull<T>> {
        sort(xs)
    }

    /// The elements in ascending order, each with the place where it was.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn sorted_places<T: Num>(xs: DPull<T>) -> Program<Device, DPull<u32>> {
        sort_by_key(mk_pull(xs.len(), |i| (xs[i], i)), |x| x.0).map(|x| x.1)
    }

    /// The elements at these places, each below the length. `min` costs less than the test that an index from data has without it.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn taken<T: Num>(xs: DPull<T>, places: DPull<u32>) -> DPush<Grid, T> {
        let last = non_empty(xs).len() - 1;
        places.map(|place| xs[min(place, last)]).push()
    }

    /// How often each byte is among the keys.
    #[kernel]
    pub fn bytes_counted(keys: DPull<u32>) -> Program<Device, Pull<u32>> {
        histogram(keys, 256)
    }

    /// Adds to `bins[k]` how often `k` is among the keys.
    #[kernel]
    pub fn counted(keys: DPull<u32>, bins: DMut<u32>) -> Program<Grid, ()> {
        histogram_into(keys, bins)
    }

    /// The `k` greatest elements.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn greatest<T: Num>(xs: DPull<T>, k: u32) -> Program<Device, DPull<T>> {
        top_k(xs, k)
    }

    /// The elements whose flag is set; there are as many flags as elements.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn selected<T: Num>(xs: DPull<T>, flags: DPull<bool>) -> Program<Device, DPull<T>> {
        filter_places(xs.take(min(xs.len(), flags.len())), |i| flags[i])
    }

    /// The first of equal neighbours.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn firsts<T: Num>(xs: DPull<T>) -> Program<Device, DPull<T>> {
        unique(xs)
    }

    /// The runs of equal neighbours.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn runs<T: Num>(xs: DPull<T>) -> Program<Device, DPull<(T, u32)>> {
        run_length(xs)
    }

    /// What each tile of 2048 elements sums up to.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn sums_of_tiles<T: Num>(xs: DPull<T>) -> DPush<Grid, T> {
        ends_of_tiles(xs, |a, b| a + b)
    }

    /// The sum of each two tiles of 2048 elements.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn sums_of_pairs<T: Num>(xs: DPull<T>) -> DPush<Grid, T> {
        xs.chunks(4096).as_grid_map(|pair| exec_block(reduce_tile(pair, |a, b| a + b)))
    }

    /// The sums of all beginnings of each tile of 2048 elements, and what is before the tile.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn sums_in_tiles<T: Num>(xs: DPull<T>, before: DPull<T>) -> DPush<Grid, T> {
        let tiles = xs.chunks(2048);
        mk_pull(tiles.len(), |k| exec_block(scan_tile(tiles[k], |a, b| a + b).map(|x| before[k] + x))).as_grid()
    }

    /// The first `first` elements and the others, each ascending, in one ascending order; of equal ones those of the first come first.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn merged<T: Num>(runs: DPull<T>, first: u32) -> DPush<Grid, T> {
        let n = runs.len();
        let all = min(first, n);
        merged_tiles(runs, |_k| (0, all, n - all), |a, b| a <= b)
    }

    /// Rows of `columns` elements as columns.
    #[kernel(T = [u32, i32, u64, i64, f32, f64])]
    pub fn transposed<T: Num>(xs: DPull<T>, columns: u32) -> Program<Device, DPull<T>> {
        transpose_2d(xs, columns)
    }
}
