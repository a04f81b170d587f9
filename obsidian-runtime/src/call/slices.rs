//! Slices, vectors and arrays of the host's as arguments: lent where they are read, copied there and back where they are updated.

use super::{Input, On, OnMut, Update, Values, sealed};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::memory::{Buffer, Matrix};

macro_rules! slices {
    ($($ty:ty { $($generics:tt)* };)+) => {$(
        impl<T: Element, $($generics)*> sealed::Given for &$ty {}
        impl<T: Element, $($generics)*> sealed::Given for &mut $ty {}
        impl<T: Element, $($generics)*> sealed::Given for (&$ty, usize, usize) {}

        impl<T: Element, $($generics)*> Input<Buffer<T>> for &$ty {
            type Side = Values;

            fn device(&self) -> Option<&Device> {
                None
            }

            fn on(&self, device: &Device) -> Result<On<'_, Buffer<T>>, Error> {
                Ok(On::made(device.lend(&self[..])?.into_buffer()))
            }
        }

        impl<T: Element, $($generics)*> Input<Matrix<T>> for (&$ty, usize, usize) {
            type Side = Values;

            fn device(&self) -> Option<&Device> {
                None
            }

            fn on(&self, device: &Device) -> Result<On<'_, Matrix<T>>, Error> {
                let (values, rows, cols) = self;
                Ok(On::made(Matrix::new(device.lend(&values[..])?.into_buffer(), *rows, *cols)?))
            }
        }

        impl<T: Element, $($generics)*> Update<Buffer<T>> for &mut $ty {
            type Side = Values;

            fn device(&self) -> Option<&Device> {
                None
            }

            fn on(&mut self, device: &Device) -> Result<OnMut<'_, Buffer<T>>, Error> {
                let buffer = device.upload(&self[..])?;
                Ok(OnMut::copy(buffer, |buffer| buffer.read_into(&mut self[..])))
            }
        }
    )+};
}

slices! {
    [T] {};
    Vec<T> {};
    [T; N] { const N: usize };
}
