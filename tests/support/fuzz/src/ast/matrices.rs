//! What a grid makes of a matrix.

/// What a grid makes of a matrix `m`, the first part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InMatrix {
    /// `b` of each element.
    Mapped,
    /// Its transpose.
    Transposed,
    /// The last row first, and of each row the last element first: by pairs of indices.
    Turned,
    /// `sub`: the numbers of rows and columns that are left out at the front, and at the back.
    Inner([u32; 2], [u32; 2]),
    /// `b` of the neighbourhood of each element: rows up and down, and columns to either side, as one array. With
    /// [`Border::Fill`] `c` lies beyond the edges.
    Stencil(Border, u32, u32),
    /// Each row by a block of its own, reversed.
    Rows,
    /// `reduce(row, b)` of each row: an array.
    Folded,
    /// The same of each column.
    FoldedColumns,
    /// Row `b` alone: an array.
    Row,
    /// Column `b` alone.
    Column,
    /// Tiles of these rows and columns, of each of which a thread folds all elements by `b`, from `c` on.
    Tiles(u32, u32),
}

/// What lies beyond the edges of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Border {
    /// The element at the edge.
    Clamp,
    /// One value.
    Fill,
    /// The other edge.
    Wrap,
    /// The elements before the edge.
    Mirror,
}

impl Border {
    /// All of them.
    pub const ALL: [Border; 4] = [Border::Clamp, Border::Fill, Border::Wrap, Border::Mirror];

    /// The function with that border.
    pub fn function(self) -> &'static str {
        match self {
            Border::Clamp => "stencil_2d",
            Border::Fill => "stencil_2d_fill",
            Border::Wrap => "stencil_2d_wrap",
            Border::Mirror => "stencil_2d_mirror",
        }
    }
}

impl InMatrix {
    /// Its name, for counts of what was made.
    pub fn name(self) -> &'static str {
        match self {
            InMatrix::Mapped => "mapped matrix",
            InMatrix::Transposed => "transposed matrix",
            InMatrix::Turned => "turned matrix",
            InMatrix::Inner(..) => "part of a matrix",
            InMatrix::Stencil(border, ..) => border.function(),
            InMatrix::Rows => "rows of a matrix",
            InMatrix::Folded => "reduced rows of a matrix",
            InMatrix::FoldedColumns => "reduced columns of a matrix",
            InMatrix::Row => "one row of a matrix",
            InMatrix::Column => "one column of a matrix",
            InMatrix::Tiles(..) => "tiles of a matrix",
        }
    }
}
