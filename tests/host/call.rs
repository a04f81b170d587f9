//! Launches by values: `call` of entries of every kind, on slices, buffers and arrays of `ndarray`.

use obsidian::prelude::*;
use obsidian_programs as programs;
use obsidian_programs::generic::{self, SumsParams};

use super::{fewer, message};

#[test]
fn slices_give_vectors_and_buffers_give_buffers() {
    let input: Vec<i32> = (0..1024).collect();
    let expected = [(0..512).sum::<i32>(), (512..1024).sum()];
    assert_eq!(programs::reductions.call(&input).unwrap(), expected);
    assert_eq!(programs::reductions.call(&input[..512]).unwrap(), expected[..1]);
    let dev = Device::cpu();
    let on_device: Buffer<i32> = programs::reductions.call(&dev.upload(&input).unwrap()).unwrap();
    assert_eq!((on_device.device(), on_device.to_vec().unwrap()), (&dev, expected.to_vec()));
    assert_eq!(programs::reductions.call(&dev.lend(&input).unwrap()).unwrap().len(), 2);

    let (sums, differences) = programs::sum_and_difference.call(&[(1, 2); 256]).unwrap();
    assert_eq!((sums, differences), (vec![3; 256], vec![-1; 256]));
    // Nothing that is anywhere: the results come to the host.
    assert_eq!(fewer.call(9).unwrap(), [0, 1, 2, 3]);
}

#[test]
fn types_choose_the_variant_and_options_hold() {
    assert_eq!(generic::sums.call(&[1u64; 32]).unwrap(), [8; 4]);
    assert_eq!(generic::sums.with(SumsParams { SEQ: 16, ..SumsParams::default() }).call(&[1i32; 64]).unwrap(), [16; 4]);
    let stream = Device::cpu().new_stream().unwrap();
    assert_eq!(generic::sums.on(&stream).blocks(1).call(&[0.5f32; 32]).unwrap(), [4.0; 4]);
    let refused = stream.record(|stream| {
        generic::sums.on(stream).call(&[1u64; 32])?;
        Device::cpu().alloc::<u64>(4)
    });
    assert!(message(refused).contains("a launch by `call`"));
}

#[test]
fn what_is_updated_is_updated_where_it_is() {
    let (keys, mut bins) = ([0u32, 1, 1, 5, 2, 1], vec![10u32, 20, 30]);
    programs::counted_any.call(&keys, &mut bins).unwrap();
    assert_eq!(bins, [11, 23, 32]);
    let dev = Device::cpu();
    let (keys, mut on_device) = (dev.upload(&keys).unwrap(), dev.upload(&bins).unwrap());
    programs::counted_any.call(&keys, &mut on_device).unwrap();
    assert_eq!(on_device.to_vec().unwrap(), [12, 26, 34]);
}

#[test]
fn matrices_keep_their_shape() {
    let values = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let doubled = values.map(|x| x + x);
    assert_eq!(programs::mat_doubled.call((&values, 2, 3)).unwrap(), (doubled.to_vec(), 2, 3));
    let on_device = programs::mat_doubled.call(&Device::cpu().upload_matrix(&values, 3, 2).unwrap()).unwrap();
    assert_eq!((on_device.rows(), on_device.cols(), on_device.to_vec().unwrap()), (3, 2, doubled.to_vec()));
    assert_eq!(programs::mat_transposed.call((&[0u32; 0], 0, 4)).unwrap(), (vec![], 4, 0));
}

#[test]
fn entries_of_several_launches_take_values() {
    let xs: Vec<u32> = (0..10_007).rev().collect();
    let sorted = programs::device::device_sorted.call(&xs).unwrap();
    assert!(sorted.is_sorted() && sorted.len() == xs.len());
}

#[test]
fn what_does_not_fit_is_an_error_with_numbers() {
    let text = message(programs::reductions.call(&[1; 1000]));
    assert!(text.contains("multiple of 512") && text.contains("1000"), "{text}");
    let text = message(programs::mat_doubled.call((&[1.0f32; 5], 2, 3)));
    assert_eq!(text, "a matrix of 2 x 3 has 6 elements, but there are 5");
    // An index by data that is out of range; what was to be updated is as it was.
    let text = message(programs::gathered.call(&[1u32; 4], &[9u32; 64]));
    assert!(text.contains("index 9") && text.contains("`table`"), "{text}");
    let (other, dev) = (Device::check().unwrap(), Device::cpu());
    let text = message(programs::counted_any.call(&other.upload(&[1u32]).unwrap(), &mut dev.upload(&[0u32]).unwrap()));
    assert!(text.contains("the CPU"), "{text}");
}

#[test]
fn arrays_of_ndarray_go_in_and_come_out() {
    use ndarray::{Array, Array1, Array2, s};
    let xs = Array1::from_iter(0..1024);
    let sums: Array1<i32> = programs::reductions.call(&xs).unwrap();
    assert_eq!(sums.to_vec(), [130_816, 392_960]);
    // Every second element of a view.
    let wide = Array1::from_iter((0..1024).map(|i| if i % 2 == 0 { 1 } else { -7 }));
    assert_eq!(programs::reductions.call(&wide.slice(s![..;2])).unwrap().to_vec(), [512]);
    let table: Array2<f32> = Array::from_shape_fn((5, 7), |(r, c)| (10 * r + c) as f32);
    assert_eq!(programs::mat_doubled.call(&table).unwrap(), &table + &table);
    assert_eq!(programs::mat_doubled.call(&table.t()).unwrap(), (&table + &table).t());
    let (keys, mut bins) = (Array1::from_vec(vec![0u32, 1, 1]), Array1::<u32>::zeros(4));
    programs::counted_any.call(&keys, &mut bins.slice_mut(s![..;-2])).unwrap();
    assert_eq!(bins.to_vec(), [0, 2, 0, 1]);
}
