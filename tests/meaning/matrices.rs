//! Matrices of odd shapes, against plain Rust.

use super::*;
use obsidian::IndexedArray;

/// Rows and columns.
const SHAPES: [(usize, usize); 12] =
    [(1, 1), (7, 333), (641, 479), (3, 5000), (5000, 3), (0, 5), (7, 0), (0, 0), (2, 2), (1, 33), (33, 1), (31, 257)];

/// A matrix of plain Rust.
#[derive(Clone)]
struct Plain {
    rows: usize,
    cols: usize,
    values: Vec<u32>,
}

impl Plain {
    fn hashed((rows, cols): (usize, usize)) -> Plain {
        Plain { rows, cols, values: hashes((rows * cols) as u32) }
    }

    fn at(&self, r: usize, c: usize) -> u32 {
        self.values[r * self.cols + c]
    }

    fn make<T>(&self, f: impl Fn(usize, usize) -> T) -> Vec<T> {
        (0..self.rows).flat_map(|r| (0..self.cols).map(move |c| (r, c))).map(|(r, c)| f(r, c)).collect()
    }

    /// The neighbourhoods, numbered as the kernels do: `place(i, n)` is where index `i` of a side of `n` elements lies, if
    /// anywhere.
    fn stencil(&self, (up, left): (i64, i64), place: impl Fn(i64, i64) -> Option<i64>) -> Vec<u32> {
        let (rows, cols) = (self.rows as i64, self.cols as i64);
        self.make(|r, c| {
            let mut sum = 0u32;
            for a in -up..=up {
                for b in -left..=left {
                    let found = place(r as i64 + a, rows).zip(place(c as i64 + b, cols));
                    sum = sum.wrapping_mul(31).wrapping_add(found.map_or(7, |(r, c)| self.at(r as usize, c as usize)));
                }
            }
            sum
        })
    }
}

kernel! {
    /// Elements by row and column, as data says.
    #[kernel(threads = [64, 33])]
    pub fn picked(m: DMat<(f32, u32)>, at: DPull<(u32, u32)>) -> DPush<Grid, (f32, u32)> {
        at.map(|(r, c)| m[(r, c)]).push()
    }

    #[kernel(threads = [64, 33])]
    pub fn added(a: DMat<u32>, b: DMat<u32>) -> PushMat<Grid, u32> {
        mk_mat(a.rows(), a.cols(), |r, c| a[(r, c)] + b[(r, c)]).push()
    }

    #[kernel(threads = [64, 33])]
    pub fn multiplied(a: DMat<u32>, b: DMat<u32>) -> PushMat<Grid, u32> {
        mk_mat(a.rows(), b.cols(), |r, c| mk_pull(a.cols(), |k| a[(r, k)] * b[(k, c)]).sum()).push()
    }

    #[kernel(threads = [64, 33])]
    pub fn scaled_by_first(a: DMat<u32>, b: DMat<u32>) -> PushMat<Grid, u32> {
        a.as_grid_rows(|row| row.zip_with(b.row(0), |x, y| x * y).push())
    }
}

/// Runs a kernel of one matrix; its shape and elements.
macro_rules! run {
    ($kernel:expr, $values:expr, $rows:expr, $cols:expr) => {{
        let dev = Device::cpu();
        let m = dev.upload_matrix(&$values, $rows, $cols).unwrap();
        let out = $kernel.run(&dev, &m).unwrap();
        ((out.rows(), out.cols()), out.to_vec().unwrap())
    }};
}

#[test]
fn maps_and_transposes() {
    for shape in SHAPES {
        let m = Plain::hashed(shape);
        let (rows, cols) = shape;
        let floats: Vec<f32> = m.values.iter().map(|x| (x % 1000) as f32).collect();
        let (found, doubled) = run!(programs::mat_doubled, floats, rows, cols);
        assert_eq!((found, doubled), (shape, floats.iter().map(|x| x + x).collect()), "{shape:?}");
        let (found, turned) = run!(programs::mat_transposed, m.values, rows, cols);
        let expected: Vec<u32> =
            (0..cols).flat_map(|c| (0..rows).map(move |r| (r, c))).map(|(r, c)| m.at(r, c)).collect();
        assert_eq!(found, (cols, rows));
        assert_eq!(turned, expected, "{shape:?}");
        let pairs: Vec<(u8, f64)> = m.values.iter().map(|&x| (x as u8, f64::from(x))).collect();
        let (found, mixed) = run!(programs::mat_pairs, pairs, rows, cols);
        let expected = m.make(|r, c| (m.at(rows - 1 - r, c) as u8, f64::from(m.at(r, cols - 1 - c))));
        assert_eq!((found, mixed), (shape, expected), "{shape:?}");
    }
}

#[test]
fn stencils_and_their_borders() {
    for shape in SHAPES {
        let m = Plain::hashed(shape);
        let (rows, cols) = shape;
        let expected = m.stencil((2, 1), |i, n| Some(i.clamp(0, n - 1)));
        assert_eq!(run!(programs::mat_clamped, m.values, rows, cols), (shape, expected), "clamp {shape:?}");
        let expected = m.stencil((1, 2), |i, n| (0..n).contains(&i).then_some(i));
        assert_eq!(run!(programs::mat_filled, m.values, rows, cols), (shape, expected), "fill {shape:?}");
        let expected = m.stencil((1, 2), |i, n| Some(i.rem_euclid(n)));
        assert_eq!(run!(programs::mat_wrapped, m.values, rows, cols), (shape, expected), "wrap {shape:?}");
        if rows != 1 && cols != 1 {
            let expected = m.stencil((1, 1), |i, n| Some(if i < 0 { -i } else { i.min(2 * (n - 1) - i) }));
            assert_eq!(run!(programs::mat_mirrored, m.values, rows, cols), (shape, expected), "mirror {shape:?}");
        }
    }
}

#[test]
fn a_picture_is_blurred() {
    for shape in SHAPES {
        let m = Plain::hashed(shape);
        // Sums of such numbers are exact.
        let pixels: Vec<f32> = m.values.iter().map(|x| (x % 256) as f32).collect();
        let near = |i: usize, d: usize, n: usize| (i + d).saturating_sub(1).min(n - 1);
        let expected = m.make(|r, c| {
            let cells = (0..3).flat_map(|a| (0..3).map(move |b| (a, b)));
            let sum: f32 = cells.map(|(a, b)| pixels[near(r, a, m.rows) * m.cols + near(c, b, m.cols)]).sum();
            sum / 9.0
        });
        assert_eq!(run!(programs::mat_blurred, pixels, m.rows, m.cols), (shape, expected), "{shape:?}");
    }
}

#[test]
fn parts_and_sums() {
    let dev = Device::cpu();
    for shape @ (rows, cols) in SHAPES {
        let m = Plain::hashed(shape);
        let on_device = dev.upload_matrix(&m.values, rows, cols).unwrap();
        let inner = programs::mat_inner.run(&dev, &on_device);
        if rows < 2 || cols < 2 {
            assert!(inner.unwrap_err().to_string().contains("must be at least"), "{shape:?}");
        } else {
            let expected: Vec<u32> =
                (1..rows - 1).flat_map(|r| (1..cols - 1).map(move |c| (r, c))).map(|(r, c)| m.at(r, c)).collect();
            let inner = inner.unwrap();
            assert_eq!((inner.rows(), inner.cols()), (rows - 2, cols - 2));
            assert_eq!(inner.to_vec().unwrap(), expected, "{shape:?}");
        }
        let sum = |values: &mut dyn Iterator<Item = u32>| values.fold(0, u32::wrapping_add);
        let (of_rows, of_cols) =
            (programs::mat_row_sums.run(&dev, &on_device), programs::mat_col_sums.run(&dev, &on_device));
        if rows > 0 && cols > 0 {
            let expected: Vec<u32> = (0..rows).map(|r| sum(&mut (0..cols).map(|c| m.at(r, c)))).collect();
            assert_eq!(of_rows.unwrap().to_vec().unwrap(), expected, "{shape:?}");
            let expected: Vec<u32> = (0..cols).map(|c| sum(&mut (0..rows).map(|r| m.at(r, c)))).collect();
            assert_eq!(of_cols.unwrap().to_vec().unwrap(), expected, "{shape:?}");
        }
        let signed: Vec<i32> = m.values.iter().map(|&x| x as i32).collect();
        let signed_on_device = dev.upload_matrix(&signed, rows, cols).unwrap();
        if cols > 0 {
            let (turned, tops) = programs::mat_and_rows.run(&dev, &signed_on_device).unwrap();
            assert_eq!(turned.to_vec().unwrap(), m.make(|r, c| signed[r * cols + cols - 1 - c]), "{shape:?}");
            let expected: Vec<i32> = signed.chunks(cols).map(|row| *row.iter().max().unwrap()).collect();
            assert_eq!(tops.to_vec().unwrap(), expected, "{shape:?}");
        }
    }
}

#[test]
fn tiles_end_at_the_edges() {
    for shape @ (rows, cols) in SHAPES {
        let m = Plain::hashed(shape);
        let tiles = (rows.div_ceil(8), cols.div_ceil(16));
        let sum = |a: usize, b: usize| {
            let cells = (8 * a..rows.min(8 * a + 8)).flat_map(|r| (16 * b..cols.min(16 * b + 16)).map(move |c| (r, c)));
            cells.map(|(r, c)| m.at(r, c)).fold(0, u32::wrapping_add)
        };
        let expected: Vec<u32> =
            (0..tiles.0).flat_map(|a| (0..tiles.1).map(move |b| (a, b))).map(|(a, b)| sum(a, b)).collect();
        assert_eq!(run!(programs::mat_tile_sums, m.values, rows, cols), (tiles, expected), "{shape:?}");
    }
}

#[test]
fn softmax_of_a_matrix() {
    for shape @ (rows, cols) in SHAPES.into_iter().filter(|(_, cols)| *cols > 0) {
        let values: Vec<f32> = Plain::hashed(shape).values.iter().map(|x| (x % 1000) as f32 / 100.0).collect();
        let (found, powers) = run!(programs::mat_softmax, values, rows, cols);
        assert_eq!(found, shape);
        for (row, found) in values.chunks(cols).zip(powers.chunks(cols)) {
            let sum: f64 = row.iter().map(|x| f64::from(*x).exp()).sum();
            for (x, found) in row.iter().zip(found) {
                let expected = f64::from(*x).exp() / sum;
                assert!((f64::from(*found) - expected).abs() <= 1e-5 * expected, "{shape:?}");
            }
        }
    }
}

#[test]
fn products() {
    let dev = Device::cpu();
    for (n, k, m) in [(1, 1, 1), (7, 33, 5), (64, 31, 257), (3, 0, 4), (0, 3, 4), (4, 3, 0), (130, 70, 90)] {
        // Whole numbers that no sum rounds.
        let of = |rows, cols| -> Vec<f32> { hashes((rows * cols) as u32).iter().map(|x| (x % 16) as f32).collect() };
        let (a, b) = (of(n, k), of(k, m));
        let expected: Vec<f32> = (0..n)
            .flat_map(|r| (0..m).map(move |c| (r, c)))
            .map(|(r, c)| (0..k).map(|i| a[r * k + i] * b[i * m + c]).sum())
            .collect();
        let (x, y) = (dev.upload_matrix(&a, n, k).unwrap(), dev.upload_matrix(&b, k, m).unwrap());
        let found = programs::mat_product.run(&dev, &x, &y).unwrap();
        assert_eq!((found.rows(), found.cols()), (n, m));
        assert_eq!(found.to_vec().unwrap(), expected, "{n} x {k} x {m}");
    }
}

#[test]
fn the_host_is_told_of_wrong_shapes() {
    let dev = Device::cpu();
    let m = dev.upload_matrix(&[1.0f32; 12], 3, 4).unwrap();
    let mut wrong = dev.alloc_matrix::<f32>(4, 3).unwrap();
    let error = programs::mat_doubled.run_into(&dev, &m, &mut wrong).unwrap_err().to_string();
    assert_eq!(error, "the result is a matrix of 3 x 4, but it is to be written to one of 4 x 3");
    let mut right = dev.alloc_matrix::<f32>(3, 4).unwrap();
    programs::mat_doubled.run_into(&dev, &m, &mut right).unwrap();
    assert_eq!(right.to_vec().unwrap(), [2.0; 12]);
    let ready = programs::mat_doubled.prepare(&dev, 3, 4).unwrap();
    let mut again = ready.outputs().unwrap();
    ready.run_into(&m, &mut again).unwrap();
    assert_eq!((again.rows(), again.cols(), again.to_vec().unwrap()), (3, 4, vec![2.0; 12]));
    assert!(ready.run_into(&wrong, &mut again).is_err(), "another shape than was prepared");
    assert!(programs::mat_doubled.prepare(&dev, 1 << 16, 1 << 16).is_err());
}

/// No row or column of one is read in place of a row or column that the other has and it has not, also where it has as many elements.
#[test]
fn matrices_that_do_not_fit_each_other_are_an_error() {
    let dev = Device::cpu();
    let shapes = [(1, 1), (2, 3), (3, 2), (4, 4), (1, 6), (6, 1), (0, 3), (3, 0), (7, 31)];
    for (left, right) in shapes.into_iter().flat_map(|a| shapes.map(|b| (a, b))) {
        let (a, b) = (Plain::hashed(left), Plain::hashed(right));
        let on = [&a, &b].map(|m| dev.upload_matrix(&m.values, m.rows, m.cols).unwrap());
        let what = format!("{left:?} and {right:?}");
        let sum = (a.values.is_empty() || left.0 <= right.0 && left.1 <= right.1)
            .then(|| a.make(|r, c| a.at(r, c).wrapping_add(b.at(r, c))));
        let dot = |r, c| (0..a.cols).fold(0u32, |sum, k| sum.wrapping_add(a.at(r, k).wrapping_mul(b.at(k, c))));
        let product = (a.values.is_empty() || b.cols == 0 || a.cols <= b.rows)
            .then(|| Plain { rows: a.rows, cols: b.cols, values: Vec::new() }.make(dot));
        let narrow = Plain { rows: a.rows, cols: a.cols.min(b.cols), values: Vec::new() };
        let scaled = (narrow.rows * narrow.cols == 0 || b.rows > 0)
            .then(|| narrow.make(|r, c| a.at(r, c).wrapping_mul(b.at(0, c))));
        for (kernel, expected) in
            [(added.kernel(), sum), (multiplied.kernel(), product), (scaled_by_first.kernel(), scaled)]
        {
            let name = kernel.name();
            let found = match name {
                "added" => added.run(&dev, &on[0], &on[1]),
                "multiplied" => multiplied.run(&dev, &on[0], &on[1]),
                _ => scaled_by_first.run(&dev, &on[0], &on[1]),
            };
            match (found, expected) {
                (Ok(found), Some(expected)) => assert!(found.to_vec().unwrap() == expected, "{name}, {what}"),
                (Err(Error::Condition { condition, .. }), None) => {
                    assert!(condition.contains("must be"), "{condition}")
                }
                (found, expected) => panic!("{name}, {what}: {:?} for {expected:?}", found.map(|m| m.to_vec())),
            }
        }
    }
    let (a, b) = (dev.upload_matrix(&[1u32; 6], 2, 3).unwrap(), dev.upload_matrix(&[1u32; 6], 3, 2).unwrap());
    let said = added.run(&dev, &a, &b).unwrap_err().to_string();
    assert!(said.contains("`a_cols` must be at most `b_cols`, found 2"), "{said}");
}

#[test]
fn every_number_of_threads_and_of_blocks_writes_the_same_matrix() {
    let dev = Device::cpu();
    let m = Plain::hashed((7, 333));
    let on_device = dev.upload_matrix(&m.values, 7, 333).unwrap();
    let sums: Vec<u32> = m.values.chunks(333).map(|row| row.iter().copied().fold(0, u32::wrapping_add)).collect();
    for variant in programs::mat_row_sums.kernel().variants() {
        for blocks in [1, 3, 7] {
            let out = programs::mat_row_sums.with(variant).blocks(blocks).run(&dev, &on_device).unwrap();
            assert_eq!(out.to_vec().unwrap(), sums, "{variant}, {blocks} blocks");
        }
    }
    let generic = programs::mat_generic.run(&dev, &dev.upload_matrix(&[1u16, 2, 3, 4], 2, 2).unwrap(), 5).unwrap();
    assert_eq!(generic.to_vec().unwrap(), [6, 7, 8, 9]);
}

/// A column past the last is no element of the next row.
#[test]
fn each_coordinate_of_an_element_is_tested() {
    let values: Vec<(f32, u32)> = (0..15).map(|i| (i as f32 / 2.0, i)).collect();
    for dev in [Device::cpu(), Device::check().expect("the feature is on")] {
        let m = dev.upload_matrix(&values, 3, 5).unwrap();
        for variant in picked.kernel().variants() {
            let found = |at: &[(u32, u32)]| {
                picked.with(variant).run(&dev, &m, &dev.upload(at).unwrap()).and_then(|out| out.to_vec())
            };
            let all: Vec<(u32, u32)> = (0..15).map(|i| ((i * 7) % 15 / 5, (i * 7) % 5)).collect();
            let expected: Vec<(f32, u32)> = all.iter().map(|&(r, c)| values[(r * 5 + c) as usize]).collect();
            assert_eq!(found(&all).unwrap(), expected);
            assert_eq!(found(&[]).unwrap(), []);
            for ((r, c), said) in [
                ((0, 5), "column 5 is out of range of `m`, which has 5 columns"),
                ((2, u32::MAX), "column 4294967295 is out of range of `m`, which has 5 columns"),
                ((3, 0), "row 3 is out of range of `m`, which has 3 rows"),
                // The place that these make wraps into the matrix.
                ((858_993_460, 0), "row 858993460 is out of range of `m`, which has 3 rows"),
                ((7, 9), "row 7 is out of range of `m`, which has 3 rows"),
            ] {
                let mut stray = all.clone();
                stray[9] = (r, c);
                let error = found(&stray).unwrap_err();
                let (array, of, index, len) = match r {
                    0..3 => (IndexedArray::Columns("m"), "the columns of", c, 5),
                    _ => (IndexedArray::Rows("m"), "the rows of", r, 3),
                };
                let expected = (array, u64::from(index), len);
                match error {
                    Error::OutOfRange { array, index, len, .. } => {
                        assert!(error.to_string().contains(said), "{r}, {c}: {error}");
                        assert_eq!((array, index, len), expected);
                    }
                    // From the interpreter.
                    Error::Faulty { fault, .. } => {
                        assert!(fault.contains(&format!("index {index} is out of bounds of `{of} m`")), "{fault}");
                    }
                    other => panic!("{other}"),
                }
            }
        }
    }
}

kernel! {
    /// Scalars and arrays that are called as the sides of a matrix are in texts.
    #[kernel(threads = 32)]
    pub fn named_alike(a: DMat<u32>, a_rows: u32, a_cols: DPull<u32>) -> DPush<Grid, u32> {
        a_cols.map(|x| x + a_rows * 10 + a.rows() * 100 + a.cols() * 1000).push()
    }
}

#[test]
fn names_of_parameters_may_be_those_of_the_sides_of_a_matrix() {
    for dev in [Device::cpu(), Device::check().unwrap()] {
        let a = dev.upload_matrix(&[0u32; 6], 2, 3).unwrap();
        let found = named_alike.run(&dev, &a, 7, &dev.upload(&[1, 2]).unwrap()).unwrap();
        assert_eq!(found.to_vec().unwrap(), [3271, 3272]);
    }
}
