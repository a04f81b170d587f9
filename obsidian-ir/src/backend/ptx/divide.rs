//! Unsigned division by a constant as a multiplication, because ptxas does not do it: `div.u32` by 33 costs 29
//! instructions. In: divisor, greatest dividend, width. Out: the constants of `((n >> pre) * multiplier >> width) >>
//! post`. Source: Granlund and Montgomery, PLDI 1994.

/// How to divide by one constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recipe {
    /// `n >> k`.
    Shift(u32),
    /// `mulhi(n >> pre, m) >> post`.
    Multiply { pre: u32, m: u64, post: u32 },
    /// `t = mulhi(n, m)`, then `(((n - t) >> 1) + t) >> post`: the multiplier has one bit more than the width, and
    /// the missing bit is added by hand.
    MultiplyAdd { m: u64, post: u32 },
}

/// The recipe for `n / d`, right for every `n <= max`, in registers of `width` bits (32 or 64). `d` is not zero.
pub(super) fn recipe(d: u64, max: u64, width: u32) -> Recipe {
    if d.is_power_of_two() {
        return Recipe::Shift(d.trailing_zeros());
    }
    // An even divisor may be shifted out of both sides, which makes room in the multiplier.
    for pre in [0, d.trailing_zeros()] {
        if let Some((m, post)) = multiplier(d >> pre, max >> pre, width) {
            return Recipe::Multiply { pre, m, post };
        }
    }
    // 2^(width + post + 1) / d, rounded up, less 2^width: always right.
    let post = 63 - d.leading_zeros();
    let full = ceil_power_over(width + post + 1, d);
    let m = full.wrapping_sub(1u128 << width) as u64;
    Recipe::MultiplyAdd { m: if width == 32 { m & 0xffff_ffff } else { m }, post }
}

/// The least multiplier below `2^width` that is right for every `n <= max`. With `e = m d - 2^k` the quotient is right
/// where `e n < 2^k`.
fn multiplier(d: u64, max: u64, width: u32) -> Option<(u64, u32)> {
    (0..width).find_map(|post| {
        let k = width + post;
        let m = ceil_power_over(k, d);
        let e = m.checked_mul(d.into())? - (1u128 << k);
        let right = e * u128::from(max) < 1u128 << k;
        (right && m >> width == 0).then_some((m as u64, post))
    })
}

/// `2^k / d`, rounded up; `k` is 1 to 128.
fn ceil_power_over(k: u32, d: u64) -> u128 {
    let d = u128::from(d);
    (u128::MAX >> (128 - k)) / d + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(r: Recipe, n: u64, width: u32) -> u64 {
        let hi = |a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> width) as u64;
        match r {
            Recipe::Shift(k) => n >> k,
            Recipe::Multiply { pre, m, post } => hi(n >> pre, m) >> post,
            Recipe::MultiplyAdd { m, post } => {
                let t = hi(n, m);
                (((n - t) >> 1) + t) >> post
            }
        }
    }

    /// A few dividends that reveal a wrong constant: around multiples of the divisor and at the ends.
    fn dividends(d: u64, max: u64, seed: &mut u64) -> Vec<u64> {
        let mut out = vec![0, 1, max, max - 1, d, d - 1, d + 1];
        out.extend((1..20).map(|i| (max / d).saturating_sub(i) * d + d - 1));
        for _ in 0..50 {
            *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let n = *seed >> (*seed & 31);
            out.extend([n, (n / d) * d, ((n / d) * d).wrapping_sub(1)]);
        }
        out.retain(|&n| n <= max);
        out
    }

    fn check(d: u64, max: u64, width: u32, seed: &mut u64) {
        let r = recipe(d, max, width);
        if let Recipe::Multiply { m, .. } | Recipe::MultiplyAdd { m, .. } = r {
            assert!(width == 64 || m < 1 << 32, "{r:?}");
        }
        for n in dividends(d, max, seed) {
            assert_eq!(apply(r, n, width), n / d, "{n} / {d} by {r:?}, up to {max}");
        }
    }

    #[test]
    fn quotients_are_right_at_32_bits() {
        let mut seed = 1u64;
        for d in 1..5000 {
            for max in [u32::MAX, 1 << 20, 65535] {
                check(d, u64::from(max).max(d + 1), 32, &mut seed);
            }
        }
        for i in 0..5000u64 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(i);
            let d = (seed >> 32 >> (seed % 20)).max(1);
            check(d.min(u64::from(u32::MAX) - 1), u32::MAX.into(), 32, &mut seed);
        }
    }

    #[test]
    fn quotients_are_right_at_64_bits() {
        let mut seed = 7u64;
        for i in 0..5000u64 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(i);
            let d = (seed >> (seed % 60)).clamp(1, u64::MAX - 1);
            check(d, u64::MAX, 64, &mut seed);
        }
        for d in 1..500 {
            check(d, u64::MAX, 64, &mut seed);
        }
    }

    #[test]
    fn every_16_bit_dividend_is_right() {
        for d in [3, 5, 6, 7, 9, 10, 11, 100, 641, 1000, 6700, 65535] {
            let r = recipe(d, 65535, 32);
            assert!((0..65536).all(|n| apply(r, n, 32) == n / d), "{d}: {r:?}");
        }
    }

    #[test]
    fn the_extra_bit_is_only_taken_where_it_must() {
        assert!(matches!(recipe(7, u32::MAX.into(), 32), Recipe::MultiplyAdd { .. }));
        assert!(matches!(recipe(7, 1 << 24, 32), Recipe::Multiply { .. }));
        assert!(matches!(recipe(3, u32::MAX.into(), 32), Recipe::Multiply { pre: 0, .. }));
        assert!(matches!(recipe(14, u32::MAX.into(), 32), Recipe::Multiply { pre: 1, .. }));
    }
}
