//! Buffers on the CPU: what goes in comes back, and what cannot be done is refused.

use super::*;

fn round_trip<T: Element + PartialEq + fmt::Debug>(make: impl Fn(usize) -> T) {
    let dev = Device::cpu();
    for len in [0, 1, 2, 31, 33, 1000] {
        let values: Vec<T> = (0..len).map(&make).collect();
        let mut buffer = dev.upload(&values).unwrap();
        assert_eq!((buffer.len(), buffer.is_empty()), (len, len == 0));
        assert_eq!(buffer.to_vec().unwrap(), values);
        let reversed: Vec<T> = values.into_iter().rev().collect();
        buffer.write(&reversed).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), reversed);
    }
}

#[test]
fn scalars_and_tuples_come_back() {
    round_trip(|i| i % 3 == 0);
    round_trip(|i| i as i8);
    round_trip(|i| i as u64 * 0x0123_4567_89ab);
    round_trip(|i| i as f64 / 3.0);
    round_trip(|i| (i as u16,));
    round_trip(|i| (i as i32, i % 2 == 0, i as f64));
    round_trip(|i| (i as u8, i as u16, i as u32, i as u64, i as i8, i as i16, i as i32, i as f32));
}

#[test]
fn fields_lie_apart() {
    let buffer = Device::cpu().upload(&[(1u8, 2u32), (3, 4)]).unwrap();
    let fields: Vec<&HostBytes> = buffer.raw.memory.iter().filter_map(|memory| memory.host()).collect();
    assert_eq!(fields[0].values::<u8>(), [1, 3]);
    assert_eq!(fields[1].values::<u32>(), [2, 4]);
    assert_eq!(buffer.raw.bytes(), 10);
}

#[test]
fn fresh_memory_is_zero() {
    assert_eq!(Device::cpu().alloc::<(f32, bool)>(5).unwrap().to_vec().unwrap(), [(0.0, false); 5]);
}

#[test]
fn refused_sizes() {
    let dev = Device::cpu();
    let error = dev.alloc::<u64>(usize::MAX / 4).unwrap_err();
    assert!(matches!(error, Error::SizeOverflow { element_bytes: 8, .. }), "{error}");
    let error = dev.alloc::<u8>(isize::MAX as usize).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    let error = dev.upload(&[1, 2, 3]).unwrap().write(&[1]).unwrap_err();
    assert!(matches!(error, Error::WriteLength { expected: 3, found: 1 }), "{error}");
}

#[test]
fn overlap_is_seen() {
    let dev = Device::cpu();
    let (a, b) = (dev.upload(&[1]).unwrap(), dev.upload(&[1]).unwrap());
    assert!(a.raw.overlaps(&a.raw));
    assert!(!a.raw.overlaps(&b.raw));
    let empty = dev.alloc::<i32>(0).unwrap();
    assert!(!empty.raw.overlaps(&empty.raw));
}

#[test]
fn debug_names_type_and_length() {
    let text = format!("{:?}", Device::cpu().alloc::<f32>(3).unwrap());
    assert_eq!(text, "Buffer<f32>(3 elements on Device(cpu: the CPU))");
}
