//! Arrays of the crate `ndarray`: arrays and views of one and two dimensions as arguments, arrays as results. What lies in one piece, row by
//! row, is lent without a copy; all else is copied in the order of its indices.

use ndarray::{Array1, Array2, ArrayBase, Data, DataMut, Dimension, Ix1, Ix2};

use super::{Input, On, OnMut, Side, Update, sealed};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::memory::{Buffer, Matrix};

/// Arrays of `ndarray`: of one dimension for buffers, of two for matrices.
#[derive(Debug, Clone, Copy)]
pub enum Arrays {}

impl sealed::Side for Arrays {}

impl Side for Arrays {
    type Array<T: Element> = Array1<T>;
    type Table<T: Element> = Array2<T>;

    fn array<T: Element>(buffer: Buffer<T>) -> Result<Array1<T>, Error> {
        buffer.to_vec().map(Array1::from_vec)
    }

    fn table<T: Element>(matrix: Matrix<T>) -> Result<Array2<T>, Error> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let values = matrix.to_vec()?;
        let found = values.len();
        Array2::from_shape_vec((rows, cols), values).map_err(|_| Error::Shape { rows, cols, found })
    }
}

impl<T, S: Data<Elem = T>, D: Dimension> sealed::Given for &ArrayBase<S, D> {}
impl<T, S: Data<Elem = T>, D: Dimension> sealed::Given for &mut ArrayBase<S, D> {}

/// The elements, row by row: lent where they lie so.
fn lent<T, S, D>(array: &ArrayBase<S, D>, device: &Device) -> Result<Buffer<T>, Error>
where
    T: Element,
    S: Data<Elem = T>,
    D: Dimension,
{
    match array.as_slice() {
        Some(values) => Ok(device.lend(values)?.into_buffer()),
        None => device.upload(&array.iter().copied().collect::<Vec<T>>()),
    }
}

impl<T: Element, S: Data<Elem = T>> Input<Buffer<T>> for &ArrayBase<S, Ix1> {
    type Side = Arrays;

    fn device(&self) -> Option<&Device> {
        None
    }

    fn on(&self, device: &Device) -> Result<On<'_, Buffer<T>>, Error> {
        lent(self, device).map(On::made)
    }
}

impl<T: Element, S: Data<Elem = T>> Input<Matrix<T>> for &ArrayBase<S, Ix2> {
    type Side = Arrays;

    fn device(&self) -> Option<&Device> {
        None
    }

    fn on(&self, device: &Device) -> Result<On<'_, Matrix<T>>, Error> {
        Matrix::new(lent(self, device)?, self.nrows(), self.ncols()).map(On::made)
    }
}

impl<T: Element, S: DataMut<Elem = T>> Update<Buffer<T>> for &mut ArrayBase<S, Ix1> {
    type Side = Arrays;

    fn device(&self) -> Option<&Device> {
        None
    }

    fn on(&mut self, device: &Device) -> Result<OnMut<'_, Buffer<T>>, Error> {
        let buffer = device.upload(&self.iter().copied().collect::<Vec<T>>())?;
        Ok(OnMut::copy(buffer, |buffer| {
            let values = buffer.to_vec()?;
            self.iter_mut().zip(values).for_each(|(element, value)| *element = value);
            Ok(())
        }))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{arr1, arr2, s};

    use super::*;

    #[test]
    fn rows_in_one_piece_are_lent_and_all_else_is_copied() {
        let dev = Device::cpu();
        let table = arr2(&[[1i32, 2, 3], [4, 5, 6]]);
        let given = &table;
        let on = given.on(&dev).unwrap();
        assert_eq!((on.rows(), on.cols(), on.to_vec().unwrap()), (2, 3, vec![1, 2, 3, 4, 5, 6]));
        let host = on.buffer().raw().memory()[0].host().unwrap();
        assert_eq!(host.as_ptr().cast_const().cast(), table.as_ptr());
        let turned = &table.t();
        assert_eq!(turned.on(&dev).unwrap().to_vec().unwrap(), [1, 4, 2, 5, 3, 6]);
        let column = &table.slice(s![.., 1]);
        assert_eq!(Input::<Buffer<i32>>::on(&column, &dev).unwrap().to_vec().unwrap(), [2, 5]);
    }

    #[test]
    fn every_second_element_is_updated() {
        let mut values = arr1(&[1u32, 2, 3, 4, 5]);
        let mut view = values.slice_mut(s![..;2]);
        let mut given = &mut view;
        let mut on = Update::on(&mut given, &Device::cpu()).unwrap();
        assert_eq!(on.to_vec().unwrap(), [1, 3, 5]);
        on.write(&[7, 8, 9]).unwrap();
        on.back().unwrap();
        assert_eq!(values, arr1(&[7, 2, 8, 4, 9]));
    }

    #[test]
    fn results_have_the_shape_of_the_matrix() {
        let dev = Device::cpu();
        let table = Arrays::table(dev.upload_matrix(&[1u8, 2, 3, 4, 5, 6], 3, 2).unwrap()).unwrap();
        assert_eq!(table, arr2(&[[1, 2], [3, 4], [5, 6]]));
        assert_eq!(Arrays::array(dev.upload(&[1.5f32]).unwrap()).unwrap(), arr1(&[1.5]));
        assert_eq!(Arrays::table(dev.alloc_matrix::<u8>(0, 4).unwrap()).unwrap().shape(), [0, 4]);
    }
}
