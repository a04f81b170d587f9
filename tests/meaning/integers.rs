//! Rust's methods of integers: of every pair of bytes, and of the ends of wider types, what Rust itself gives where it does not panic.

use super::*;

kernel! {
    fn of_any<T>(a: T, b: T) -> (T, T, T, T, T, T)
    where
        T: Data + Int,
    {
        let some = b | 1;
        let (sum, difference) = (a.saturating_add(b), a.saturating_sub(b));
        (sum, difference, a.div_euclid(some), a.rem_euclid(some), a.pow(b as u32 % 9), a.isqrt())
    }

    fn bits_of<T: Int>(a: T) -> (u32, u32, u32, u32) {
        (a.count_zeros(), a.leading_ones(), a.trailing_ones(), (a | 1).ilog2())
    }

    fn of_unsigned<T: Int>(a: T, b: T) -> (T, T, T, T, bool, bool) {
        let some = b | 1;
        (a.abs_diff(b), a.div_ceil(some), a.next_multiple_of(some), a.next_power_of_two(), a.is_multiple_of(b), a.is_power_of_two())
    }

    #[kernel(threads = 64)]
    pub fn all_u8(x: DPull<(u8, u8)>) -> (DPush<Grid, (u8, u8, u8, u8, u8, u8)>, DPush<Grid, (u32, u32, u32, u32)>, DPush<Grid, (u8, u8, u8, u8, bool, bool)>) {
        (x.map(|p| of_any(p.0, p.1)).push(), x.map(|p| bits_of(p.0)).push(), x.map(|p| of_unsigned(p.0, p.1)).push())
    }

    #[kernel(threads = 64)]
    pub fn all_u64(x: DPull<(u64, u64)>) -> (DPush<Grid, (u64, u64, u64, u64, u64, u64)>, DPush<Grid, (u32, u32, u32, u32)>, DPush<Grid, (u64, u64, u64, u64, bool, bool)>) {
        (x.map(|p| of_any(p.0, p.1)).push(), x.map(|p| bits_of(p.0)).push(), x.map(|p| of_unsigned(p.0, p.1)).push())
    }

    #[kernel(threads = 64)]
    pub fn all_i8(x: DPull<(i8, i8)>) -> (DPush<Grid, (i8, i8, i8, i8, i8, i8)>, DPush<Grid, (u32, u32, u32, u32)>) {
        (x.map(|p| of_any(p.0, p.1)).push(), x.map(|p| bits_of(p.0)).push())
    }

    #[kernel(threads = 64)]
    pub fn all_i64(x: DPull<(i64, i64)>) -> (DPush<Grid, (i64, i64, i64, i64, i64, i64)>, DPush<Grid, (u32, u32, u32, u32)>) {
        (x.map(|p| of_any(p.0, p.1)).push(), x.map(|p| bits_of(p.0)).push())
    }

    /// Members of a set, of a range, and what every value of a smaller type is.
    #[kernel(threads = 64)]
    pub fn members(x: DPull<(u8, u8)>) -> DPush<Grid, (bool, bool, bool, bool, i16, f32)> {
        x.map(|p| {
            let set = matches!(p.0, 0 | 3..=5 | 200..) || matches!(p, (a, b) if a == b);
            let range = (3..p.0).contains(&p.1) ^ (p.1..=9).contains(&p.0);
            (
                set, range, (..p.1).contains(&p.0), u16::from(p.0) == 256 - u16::from(p.1),
                i16::from(p.0) - i16::from(p.1 > 7), f32::from(p.1),
            )
        }).push()
    }
}

/// Every pair of these.
fn pairs<T: Copy>(of: &[T]) -> Vec<(T, T)> {
    of.iter().flat_map(|&a| of.iter().map(move |&b| (a, b))).collect()
}

macro_rules! agree {
    ($device:expr, $run:ident, $ty:ty, $of:expr $(, $unsigned:ident)?) => {{
        let all = pairs::<$ty>($of);
        let found = $run.run(&$device, &$device.upload(&all).unwrap()).unwrap();
        let any = found.0.to_vec().unwrap();
        let bits = found.1.to_vec().unwrap();
        $(let $unsigned = found.2.to_vec().unwrap();)?
        for (i, (a, b)) in all.into_iter().enumerate() {
            let some = b | 1;
            let root = if a < 0 as $ty { 0 } else { a.isqrt() };
            let wanted = (
                a.saturating_add(b), a.saturating_sub(b), a.wrapping_div_euclid(some), a.wrapping_rem_euclid(some), a.wrapping_pow(b as u32 % 9), root,
            );
            assert_eq!(any[i], wanted, "{a} {b}");
            let log = (<$ty>::BITS - 1) - (a | 1).leading_zeros();
            assert_eq!(bits[i], (a.count_zeros(), a.leading_ones(), a.trailing_ones(), log), "{a}");
            $(
                let wanted = (
                    a.abs_diff(b), a.div_ceil(some), a.div_ceil(some).wrapping_mul(some), a.checked_next_power_of_two().unwrap_or(0), a.is_multiple_of(b), a.is_power_of_two(),
                );
                assert_eq!($unsigned[i], wanted, "{a} {b}");
            )?
        }
    }};
}

/// All of these on the processor, some and the last elsewhere: the interpreter takes a thousand times as long.
fn some<T: Copy>(device: &Device, all: &[T]) -> Vec<T> {
    let step = if device.kind() == obsidian::Backend::Cpu { 1 } else { 23 };
    all.iter().step_by(step).chain(all.last()).copied().collect()
}

#[test]
fn methods_of_integers_are_rusts() {
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let signed: Vec<i8> = (i8::MIN..=i8::MAX).collect();
    let powers = (0..64).map(|k| 1u64 << k);
    let wide: Vec<u64> = powers.flat_map(|p| [p - 1, p, p + 1, u64::MAX - p, 3u64.wrapping_mul(p)]).collect();
    let whole: Vec<i64> =
        wide.iter().flat_map(|&x| [x as i64, (x as i64).wrapping_neg()]).step_by(3).chain([i64::MIN]).collect();
    for device in devices() {
        agree!(device, all_u8, u8, &some(&device, &bytes), more);
        agree!(device, all_i8, i8, &some(&device, &signed));
        agree!(device, all_u64, u64, &some(&device, &wide), more);
        agree!(device, all_i64, i64, &some(&device, &whole));
    }
}

#[test]
fn members_are_rusts() {
    for device in devices() {
        let all = pairs(&some(&device, &(0..=u8::MAX).collect::<Vec<u8>>()));
        let found = members.run(&device, &device.upload(&all).unwrap()).unwrap().to_vec().unwrap();
        for (found, &(a, b)) in found.into_iter().zip(&all) {
            let set = matches!(a, 0 | 3..=5 | 200..) || matches!((a, b), (a, b) if a == b);
            let range = (3..a).contains(&b) ^ (b..=9).contains(&a);
            let is_sum = u16::from(a) == 256 - u16::from(b);
            let (difference, float) = (i16::from(a) - i16::from(b > 7), f32::from(b));
            assert_eq!(found, (set, range, (..b).contains(&a), is_sum, difference, float), "{a} {b}");
        }
    }
}

/// The processor and the interpreter, and OpenCL where there is any.
fn devices() -> impl Iterator<Item = Device> {
    [Device::cpu(), Device::check().expect("the tests have the feature")].into_iter().chain(Device::opencl(0))
}
