//! Tensors by DLPack, the structure in C by which NumPy, PyTorch, JAX, CuPy and others hand arrays to one another without a copy. In: a
//! buffer or a matrix; out: a tensor whose deleter frees it; and the way back. Names and values are the standard's, of `DLManagedTensor`.

use std::ffi::c_void;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::slice;

use obsidian_abi::ScalarType;

use crate::device::Device;
use crate::element::{Element, sealed};
use crate::error::Error;
use crate::info::Backend;
use crate::memory::{Buffer, Matrix, RawBuffer, adopted};

/// `DLDevice`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// `kDLCPU` is 1, `kDLCUDA` 2.
    pub device_type: i32,
    /// The number of the GPU; 0 on the CPU.
    pub device_id: i32,
}

/// `DLDataType`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataType {
    /// 0 for integers with a sign, 1 for those without, 2 for floats, 4 for `bf16`.
    pub code: u8,
    /// Bits of an element.
    pub bits: u8,
    /// Elements of a vector; 1.
    pub lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
#[derive(Debug)]
pub struct Raw {
    /// Where the memory begins.
    pub data: *mut c_void,
    /// On which device.
    pub device: Place,
    /// The number of dimensions.
    pub ndim: i32,
    /// What the elements are.
    pub dtype: DataType,
    /// Elements along each dimension.
    pub shape: *mut i64,
    /// Elements between neighbours along each dimension; null where they lie row by row in one piece.
    pub strides: *mut i64,
    /// Bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
#[derive(Debug)]
pub struct Managed {
    /// The tensor.
    pub dl_tensor: Raw,
    /// What the deleter needs.
    pub manager_ctx: *mut c_void,
    /// Frees the tensor and this structure.
    pub deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// A tensor that is owned: dropped, it calls the deleter.
///
/// ```
/// # fn main() -> Result<(), obsidian_runtime::Error> {
/// use obsidian_runtime::{Buffer, Device};
/// let dev = Device::cpu();
/// let tensor = dev.upload(&[1.0f32, 2.0, 3.0])?.into_tensor()?; // no copy
/// assert_eq!(tensor.shape(), [3]);
/// let back: Buffer<f32> = Buffer::from_tensor(&dev, tensor)?;   // none either
/// assert_eq!(back.to_vec()?, [1.0, 2.0, 3.0]);
/// # Ok(()) }
/// ```
pub struct Tensor(NonNull<Managed>);

// SAFETY: a tensor has one owner, and the standard has consumers delete it where they are done, on whatever thread.
unsafe impl Send for Tensor {}
// SAFETY: through `&` only numbers are read.
unsafe impl Sync for Tensor {}

impl Tensor {
    /// Takes a tensor over, as its consumer.
    ///
    /// # Safety
    /// It is a `DLManagedTensor` as the standard describes it, whose memory can be read and written and which nobody else deletes; nobody
    /// else writes the memory until it is deleted, nor reads it while a kernel writes it.
    pub unsafe fn from_raw(tensor: NonNull<Managed>) -> Tensor {
        Tensor(tensor)
    }

    /// Gives the tensor to a consumer, who deletes it.
    pub fn into_raw(self) -> NonNull<Managed> {
        ManuallyDrop::new(self).0
    }

    /// What it says of itself.
    pub fn raw(&self) -> &Raw {
        // SAFETY: the promise of `from_raw`.
        unsafe { &self.0.as_ref().dl_tensor }
    }

    /// Elements along each dimension.
    pub fn shape(&self) -> &[i64] {
        let Raw { shape, ndim, .. } = *self.raw();
        // SAFETY: the promise of `from_raw`.
        unsafe { numbers(shape, ndim) }
    }

    /// Elements between neighbours along each dimension; none where they lie row by row.
    fn strides(&self) -> &[i64] {
        let Raw { strides, ndim, .. } = *self.raw();
        // SAFETY: as above.
        unsafe { numbers(strides, ndim) }
    }

    /// The number of elements, where they lie row by row in one piece.
    fn len(&self) -> Result<usize, Error> {
        let (shape, mut len) = (self.shape(), 1i64);
        let mut in_one_piece = true;
        for (axis, &n) in shape.iter().enumerate().rev() {
            let stride = self.strides().get(axis).copied();
            in_one_piece &= n == 1 || stride.is_none_or(|stride| stride == len);
            let next = len.checked_mul(n).filter(|&next| next >= 0);
            len = next.ok_or_else(|| not_taken("a number of elements that can be counted", format!("{shape:?}")))?;
        }
        if len > 0 && !in_one_piece {
            let found = format!("of shape {shape:?} with strides {:?}", self.strides());
            return Err(not_taken("one that lies row by row in one piece", found));
        }
        usize::try_from(len).map_err(|_| not_taken("a number of elements that can be counted", format!("{shape:?}")))
    }

    /// The elements as a buffer on the device, where they already are.
    fn into_buffer<T: Element + sealed::Stored>(self, device: &Device) -> Result<Buffer<T>, Error> {
        let (expected, found) = (data_type(T::FIELDS[0]), self.raw().dtype);
        if expected != found {
            return Err(not_taken(&shown(expected), shown(found)));
        }
        let (expected, found) = (place(device)?, self.raw().device);
        if expected != found {
            let shown = |p: Place| format!("on device {} of type {}", p.device_id, p.device_type);
            return Err(not_taken(&format!("one {}", shown(expected)), shown(found)));
        }
        let len = self.len()?;
        let offset = usize::try_from(self.raw().byte_offset).unwrap_or(usize::MAX);
        let start = self.raw().data.cast::<u8>().wrapping_add(offset);
        // SAFETY: the promise of `from_raw`; the tensor goes along, and is deleted after the memory's last use.
        unsafe { adopted(device, "the tensor", start, len, Some(Box::new(self))) }
    }
}

/// As many numbers as there are dimensions; none where there is no list.
///
/// # Safety
/// The list is null or has that length, and outlives the result.
unsafe fn numbers<'a>(list: *const i64, ndim: i32) -> &'a [i64] {
    match usize::try_from(ndim) {
        // SAFETY: the caller's promise.
        Ok(n) if n > 0 && !list.is_null() => unsafe { slice::from_raw_parts(list, n) },
        _ => &[],
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: the promise of `from_raw`: it is deleted once, here.
        unsafe {
            if let Some(deleter) = self.0.as_ref().deleter {
                deleter(self.0.as_ptr());
            }
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({:?} of {})", self.shape(), shown(self.raw().dtype))
    }
}

/// What a tensor that was made here needs until it is deleted.
struct Made {
    managed: Managed,
    shape: [i64; 2],
    strides: [i64; 2],
    /// Only for its end.
    #[allow(dead_code)]
    buffer: RawBuffer,
}

/// # Safety
/// The structure is one of [`made`]'s, and is not used afterwards.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: `made` leaves the box's own pointer there.
    drop(unsafe { Box::from_raw((*managed).manager_ctx.cast::<Made>()) });
}

/// A tensor of these dimensions, one or two, of a buffer whose launches are done.
fn made<T: Element + sealed::Stored>(buffer: Buffer<T>, shape: &[usize]) -> Result<Tensor, Error> {
    let device = place(buffer.device())?;
    buffer.device().synchronize()?;
    let data = buffer.as_ptr().map_or(ptr::null_mut(), |start| start.as_ptr().cast());
    let (mut sizes, ndim) = ([1; 2], shape.len() as i32);
    for (to, &n) in sizes.iter_mut().zip(shape) {
        *to = n as i64;
    }
    let strides = if ndim == 2 { [sizes[1], 1] } else { [1, 1] };
    let dtype = data_type(T::FIELDS[0]);
    let list = ptr::null_mut();
    let dl_tensor = Raw { data, device, ndim, dtype, shape: list, strides: list, byte_offset: 0 };
    let managed = Managed { dl_tensor, manager_ctx: ptr::null_mut(), deleter: Some(delete) };
    let made = Box::into_raw(Box::new(Made { managed, shape: sizes, strides, buffer: buffer.into_raw() }));
    // SAFETY: the box was just given up, and nothing else points to it.
    unsafe {
        let tensor = &raw mut (*made).managed;
        (*tensor).manager_ctx = made.cast();
        (*tensor).dl_tensor.shape = (&raw mut (*made).shape).cast();
        (*tensor).dl_tensor.strides = (&raw mut (*made).strides).cast();
        Ok(Tensor(NonNull::new_unchecked(tensor)))
    }
}

impl<T: Element + sealed::Stored> Buffer<T> {
    /// The buffer as a tensor of one dimension, without a copy, once all launches on its device are done.
    ///
    /// # Errors
    /// [`Error::NotUsable`] on OpenCL, whose memory has no addresses; the driver's error, also of an earlier launch.
    pub fn into_tensor(self) -> Result<Tensor, Error> {
        let len = self.len();
        made(self, &[len])
    }

    /// The elements of a tensor of any number of dimensions as a buffer, without a copy; they are there until it is dropped.
    ///
    /// # Errors
    /// [`Error::NotTaken`] where it holds elements of another type, is on another device, does not lie row by row in one piece, or does
    /// not start where a kernel can read; as of [`Buffer::from_raw`]. The tensor is deleted then.
    pub fn from_tensor(device: &Device, tensor: Tensor) -> Result<Buffer<T>, Error> {
        tensor.into_buffer(device)
    }
}

impl<T: Element + sealed::Stored> Matrix<T> {
    /// The matrix as a tensor of two dimensions; as [`Buffer::into_tensor`].
    ///
    /// # Errors
    /// As of [`Buffer::into_tensor`].
    pub fn into_tensor(self) -> Result<Tensor, Error> {
        let (rows, cols) = (self.rows(), self.cols());
        made(self.into_buffer(), &[rows, cols])
    }

    /// A tensor of two dimensions as a matrix; as [`Buffer::from_tensor`].
    ///
    /// # Errors
    /// As of [`Buffer::from_tensor`]; [`Error::NotTaken`] where it has another number of dimensions; as of [`Matrix::new`].
    pub fn from_tensor(device: &Device, tensor: Tensor) -> Result<Matrix<T>, Error> {
        let &[rows, cols] = tensor.shape() else {
            return Err(not_taken("one of two dimensions", format!("of {}", tensor.shape().len())));
        };
        let size = |n: i64| usize::try_from(n).unwrap_or(usize::MAX);
        Matrix::new(tensor.into_buffer(device)?, size(rows), size(cols))
    }
}

fn data_type(ty: ScalarType) -> DataType {
    let code = match ty {
        ScalarType::BF16 => 4,
        ty if ty.is_float() => 2,
        ty if ty.is_signed() => 0,
        _ => 1,
    };
    DataType { code, bits: ty.bits() as u8, lanes: 1 }
}

/// `f32`, `u8`; the numbers of a type that buffers do not have.
fn shown(ty: DataType) -> String {
    let known = ScalarType::ALL.into_iter().filter(|t| *t != ScalarType::Bool).find(|t| data_type(*t) == ty);
    let numbers = || format!("type code {}, {} bits, {} lanes", ty.code, ty.bits, ty.lanes);
    known.map_or_else(numbers, |t| t.name().to_owned())
}

/// Where the standard says that a device's memory is.
fn place(device: &Device) -> Result<Place, Error> {
    match device.kind() {
        Backend::Cpu => Ok(Place { device_type: 1, device_id: 0 }),
        #[cfg(feature = "cudarc")]
        Backend::Cuda => {
            let device_id = device.cuda_context().map_or(0, |context| context.ordinal() as i32);
            Ok(Place { device_type: 2, device_id })
        }
        _ => {
            let reason = "DLPack has no name for the memory of this device; copy the elements by way of the host";
            Err(Error::NotUsable { what: "the tensor", reason })
        }
    }
}

fn not_taken(expected: &str, found: String) -> Error {
    Error::NotTaken { what: "the tensor", expected: expected.to_owned(), found }
}

#[cfg(test)]
mod tests;
