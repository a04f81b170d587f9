//! Matrices: a buffer that holds one row by row, and its shape. In: slices with rows and columns; out: what kernels take for a
//! `DMat<T>` and give for a `PushMat<Grid, T>`.

use std::fmt;

use super::Buffer;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;

/// A matrix on a device, stored row by row: what a kernel takes for a `DMat<T>`, and gives for a `PushMat<Grid, T>`. Either number, or
/// both, may be 0. When its elements are there is said of [`Buffer`].
///
/// ```
/// # fn main() -> Result<(), obsidian_runtime::Error> {
/// let dev = obsidian_runtime::Device::cpu();
/// let m = dev.upload_matrix(&[1, 2, 3, 4, 5, 6], 2, 3)?;
/// assert_eq!((m.rows(), m.cols()), (2, 3));
/// assert_eq!(m.to_vec()?, [1, 2, 3, 4, 5, 6]);
/// let error = dev.upload_matrix(&[1, 2, 3, 4, 5], 2, 3).unwrap_err();
/// assert_eq!(error.to_string(), "a matrix of 2 x 3 has 6 elements, but there are 5");
/// # Ok(()) }
/// ```
pub struct Matrix<T: Element> {
    buffer: Buffer<T>,
    rows: usize,
    cols: usize,
}

impl<T: Element> Matrix<T> {
    /// The elements of a buffer as `rows` rows of `cols` elements.
    ///
    /// # Errors
    /// [`Error::Shape`] where the buffer has another number of elements, or a matrix of that shape has 2^32 elements, rows or
    /// columns and more.
    pub fn new(buffer: Buffer<T>, rows: usize, cols: usize) -> Result<Matrix<T>, Error> {
        fits(rows, cols, buffer.len())?;
        Ok(Matrix { buffer, rows, cols })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The elements, row by row.
    pub fn buffer(&self) -> &Buffer<T> {
        &self.buffer
    }

    /// The elements without the shape.
    pub fn into_buffer(self) -> Buffer<T> {
        self.buffer
    }

    /// A copy of all elements, row by row, once the launches that write them are done.
    ///
    /// # Errors
    /// As of [`Buffer::to_vec`].
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        self.buffer.to_vec()
    }

    /// Overwrites all elements, row by row.
    ///
    /// # Errors
    /// As of [`Buffer::write`].
    pub fn write(&mut self, values: &[T]) -> Result<(), Error> {
        self.buffer.write(values)
    }

    /// The device it lives on.
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// The buffer of a matrix of this shape, for generated code.
    #[doc(hidden)]
    pub fn buffer_mut(&mut self, (rows, cols): (u64, u64)) -> Result<&mut Buffer<T>, Error> {
        if (self.rows as u64, self.cols as u64) != (rows, cols) {
            return Err(Error::OutputShape { expected: (rows, cols), found: (self.rows, self.cols) });
        }
        Ok(&mut self.buffer)
    }
}

/// Whether this number of elements is a matrix of that shape.
fn fits(rows: usize, cols: usize, found: usize) -> Result<(), Error> {
    let counted = |n: usize| u32::try_from(n).is_ok();
    let len = rows.checked_mul(cols).filter(|&len| len == found && counted(len));
    match len.filter(|_| counted(rows) && counted(cols)) {
        Some(_) => Ok(()),
        None => Err(Error::Shape { rows, cols, found }),
    }
}

impl<T: Element> fmt::Debug for Matrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Matrix({} x {} in {:?})", self.rows, self.cols, self.buffer)
    }
}

impl Device {
    /// A matrix of `rows` rows of `cols` elements with a copy of `values`, which holds it row by row.
    ///
    /// # Errors
    /// As of [`Matrix::new`] and of [`Device::upload`].
    pub fn upload_matrix<T: Element>(&self, values: &[T], rows: usize, cols: usize) -> Result<Matrix<T>, Error> {
        fits(rows, cols, values.len())?;
        Matrix::new(self.upload(values)?, rows, cols)
    }

    /// A matrix of `rows` rows of `cols` elements, all zero (`false` for bools).
    ///
    /// # Errors
    /// As of [`Matrix::new`] and of [`Device::alloc`].
    pub fn alloc_matrix<T: Element>(&self, rows: usize, cols: usize) -> Result<Matrix<T>, Error> {
        let len = rows.saturating_mul(cols);
        fits(rows, cols, len)?;
        Matrix::new(self.alloc(len)?, rows, cols)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_fit_or_are_errors() {
        let dev = Device::cpu();
        for (rows, cols) in [(0, 0), (0, 5), (7, 0), (1, 1), (3, 4)] {
            let values: Vec<u8> = (0..rows * cols).map(|i| i as u8).collect();
            let m = dev.upload_matrix(&values, rows, cols).unwrap();
            assert_eq!((m.rows(), m.cols(), m.to_vec().unwrap()), (rows, cols, values.clone()));
            assert_eq!(dev.alloc_matrix::<u8>(rows, cols).unwrap().into_buffer().len(), rows * cols);
            assert!(Matrix::new(dev.upload(&values).unwrap(), rows + 1, cols + 1).is_err());
        }
        let error = dev.upload_matrix(&[1u8; 12], 5, 2).unwrap_err().to_string();
        assert_eq!(error, "a matrix of 5 x 2 has 10 elements, but there are 12");
    }

    #[test]
    fn what_indices_cannot_count_is_an_error() {
        let dev = Device::cpu();
        for (rows, cols) in [(1 << 16, 1 << 16), (usize::MAX, 2), (1 << 32, 0), (0, 1 << 40)] {
            let error = dev.alloc_matrix::<u8>(rows, cols).unwrap_err().to_string();
            assert!(error.contains("fewer than 2^32"), "{error}");
        }
    }

    #[test]
    fn results_go_where_the_shape_fits() {
        let mut m = Device::cpu().alloc_matrix::<i32>(2, 3).unwrap();
        assert_eq!(m.buffer_mut((2, 3)).unwrap().len(), 6);
        let error = m.buffer_mut((3, 2)).unwrap_err().to_string();
        assert_eq!(error, "the result is a matrix of 3 x 2, but it is to be written to one of 2 x 3");
    }
}
