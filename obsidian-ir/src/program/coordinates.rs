//! Places in a matrix, the host's or a mutable array's, by row and column: what the author asks for is a pair, and each of the two must be inside.

use super::ExprId;
use crate::tables::HashMap;
use obsidian_abi::guarded::{COLUMNS_OF, ROWS_OF};

/// A side of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Its rows.
    Rows,
    /// Its columns.
    Columns,
}

impl Side {
    /// What the side of a matrix of that name is called.
    pub fn of(self, matrix: &str) -> String {
        format!("{}{matrix}", if self == Side::Rows { ROWS_OF } else { COLUMNS_OF })
    }
}

/// A row or a column that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coordinate {
    /// Along which side.
    pub side: Side,
    /// Which one (`u32`).
    pub at: ExprId,
    /// How many there are (`u32`, known at launch).
    pub len: ExprId,
}

/// The coordinates of loads.
#[derive(Debug, Clone, Default)]
pub struct Coordinates(HashMap<ExprId, Option<[Coordinate; 2]>>);

impl Coordinates {
    /// Notes which row and column a load reads. One that is asked for by two pairs has none: it is a place in the whole.
    pub fn note(&mut self, load: ExprId, pair: [Coordinate; 2]) {
        let known = self.0.entry(load).or_insert(Some(pair));
        if *known != Some(pair) {
            *known = None;
        }
    }

    /// A load reads the row and the column of another that it is made of. For passes that leave variables as they are: the row and the
    /// column are computed from these.
    pub fn inherit(&mut self, new: ExprId, load: ExprId) {
        if let Some(pair) = self.of(load).filter(|_| new != load) {
            self.note(new, pair);
        }
    }

    /// The row and the column that a load reads, if its author has asked by these.
    pub fn of(&self, load: ExprId) -> Option<[Coordinate; 2]> {
        self.0.get(&load).copied().flatten()
    }
}
