//! Arrays whose length has a bound, and matrices of which a block, a warp or a thread writes several rows: against plain Rust on the
//! CPU, small ones under the checking interpreter too.

use super::*;

const LENGTHS: [usize; 12] = [0, 1, 31, 32, 33, 99, 100, 101, 257, 1003, 4099, 65_537];
/// Rows and columns.
const SHAPES: [(usize, usize); 10] =
    [(1, 1), (7, 33), (3, 1), (64, 31), (41, 47), (2, 300), (0, 5), (5, 0), (9, 257), (130, 16)];
/// What the interpreter runs in a moment.
const SMALL: usize = 400;

kernel! {
    /// Each chunk is stored, whole or not, and read by others than wrote it; a helper says how many elements there can be.
    #[kernel(threads = [64, 1, 33])]
    pub fn stored(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(100).as_grid_map(|c| exec_block(steps_back(c.map(|x| x / 3).compute())))
    }

    fn steps_back(xs: BPull<u32, 100>) -> Program<Block, DPush<Block, u32>> {
        let steps = mk_pull(xs.len(), |i| xs[i] - xs[max(i, 1) - 1]).push().reverse().compute();
        steps.push()
    }

    /// Warps store what stays of their elements, of a number that data says.
    #[kernel(threads = [64, 33])]
    pub fn stored_by_warps(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(80).map(|c| c.pad_to(80, 5).split_up(40)).as_grid_map(|c| c.as_block_map(|w| exec_warp({
            let odd = compact(w, |x| x % 2 == 1).reverse().compute();
            sort(odd.map(|x| x % 64)).pad_to(40, odd.len()).push()
        })))
    }

    /// An array of the host's that is not longer than a block can hold.
    #[kernel(threads = [64, 33])]
    pub fn ranks(sorted: BPull<u32, 300>, xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(64).as_grid_map(|c| exec_block({
            let table = sorted.compute();
            c.as_block_map(|x| exec_thread(table.foldl(0, |below, y| if y < x { below + 1 } else { below })))
        }))
    }

    /// Rows of at most 300 elements, sorted.
    #[kernel(threads = [64, 33])]
    pub fn sorted_rows(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.as_grid_rows(|row| {
            let row: BPull<u32, 300> = row;
            sort(row).push()
        })
    }

    /// A warp for each row, which reads it twice and writes it, and four rows for each block.
    #[kernel(threads = [64, 33])]
    pub fn less_their_least(m: DMat<u32>) -> DPush<Grid, u32> {
        m.chunks(4).as_grid_map(|rows| rows.as_block_map(|row| exec_warp({
            let least = reduce(row, min).first();
            row.map(|x| x - least).push()
        })))
    }

    /// A warp for each row, which stores it.
    #[kernel(threads = [64, 33])]
    pub fn reversed_by_warps(m: DMat<u32>) -> DPush<Grid, u32> {
        m.chunks(4).as_grid_map(|rows| rows.as_block_map(|row| exec_warp({
            let row: BPull<u32, 300> = row;
            row.compute().reverse().push()
        })))
    }

    /// A thread for each row, which stores it, and it and its mirror image behind one another.
    #[kernel(threads = [64, 33])]
    pub fn mirrored_by_threads(m: DMat<u32>) -> DPush<Grid, u32> {
        m.chunks(10).as_grid_map(|rows| rows.as_block_map(|row| exec_thread({
            let row: BPull<u32, 300> = row;
            let stored = row.compute();
            stored.push().reverse().append(stored.push()).compute().reverse().push()
        })))
    }

    /// What can be cut into four is, and else not; 0 of none.
    #[kernel(threads = [64, 33])]
    pub fn fourth_part(m: DMat<u32>) -> DPush<Grid, u32> {
        m.as_grid_map(|row| exec_block({
            let mut at = 0;
            if row.len() > 0 && row.len() % 4 == 0 {
                let parts = row.split_up(4);
                at = parts[row.len() / 4 - 1][3] + reduce(row, |a, b| a ^ b).first();
            } else {
                at = row.sum();
            }
            at
        }))
    }

    /// A thread for each row.
    #[kernel(threads = [64, 33])]
    pub fn reversed_by_threads(m: DMat<u32>) -> DPush<Grid, u32> {
        m.chunks(10).as_grid_map(|rows| rows.as_block_map(|row| exec_thread(row.reverse().push())))
    }

    /// Tiles of 16 x 8 elements, and what is left at the edges, each written by a block.
    #[kernel(threads = [64, 33])]
    pub fn tiles(m: DMat<u32>) -> PushMat<Grid, u32> {
        let tiles = m.ragged_tiles(16, 8).map(|row| row.map(|tile| exec_block({
            let turned = tile.concat().reverse().compute();
            turned.reverse().map(|x| x ^ 21).push()
        })));
        tiles.concat_tiles(m.rows(), m.cols(), 16, 8)
    }

    /// Columns are known while compiling: a network of comparisons for each row.
    #[kernel(threads = [64, 33])]
    pub fn rows_of_16(m: DPull<Pull<u32, 16>>) -> PushMat<Grid, u32> {
        m.as_grid_rows(|row| sort_tree(row).push().to_dyn())
    }

    /// The array shrinks as long as there are two elements; the length alone decides.
    #[kernel(threads = [64, 33])]
    pub fn folded_in_half(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(100).as_grid_map(|c| exec_block(while_(c, |a| a.len() > 1, |a| {
            let (lo, hi) = a.halve();
            mk_pull(hi.len(), |i| if i < lo.len() { lo[i] ^ hi[i] } else { hi[i] }).push()
        })))
    }
}

kernel! {
    /// What a bounded array without elements gives: nothing, or the error of whoever reduces it.
    #[kernel(threads = [64, 33])]
    pub fn scanned_rows(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.as_grid_rows(|row| {
            let row: BPull<u32, 300> = row;
            scan(row, |a, b| a + b).push()
        })
    }

    #[kernel(threads = [64, 33])]
    pub fn scanned_by_tiles(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.as_grid_rows(|row| exec_block(scan_by_tiles(row, |a, b| a + b)))
    }

    #[kernel(threads = [64, 33])]
    pub fn scanned_by_name(m: DMat<u32>) -> PushMat<Grid, u32> {
        m.as_grid_rows(|row| scan(row.map(|x| x / 2), |a, b| a + b).push().map(|x| 2 * x))
    }

    /// What is before each element, by a warp for each row.
    #[kernel(threads = [64, 33])]
    pub fn before_by_warps(m: DMat<u32>) -> DPush<Grid, u32> {
        m.chunks(2).as_grid_map(|rows| rows.as_block_map(|row| exec_warp(scan_exclusive(row, 0, |a, b| a + b).push())))
    }

    #[kernel(threads = [64, 33])]
    pub fn summed_rows(m: DMat<u32>) -> DPush<Grid, u32> {
        m.as_grid_map(|row| exec_block({
            let row: BPull<u32, 300> = row;
            reduce(row, |a, b| a + b)
        }))
    }

    /// The greatest of the odd elements of each chunk, 0 where there is none: only the kernel knows whether there is.
    #[kernel(threads = [64, 33])]
    pub fn greatest_odd(xs: DPull<u32>, or_zero: bool) -> DPush<Grid, u32> {
        xs.chunks(50).as_grid_map(|c| exec_block({
            let odd = compact(compact(c, |x| x % 2 == 1), |x| x % 4 == 1);
            let mut most = 0;
            if odd.len() > 0 || !or_zero { most = reduce(odd, max).first(); }
            most
        }))
    }
}

#[test]
fn an_empty_bounded_array() {
    for ((rows, cols), dev) in SHAPES.into_iter().flat_map(|shape| devices(shape.0 * shape.1).map(move |d| (shape, d)))
    {
        let values = hashes((rows * cols) as u32);
        let m = dev.upload_matrix(&values, rows, cols).unwrap();
        let sums = |row: &[u32]| {
            let next = |sum: &mut u32, x: &u32| {
                *sum = sum.wrapping_add(*x);
                Some(*sum)
            };
            row.iter().scan(0u32, next).collect::<Vec<u32>>()
        };
        let expected = of_chunks(&values, cols.max(1), sums);
        let what = format!("{rows} x {cols}");
        assert_eq!(scanned_rows.run(&dev, &m).unwrap().to_vec().unwrap(), expected, "{what}");
        assert_eq!(scanned_by_tiles.run(&dev, &m).unwrap().to_vec().unwrap(), expected, "{what}");
        let halves: Vec<u32> = values.iter().map(|x| x / 2).collect();
        let twice = |row: &[u32]| sums(row).into_iter().map(|x| x.wrapping_mul(2)).collect();
        let by_name = scanned_by_name.run(&dev, &m).unwrap().to_vec().unwrap();
        assert_eq!(by_name, of_chunks(&halves, cols.max(1), twice), "{what}");
        let before = |row: &[u32]| sums(row).into_iter().zip(row).map(|(sum, x)| sum.wrapping_sub(*x)).collect();
        let by_warps = before_by_warps.run(&dev, &m).unwrap().to_vec().unwrap();
        assert_eq!(by_warps, of_chunks(&values, cols.max(1), before), "{what}");
        let sum_of = |row: &[u32]| vec![row.iter().fold(0u32, |a, b| a.wrapping_add(*b))];
        match summed_rows.run(&dev, &m) {
            Ok(summed) => {
                assert!(cols > 0 || rows == 0, "{what}");
                assert_eq!(summed.to_vec().unwrap(), of_chunks(&values, cols.max(1), sum_of), "{what}");
            }
            Err(error) => {
                assert_eq!((cols, rows > 0), (0, true), "{what}");
                assert!(error.to_string().contains("an array without elements has no sum"), "{error}");
            }
        }
    }
}

#[test]
fn what_stays_of_nothing_is_nothing() {
    for (n, dev) in LENGTHS.into_iter().flat_map(|n| devices(n).map(move |dev| (n, dev))) {
        let mut xs = hashes(n as u32);
        xs.iter_mut().take(60).for_each(|x| *x &= !1);
        let input = dev.upload(&xs).unwrap();
        let greatest = |c: &[u32]| c.iter().copied().filter(|x| x % 4 == 1).max();
        let found = greatest_odd.run(&dev, &input, true).unwrap().to_vec().unwrap();
        assert_eq!(found, of_chunks(&xs, 50, |c| vec![greatest(c).unwrap_or(0)]), "{n}");
        let strict = greatest_odd.run(&dev, &input, false).map(|found| found.to_vec().unwrap());
        match strict {
            Ok(all) => assert_eq!(all, found, "{n}"),
            Err(error) => assert!(error.to_string().contains("an array without elements has no sum"), "{error}"),
        }
        assert_eq!(xs.chunks(50).all(|c| greatest(c).is_some()), greatest_odd.run(&dev, &input, false).is_ok(), "{n}");
    }
}

/// The devices for so many elements.
fn devices(n: usize) -> impl Iterator<Item = Device> {
    [Device::cpu()].into_iter().chain((n <= SMALL).then(|| Device::check().expect("the feature is on")))
}

/// `f` of each `n` neighbours, the last ones too, joined.
fn of_chunks(xs: &[u32], n: usize, f: impl Fn(&[u32]) -> Vec<u32>) -> Vec<u32> {
    xs.chunks(n).flat_map(f).collect()
}

#[test]
fn chunks_are_stored() {
    let steps = |c: &[u32]| {
        let back = (0..c.len()).rev();
        back.map(|i| (c[i] / 3).wrapping_sub(c[i.max(1) - 1] / 3)).collect()
    };
    let odd = |c: &[u32]| {
        let mut odd: Vec<u32> = c.iter().filter(|x| *x % 2 == 1).map(|x| x % 64).collect();
        odd.sort_unstable();
        odd.resize(40, odd.len() as u32);
        odd
    };
    for (n, dev) in LENGTHS.into_iter().flat_map(|n| devices(n).map(move |dev| (n, dev))) {
        let xs = hashes(n as u32);
        let input = dev.upload(&xs).unwrap();
        assert_eq!(stored.run(&dev, &input).unwrap().to_vec().unwrap(), of_chunks(&xs, 100, steps), "{n}");
        let mut padded = xs.clone();
        padded.resize(n.next_multiple_of(80), 5);
        let found = stored_by_warps.run(&dev, &input).unwrap().to_vec().unwrap();
        assert_eq!(found, of_chunks(&padded, 40, odd), "{n}: by warps");
    }
    let xs = hashes(1003);
    everywhere!(stored, (upload!(xs)), of_chunks(&xs, 100, steps));
}

#[test]
fn a_bound_is_asked_of_the_launch() {
    let sorted: Vec<u32> = (0..300).map(|i| i * 7_000_000).collect();
    for (n, dev) in LENGTHS.into_iter().flat_map(|n| devices(n).map(move |dev| (n, dev))) {
        let xs = hashes(n as u32);
        let input = dev.upload(&xs).unwrap();
        for most in [1, 33, 300] {
            let table = dev.upload(&sorted[..most]).unwrap();
            let found = ranks.run(&dev, &table, &input).unwrap().to_vec().unwrap();
            let rank = |x: &u32| sorted[..most].iter().filter(|y| *y < x).count() as u32;
            assert_eq!(found, xs.iter().map(rank).collect::<Vec<_>>(), "{n} among {most}");
        }
    }
    let dev = Device::cpu();
    let long = dev.upload(&[0u32; 301]).unwrap();
    let refused = ranks.run(&dev, &long, &long).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("the length of `sorted` must be at most 300"), "{refused}");
    let wide = dev.upload_matrix(&[0u32; 602], 2, 301).unwrap();
    let refused = sorted_rows.run(&dev, &wide).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("`m_cols` must be at most 300"), "{refused}");
}

#[test]
fn rows_of_blocks_warps_and_threads() {
    for ((rows, cols), dev) in SHAPES.into_iter().flat_map(|shape| devices(shape.0 * shape.1).map(move |d| (shape, d)))
    {
        let values = hashes((rows * cols) as u32);
        let m = dev.upload_matrix(&values, rows, cols).unwrap();
        let rows_made = |f: &dyn Fn(&mut [u32])| {
            let mut all = values.clone();
            all.chunks_mut(cols.max(1)).for_each(f);
            all
        };
        let what = format!("{rows} x {cols}");
        let reversed = reversed_by_threads.run(&dev, &m).unwrap().to_vec().unwrap();
        assert_eq!(reversed, rows_made(&|row| row.reverse()), "{what}");
        let xored = tiles.run(&dev, &m).unwrap();
        assert_eq!((xored.rows(), xored.cols()), (rows, cols));
        assert_eq!(xored.to_vec().unwrap(), values.iter().map(|x| x ^ 21).collect::<Vec<_>>(), "{what}");
        let in_order = sorted_rows.run(&dev, &m).unwrap().to_vec().unwrap();
        assert_eq!(in_order, rows_made(&|row| row.sort_unstable()), "{what}");
        let turned = reversed_by_warps.run(&dev, &m).unwrap().to_vec().unwrap();
        assert_eq!(turned, rows_made(&|row| row.reverse()), "{what}");
        let twice = mirrored_by_threads.run(&dev, &m).unwrap().to_vec().unwrap();
        let mirrored = |row: &[u32]| row.iter().rev().chain(row).rev().copied().collect::<Vec<_>>();
        assert_eq!(twice, of_chunks(&values, cols.max(1), mirrored), "{what}");
        let parts = fourth_part.run(&dev, &m).unwrap().to_vec().unwrap();
        let fourth = |row: &[u32]| match row.last() {
            Some(last) if row.len().is_multiple_of(4) => last.wrapping_add(row.iter().fold(0, |a, b| a ^ b)),
            _ => row.iter().fold(0u32, |a, b| a.wrapping_add(*b)),
        };
        let expected: Vec<u32> = (0..rows).map(|r| fourth(&values[r * cols..][..cols])).collect();
        assert_eq!(parts, expected, "{what}");
        if cols > 0 {
            let less = less_their_least.run(&dev, &m).unwrap().to_vec().unwrap();
            let least = rows_made(&|row| {
                let least = row.iter().copied().min().unwrap_or(0);
                row.iter_mut().for_each(|x| *x -= least);
            });
            assert_eq!(less, least, "{what}");
        }
    }
}

#[test]
fn columns_that_are_known() {
    for (rows, dev) in [0, 1, 20, 130].into_iter().flat_map(|rows| devices(rows * 16).map(move |dev| (rows, dev))) {
        let values = hashes((rows * 16) as u32);
        let mut expected = values.clone();
        expected.chunks_mut(16).for_each(<[u32]>::sort_unstable);
        let found = rows_of_16.run(&dev, &dev.upload_matrix(&values, rows, 16).unwrap()).unwrap();
        assert_eq!(((found.rows(), found.cols()), found.to_vec().unwrap()), ((rows, 16), expected));
    }
    let dev = Device::cpu();
    let wide = dev.upload_matrix(&hashes(34), 2, 17).unwrap();
    let refused = rows_of_16.run(&dev, &wide).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("`m_cols` must be 16"), "{refused}");
}

#[test]
fn an_array_that_shrinks() {
    let xs = hashes(300);
    let expected = of_chunks(&xs, 100, |c| vec![c.iter().fold(0, |a, b| a ^ b)]);
    everywhere!(folded_in_half, (upload!(xs)), expected);
}
