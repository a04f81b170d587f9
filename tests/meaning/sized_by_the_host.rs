//! Right kernels whose rows, columns, chunks and blocks are as many as the host says: each is accepted, and gives on the CPU what plain Rust
//! gives.

use super::accepted::data;
use super::*;

kernel! {
    /// A matrix of which the host says how many rows and columns it has, filled where the buffer has room.
    #[kernel(threads = [64, 1, 33])]
    pub fn products(rows: u32, cols: u32, out: DMut<u32>) -> Program<Grid, ()> {
        for_all2(rows, cols, |r, c| {
            let at = r * cols + c;
            if at < out.len() { out[at] = (r + 1) * (c + 1); }
        })
    }

    /// As many blocks as four times a number of the host's.
    #[kernel(threads = [64, 1, 33])]
    pub fn fours(n: u32) -> DPush<Grid, u32> {
        mk_pull(n * 4, |t| mk_pull(128, |i| t * 1000 + i).push()).as_grid()
    }

    /// Parts as long as an argument says, each less its first element.
    #[kernel(threads = [64, 1, 33])]
    pub fn parts_of_any_size(xs: DPull<u32>, size: u32) -> DPush<Grid, u32> {
        xs.chunks(size).as_grid_map(|part| part.map(|x| x - part[0]).push())
    }

    /// Sums of the elements around each, as far as there are any: the border is tested in signed numbers.
    #[kernel(threads = [64, 1, 33])]
    pub fn around(m: DMat<u32>) -> PushMat<Grid, u32> {
        let (h, w) = (m.rows() as i32, m.cols() as i32);
        mk_mat(m.rows(), m.cols(), |r, c| {
            let mut sum = 0;
            for dr in -1..=1 { for dc in -1..=1 {
                let (y, x) = (r as i32 + dr, c as i32 + dc);
                if y >= 0 && y < h && x >= 0 && x < w { sum += m[(y as u32, x as u32)]; }
            } }
            sum
        }).push()
    }

    /// Chunks of any length, filled up for a block that takes 512 elements, and what it gives cut to as many as there were.
    #[kernel(threads = [64, 1, 33])]
    pub fn chunks_filled_up(xs: DPull<u32>) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        let chunks = xs.chunks(512);
        (
            chunks.as_grid_map(|c| { let n = c.len(); scan_block(c.pad_to(512, 0), |a, b| a + b).take(n) }),
            chunks.as_grid_map(|c| { let n = c.len(); c.pad_to(512, 0).map(|x| x + 1).runs(4).take(n) }),
        )
    }

    /// The tiles of a matrix of which the host says how many columns it has, and the matrix turned.
    #[kernel(threads = [64, 1, 33])]
    pub fn tiles_of_the_host(xs: DPull<u32>, cols: u32) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        let tiles = split_2d(xs, cols, 4, 8).map(|tile| push::<Block, _, _>(tile.map(|x| x + 1)));
        (tiles.concat_2d_grid(cols, 4, 8), transpose_tiled(xs, cols, 8))
    }

    /// Tiles of a matrix whose rows and columns the host knows, cut off at its far edges: row by row, and column by column.
    #[kernel(threads = [64, 1, 33])]
    pub fn cut_tiles(rows: u32, cols: u32) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        let (down, across) = (rows / 8 + min(rows % 8, 1), (cols + 15) / 16);
        (
            mk_push(rows * cols, |write| distr_par(down * across, |t| for_all(128, |k| {
                let (r, c) = (t / across * 8 + k / 16, t % across * 16 + k % 16);
                if r < rows && c < cols { write(r * 1000 + c, r * cols + c); }
            }))),
            mk_push(rows * cols, |write| distr_par(down * across, |t| for_all(128, |k| {
                let (r, c) = (t % down * 8 + k / 16, t / down * 16 + k % 16);
                if c < cols && r < rows { write(r * 1000 + c, c * rows + r); }
            }))),
        )
    }
}

#[test]
fn rows_and_columns_of_the_host() {
    let dev = Device::cpu();
    for (rows, cols, room) in
        [(7u32, 33u32, 231usize), (7, 33, 100), (7, 33, 300), (0, 5, 3), (5, 0, 3), (1, 1, 1), (300, 2, 600)]
    {
        let mut out = dev.upload(&vec![9u32; room]).unwrap();
        products.run(&dev, rows, cols, &mut out).unwrap();
        let want =
            |at: usize| if at < (rows * cols) as usize { (at as u32 / cols + 1) * (at as u32 % cols + 1) } else { 9 };
        assert_eq!(out.to_vec().unwrap(), (0..room).map(want).collect::<Vec<_>>(), "{rows} x {cols}, {room}");
    }
    // Where the product wraps two of them would meet.
    let mut out = dev.upload(&[0u32; 8]).unwrap();
    let e = products.run(&dev, 1_717_986_920, 5, &mut out).unwrap_err().to_string();
    assert!(e.contains("must be a number from 0 to 2^32 - 1"), "{e}");
}

#[test]
fn parts_as_long_as_the_host_says() {
    let dev = Device::cpu();
    for n in [0, 1, 31, 1000] {
        let xs = data(n);
        for size in [1, 7, 64, 997, 5000] {
            let want: Vec<u32> =
                xs.chunks(size).flat_map(|part| part.iter().map(|x| x.wrapping_sub(part[0]))).collect();
            for variant in parts_of_any_size.kernel().variants() {
                let buffer = dev.upload(&xs).unwrap();
                let got = parts_of_any_size.with(variant).run(&dev, &buffer, size as u32).unwrap().to_vec().unwrap();
                assert_eq!(got, want, "{n} by {size}");
            }
        }
    }
    let refused = parts_of_any_size.run(&dev, &dev.upload(&data(9)).unwrap(), 0).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("a chunk must have an element"), "{refused}");
}

#[test]
fn borders_that_their_author_tests() {
    let dev = Device::cpu();
    for (rows, cols) in [(0, 0), (1, 1), (1, 40), (40, 1), (5, 131)] {
        let m = data(rows * cols);
        let at = |y: usize, x: usize| if y < rows && x < cols { m[y * cols + x] } else { 0 };
        let one = |i: usize| {
            let (r, c) = (i / cols, i % cols);
            let ys = r.saturating_sub(1)..=r + 1;
            ys.flat_map(|y| (c.saturating_sub(1)..=c + 1).map(move |x| (y, x)))
                .map(|(y, x)| at(y, x))
                .fold(0, u32::wrapping_add)
        };
        let want: Vec<u32> = (0..rows * cols).map(one).collect();
        for variant in around.kernel().variants() {
            let matrix = dev.upload_matrix(&m, rows, cols).unwrap();
            let got = around.with(variant).run(&dev, &matrix).unwrap().to_vec().unwrap();
            assert_eq!(got, want, "{rows} by {cols}");
        }
    }
}

#[test]
fn blocks_by_the_host() {
    let dev = Device::cpu();
    for n in [0u32, 1, 5] {
        let want: Vec<u32> = (0..4 * n).flat_map(|t| (0..128).map(move |i| t * 1000 + i)).collect();
        assert_eq!(fours.run(&dev, n).unwrap().to_vec().unwrap(), want);
    }
}

#[test]
fn chunks_of_any_length_that_are_filled_up() {
    let dev = Device::cpu();
    for n in [0usize, 1, 511, 512, 513, 1024, 2000] {
        let xs = data(n);
        let sums = xs.chunks(512).flat_map(|c| {
            c.iter().scan(0u32, |sum, x| {
                *sum = sum.wrapping_add(*x);
                Some(*sum)
            })
        });
        let want = (sums.collect::<Vec<_>>(), xs.iter().map(|x| x + 1).collect::<Vec<_>>());
        let buffer = dev.upload(&xs).unwrap();
        for variant in chunks_filled_up.kernel().variants() {
            let (first, second) = chunks_filled_up.with(variant).run(&dev, &buffer).unwrap();
            assert_eq!((first.to_vec().unwrap(), second.to_vec().unwrap()), want, "{n}");
        }
    }
}

#[test]
fn columns_of_the_host() {
    let dev = Device::cpu();
    for (rows, cols) in [(8usize, 8usize), (16, 40), (80, 24)] {
        let xs = data(rows * cols);
        let more: Vec<u32> = xs.iter().map(|x| x + 1).collect();
        let turned: Vec<u32> = (0..cols).flat_map(|c| (0..rows).map(move |r| r * cols + c)).map(|at| xs[at]).collect();
        let buffer = dev.upload(&xs).unwrap();
        for variant in tiles_of_the_host.kernel().variants() {
            let (first, second) = tiles_of_the_host.with(variant).run(&dev, &buffer, cols as u32).unwrap();
            assert_eq!((first.to_vec().unwrap(), second.to_vec().unwrap()), (more.clone(), turned.clone()));
        }
    }
    let refused =
        |len: usize, cols| tiles_of_the_host.run(&dev, &dev.upload(&data(len)).unwrap(), cols).unwrap_err().to_string();
    let e = refused(96, 12);
    assert!(e.contains("`cols` must be a multiple of 8"), "{e}");
    let e = refused(0, 8);
    assert!(e.contains("must not be 0"), "{e}");
}

#[test]
fn tiles_that_the_far_edges_cut() {
    let dev = Device::cpu();
    for (rows, cols) in [(8u32, 16u32), (1, 1), (9, 33), (40, 15), (0, 7), (7, 0)] {
        let rows_first = (0..rows).flat_map(|r| (0..cols).map(move |c| r * 1000 + c)).collect::<Vec<_>>();
        let columns_first = (0..cols).flat_map(|c| (0..rows).map(move |r| r * 1000 + c)).collect::<Vec<_>>();
        for variant in cut_tiles.kernel().variants() {
            let (first, second) = cut_tiles.with(variant).run(&dev, rows, cols).unwrap();
            assert_eq!(
                (first.to_vec().unwrap(), second.to_vec().unwrap()),
                (rows_first.clone(), columns_first.clone())
            );
        }
    }
}
