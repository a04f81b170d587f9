//! Every function of the standard library on floats, one kernel a function and precision. Used by the tests, by the
//! example `emit`, and by the example `accuracy`, which measures them.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn single_exp(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.exp()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_exp2(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.exp2()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_exp_m1(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.exp_m1()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_ln(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.ln()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_log2(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.log2()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_log10(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.log10()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_ln_1p(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.ln_1p()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_sin(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.sin()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_cos(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.cos()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_tan(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.tan()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_asin(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.asin()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_acos(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.acos()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_atan(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.atan()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_sinh(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.sinh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_cosh(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.cosh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_tanh(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.tanh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_asinh(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.asinh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_acosh(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.acosh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_atanh(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.atanh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_cbrt(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.cbrt()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_rsqrt(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.rsqrt()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_recip(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.recip()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_round(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.round()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_fract(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.fract()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_signum(x: DPull<f32>) -> DPush<Grid, f32> {
        x.map(|a| a.signum()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_powf(x: DPull<(f32, f32)>) -> DPush<Grid, f32> {
        x.map(|p| p.0.powf(p.1)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_hypot(x: DPull<(f32, f32)>) -> DPush<Grid, f32> {
        x.map(|p| p.0.hypot(p.1)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_atan2(x: DPull<(f32, f32)>) -> DPush<Grid, f32> {
        x.map(|p| p.0.atan2(p.1)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_copysign(x: DPull<(f32, f32)>) -> DPush<Grid, f32> {
        x.map(|p| p.0.copysign(p.1)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_powi(x: DPull<f32>, n: DPull<i32>) -> DPush<Grid, (f32, f32)> {
        x.zip_with(n, |a, n| (a.powi(n % 50), a.powi(-2))).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn single_kinds(x: DPull<f32>) -> DPush<Grid, (bool, bool)> {
        x.map(|a| (a.is_nan() || a.is_finite(), a.is_infinite())).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_exp(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.exp()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_exp2(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.exp2()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_exp_m1(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.exp_m1()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_ln(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.ln()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_log2(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.log2()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_log10(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.log10()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_ln_1p(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.ln_1p()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_sin(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.sin()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_cos(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.cos()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_tan(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.tan()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_asin(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.asin()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_acos(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.acos()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_atan(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.atan()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_sinh(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.sinh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_cosh(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.cosh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_tanh(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.tanh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_asinh(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.asinh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_acosh(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.acosh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_atanh(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.atanh()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_cbrt(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.cbrt()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_rsqrt(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.rsqrt()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_recip(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.recip()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_round(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.round()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_fract(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.fract()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_signum(x: DPull<f64>) -> DPush<Grid, f64> {
        x.map(|a| a.signum()).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_powf(x: DPull<(f64, f64)>) -> DPush<Grid, f64> {
        x.map(|p| p.0.powf(p.1)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_hypot(x: DPull<(f64, f64)>) -> DPush<Grid, f64> {
        x.map(|p| p.0.hypot(p.1)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_atan2(x: DPull<(f64, f64)>) -> DPush<Grid, f64> {
        x.map(|p| p.0.atan2(p.1)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_copysign(x: DPull<(f64, f64)>) -> DPush<Grid, f64> {
        x.map(|p| p.0.copysign(p.1)).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_powi(x: DPull<f64>, n: DPull<i32>) -> DPush<Grid, (f64, f64)> {
        x.zip_with(n, |a, n| (a.powi(n % 50), a.powi(-2))).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn double_kinds(x: DPull<f64>) -> DPush<Grid, (bool, bool)> {
        x.map(|a| (a.is_nan() || a.is_finite(), a.is_infinite())).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn functions_f16(x: DPull<f16>) -> (DPush<Grid, (f16, f16)>, DPush<Grid, (f16, f16)>, DPush<Grid, (f16, f16)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(|a| (a.exp(), a.sin())).push()),
            c.as_grid_map(|c| c.map(|a| (a.abs().powf(1.5), a.round())).push()),
            c.as_grid_map(|c| c.map(|a| (a.signum(), a.clamp(-1.0, 2.0).recip())).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn functions_bf16(x: DPull<bf16>) -> (DPush<Grid, (bf16, bf16)>, DPush<Grid, (bf16, bf16)>, DPush<Grid, (bf16, bf16)>) {
        let c = x.split_up(64);
        (
            c.as_grid_map(|c| c.map(|a| (a.exp(), a.sin())).push()),
            c.as_grid_map(|c| c.map(|a| (a.abs().powf(1.5), a.round())).push()),
            c.as_grid_map(|c| c.map(|a| (a.signum(), a.clamp(-1.0, 2.0).recip())).push()),
        )
    }

    #[kernel(threads = 64)]
    pub fn wrapping_i8(x: DPull<(i8, i8)>) -> DPush<Grid, (i8, i8)> {
        let f = |a: i8, b: i8| a.wrapping_mul(b).wrapping_add(a.signum()).wrapping_sub(b.wrapping_neg());
        x.map(|p| (f(p.0, p.1), p.0.min(p.1).clamp(3, 100))).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn wrapping_u16(x: DPull<(u16, u16)>) -> DPush<Grid, (u16, u16)> {
        let f = |a: u16, b: u16| a.wrapping_mul(b).wrapping_add(a.signum()).wrapping_sub(b.wrapping_neg());
        x.map(|p| (f(p.0, p.1), p.0.min(p.1).clamp(3, 100))).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn wrapping_i32(x: DPull<(i32, i32)>) -> DPush<Grid, (i32, i32)> {
        let f = |a: i32, b: i32| a.wrapping_mul(b).wrapping_add(a.signum()).wrapping_sub(b.wrapping_neg());
        x.map(|p| (f(p.0, p.1), p.0.min(p.1).clamp(3, 100))).split_up(64).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn wrapping_u64(x: DPull<(u64, u64)>) -> DPush<Grid, (u64, u64)> {
        let f = |a: u64, b: u64| a.wrapping_mul(b).wrapping_add(a.signum()).wrapping_sub(b.wrapping_neg());
        x.map(|p| (f(p.0, p.1), p.0.min(p.1).clamp(3, 100))).split_up(64).as_grid_map(|c| c.push())
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        single_exp.kernel(),
        single_exp2.kernel(),
        single_exp_m1.kernel(),
        single_ln.kernel(),
        single_log2.kernel(),
        single_log10.kernel(),
        single_ln_1p.kernel(),
        single_sin.kernel(),
        single_cos.kernel(),
        single_tan.kernel(),
        single_asin.kernel(),
        single_acos.kernel(),
        single_atan.kernel(),
        single_sinh.kernel(),
        single_cosh.kernel(),
        single_tanh.kernel(),
        single_asinh.kernel(),
        single_acosh.kernel(),
        single_atanh.kernel(),
        single_cbrt.kernel(),
        single_rsqrt.kernel(),
        single_recip.kernel(),
        single_round.kernel(),
        single_fract.kernel(),
        single_signum.kernel(),
        single_powf.kernel(),
        single_hypot.kernel(),
        single_atan2.kernel(),
        single_copysign.kernel(),
        single_powi.kernel(),
        single_kinds.kernel(),
        double_exp.kernel(),
        double_exp2.kernel(),
        double_exp_m1.kernel(),
        double_ln.kernel(),
        double_log2.kernel(),
        double_log10.kernel(),
        double_ln_1p.kernel(),
        double_sin.kernel(),
        double_cos.kernel(),
        double_tan.kernel(),
        double_asin.kernel(),
        double_acos.kernel(),
        double_atan.kernel(),
        double_sinh.kernel(),
        double_cosh.kernel(),
        double_tanh.kernel(),
        double_asinh.kernel(),
        double_acosh.kernel(),
        double_atanh.kernel(),
        double_cbrt.kernel(),
        double_rsqrt.kernel(),
        double_recip.kernel(),
        double_round.kernel(),
        double_fract.kernel(),
        double_signum.kernel(),
        double_powf.kernel(),
        double_hypot.kernel(),
        double_atan2.kernel(),
        double_copysign.kernel(),
        double_powi.kernel(),
        double_kinds.kernel(),
        functions_f16.kernel(),
        functions_bf16.kernel(),
        wrapping_i8.kernel(),
        wrapping_u16.kernel(),
        wrapping_i32.kernel(),
        wrapping_u64.kernel(),
    ]
}
