//! What kernels need of floats and `std` has not: conversions of 16-bit ones, by their bits, and the order of zeros. Without
//! a branch, so that LLVM makes vectors of it. The compiler's constant folding and the CPU version of a kernel call it.

/// The `f32` of the same value; exact.
#[inline(always)]
pub fn f16_to_f32(h: u16) -> f32 {
    let (sign, magnitude) = (u32::from(h & 0x8000) << 16, u32::from(h & 0x7fff));
    // The exponent's bias is 112 greater in `f32`; the product also normalises subnormals.
    let finite = f32::from_bits(magnitude << 13) * f32::from_bits((112 + 127) << 23);
    let special = 0x7f80_0000 | magnitude << 13;
    let bits = if magnitude < 0x7c00 { finite.to_bits() } else { special };
    f32::from_bits(sign | bits)
}

/// The nearest 16-bit float, ties to even; NaN stays NaN.
#[inline(always)]
pub fn f32_to_f16(x: f32) -> u16 {
    let (sign, m) = (x.to_bits() >> 16 & 0x8000, x.to_bits() & 0x7fff_ffff);
    let normal = m.wrapping_sub(0x3800_0000 - 0xfff).wrapping_add(m >> 13 & 1) >> 13;
    // Below 2^-14 the result counts steps of 2^-24, which are the last places of numbers from 1/2 up.
    let small = (f32::from_bits(m) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let finite = if m < 0x3880_0000 { small } else { normal };
    let limited = if m >= 0x477f_f000 { 0x7c00 } else { finite };
    (sign | if m > 0x7f80_0000 { 0x7e00 } else { limited }) as u16
}

/// The `f32` of the same value; exact.
#[inline(always)]
pub fn bf16_to_f32(h: u16) -> f32 {
    f32::from_bits(u32::from(h) << 16)
}

/// The nearest 16-bit float, ties to even; NaN stays NaN.
#[inline(always)]
pub fn f32_to_bf16(x: f32) -> u16 {
    let b = x.to_bits();
    let rounded = b.wrapping_add(0x7fff + (b >> 16 & 1)) >> 16;
    (if x.is_nan() { b >> 16 | 0x40 } else { rounded }) as u16
}

macro_rules! extremes {
    ($($float:ident $min:ident $max:ident;)+) => {$(
        /// The lesser; -0 is less than 0, of a number and a NaN it is the number.
        #[inline(always)]
        pub fn $min(a: $float, b: $float) -> $float {
            // Equal numbers have equal bits, but for zeros: the sign bit of either.
            if a == b { $float::from_bits(a.to_bits() | b.to_bits()) } else { a.min(b) }
        }

        /// The greater; 0 is greater than -0, of a number and a NaN it is the number.
        #[inline(always)]
        pub fn $max(a: $float, b: $float) -> $float {
            if a == b { $float::from_bits(a.to_bits() & b.to_bits()) } else { a.max(b) }
        }
    )+};
}

extremes! { f32 min_f32 max_f32; f64 min_f64 max_f64; }

#[cfg(test)]
mod tests {
    use super::*;
    use ::half::{bf16, f16};

    #[test]
    fn every_16_bit_float_widens_as_the_half_crate_does() {
        for h in 0..=u16::MAX {
            let (a, b) = (f16_to_f32(h), f16::from_bits(h).to_f32());
            assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{h:#x}: {a:?}, not {b:?}");
            let (a, b) = (bf16_to_f32(h), bf16::from_bits(h).to_f32());
            assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{h:#x}: {a:?}, not {b:?}");
        }
    }

    #[test]
    fn zeros_are_ordered() {
        for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
            assert!(min_f32(a, b).is_sign_negative() && max_f32(a, b).is_sign_positive());
            assert!(min_f64(a.into(), b.into()).is_sign_negative() && max_f64(a.into(), b.into()).is_sign_positive());
        }
        assert_eq!((min_f32(f32::NAN, 2.0), max_f32(-3.0, f32::NAN), min_f32(1.5, 1.5)), (2.0, -3.0, 1.5));
    }

    #[test]
    fn rounding_is_that_of_the_half_crate() {
        // All exponents and signs; around every `f16` and half way to the next; and all low patterns.
        let near = (0..=u16::MAX).flat_map(|h| {
            let x = u32::from(h) << 16;
            [x, x + 0x0fff, x + 0x1000, x + 0x1001, x + 0x7fff, x + 0x8000, x + 0x8001, x + 0xf000]
        });
        for bits in near.chain((0..=u32::MAX).step_by(4093)) {
            let x = f32::from_bits(bits);
            let (a, b) = (f32_to_f16(x), f16::from_f32(x));
            assert!(a == b.to_bits() || b.is_nan() && f16::from_bits(a).is_nan(), "{bits:#x}: {a:#x}, not {b:?}");
            let (a, b) = (f32_to_bf16(x), bf16::from_f32(x));
            assert!(a == b.to_bits() || b.is_nan() && bf16::from_bits(a).is_nan(), "{bits:#x}: {a:#x}, not {b:?}");
        }
    }
}
