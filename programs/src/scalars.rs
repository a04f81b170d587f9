//! Every operation on scalars, on every type that has it. Used by the tests, and by the example `emit`.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    fn counts<T: Int>(p: (T, T)) -> (u32, u32) {
        let (a, b) = p;
        (a.count_ones() + 1000 * a.leading_zeros(), b.trailing_zeros() + 1000 * (a ^ b).leading_zeros())
    }

    fn turned<T: Int>(p: (T, T)) -> (T, T) {
        let (a, b) = p;
        (a.reverse_bits() ^ b.swap_bytes(), a.rotate_left(b as u32) + b.rotate_right(3))
    }

    fn shifted<T: Int>(p: (T, T)) -> (T, T) {
        let (a, b) = p;
        (a.wrapping_shl(b as u32) ^ b.wrapping_shr(5), (a.mul_add(b, a) - a.abs()) ^ mul_hi(a, b))
    }

    #[kernel(threads = 64)]
    pub fn bits_i8(x: DPull<(i8, i8)>) -> (DPush<Grid, (u32, u32)>, DPush<Grid, (i8, i8)>, DPush<Grid, (i8, i8)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(counts).push()),
            c.as_grid_map(|c| c.map(turned).push()),
            c.as_grid_map(|c| c.map(shifted).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn bits_i16(x: DPull<(i16, i16)>) -> (DPush<Grid, (u32, u32)>, DPush<Grid, (i16, i16)>, DPush<Grid, (i16, i16)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(counts).push()),
            c.as_grid_map(|c| c.map(turned).push()),
            c.as_grid_map(|c| c.map(shifted).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn bits_i32(x: DPull<(i32, i32)>) -> (DPush<Grid, (u32, u32)>, DPush<Grid, (i32, i32)>, DPush<Grid, (i32, i32)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(counts).push()),
            c.as_grid_map(|c| c.map(turned).push()),
            c.as_grid_map(|c| c.map(shifted).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn bits_i64(x: DPull<(i64, i64)>) -> (DPush<Grid, (u32, u32)>, DPush<Grid, (i64, i64)>, DPush<Grid, (i64, i64)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(counts).push()),
            c.as_grid_map(|c| c.map(turned).push()),
            c.as_grid_map(|c| c.map(shifted).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn bits_u8(x: DPull<(u8, u8)>) -> (DPush<Grid, (u32, u32)>, DPush<Grid, (u8, u8)>, DPush<Grid, (u8, u8)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(counts).push()),
            c.as_grid_map(|c| c.map(turned).push()),
            c.as_grid_map(|c| c.map(shifted).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn bits_u16(x: DPull<(u16, u16)>) -> (DPush<Grid, (u32, u32)>, DPush<Grid, (u16, u16)>, DPush<Grid, (u16, u16)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(counts).push()),
            c.as_grid_map(|c| c.map(turned).push()),
            c.as_grid_map(|c| c.map(shifted).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn bits_u32(x: DPull<(u32, u32)>) -> (DPush<Grid, (u32, u32)>, DPush<Grid, (u32, u32)>, DPush<Grid, (u32, u32)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(counts).push()),
            c.as_grid_map(|c| c.map(turned).push()),
            c.as_grid_map(|c| c.map(shifted).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn bits_u64(x: DPull<(u64, u64)>) -> (DPush<Grid, (u32, u32)>, DPush<Grid, (u64, u64)>, DPush<Grid, (u64, u64)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(counts).push()),
            c.as_grid_map(|c| c.map(turned).push()),
            c.as_grid_map(|c| c.map(shifted).push()),
        )
    }

    fn sums<T: Float>(p: (T, T)) -> (T, T) {
        (p.0 + p.1, p.0 - p.1)
    }

    fn products<T: Float>(p: (T, T)) -> (T, T) {
        (p.0 * p.1, p.0 / p.1)
    }

    fn fused<T: Float>(p: (T, T)) -> (T, T) {
        (p.0.mul_add(p.1, -p.0), p.0 % p.1)
    }

    fn ordered<T: Float>(p: (T, T)) -> (T, T) {
        (p.0.min(p.1), p.0.max(if p.1 < p.0 { p.1 } else { -p.1 }))
    }

    fn rooted<T: Float>(p: (T, T)) -> (T, T) {
        (p.0.abs().sqrt(), p.1.trunc())
    }

    fn whole<T: Float>(p: (T, T)) -> (T, T) {
        (p.0.floor(), p.1.ceil())
    }

    fn compared<T: Float>(p: (T, T)) -> (u32, u32) {
        let (a, b) = p;
        let bit = |c: bool, k: u32| if c { k } else { 0 };
        (bit(a == b, 1) + bit(a != b, 2) + bit(a < b, 4) + bit(a <= b, 8), bit(a > b, 1) + bit(a >= b, 2))
    }

    #[kernel(threads = 64)]
    pub fn arithmetic_f16(
        x: DPull<(f16, f16)>,
    ) -> (DPush<Grid, (f16, f16)>, DPush<Grid, (f16, f16)>, DPush<Grid, (f16, f16)>, DPush<Grid, (u32, u32)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(sums).push()),
            c.as_grid_map(|c| c.map(products).push()),
            c.as_grid_map(|c| c.map(fused).push()),
            c.as_grid_map(|c| c.map(compared).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn rounding_f16(
        x: DPull<(f16, f16)>,
    ) -> (DPush<Grid, (f16, f16)>, DPush<Grid, (f16, f16)>, DPush<Grid, (f16, f16)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(ordered).push()),
            c.as_grid_map(|c| c.map(rooted).push()),
            c.as_grid_map(|c| c.map(whole).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn arithmetic_bf16(
        x: DPull<(bf16, bf16)>,
    ) -> (DPush<Grid, (bf16, bf16)>, DPush<Grid, (bf16, bf16)>, DPush<Grid, (bf16, bf16)>, DPush<Grid, (u32, u32)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(sums).push()),
            c.as_grid_map(|c| c.map(products).push()),
            c.as_grid_map(|c| c.map(fused).push()),
            c.as_grid_map(|c| c.map(compared).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn rounding_bf16(
        x: DPull<(bf16, bf16)>,
    ) -> (DPush<Grid, (bf16, bf16)>, DPush<Grid, (bf16, bf16)>, DPush<Grid, (bf16, bf16)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(ordered).push()),
            c.as_grid_map(|c| c.map(rooted).push()),
            c.as_grid_map(|c| c.map(whole).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn arithmetic_f32(
        x: DPull<(f32, f32)>,
    ) -> (DPush<Grid, (f32, f32)>, DPush<Grid, (f32, f32)>, DPush<Grid, (f32, f32)>, DPush<Grid, (u32, u32)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(sums).push()),
            c.as_grid_map(|c| c.map(products).push()),
            c.as_grid_map(|c| c.map(fused).push()),
            c.as_grid_map(|c| c.map(compared).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn rounding_f32(
        x: DPull<(f32, f32)>,
    ) -> (DPush<Grid, (f32, f32)>, DPush<Grid, (f32, f32)>, DPush<Grid, (f32, f32)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(ordered).push()),
            c.as_grid_map(|c| c.map(rooted).push()),
            c.as_grid_map(|c| c.map(whole).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn arithmetic_f64(
        x: DPull<(f64, f64)>,
    ) -> (DPush<Grid, (f64, f64)>, DPush<Grid, (f64, f64)>, DPush<Grid, (f64, f64)>, DPush<Grid, (u32, u32)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(sums).push()),
            c.as_grid_map(|c| c.map(products).push()),
            c.as_grid_map(|c| c.map(fused).push()),
            c.as_grid_map(|c| c.map(compared).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn rounding_f64(
        x: DPull<(f64, f64)>,
    ) -> (DPush<Grid, (f64, f64)>, DPush<Grid, (f64, f64)>, DPush<Grid, (f64, f64)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(ordered).push()),
            c.as_grid_map(|c| c.map(rooted).push()),
            c.as_grid_map(|c| c.map(whole).push()),
        )
    }

    /// Through shared memory and back, a constant, and all casts of a 16-bit float.
    #[kernel(threads = 64)]
    pub fn casts_f16(
        x: DPull<f16>,
        scale: f16,
    ) -> (DPush<Grid, (i8, i8)>, DPush<Grid, (u64, u64)>, DPush<Grid, (f64, f64)>, DPush<Grid, (f16, f16)>, DPush<Grid, bool>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(|a| (a as i8, (a * 0.5) as i8)).push()),
            c.as_grid_map(|c| c.map(|a| (a as u64, a as u16 as u64)).push()),
            c.as_grid_map(|c| c.map(|a| (a as f64, a as f32 as f64)).push()),
            c.as_grid_map(|c| exec_block({
                let stored = c.map(|a| a * scale).compute();
                stored.reverse().map(|a| (a, (a as i32 as f16).max(-f16::MAX))).push()
            })),
            c.as_grid_map(|c| c.map(|a| a.to_bits() as f16 > 1000.0).push()),
        )
    }

    /// Through shared memory and back, a constant, and all casts of a 16-bit float.
    #[kernel(threads = 64)]
    pub fn casts_bf16(
        x: DPull<bf16>,
        scale: bf16,
    ) -> (DPush<Grid, (i8, i8)>, DPush<Grid, (u64, u64)>, DPush<Grid, (f64, f64)>, DPush<Grid, (bf16, bf16)>, DPush<Grid, bool>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(|a| (a as i8, (a * 0.5) as i8)).push()),
            c.as_grid_map(|c| c.map(|a| (a as u64, a as u16 as u64)).push()),
            c.as_grid_map(|c| c.map(|a| (a as f64, a as f32 as f64)).push()),
            c.as_grid_map(|c| exec_block({
                let stored = c.map(|a| a * scale).compute();
                stored.reverse().map(|a| (a, (a as i32 as bf16).max(-bf16::MAX))).push()
            })),
            c.as_grid_map(|c| c.map(|a| a.to_bits() as bf16 > 1000.0).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn reinterpreted_f16(x: DPull<f16>, y: DPull<u16>) -> (DPush<Grid, f16>, DPush<Grid, f16>) {
        // What bits a NaN has is not specified.
        let magnitude = x.map(|a| f16::from_bits((if a == a { a.to_bits() } else { 1 }) & (u16::MAX >> 1)));
        let any = y.map(|b| f16::from_bits(b ^ 1) - 1.0);
        (magnitude.split_up(64).as_grid_map(|c| c.push()), any.split_up(64).as_grid_map(|c| c.push()))
    }

    #[kernel(threads = 64)]
    pub fn reinterpreted_bf16(x: DPull<bf16>, y: DPull<u16>) -> (DPush<Grid, bf16>, DPush<Grid, bf16>) {
        // What bits a NaN has is not specified.
        let magnitude = x.map(|a| bf16::from_bits((if a == a { a.to_bits() } else { 1 }) & (u16::MAX >> 1)));
        let any = y.map(|b| bf16::from_bits(b ^ 1) - 1.0);
        (magnitude.split_up(64).as_grid_map(|c| c.push()), any.split_up(64).as_grid_map(|c| c.push()))
    }

    #[kernel(threads = 64)]
    pub fn reinterpreted_f32(x: DPull<f32>, y: DPull<u32>) -> (DPush<Grid, f32>, DPush<Grid, f32>) {
        // What bits a NaN has is not specified.
        let magnitude = x.map(|a| f32::from_bits((if a == a { a.to_bits() } else { 1 }) & (u32::MAX >> 1)));
        let any = y.map(|b| f32::from_bits(b ^ 1) - 1.0);
        (magnitude.split_up(64).as_grid_map(|c| c.push()), any.split_up(64).as_grid_map(|c| c.push()))
    }

    #[kernel(threads = 64)]
    pub fn reinterpreted_f64(x: DPull<f64>, y: DPull<u64>) -> (DPush<Grid, f64>, DPush<Grid, f64>) {
        // What bits a NaN has is not specified.
        let magnitude = x.map(|a| f64::from_bits((if a == a { a.to_bits() } else { 1 }) & (u64::MAX >> 1)));
        let any = y.map(|b| f64::from_bits(b ^ 1) - 1.0);
        (magnitude.split_up(64).as_grid_map(|c| c.push()), any.split_up(64).as_grid_map(|c| c.push()))
    }

    /// Both 16-bit types in one kernel.
    #[kernel(threads = 64)]
    pub fn half_sums(x: DPull<f16>, y: DPull<bf16>) -> DPush<Grid, f32> {
        x.zip_with(y, |a, b| a as f32 + b as f32).split_up(64).as_grid_map(|c| c.push())
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        bits_i8.kernel(),
        bits_i16.kernel(),
        bits_i32.kernel(),
        bits_i64.kernel(),
        bits_u8.kernel(),
        bits_u16.kernel(),
        bits_u32.kernel(),
        bits_u64.kernel(),
        arithmetic_f16.kernel(),
        rounding_f16.kernel(),
        arithmetic_bf16.kernel(),
        rounding_bf16.kernel(),
        arithmetic_f32.kernel(),
        rounding_f32.kernel(),
        arithmetic_f64.kernel(),
        rounding_f64.kernel(),
        casts_f16.kernel(),
        casts_bf16.kernel(),
        reinterpreted_f16.kernel(),
        reinterpreted_bf16.kernel(),
        reinterpreted_f32.kernel(),
        reinterpreted_f64.kernel(),
        half_sums.kernel(),
    ]
}
