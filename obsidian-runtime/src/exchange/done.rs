//! Finished results: all that an exchange takes.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};

use crate::element::Element;
use crate::error::Error;
use crate::host::HostBytes;
use crate::memory::Buffer;

/// Values that nothing writes any more: what an [`Exchange`](super::Exchange) takes. Made of values of the host's
/// ([`Done::of`], `From<Vec<T>>`), or of a buffer by [`Buffer::done`], which waits for the launches that write it. While it is there the
/// buffer cannot be written:
///
/// ```compile_fail,E0502
/// # use obsidian_runtime::Device;
/// let mut buffer = Device::cpu().upload(&[1u32, 2]).unwrap();
/// let done = buffer.done().unwrap();
/// buffer.write(&[3, 4]).unwrap();
/// assert_eq!(done[..], [1, 2]);
/// ```
#[derive(Clone)]
pub struct Done<'a, T: Element> {
    values: Cow<'a, [T]>,
}

/// What every exchange takes: [`Done`], and nothing else. A trait, so that who gives a buffer reads what to write. Sealed.
///
/// ```
/// # use obsidian_runtime::{Buffer, Error, Matrix, exchange::{Done, Exchange}};
/// fn sums(ranks: &impl Exchange, buffer: &Buffer<f32>, matrix: &Matrix<f32>, values: Vec<f32>) -> Result<(), Error> {
///     ranks.all_reduce(&buffer.done()?, |a, b| a + b)?;
///     ranks.all_reduce(&matrix.buffer().done()?, |a, b| a + b)?;
///     ranks.all_reduce(&Done::of(&values), |a, b| a + b)?;
///     ranks.all_reduce(&Done::from(values), |a, b| a + b)?;
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "an exchange takes finished results, and `{Self}` is none",
    label = "of a buffer, `.done()?` is one",
    note = "`&buffer.done()?` waits for the launches that write the buffer, `&matrix.buffer().done()?` for those of a matrix",
    note = "values of the host's are finished: `&Done::of(&values)`, or `&Done::from(vec)`"
)]
pub trait Finished<T: Element>: Deref<Target = [T]> + sealed::Done {}

impl<T: Element> Finished<T> for Done<'_, T> {}

mod sealed {
    pub trait Done {}
    impl<T: super::Element> Done for super::Done<'_, T> {}
}

impl<'a, T: Element> Done<'a, T> {
    /// Values of the host's, without a copy.
    pub fn of(values: &'a [T]) -> Done<'a, T> {
        Done { values: Cow::Borrowed(values) }
    }

    /// The values, copied where they are borrowed.
    pub fn into_vec(self) -> Vec<T> {
        self.values.into_owned()
    }
}

impl<T: Element> From<Vec<T>> for Done<'_, T> {
    fn from(values: Vec<T>) -> Self {
        Done { values: Cow::Owned(values) }
    }
}

impl<T: Element> Deref for Done<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T: Element> Buffer<T> {
    /// The elements, once the launches that write them are done: what can be given to an [`Exchange`](crate::exchange::Exchange). Without a
    /// copy on the CPU, of numbers.
    ///
    /// # Errors
    /// As of [`Buffer::to_vec`].
    pub fn done(&self) -> Result<Done<'_, T>, Error> {
        self.done_in(0..self.len())
    }

    /// The elements of a range, as [`done`](Buffer::done) gives them.
    ///
    /// # Errors
    /// [`Error::View`] where the range is not in the buffer; as of [`Buffer::to_vec`].
    pub fn done_in(&self, range: Range<usize>) -> Result<Done<'_, T>, Error> {
        if range.start > range.end || range.end > self.len() {
            return Err(Error::View { len: self.len(), start: range.start, end: range.end, alignment: 1 });
        }
        let host: Option<Vec<&HostBytes>> = self.raw().memory().iter().map(|memory| memory.host()).collect();
        match host.and_then(|fields| T::seen(&fields)) {
            Some(values) => Ok(Done::of(&values[range])),
            None => Ok(Done::from(self.part(range)?)),
        }
    }
}

impl<T: Element> fmt::Debug for Done<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Done<{}>({} elements)", std::any::type_name::<T>(), self.len())
    }
}
