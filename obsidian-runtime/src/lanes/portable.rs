//! The meaning of the operations, lane by lane: what the vector units are tested against. No kernel runs on it.

use super::{Lanes, SMALLEST};

/// Words in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portable(pub [u32; SMALLEST]);

/// A word made of words, lane by lane: `name(a, b ..) = expression`.
macro_rules! words {
    ($($name:ident($a:ident $(, $arg:ident)*) = $value:expr;)+) => {$(
        #[inline(always)]
        unsafe fn $name(self $(, $arg: Self)*) -> Self {
            Portable(std::array::from_fn(|l| {
                let $a = self.0[l];
                $(let $arg = $arg.0[l];)*
                $value
            }))
        }
    )+};
}

/// The same of `f32`.
macro_rules! floats {
    ($($name:ident($a:ident $(, $arg:ident)*) = $value:expr;)+) => {
        words! {$(
            $name($a $(, $arg)*) = {
                let $a = f32::from_bits($a);
                $(let $arg = f32::from_bits($arg);)*
                let value: f32 = $value;
                value.to_bits()
            };
        )+}
    };
}

/// A mask made of two words.
macro_rules! tests {
    ($($name:ident($a:ident, $b:ident) = $value:expr;)+) => {$(
        #[inline(always)]
        unsafe fn $name(self, o: Self) -> u16 {
            (0..SMALLEST).fold(0, |mask, l| {
                let ($a, $b) = (self.0[l], o.0[l]);
                mask | u16::from($value) << l
            })
        }
    )+};
}

impl Lanes for Portable {
    type Mask = u16;
    const LANES: usize = SMALLEST;
    const FAST: bool = false;

    #[inline(always)]
    unsafe fn splat(x: u32) -> Self {
        Portable([x; SMALLEST])
    }

    #[inline(always)]
    unsafe fn load(p: *const u32) -> Self {
        Portable(unsafe { p.cast::<[u32; SMALLEST]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut u32) {
        unsafe { p.cast::<[u32; SMALLEST]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn stream(self, p: *mut u32) {
        unsafe { self.store(p) }
    }

    #[inline(always)]
    unsafe fn load_where(m: u16, p: *const u32) -> Self {
        Portable(std::array::from_fn(|l| if m >> l & 1 != 0 { unsafe { *p.wrapping_add(l) } } else { 0 }))
    }

    #[inline(always)]
    unsafe fn store_where(self, m: u16, p: *mut u32) {
        for l in 0..SMALLEST {
            if m >> l & 1 != 0 {
                unsafe { *p.wrapping_add(l) = self.0[l] }
            }
        }
    }

    #[inline(always)]
    unsafe fn permute(a: Self, b: Self, order: &[u32; SMALLEST]) -> Self {
        Portable(order.map(|i| if (i as usize) < SMALLEST { a.0[i as usize] } else { b.0[i as usize % SMALLEST] }))
    }

    #[inline(always)]
    unsafe fn gather(p: *const u32, at: Self) -> Self {
        Portable(at.0.map(|at| unsafe { *p.add(at as usize) }))
    }

    #[inline(always)]
    unsafe fn transpose(rows: [Self; SMALLEST]) -> [Self; SMALLEST] {
        std::array::from_fn(|k| Portable(rows.map(|row| row.0[k])))
    }

    words! {
        add(a, b) = a.wrapping_add(b);
        sub(a, b) = a.wrapping_sub(b);
        mul(a, b) = a.wrapping_mul(b);
        and(a, b) = a & b;
        or(a, b) = a | b;
        xor(a, b) = a ^ b;
        min_u32(a, b) = a.min(b);
        max_u32(a, b) = a.max(b);
        min_i32(a, b) = (a as i32).min(b as i32) as u32;
        max_i32(a, b) = (a as i32).max(b as i32) as u32;
        i32_to_f32(a) = (a as i32 as f32).to_bits();
        f32_to_i32_or_min(a) = {
            let x = f32::from_bits(a);
            if (-2147483648.0..2147483648.0).contains(&x) { x as i32 as u32 } else { i32::MIN as u32 }
        };
    }

    floats! {
        add_f32(a, b) = a + b;
        sub_f32(a, b) = a - b;
        mul_f32(a, b) = a * b;
        div_f32(a, b) = a / b;
        mul_add_f32(a, b, c) = a.mul_add(b, c);
        sqrt_f32(a) = a.sqrt();
        floor_f32(a) = a.floor();
        ceil_f32(a) = a.ceil();
        trunc_f32(a) = a.trunc();
    }

    tests! {
        eq(a, b) = a == b;
        lt_u32(a, b) = a < b;
        lt_i32(a, b) = (a as i32) < b as i32;
        eq_f32(a, b) = f32::from_bits(a) == f32::from_bits(b);
        lt_f32(a, b) = f32::from_bits(a) < f32::from_bits(b);
        le_f32(a, b) = f32::from_bits(a) <= f32::from_bits(b);
    }

    #[inline(always)]
    unsafe fn shl(self, count: u32) -> Self {
        Portable(self.0.map(|x| x << count))
    }

    #[inline(always)]
    unsafe fn shr_u32(self, count: u32) -> Self {
        Portable(self.0.map(|x| x >> count))
    }

    #[inline(always)]
    unsafe fn shr_i32(self, count: u32) -> Self {
        Portable(self.0.map(|x| (x as i32 >> count) as u32))
    }

    masks_of_16_bits! {}

    #[inline(always)]
    unsafe fn select(m: u16, a: Self, b: Self) -> Self {
        Portable(std::array::from_fn(|l| if m >> l & 1 != 0 { a.0[l] } else { b.0[l] }))
    }
}
