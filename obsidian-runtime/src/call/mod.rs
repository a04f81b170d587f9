//! Launches by values: what the method `call` of an entry takes, and what it gives. In: slices, buffers, or arrays of another crate;
//! out: buffers on one device, on which the entry runs, and results of the kind that was given.

#[cfg(feature = "ndarray")]
mod arrays;
mod slices;

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::launch::LaunchOptions;
use crate::memory::{Buffer, Matrix};
use crate::stream::Stream;

#[cfg(feature = "ndarray")]
pub use arrays::Arrays;

/// What `call` takes for a parameter that the kernel reads: `A` is the [`Buffer`] or the [`Matrix`] that `run` takes for it.
///
/// | given | is on the side of | results are |
/// |---|---|---|
/// | `&[T]`, `&Vec<T>`, `&[T; N]`; of a matrix `(&[T], rows, cols)` | [`Values`] | `Vec<T>`; `(Vec<T>, rows, cols)` |
/// | `&Buffer<T>`, `&Lent<T>`; `&Matrix<T>` | [`OnDevice`] | `Buffer<T>`; `Matrix<T>` |
/// | with the feature `ndarray` a reference to an array or view of one or two dimensions | `Arrays` | `Array1<T>`; `Array2<T>` |
///
/// All arguments of a call are on one side. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given for a `{A}`",
    note = "`call` takes `&[T]` or `&Buffer<T>` for a buffer, `(&[T], rows, cols)` or `&Matrix<T>` for a matrix, with `T` as the kernel declares it"
)]
pub trait Input<A>: sealed::Given {
    /// Where it is, which is where the results will be.
    type Side: Side;

    /// Its device, of what is on one.
    #[doc(hidden)]
    fn device(&self) -> Option<&Device>;

    /// It, on this device.
    #[doc(hidden)]
    fn on(&self, device: &Device) -> Result<On<'_, A>, Error>;
}

/// What `call` takes for a buffer that the kernel updates: `&mut [T]`, `&mut Vec<T>`, `&mut [T; N]` or `&mut Buffer<T>`, or an array of
/// one dimension with the feature `ndarray`. It is updated in place. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given for a `{A}` that the kernel updates",
    note = "`call` takes `&mut [T]` or `&mut Buffer<T>`, with `T` as the kernel declares it"
)]
pub trait Update<A>: sealed::Given {
    /// Where it is.
    type Side: Side;

    /// Its device, of what is on one.
    #[doc(hidden)]
    fn device(&self) -> Option<&Device>;

    /// It, on this device; [`OnMut::back`] brings it back.
    #[doc(hidden)]
    fn on(&mut self, device: &Device) -> Result<OnMut<'_, A>, Error>;
}

/// Where the arguments of a `call` are, and its results. Sealed.
pub trait Side: sealed::Side {
    /// What a buffer is here.
    type Array<T: Element>;
    /// What a matrix is here.
    type Table<T: Element>;

    /// Brings a buffer here.
    #[doc(hidden)]
    fn array<T: Element>(buffer: Buffer<T>) -> Result<Self::Array<T>, Error>;

    /// Brings a matrix here.
    #[doc(hidden)]
    fn table<T: Element>(matrix: Matrix<T>) -> Result<Self::Table<T>, Error>;
}

mod sealed {
    pub trait Given {}
    pub trait Side {}
}

/// Slices and vectors of the host's.
#[derive(Debug, Clone, Copy)]
pub enum Values {}

/// Buffers and matrices on a device.
#[derive(Debug, Clone, Copy)]
pub enum OnDevice {}

impl sealed::Side for Values {}
impl sealed::Side for OnDevice {}

impl Side for Values {
    type Array<T: Element> = Vec<T>;
    type Table<T: Element> = (Vec<T>, usize, usize);

    fn array<T: Element>(buffer: Buffer<T>) -> Result<Vec<T>, Error> {
        buffer.to_vec()
    }

    fn table<T: Element>(matrix: Matrix<T>) -> Result<(Vec<T>, usize, usize), Error> {
        Ok((matrix.to_vec()?, matrix.rows(), matrix.cols()))
    }
}

impl Side for OnDevice {
    type Array<T: Element> = Buffer<T>;
    type Table<T: Element> = Matrix<T>;

    fn array<T: Element>(buffer: Buffer<T>) -> Result<Buffer<T>, Error> {
        Ok(buffer)
    }

    fn table<T: Element>(matrix: Matrix<T>) -> Result<Matrix<T>, Error> {
        Ok(matrix)
    }
}

/// An argument on a device: it was there, or it is there for as long as this is.
#[doc(hidden)]
pub struct On<'a, A>(Held<'a, A>);

enum Held<'a, A> {
    There(&'a A),
    // Only ever seen through `&`: it may be memory that is borrowed.
    Made(A, PhantomData<&'a [u8]>),
}

impl<'a, A> On<'a, A> {
    fn there(argument: &'a A) -> Self {
        On(Held::There(argument))
    }

    fn made(argument: A) -> Self {
        On(Held::Made(argument, PhantomData))
    }
}

impl<A> Deref for On<'_, A> {
    type Target = A;

    fn deref(&self) -> &A {
        match &self.0 {
            Held::There(argument) => argument,
            Held::Made(argument, _) => argument,
        }
    }
}

/// How a copy that was updated gets back.
type Back<'a, A> = Box<dyn FnOnce(&A) -> Result<(), Error> + 'a>;

/// An argument that is updated, on a device.
#[doc(hidden)]
pub struct OnMut<'a, A>(HeldMut<'a, A>);

enum HeldMut<'a, A> {
    There(&'a mut A),
    Copy(A, Back<'a, A>),
}

impl<'a, A> OnMut<'a, A> {
    fn copy(argument: A, back: impl FnOnce(&A) -> Result<(), Error> + 'a) -> Self {
        OnMut(HeldMut::Copy(argument, Box::new(back)))
    }

    /// Brings a copy back to what it was made of.
    pub fn back(self) -> Result<(), Error> {
        match self.0 {
            HeldMut::There(_) => Ok(()),
            HeldMut::Copy(argument, back) => back(&argument),
        }
    }
}

impl<A> Deref for OnMut<'_, A> {
    type Target = A;

    fn deref(&self) -> &A {
        match &self.0 {
            HeldMut::There(argument) => argument,
            HeldMut::Copy(argument, _) => argument,
        }
    }
}

impl<A> DerefMut for OnMut<'_, A> {
    fn deref_mut(&mut self) -> &mut A {
        match &mut self.0 {
            HeldMut::There(argument) => argument,
            HeldMut::Copy(argument, _) => argument,
        }
    }
}

impl<A> fmt::Debug for On<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("On")
    }
}

impl<A> fmt::Debug for OnMut<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnMut")
    }
}

/// Where a call runs: on the device of an argument, else on the stream's, else on [`Device::shared`].
///
/// # Errors
/// The stream records: results would be read before anything is done. There is no device.
pub fn device_of(options: &LaunchOptions, given: &[Option<&Device>]) -> Result<Device, Error> {
    if let Some(stream) = &options.stream {
        stream.not_recording("a launch by `call`")?;
    }
    let given = given.iter().copied().flatten().next();
    match given.or(options.stream.as_ref().map(Stream::device)) {
        Some(device) => Ok(device.clone()),
        None => Device::shared(),
    }
}

impl<T: Element> sealed::Given for &Buffer<T> {}
impl<T: Element> sealed::Given for &mut Buffer<T> {}
impl<T: Element> sealed::Given for &crate::memory::Lent<'_, T> {}
impl<T: Element> sealed::Given for &Matrix<T> {}

impl<T: Element> Input<Buffer<T>> for &Buffer<T> {
    type Side = OnDevice;

    fn device(&self) -> Option<&Device> {
        Some(Buffer::device(self))
    }

    fn on(&self, _device: &Device) -> Result<On<'_, Buffer<T>>, Error> {
        Ok(On::there(self))
    }
}

impl<T: Element> Input<Buffer<T>> for &crate::memory::Lent<'_, T> {
    type Side = OnDevice;

    fn device(&self) -> Option<&Device> {
        Some(Buffer::device(self))
    }

    fn on(&self, _device: &Device) -> Result<On<'_, Buffer<T>>, Error> {
        Ok(On::there(self))
    }
}

impl<T: Element> Input<Matrix<T>> for &Matrix<T> {
    type Side = OnDevice;

    fn device(&self) -> Option<&Device> {
        Some(Matrix::device(self))
    }

    fn on(&self, _device: &Device) -> Result<On<'_, Matrix<T>>, Error> {
        Ok(On::there(self))
    }
}

impl<T: Element> Update<Buffer<T>> for &mut Buffer<T> {
    type Side = OnDevice;

    fn device(&self) -> Option<&Device> {
        Some(Buffer::device(self))
    }

    fn on(&mut self, _device: &Device) -> Result<OnMut<'_, Buffer<T>>, Error> {
        Ok(OnMut(HeldMut::There(self)))
    }
}

#[cfg(test)]
mod tests;
