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
