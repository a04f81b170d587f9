//! Entries at `Device` whose results are matrices: their shape reaches the host, whatever was launched on the way.

use obsidian::prelude::*;

kernel! {
    /// A mean of each neighbourhood, twice: the first is stored between two launches.
    #[kernel(threads = [64, 256])]
    pub fn smoothed_twice(m: DMat<u32>) -> Program<Device, PushMat<Grid, u32>> {
        let once = m.stencil_2d(1, 1, |near| near[0][1] + near[1][0] + near[1][2] + near[2][1]).compute();
        once.stencil_2d(1, 1, |near| near[0][1] + near[1][0] + near[1][2] + near[2][1]).push()
    }

    /// Several results: a matrix that is not stored, a number, and a matrix that is written by a grid.
    #[kernel]
    pub fn turned_and_shaped(m: DMat<u32>) -> Program<Device, (DMat<u32>, u32, PushMat<Grid, u32>)> {
        let all = m.concat();
        (m.transpose(), all.sum(), all.map(|x| x + 1).push().as_rows(m.cols(), m.rows()))
    }

    /// Columns by a scalar, and tuples.
    #[kernel]
    pub fn in_columns(xs: DPull<u32>, cols: u32) -> Program<Device, PushMat<Grid, (u32, f32)>> {
        let sums = scan(xs, |a, b| a + b);
        mk_mat(xs.len() / cols, cols, |r, c| (sums[r * cols + c], c as f32)).push()
    }

    /// A matrix and its transpose.
    #[kernel]
    pub fn with_its_transpose(a: DMat<u32>) -> Program<Device, DMat<u32>> {
        mk_mat(a.rows(), a.rows(), |r, c| a[(r, c)] + a[(c, r)]).compute()
    }

    /// Two matrices, place by place.
    #[kernel]
    pub fn differences(a: DMat<u32>, b: DMat<u32>) -> Program<Device, DMat<u32>> {
        mk_mat(a.rows(), a.cols(), |r, c| a[(r, c)] - b[(r, c)]).compute()
    }

    /// The first column by another length, beside scalars that no index knows of.
    #[kernel]
    pub fn first_column(xs: DPull<u32>, k: u32, n: u32, a: DMat<u32>) -> Program<Device, (DPull<u32>, u32)> {
        (mk_pull(n, |i| a[(i, 0)] + xs[i]).compute(), k + 1)
    }

    /// Rows by data.
    #[kernel]
    pub fn rows_of(places: DPull<u32>, a: DMat<u32>) -> Program<Device, DMat<u32>> {
        mk_mat(places.len(), a.cols(), |r, c| a[(places[r], c)]).compute()
    }

    /// A column by data of a matrix that is stored between launches, whose next row it must never read.
    #[kernel]
    pub fn of_stored(a: DMat<u32>, columns: DPull<u32>) -> Program<Device, DPull<u32>> {
        let twice = a.map(|row| row.map(|x| x * 2)).compute();
        columns.map(|c| twice[(0, c)]).compute()
    }

    /// A column of it that the launch must have.
    #[kernel]
    pub fn third_of_turned(a: DMat<u32>, n: u32) -> Program<Device, DPull<u32>> {
        let turned = a.transpose().compute();
        mk_pull(n, |k| turned[(k, 2)]).compute()
    }

    /// What a grid writes, stored as rows.
    #[kernel]
    pub fn stored_as_rows(xs: DPull<u32>, cols: u32) -> Program<Device, DMat<u32>> {
        xs.map(|x| x + 1).push().compute_rows(xs.len() / cols, cols).transpose().compute()
    }

    /// Shares of the sum of each row.
    #[kernel(threads = 128)]
    pub fn less_the_mean(m: DMat<i32>) -> Program<Device, PushMat<Grid, i32>> {
        let least = m.concat().map(|x| x).minimum();
        m.as_grid_rows(|row| row.map(|x| x - least).push())
    }

    /// The means of neighbours, again and again, up to the edges, which stay.
    #[kernel(threads = [64, 256])]
    pub fn relaxed(m: DMat<f32>, rounds: u32) -> Program<Device, DMat<f32>> {
        let mut a = m;
        for _k in 0..rounds {
            a = mk_mat(a.rows(), a.cols(), |r, c| {
                if r > 0 && r + 1 < a.rows() && c > 0 && c + 1 < a.cols() {
                    0.25 * (a[(r - 1, c)] + a[(r + 1, c)] + a[(r, c - 1)] + a[(r, c + 1)])
                } else {
                    a[(r, c)]
                }
            }).compute();
        }
        a
    }

    /// Whether a cell lives on: its neighbours, with itself in the middle.
    fn alive(near: Pull<Pull<u8>>) -> u8 {
        let all = near.concat().fold1(|a, b| a + b);
        if all == 3 || (all == 4 && near[1][1] == 1) { 1 } else { 0 }
    }

    /// Conway's Life on a torus.
    #[kernel]
    pub fn lives(board: DMat<u8>, generations: u32) -> Program<Device, DMat<u8>> {
        seq_fold(generations, board, |b, _i| b.stencil_2d_wrap(1, 1, alive).compute())
    }

    /// Life until nothing changes, at most so many generations, and how many there were.
    #[kernel]
    pub fn lives_on(board: DMat<u8>, most: u32) -> Program<Device, (DMat<u8>, u32)> {
        let (last, _changed, n) = seq_while(
            (board, true, 0),
            |s| s.1 && s.2 < most,
            |s| {
                let next = s.0.stencil_2d_wrap(1, 1, alive).compute();
                let cells = mk_mat(next.rows(), next.cols(), |r, c| if next[(r, c)] != s.0[(r, c)] { 1u32 } else { 0 });
                (next, cells.concat().sum_fetched() > 0, s.2 + 1)
            },
        );
        (last, n)
    }

    /// The sum, as the host knows it.
    fn sum_fetched(xs: DPull<u32>) -> Program<Device, u32> {
        reduce(xs.append(singleton(0u32)), |a, b| a + b).fetch(0)
    }

    /// A part of a matrix through 300 rounds, more than launches that unroll may have, and the matrix itself, which no round changes.
    #[kernel]
    pub fn part_and_whole(m: DMat<u32>, n: u32) -> Program<Device, (DMat<u32>, DMat<u32>)> {
        let (part, _same, sum) = seq_fold(300, (m.sub(0, 0, 1, 2).compute(), m, 0), |s, i| {
            (s.0.map(|row| row.map(|x| x + i)).compute(), s.1, s.2 + i)
        });
        let mut whole = m;
        for _k in 0..n {
            whole = whole;
        }
        (part.map(|row| row.map(|x| x - sum)).compute(), whole)
    }

    /// One of two matrices of one shape, and of pairs that of which the rows are more.
    #[kernel]
    pub fn one_of(m: DMat<u32>, other: DMat<(u32, f32)>, n: u32) -> Program<Device, (DMat<u32>, DPull<(u32, f32)>)> {
        let one = if n > 3 { m.map(|row| row.map(|x| x + n)).compute() } else { m };
        let longer = if other.rows() > n { other } else { other.transpose().compute() };
        (one, longer.map(|row| row.reverse()).concat().compute())
    }
}

/// Rounds of `relaxed`.
fn relaxed_by_hand(m: &[f32], rows: usize, cols: usize, rounds: u32) -> Vec<f32> {
    let mut now = m.to_vec();
    for _ in 0..rounds {
        let before = now.clone();
        for r in 1..rows.saturating_sub(1) {
            for c in 1..cols.saturating_sub(1) {
                let at = |r: usize, c: usize| before[r * cols + c];
                now[r * cols + c] = 0.25 * (at(r - 1, c) + at(r + 1, c) + at(r, c - 1) + at(r, c + 1));
            }
        }
    }
    now
}

/// A generation on a torus.
fn next_generation(board: &[u8], rows: usize, cols: usize) -> Vec<u8> {
    let lives_next = |r: usize, c: usize| {
        let near = |dr: usize, dc: usize| board[(r + rows + dr - 1) % rows * cols + (c + cols + dc - 1) % cols];
        let all: u8 = (0..3).flat_map(|dr| (0..3).map(move |dc| (dr, dc))).map(|(dr, dc)| near(dr, dc)).sum();
        u8::from(all == 3 || (all == 4 && near(1, 1) == 1))
    };
    (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))).map(|(r, c)| lives_next(r, c)).collect()
}

/// Matrices in loops and branches of the host's, at the shapes of at most `most` elements.
fn carried(device: &Device, most: usize) {
    for (rows, cols) in SHAPES.into_iter().filter(|(rows, cols)| rows * cols <= most) {
        let xs = values(rows, cols);
        let floats: Vec<f32> = xs.iter().map(|&x| x as f32).collect();
        let m = device.upload_matrix(&floats, rows, cols).unwrap();
        for (threads, rounds) in [(64, 0), (256, 1), (64, 2), (64, 5)] {
            let found = relaxed.with(Params { threads }).run(device, &m, rounds).unwrap();
            assert_eq!((found.rows(), found.cols()), (rows, cols), "{device:?}");
            assert_eq!(found.to_vec().unwrap(), relaxed_by_hand(&floats, rows, cols, rounds), "{device:?}, {rounds}");
        }
        let board: Vec<u8> = xs.iter().map(|x| u8::from(x % 3 == 0)).collect();
        let mut boards = vec![board];
        for k in 0..6 {
            boards.push(next_generation(&boards[k], rows, cols));
        }
        let m = device.upload_matrix(&boards[0], rows, cols).unwrap();
        for n in [0, 1, 6] {
            assert_eq!(lives.run(device, &m, n).unwrap().to_vec().unwrap(), boards[n as usize], "{rows} x {cols}");
        }
        let (last, count) = lives_on.run(device, &m, 6).unwrap();
        let expected = (0..6).find(|&k| boards[k] == boards[k + 1]).map_or(6, |k| k + 1);
        assert_eq!(count.to_vec().unwrap(), [expected as u32], "{device:?}, {rows} x {cols}");
        assert_eq!(last.to_vec().unwrap(), boards[expected], "{device:?}, {rows} x {cols}");
        either_side(device, &xs, rows, cols);
    }
}

/// What no round changes stays as it is, the argument itself among it.
fn unchanged(device: &Device) {
    let xs = values(3, 5);
    let m = device.upload_matrix(&xs, 3, 5).unwrap();
    for n in [0, 1, 4] {
        let (part, whole) = part_and_whole.run(device, &m, n).unwrap();
        assert_eq!((part.rows(), part.cols(), part.to_vec().unwrap()), (1, 2, xs[..2].to_vec()), "{device:?}, {n}");
        assert_eq!((whole.rows(), whole.cols(), whole.to_vec().unwrap()), (3, 5, xs.clone()), "{device:?}, {n}");
    }
    let few = device.upload_matrix(&xs, 15, 1).unwrap();
    assert!(part_and_whole.run(device, &few, 1).is_err());
}

fn either_side(device: &Device, xs: &[u32], rows: usize, cols: usize) {
    let pairs: Vec<(u32, f32)> = xs.iter().map(|&x| (x, 0.5 * x as f32)).collect();
    let m = device.upload_matrix(xs, rows, cols).unwrap();
    let other = device.upload_matrix(&pairs, rows, cols).unwrap();
    for n in [0u32, 3, 4, 40] {
        let (one, longer) = one_of.run(device, &m, &other, n).unwrap();
        let more = if n > 3 { n } else { 0 };
        assert_eq!((one.rows(), one.cols()), (rows, cols));
        assert_eq!(one.to_vec().unwrap(), xs.iter().map(|x| x + more).collect::<Vec<u32>>(), "{device:?}, {n}");
        let by_rows = (0..rows).flat_map(|r| (0..cols).rev().map(move |c| r * cols + c));
        let by_cols = (0..cols).flat_map(|c| (0..rows).rev().map(move |r| r * cols + c));
        let order: Vec<usize> = if rows as u32 > n { by_rows.collect() } else { by_cols.collect() };
        let expected: Vec<(u32, f32)> = order.into_iter().map(|at| pairs[at]).collect();
        assert_eq!(longer.to_vec().unwrap(), expected, "{device:?}, {rows} x {cols}, {n}");
    }
}

#[test]
fn the_host_carries_them_on_the_cpu() {
    carried(&Device::cpu(), usize::MAX);
    unchanged(&Device::cpu());
}

#[test]
fn the_host_carries_them_on_the_interpreter() {
    let device = Device::check().expect("the tests have the feature");
    carried(&device, 300);
    unchanged(&device);
}

const SHAPES: [(usize, usize); 7] = [(1, 1), (7, 333), (3, 5000), (0, 5), (5, 0), (33, 1), (31, 257)];

fn values(rows: usize, cols: usize) -> Vec<u32> {
    (0..rows * cols).map(|i| (i as u32).wrapping_mul(2_654_435_761) >> 20).collect()
}

fn smoothed(m: &[u32], rows: usize, cols: usize) -> Vec<u32> {
    let at = |r: usize, c: usize| m[r.min(rows - 1) * cols + c.min(cols - 1)];
    let cell =
        |(r, c): (usize, usize)| at(r.saturating_sub(1), c) + at(r + 1, c) + at(r, c.saturating_sub(1)) + at(r, c + 1);
    (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))).map(cell).collect()
}

/// All of them on a device, at the shapes of at most `most` elements.
pub fn check_all(device: &Device, most: usize) {
    for (rows, cols) in SHAPES.into_iter().filter(|(rows, cols)| rows * cols <= most) {
        let xs = values(rows, cols);
        let m = device.upload_matrix(&xs, rows, cols).unwrap();
        let expected = smoothed(&smoothed(&xs, rows, cols), rows, cols);
        for threads in [64, 256] {
            let found = smoothed_twice.with(Params { threads }).run(device, &m).unwrap();
            assert_eq!((found.rows(), found.cols()), (rows, cols));
            assert_eq!(found.to_vec().unwrap(), expected, "{device:?}, {rows} x {cols}, {threads} threads");
        }
        let (turned, sum, shaped) = turned_and_shaped.run(device, &m).unwrap();
        let transposed: Vec<u32> =
            (0..cols).flat_map(|c| (0..rows).map(move |r| (r, c))).map(|(r, c)| xs[r * cols + c]).collect();
        assert_eq!((turned.rows(), turned.cols(), turned.to_vec().unwrap()), (cols, rows, transposed), "{device:?}");
        assert_eq!(sum.to_vec().unwrap(), [xs.iter().sum::<u32>()]);
        let more: Vec<u32> = xs.iter().map(|x| x + 1).collect();
        assert_eq!((shaped.rows(), shaped.cols(), shaped.to_vec().unwrap()), (cols, rows, more), "{device:?}");
    }
}

/// Sides of matrices that no index tells of, and columns that there are not.
fn sides(device: &Device) {
    let xs = values(3, 2);
    let (a, b) = (device.upload_matrix(&xs, 3, 2).unwrap(), device.upload_matrix(&[1u32; 6], 3, 2).unwrap());
    let less: Vec<u32> = xs.iter().map(|x| x.wrapping_sub(1)).collect();
    assert_eq!(differences.run(device, &a, &b).unwrap().to_vec().unwrap(), less);
    let turned = device.upload_matrix(&[1u32; 6], 2, 3).unwrap();
    let e = differences.run(device, &a, &turned).unwrap_err().to_string();
    assert!(e.contains("must be at most `b_rows`"), "{e}");
    let ones = device.upload(&[1u32; 3]).unwrap();
    let (column, more) = first_column.run(device, &ones, 7, 3, &a).unwrap();
    assert_eq!((column.to_vec().unwrap(), more.to_vec().unwrap()), (vec![xs[0] + 1, xs[2] + 1, xs[4] + 1], vec![8]));
    assert!(first_column.run(device, &ones, 7, 4, &a).is_err());
    let places = device.upload(&[2u32, 0, 2, 1]).unwrap();
    let found = rows_of.run(device, &places, &a).unwrap();
    assert_eq!((found.rows(), found.cols()), (4, 2));
    assert_eq!(found.to_vec().unwrap(), [xs[4], xs[5], xs[0], xs[1], xs[4], xs[5], xs[2], xs[3]]);
    let columns = |of: &[u32]| of_stored.run(device, &a, &device.upload(of).unwrap()).and_then(|found| found.to_vec());
    assert_eq!(columns(&[1, 0, 1]).unwrap(), [2 * xs[1], 2 * xs[0], 2 * xs[1]]);
    let e = columns(&[1, 0, 3]).unwrap_err().to_string();
    assert!(e.contains("column 3") || e.contains("index 3"), "{e}");
    assert_eq!(third_of_turned.run(device, &a, 2).unwrap().to_vec().unwrap(), [xs[4], xs[5]]);
    assert!(third_of_turned.run(device, &a, 3).is_err());
    assert!(third_of_turned.run(device, &turned, 2).is_err());
    let flat = device.upload(&xs).unwrap();
    let found = stored_as_rows.run(device, &flat, 3).unwrap();
    assert_eq!((found.rows(), found.cols()), (3, 2));
    assert_eq!(found.to_vec().unwrap(), [0, 3, 1, 4, 2, 5].map(|i: usize| xs[i] + 1));
    let e = stored_as_rows.run(device, &flat, 4).unwrap_err().to_string();
    assert!(e.contains("as many elements as its rows times its columns"), "{e}");
}

#[test]
fn each_side_is_its_own_on_the_cpu() {
    sides(&Device::cpu());
}

#[test]
fn each_side_is_its_own_on_the_interpreter() {
    sides(&Device::check().expect("the tests have the feature"));
}

#[test]
fn on_the_cpu() {
    check_all(&Device::cpu(), usize::MAX);
}

#[test]
fn on_the_interpreter() {
    check_all(&Device::check().expect("the tests have the feature"), 2500);
}

#[test]
fn shapes_of_scalars_and_after_other_launches() {
    let device = Device::cpu();
    let xs = device.upload(&[1u32; 1003]).unwrap();
    let found = in_columns.run(&device, &xs, 10).unwrap();
    assert_eq!((found.rows(), found.cols()), (100, 10));
    assert_eq!(found.to_vec().unwrap()[437], (438, 7.0));
    let m = device.upload_matrix(&[5, -3, 7, 9, 1, 1], 2, 3).unwrap();
    assert_eq!(less_the_mean.run(&device, &m).unwrap().to_vec().unwrap(), [8, 0, 10, 12, 4, 4]);
}

#[test]
fn a_square_matrix_and_its_transpose() {
    for device in [Device::cpu(), Device::check().unwrap()] {
        for n in [1, 2, 31, 47] {
            let xs = values(n, n);
            let m = device.upload_matrix(&xs, n, n).unwrap();
            let want: Vec<u32> = (0..n * n).map(|at| xs[at] + xs[at % n * n + at / n]).collect();
            assert_eq!(with_its_transpose.run(&device, &m).unwrap().to_vec().unwrap(), want, "{n}");
        }
        let wide = device.upload_matrix(&values(3, 5), 3, 5).unwrap();
        assert!(with_its_transpose.run(&device, &wide).is_ok());
        let tall = device.upload_matrix(&values(5, 3), 5, 3).unwrap();
        let error = with_its_transpose.run(&device, &tall).unwrap_err().to_string();
        assert!(error.contains("must be at most"), "{error}");
    }
}

#[test]
fn prepared_called_and_into_what_is_there() {
    let device = Device::cpu();
    let xs = values(3, 4);
    let m = device.upload_matrix(&xs, 3, 4).unwrap();
    let ready = smoothed_twice.prepare(&device, 3, 4).unwrap();
    let mut out = ready.outputs().unwrap();
    ready.run_into(&m, &mut out).unwrap();
    let expected = smoothed(&smoothed(&xs, 3, 4), 3, 4);
    assert_eq!(out.to_vec().unwrap(), expected);
    assert_eq!(smoothed_twice.call((&xs[..], 3, 4)).unwrap(), (expected, 3, 4));
    let mut other = device.alloc_matrix::<u32>(4, 3).unwrap();
    let error = smoothed_twice.run_into(&device, &m, &mut other).unwrap_err().to_string();
    assert_eq!(error, "the result is a matrix of 3 x 4, but it is to be written to one of 4 x 3");
    // Other numbers of columns are other shapes, which a launch that was prepared does not take.
    let xs = device.upload(&[1u32; 60]).unwrap();
    let ready = in_columns.prepare(&device, 60, 10).unwrap();
    let mut out = ready.outputs().unwrap();
    assert!(ready.run_into(&xs, 12, &mut out).is_err());
    ready.run_into(&xs, 10, &mut out).unwrap();
}
