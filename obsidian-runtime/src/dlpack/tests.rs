//! Round trips, and tensors of others that cannot be buffers.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

static DELETED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count(_managed: *mut Managed) {
    DELETED.fetch_add(1, Ordering::Relaxed);
}

/// A tensor of the test's own memory, which is not freed.
fn foreign(data: &[f32], shape: &[i64], strides: &[i64], change: impl FnOnce(&mut Managed)) -> Tensor {
    let list = |numbers: &[i64]| numbers.to_vec().leak().as_mut_ptr();
    let dl_tensor = Raw {
        data: data.as_ptr().cast_mut().cast(),
        device: Place { device_type: 1, device_id: 0 },
        ndim: shape.len() as i32,
        dtype: DataType { code: 2, bits: 32, lanes: 1 },
        shape: list(shape),
        strides: if strides.is_empty() { ptr::null_mut() } else { list(strides) },
        byte_offset: 0,
    };
    let mut managed = Managed { dl_tensor, manager_ctx: ptr::null_mut(), deleter: Some(count) };
    change(&mut managed);
    // SAFETY: the lists are as long as there are dimensions, and the memory is there until the test ends.
    unsafe { Tensor::from_raw(NonNull::from(Box::leak(Box::new(managed)))) }
}

#[test]
fn a_round_trip_moves_nothing_and_frees_once() {
    let dev = Device::cpu();
    let matrix = dev.upload_matrix(&[1i32, 2, 3, 4, 5, 6], 2, 3).unwrap();
    let start = matrix.buffer().as_ptr();
    let tensor = matrix.into_tensor().unwrap();
    assert_eq!((tensor.shape(), tensor.strides()), (&[2, 3][..], &[3, 1][..]));
    assert_eq!(tensor.raw().dtype, DataType { code: 0, bits: 32, lanes: 1 });
    // SAFETY: the tensor was just given up.
    let tensor = unsafe { Tensor::from_raw(tensor.into_raw()) };
    let back = Matrix::<i32>::from_tensor(&dev, tensor).unwrap();
    assert_eq!((back.rows(), back.cols(), back.to_vec().unwrap()), (2, 3, vec![1, 2, 3, 4, 5, 6]));
    assert_eq!(back.buffer().as_ptr(), start);
    let empty = dev.alloc::<u8>(0).unwrap().into_tensor().unwrap();
    assert!(Buffer::<u8>::from_tensor(&dev, empty).unwrap().is_empty());
}

#[test]
fn what_cannot_be_a_buffer_says_what_it_is_and_is_deleted() {
    let (dev, data) = (Device::cpu(), [0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let mut made = 0;
    let mut refused = |tensor: Tensor| {
        made += 1;
        Buffer::<f32>::from_tensor(&dev, tensor).unwrap_err().to_string()
    };
    let text = refused(foreign(&data, &[6], &[], |m| m.dl_tensor.dtype.code = 1));
    assert_eq!(text, "the tensor cannot be a buffer: f32 is expected, it is u32");
    let text = refused(foreign(&data, &[6], &[], |m| m.dl_tensor.dtype.lanes = 4));
    assert!(text.ends_with("it is type code 2, 32 bits, 4 lanes"), "{text}");
    let text = refused(foreign(&data, &[6], &[], |m| m.dl_tensor.device.device_type = 2));
    assert!(text.contains("one on device 0 of type 1 is expected, it is on device 0 of type 2"), "{text}");
    let text = refused(foreign(&data, &[2, 3], &[1, 2], |_| ()));
    assert!(text.contains("row by row") && text.contains("shape [2, 3] with strides [1, 2]"), "{text}");
    let text = refused(foreign(&data, &[2, -3], &[], |_| ()));
    assert!(text.contains("can be counted") && text.contains("[2, -3]"), "{text}");
    let text = refused(foreign(&data, &[6], &[], |m| m.dl_tensor.byte_offset = 2));
    assert!(text.contains("a multiple of 4 and not 0"), "{text}");
    let text = Matrix::<f32>::from_tensor(&dev, foreign(&data, &[6], &[], |_| ())).unwrap_err().to_string();
    assert!(text.contains("one of two dimensions is expected, it is of 1"), "{text}");
    made += 1;
    // One that is taken, from its third element on: deleted with the buffer.
    let tensor = foreign(&data, &[1, 2, 2], &[7, 2, 1], |m| m.dl_tensor.byte_offset = 8);
    assert_eq!(Buffer::<f32>::from_tensor(&dev, tensor).unwrap().to_vec().unwrap(), [2.0, 3.0, 4.0, 5.0]);
    assert_eq!(DELETED.load(Ordering::Relaxed), made + 1);
}
