//! Which rows go where: the rows that a stencil reads beside those that a rank holds. In: how rows are shared out; out: lists of rows.

use std::ops::Range;

use crate::element::Element;

/// How the rows of a matrix are shared out over the ranks, and how many of them a stencil reads beside each.
#[derive(Debug, Clone, Copy)]
pub struct RowShares<'a> {
    /// The first row of each rank, and the number of rows: one more than there are ranks, ascending, from 0.
    pub starts: &'a [u64],
    /// Elements of a row.
    pub width: usize,
    /// How many rows above and below each row are read.
    pub radius: usize,
    /// Whether the rows go on with the last one above the first, and with the first below the last.
    pub around: bool,
}

/// The rows beside those of a rank, row by row: as many as the radius says, fewer at the ends of rows that do not go around, none for a rank
/// without rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halo<T> {
    /// Those above its first row.
    pub above: Vec<T>,
    /// Those below its last row.
    pub below: Vec<T>,
}

impl RowShares<'_> {
    fn of(&self, rank: usize) -> Range<u64> {
        self.starts[rank]..self.starts[rank + 1]
    }

    fn all(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The rows above and below those of a rank.
    fn beside(&self, rank: usize) -> (Vec<u64>, Vec<u64>) {
        let (own, all) = (self.of(rank), self.all());
        if own.is_empty() {
            return (vec![], vec![]);
        }
        let radius = self.radius as u64;
        match self.around {
            true => {
                let above = (1..=radius).rev().map(|k| (own.start + all - k % all) % all).collect();
                (above, (0..radius).map(|k| (own.end + k) % all).collect())
            }
            false => {
                let above = own.start.saturating_sub(radius)..own.start;
                (above.collect(), (own.end..own.end.saturating_add(radius).min(all)).collect())
            }
        }
    }
}

/// What does not fit, in words.
pub fn fits(shares: &RowShares<'_>, rank: usize, size: usize, first: usize, last: usize) -> Result<(), String> {
    let starts = shares.starts;
    if starts.len() != size + 1 || starts[0] != 0 || starts.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err(format!("the first rows {starts:?} do not share rows out over {size} ranks"));
    }
    let rows = (shares.of(rank).end - shares.of(rank).start).min(shares.radius as u64) as usize;
    let expected = rows.saturating_mul(shares.width);
    match first == expected && last == expected {
        true => Ok(()),
        false => Err(format!(
            "its first and last rows have {first} and {last} elements, where {rows} rows of {} are expected",
            shares.width
        )),
    }
}

/// The rows that `needs` needs and `owner` holds, in the order in which they are sent: above, then below.
pub fn needed(shares: &RowShares<'_>, needs: usize, owner: usize) -> Vec<u64> {
    let (above, below) = shares.beside(needs);
    let held = shares.of(owner);
    above.into_iter().chain(below).filter(|row| held.contains(row)).collect()
}

/// The first and the last rows of a rank.
pub struct Edges<'a, T> {
    pub shares: &'a RowShares<'a>,
    pub first: &'a [T],
    pub last: &'a [T],
}

impl<T: Element> Edges<'_, T> {
    /// Rows of `rank`, whose edges these are; each is among its first or its last ones.
    pub fn rows(&self, rank: usize, rows: &[u64]) -> Vec<T> {
        let (own, width) = (self.shares.of(rank), self.shares.width);
        let mut all = Vec::with_capacity(rows.len() * width);
        for row in rows {
            let from_start = (row - own.start) as usize * width;
            let from_end = (own.end - row) as usize * width;
            all.extend_from_slice(match self.first.get(from_start..from_start + width) {
                Some(row) => row,
                None => &self.last[self.last.len() - from_end..][..width],
            });
        }
        all
    }
}

/// What came from each rank as rows above and below.
pub fn sorted<T: Element>(shares: &RowShares<'_>, rank: usize, from: &[Vec<T>]) -> Halo<T> {
    let (above, below) = shares.beside(rank);
    let mut at = vec![0; from.len()];
    let mut take = |rows: &[u64]| {
        let mut all = Vec::with_capacity(rows.len() * shares.width);
        for row in rows {
            let held = (0..from.len()).find(|&owner| shares.of(owner).contains(row));
            if let Some(owner) = held {
                all.extend_from_slice(&from[owner][at[owner]..][..shares.width]);
                at[owner] += shares.width;
            }
        }
        all
    };
    Halo { above: take(&above), below: take(&below) }
}
