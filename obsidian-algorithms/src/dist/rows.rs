//! Matrices of which each rank has some rows: transposed, and stencils with the rows of other ranks beside.

use std::fmt;

use obsidian::exchange::{Done, Exchange, Halo, RowShares};
use obsidian::{Buffer, Element, Error, Matrix};

use super::together;
use crate::number::Number;

/// A matrix over all ranks, of which each has some rows, one after the other; also none.
pub struct Rows<T: Element> {
    /// The first row of each rank, and the number of rows.
    starts: Vec<u64>,
    rank: usize,
    part: Matrix<T>,
}

/// What a stencil reads beyond the first row and the last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Beyond<T> {
    /// The rows at the other end.
    Around,
    /// Rows of this element.
    Filled(T),
}

impl<T: Element> Rows<T> {
    /// The matrix of which this rank has the rows of `part`.
    ///
    /// # Errors
    /// A rank's rows have another length than those of rank 0; as of [`Exchange`].
    pub fn joined(ranks: &impl Exchange, part: Matrix<T>) -> Result<Rows<T>, Error> {
        let shapes = ranks.all_gather(&Done::from(vec![(part.rows() as u64, part.cols() as u64)]))?;
        if let Some(rank) = shapes.iter().position(|shape| shape.1 != shapes[0].1) {
            let (cols, first) = (shapes[rank].1, shapes[0].1);
            return Err(ranks.fail(rank, format!("its rows have {cols} elements, and those of rank 0 {first}")));
        }
        let mut starts = vec![0];
        starts.extend(shapes.iter().scan(0, |at, shape| {
            *at += shape.0;
            Some(*at)
        }));
        Ok(Rows { starts, rank: ranks.rank(), part })
    }

    /// The rows that a rank has, where `rows` are shared out evenly.
    pub fn share(rows: u64, size: usize, rank: usize) -> std::ops::Range<u64> {
        let start = |rank: usize| (u128::from(rows) * rank as u128 / size.max(1) as u128) as u64;
        start(rank)..start(rank + 1)
    }

    /// The number of rows of all ranks together.
    pub fn rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.part.cols()
    }

    /// The first row of this rank.
    pub fn start(&self) -> u64 {
        self.starts[self.rank]
    }

    /// The first row of each rank, and the number of rows at the end.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// This rank's rows.
    pub fn part(&self) -> &Matrix<T> {
        &self.part
    }

    /// All elements on rank `root`, row by row, none on the others.
    ///
    /// # Errors
    /// As of [`Exchange`]; what the device reports.
    pub fn gather(&self, ranks: &impl Exchange, root: usize) -> Result<Vec<T>, Error> {
        Ok(ranks.gather(root, &together(ranks, self.part.buffer().done())?)?.concat())
    }
}

/// Rows as columns; the columns are shared out evenly. Each element is sent once. Cost: a launch that reads and writes each element of the part
/// once, one exchange, and on the host a copy of what came.
///
/// # Errors
/// As of [`Exchange`]; what the device reports.
pub fn transpose<T: Number>(ranks: &impl Exchange, m: &Rows<T>) -> Result<Rows<T>, Error> {
    let (size, me) = (ranks.size(), ranks.rank());
    let shares: Vec<_> = (0..size).map(|rank| Rows::<T>::share(m.cols() as u64, size, rank)).collect();
    let turned = || match m.part.buffer().is_empty() {
        true => m.part.device().alloc(0),
        false => T::transposed(m.part.buffer(), m.cols() as u32),
    };
    let turned: Buffer<T> = together(ranks, turned())?;
    let counts: Vec<usize> = shares.iter().map(|own| own.clone().count() * m.part.rows()).collect();
    let blocks = ranks.all_to_all_v(&together(ranks, turned.done())?, &counts)?;
    let (rows, cols) = (shares[me].clone().count(), m.rows() as usize);
    let mut all = Vec::with_capacity(rows * cols);
    for row in 0..rows {
        for (rank, block) in blocks.iter().enumerate() {
            let width = (m.starts[rank + 1] - m.starts[rank]) as usize;
            all.extend_from_slice(&block[row * width..(row + 1) * width]);
        }
    }
    let part = together(ranks, m.part.device().upload_matrix(&all, rows, cols))?;
    let starts = shares.iter().map(|share| share.start).chain([m.cols() as u64]).collect();
    Ok(Rows { starts, rank: me, part })
}

/// A step of a stencil. `step` makes of rows the rows that have `radius` rows of them above and below: of `n` rows `n - 2 * radius`, each as long
/// as they were. It is called for the inner rows while those of other ranks are under way, then for the rows at the edges, all with the same
/// kernel.
///
/// # Errors
/// As of [`Exchange`]; that of `step`, on the other ranks at the latest in their next exchange; it gives another number of rows.
pub fn stencil_rows<T: Element>(
    ranks: &impl Exchange,
    m: &Rows<T>,
    radius: usize,
    beyond: Beyond<T>,
    step: impl Fn(&Matrix<T>) -> Result<Matrix<T>, Error>,
) -> Result<Rows<T>, Error> {
    let (own, cols) = (m.part.rows(), m.cols());
    if radius == 0 {
        let part = together(ranks, checked(&step, &m.part, 0))?;
        return Ok(Rows { starts: m.starts.clone(), rank: m.rank, part });
    }
    let shares = RowShares { starts: &m.starts, width: cols, radius, around: matches!(beyond, Beyond::Around) };
    let edge = own.min(radius);
    let first = together(ranks, m.part.buffer().done_in(0..edge * cols))?;
    let last = together(ranks, m.part.buffer().done_in((own - edge) * cols..own * cols))?;
    // The inner rows need no others.
    let apart = own > 2 * radius;
    let inner = || if apart { checked(&step, &m.part, radius).map(Some) } else { Ok(None) };
    let (halo, inner) = ranks.halo(&shares, &first, &last, inner)?;
    let part = || {
        let halo = filled(halo, radius * cols, own > 0, beyond);
        let Some(inner) = inner else {
            return match own {
                0 => m.part.device().alloc_matrix(0, cols),
                _ => banded(m, &halo.above, 0..own, &halo.below, &step, radius),
            };
        };
        let above = banded(m, &halo.above, 0..2 * radius, &[], &step, radius)?;
        let below = banded(m, &[], own - 2 * radius..own, &halo.below, &step, radius)?;
        let all = m.part.device().joined(&[above.buffer(), inner.buffer(), below.buffer()])?;
        Matrix::new(all, own, cols)
    };
    let part = together(ranks, part())?;
    Ok(Rows { starts: m.starts.clone(), rank: m.rank, part })
}

/// The step of some rows of a part between others.
fn banded<T: Element>(
    m: &Rows<T>,
    above: &[T],
    rows: std::ops::Range<usize>,
    below: &[T],
    step: &impl Fn(&Matrix<T>) -> Result<Matrix<T>, Error>,
    radius: usize,
) -> Result<Matrix<T>, Error> {
    let (cols, own) = (m.cols(), m.part.buffer().done_in(rows.start * m.cols()..rows.end * m.cols())?);
    let all = [above, &own, below].concat();
    let count = all.len().checked_div(cols).unwrap_or(rows.len() + 2 * radius);
    checked(step, &m.part.device().upload_matrix(&all, count, cols)?, radius)
}

/// A step whose result has the shape that it must have.
fn checked<T: Element>(
    step: &impl Fn(&Matrix<T>) -> Result<Matrix<T>, Error>,
    rows: &Matrix<T>,
    radius: usize,
) -> Result<Matrix<T>, Error> {
    let expected = ((rows.rows() - 2 * radius) as u64, rows.cols() as u64);
    let result = step(rows)?;
    match (result.rows() as u64, result.cols() as u64) == expected {
        true => Ok(result),
        false => Err(Error::OutputShape { expected, found: (result.rows(), result.cols()) }),
    }
}

/// The halo with rows beyond the ends.
fn filled<T: Element>(halo: Halo<T>, len: usize, any: bool, beyond: Beyond<T>) -> Halo<T> {
    match beyond {
        Beyond::Filled(value) if any => {
            let more = |found: &[T]| vec![value; len - found.len()];
            let (above, below) = (more(&halo.above), more(&halo.below));
            Halo { above: [above, halo.above].concat(), below: [halo.below, below].concat() }
        }
        _ => halo,
    }
}

impl<T: Element> fmt::Debug for Rows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({}.. of {} rows: {:?})", self.start(), self.rows(), self.part)
    }
}
