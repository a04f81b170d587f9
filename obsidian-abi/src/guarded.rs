//! What the names of a kernel's guarded arrays begin with where they stand for a side of a matrix; the matrix follows.

/// An entry that is the rows of a matrix.
pub const ROWS_OF: &str = "the rows of ";
/// An entry that is the columns of a matrix.
pub const COLUMNS_OF: &str = "the columns of ";
