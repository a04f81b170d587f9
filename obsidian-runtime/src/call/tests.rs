//! Which side an argument is on, and what becomes of it on a device.

use super::*;

fn side<A, I: Input<A>>(_given: &I) -> &'static str {
    std::any::type_name::<I::Side>().rsplit("::").next().unwrap_or_default()
}

#[test]
fn slices_are_lent_and_buffers_stay() {
    let dev = Device::cpu();
    let values = vec![1u32, 2, 3];
    let given = &values;
    assert_eq!((side(&given), given.device()), ("Values", None));
    let on = given.on(&dev).unwrap();
    let host = on.raw().memory()[0].host().unwrap();
    assert_eq!(host.as_ptr().cast_const().cast(), values.as_ptr());
    let buffer = dev.upload(&values).unwrap();
    let given = &buffer;
    assert_eq!((side::<Buffer<u32>, _>(&given), Input::<Buffer<u32>>::device(&given)), ("OnDevice", Some(&dev)));
    assert!(std::ptr::eq(&*given.on(&dev).unwrap(), &buffer));
}

#[test]
fn what_is_updated_comes_back() {
    let dev = Device::cpu();
    let mut values = [1i32, 2, 3];
    let mut given = &mut values;
    let mut on = Update::<Buffer<i32>>::on(&mut given, &dev).unwrap();
    on.write(&[4, 5, 6]).unwrap();
    on.back().unwrap();
    assert_eq!(values, [4, 5, 6]);
}

#[test]
fn a_matrix_of_another_shape_is_an_error_with_numbers() {
    let error = (&[1u8; 6], 2, 4).on(&Device::cpu()).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "a matrix of 2 x 4 has 8 elements, but there are 6");
}

#[test]
fn the_device_is_that_of_an_argument_then_of_the_stream() {
    let (cpu, options) = (Device::cpu(), LaunchOptions::DEFAULT);
    assert_eq!(device_of(&options, &[None, Some(&cpu)]).unwrap(), cpu);
    let on = LaunchOptions { stream: Some(cpu.stream()), ..LaunchOptions::DEFAULT };
    assert_eq!(device_of(&on, &[None]).unwrap(), cpu);
    assert_eq!(device_of(&options, &[]).unwrap(), Device::shared().unwrap());
}
