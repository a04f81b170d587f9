//! What grids make of matrices, as lists of rows.

use super::{Meaning, NoMeaning, Result, Value};
use crate::ast::{Border, InMatrix};

/// A matrix.
struct Rows<'v, 'k> {
    rows: Vec<&'v [Value<'k>]>,
    cols: usize,
}

impl<'v, 'k> Rows<'v, 'k> {
    fn of(value: &'v Value<'k>) -> Result<Rows<'v, 'k>> {
        let rows = value.list()?.iter().map(|row| row.list().map(|row| row.as_slice())).collect::<Result<Vec<_>>>()?;
        let cols = rows.first().map_or(0, |row| row.len());
        Ok(Rows { rows, cols })
    }

    fn at(&self, r: usize, c: usize) -> Result<Value<'k>> {
        self.rows.get(r).and_then(|row| row.get(c)).cloned().ok_or(NoMeaning::OutOfRange)
    }

    fn column(&self, c: usize) -> Vec<Value<'k>> {
        self.rows.iter().filter_map(|row| row.get(c).cloned()).collect()
    }

    /// `f` of the places of a matrix of that shape, row by row.
    fn each(rows: usize, cols: usize, f: impl Fn(usize, usize) -> Result<Value<'k>>) -> Result<Value<'k>> {
        let places = (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c)));
        places.map(|(r, c)| f(r, c)).collect::<Result<Vec<_>>>().map(Value::array)
    }
}

/// Where index `i` of `n` elements lies, which may be beyond an edge.
fn beyond(border: Border, i: i64, n: i64) -> Option<usize> {
    let place = match border {
        Border::Clamp => i.clamp(0, n - 1),
        Border::Fill => return usize::try_from(i).ok().filter(|_| i < n),
        Border::Wrap => i.rem_euclid(n),
        Border::Mirror if i < 0 => -i,
        Border::Mirror => i.min(2 * (n - 1) - i),
    };
    usize::try_from(place).ok()
}

impl<'k> Meaning<'k> {
    /// The elements of what a grid makes of a matrix, row by row.
    pub(super) fn of_matrix(&self, what: InMatrix, args: &[Value<'k>]) -> Result<Value<'k>> {
        let m = Rows::of(&args[0])?;
        let (rows, cols) = (m.rows.len(), m.cols);
        match what {
            InMatrix::Mapped => Rows::each(rows, cols, |r, c| self.apply(&args[1], vec![m.at(r, c)?])),
            InMatrix::Transposed => Rows::each(cols, rows, |r, c| m.at(c, r)),
            InMatrix::Turned => Rows::each(rows, cols, |r, c| m.at(rows - 1 - r, cols - 1 - c)),
            InMatrix::Rows => Rows::each(rows, cols, |r, c| m.at(r, cols - 1 - c)),
            InMatrix::Inner([r0, c0], [r1, c1]) => {
                let left = |n: usize, a: u32, b: u32| n.saturating_sub((a + b) as usize);
                let at = |r: usize, c: usize| m.at(r + r0 as usize, c + c0 as usize);
                Rows::each(left(rows, r0, r1), left(cols, c0, c1), at)
            }
            InMatrix::Stencil(border, up, left) => {
                let (up, left) = (i64::from(up), i64::from(left));
                let near = |r: i64, c: i64| match (beyond(border, r, rows as i64), beyond(border, c, cols as i64)) {
                    (Some(r), Some(c)) => m.at(r, c),
                    _ => Ok(args[2].clone()),
                };
                Rows::each(rows, cols, |r, c| {
                    let cells = (-up..=up).flat_map(|a| (-left..=left).map(move |b| (a, b)));
                    let cells = cells.map(|(a, b)| near(r as i64 + a, c as i64 + b));
                    self.apply(&args[1], vec![Value::array(cells.collect::<Result<_>>()?)])
                })
            }
            InMatrix::Folded => {
                let sums = m.rows.iter().map(|row| self.folded(&args[1], row));
                sums.collect::<Result<Vec<_>>>().map(Value::array)
            }
            InMatrix::FoldedColumns => {
                let sums = (0..cols).map(|c| self.folded(&args[1], &m.column(c)));
                sums.collect::<Result<Vec<_>>>().map(Value::array)
            }
            InMatrix::Row => {
                let r = args[1].number()?;
                (0..cols).map(|c| m.at(r, c)).collect::<Result<Vec<_>>>().map(Value::array)
            }
            InMatrix::Column => {
                let c = args[1].number()?;
                (0..rows).map(|r| m.at(r, c)).collect::<Result<Vec<_>>>().map(Value::array)
            }
            InMatrix::Tiles(h, w) => {
                let (h, w) = (h as usize, w as usize);
                Rows::each(rows.div_ceil(h), cols.div_ceil(w), |a, b| {
                    let down = a * h..rows.min(a * h + h);
                    let mut cells = down.flat_map(|r| (b * w..cols.min(b * w + w)).map(move |c| (r, c)));
                    cells.try_fold(args[2].clone(), |acc, (r, c)| self.apply(&args[1], vec![acc, m.at(r, c)?]))
                })
            }
        }
    }
}
