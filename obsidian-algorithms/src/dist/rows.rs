//! Matrices of which each rank has some rows: transposed, and stencils with the rows of other ranks beside.

use std::fmt;
use std::ops::Range;

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
    pub fn share(rows: u64, size: usize, rank: usize) -> Range<u64> {
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
/// as they were, and writes them where it is told: `|rows, result| kernel.run_into(&device, rows, result)`. It is called for the inner rows while
/// those of other ranks are under way, then for the rows at the edges, all with the same kernel. Inner rows and edges are written into one
/// buffer where the host sees the memory and rows are multiples of 16 bytes; else the part is copied once more.
///
/// # Errors
/// As of [`Exchange`]; that of `step`, on the other ranks at the latest in their next exchange.
pub fn stencil_rows<T: Element>(
    ranks: &impl Exchange,
    m: &Rows<T>,
    radius: usize,
    beyond: Beyond<T>,
    step: impl Fn(&Matrix<T>, &mut Matrix<T>) -> Result<(), Error>,
) -> Result<Rows<T>, Error> {
    let (own, cols, device) = (m.part.rows(), m.cols(), m.part.device());
    let with = |part| Rows { starts: m.starts.clone(), rank: m.rank, part };
    if radius == 0 {
        let part = || stepped(&step, &m.part, device.alloc(own * cols)?, own);
        return Ok(with(together(ranks, part().and_then(|part| Matrix::new(part, own, cols)))?));
    }
    let shares = RowShares { starts: &m.starts, width: cols, radius, around: matches!(beyond, Beyond::Around) };
    let edge = own.min(radius);
    let first = together(ranks, m.part.buffer().done_in(0..edge * cols))?;
    let last = together(ranks, m.part.buffer().done_in((own - edge) * cols..own * cols))?;
    // The inner rows need no others; without any, all rows are one edge.
    let heights = if own > 2 * radius { vec![radius, own - 2 * radius, radius] } else { vec![own] };
    let lens: Vec<usize> = heights.iter().map(|height| height * cols).collect();
    let (mut parts, whole) = together(ranks, device.alloc_parts(&lens))?;
    let inner = || match parts.len() {
        3 => stepped(&step, &m.part, parts.swap_remove(1), heights[1]).map(Some),
        _ => Ok(None),
    };
    let (halo, inner) = ranks.halo(&shares, &first, &last, inner)?;
    let halo = filled(halo, radius * cols, own > 0, beyond);
    let band = |above: &[T], rows: Range<usize>, below: &[T], result| {
        let height = rows.len() + (above.len() + below.len()).checked_div(cols).unwrap_or(2 * radius);
        let all = [above, &m.part.buffer().done_in(rows.start * cols..rows.end * cols)?, below].concat();
        stepped(&step, &device.upload_matrix(&all, height, cols)?, result, height - 2 * radius)
    };
    let joined = || {
        let mut rest = parts.into_iter();
        let mut next = || rest.next().map_or_else(|| device.alloc(0), Ok);
        let written = match inner {
            Some(inner) => {
                let above = band(&halo.above, 0..2 * radius, &[], next()?)?;
                vec![above, inner, band(&[], own - 2 * radius..own, &halo.below, next()?)?]
            }
            None if own > 0 => vec![band(&halo.above, 0..own, &halo.below, next()?)?],
            None => vec![next()?],
        };
        Matrix::new(whole.join(written)?, own, cols)
    };
    Ok(with(together(ranks, joined())?))
}

/// A buffer with what a step makes of rows: `height` rows, which is as long as they are.
fn stepped<T: Element>(
    step: &impl Fn(&Matrix<T>, &mut Matrix<T>) -> Result<(), Error>,
    rows: &Matrix<T>,
    result: Buffer<T>,
    height: usize,
) -> Result<Buffer<T>, Error> {
    let mut result = Matrix::new(result, height, rows.cols())?;
    step(rows, &mut result)?;
    Ok(result.into_buffer())
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
