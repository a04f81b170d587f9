//! Builtins on scalars.

use super::Builtin;
use crate::stage::value::Value;
use crate::stage::{Extend, Stage};
use crate::types::GenericArg;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{BinOp, Const, ExprId, Exprs, Math, ScalarType, UnOp};

const RUST: &str = "Rust's method of that name";
const PTX: &str = "PTX ISA; this library's own, for functions that a GPU has";

pub(super) const ROWS: &[Builtin] = &[
    Builtin {
        signature: "fn min<T: Num>(a: T, b: T) -> T",
        doc: "The lesser; of a number and a NaN the number; -0 is less than 0.",
        source: RUST,
        eval: |s, args, _| binary(s, BinOp::Min, args),
    },
    Builtin {
        signature: "fn max<T: Num>(a: T, b: T) -> T",
        doc: "The greater; of a number and a NaN the number; 0 is greater than -0.",
        source: RUST,
        eval: |s, args, _| binary(s, BinOp::Max, args),
    },
    Builtin {
        signature: "fn abs<T: Num>(a: T) -> T",
        doc: "The absolute value, wrapping.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::Abs, args),
    },
    Builtin {
        signature: "fn signum<T: Num>(a: T) -> T",
        doc: "The sign: of integers 1, 0 or -1; of floats 1 or -1 (zeros have signs), NaN of NaN.",
        source: RUST,
        eval: signum,
    },
    Builtin {
        signature: "fn sqrt<T: Float>(a: T) -> T",
        doc: "The square root, correctly rounded.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::Sqrt, args),
    },
    Builtin {
        signature: "fn floor<T: Float>(a: T) -> T",
        doc: "The greatest whole number that is not above `a`.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::Floor, args),
    },
    Builtin {
        signature: "fn ceil<T: Float>(a: T) -> T",
        doc: "The least whole number that is not below `a`.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::Ceil, args),
    },
    Builtin {
        signature: "fn trunc<T: Float>(a: T) -> T",
        doc: "The whole part, towards zero.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::Trunc, args),
    },
    Builtin {
        signature: "fn mul_add<T: Num>(a: T, b: T, c: T) -> T",
        doc: "`a * b + c`, on floats rounded once (`f16`, `bf16`: once to `f32`, and from there), on integers wrapping.",
        source: RUST,
        eval: |s, args, _| {
            let (a, b, c) = (args[0].scalar(s)?, args[1].scalar(s)?, args[2].scalar(s)?);
            Ok(Value::Scalar(s.p.exprs.mul_add(a, b, c)))
        },
    },
    Builtin {
        signature: "fn mul_hi<T: Int>(a: T, b: T) -> T",
        doc: "The upper half of the product, which has twice as many bits.",
        source: "PTX ISA, `mul.hi`; OpenCL C, `mul_hi`",
        eval: |s, args, _| binary(s, BinOp::MulHigh, args),
    },
    Builtin {
        signature: "fn to_bits<T: Float>(a: T) -> Bits<T>",
        doc: "The IEEE bits, as the unsigned integer of the same width. Which bits a NaN has is not specified.",
        source: RUST,
        eval: |s, args, _| {
            let a = args[0].scalar(s)?;
            let to = s.p.exprs.ty(a).unsigned();
            Ok(Value::Scalar(s.p.exprs.bits(a, to)))
        },
    },
    Builtin {
        signature: "fn from_bits<T: Float>(bits: Bits<T>) -> T",
        doc: "The float with these IEEE bits: `f32::from_bits(b)`.",
        source: RUST,
        eval: |s, args, generics| {
            let a = args[0].scalar(s)?;
            let Some(&GenericArg::Scalar(to)) = generics.first() else {
                return Err(s
                    .error("OB027", "which float `from_bits` gives is not known")
                    .map_help("say it: `f32::from_bits(b)`"));
            };
            Ok(Value::Scalar(s.p.exprs.bits(a, to)))
        },
    },
    Builtin {
        signature: "fn from<U: Ord, T: Ord>(a: T) -> U",
        doc: "`a` as a type that has every value of its own: `u64::from(x)`, `f64::from(x)`, `u32::from(x > 0)`. Others `as` converts.",
        source: RUST,
        eval: super::lossless::from,
    },
    Builtin {
        signature: "fn of_unsigned<T: Int>(a: T) -> T",
        doc: "`a`, in functions that Rust has for unsigned numbers only.",
        source: "this library's own",
        eval: |s, args, _| {
            let a = args[0].scalar(s)?;
            let ty = s.p.exprs.ty(a);
            if ty.is_signed() {
                let message = format!("this works on unsigned integers, as in Rust, not on `{ty}`");
                let help = format!("where it is not below 0, `x as {}` is the same number", ty.unsigned());
                return Err(s.error("OB020", &message).map_help(&help));
            }
            Ok(Value::Scalar(a))
        },
    },
    Builtin {
        signature: "fn count_ones<T: Int>(a: T) -> u32",
        doc: "How many bits are one.",
        source: RUST,
        eval: |s, args, _| count(s, UnOp::CountOnes, args),
    },
    Builtin {
        signature: "fn leading_zeros<T: Int>(a: T) -> u32",
        doc: "How many bits above the highest one are zero; of 0, the type's width.",
        source: RUST,
        eval: |s, args, _| count(s, UnOp::LeadingZeros, args),
    },
    Builtin {
        signature: "fn trailing_zeros<T: Int>(a: T) -> u32",
        doc: "How many bits below the lowest one are zero; of 0, the type's width.",
        source: RUST,
        eval: |s, args, _| count(s, UnOp::TrailingZeros, args),
    },
    Builtin {
        signature: "fn reverse_bits<T: Int>(a: T) -> T",
        doc: "The bits in the opposite order.",
        source: RUST,
        eval: |s, args, _| unary(s, UnOp::ReverseBits, args),
    },
    Builtin {
        signature: "fn swap_bytes<T: Int>(a: T) -> T",
        doc: "The bytes in the opposite order.",
        source: RUST,
        eval: |s, args, _| swap_bytes(s, args),
    },
    Builtin {
        signature: "fn rotate_left<T: Int>(a: T, n: u32) -> T",
        doc: "The bits moved up by `n`, those that fall out coming in from below.",
        source: RUST,
        eval: |s, args, _| rotate(s, Turn::Left, args),
    },
    Builtin {
        signature: "fn rotate_right<T: Int>(a: T, n: u32) -> T",
        doc: "The bits moved down by `n`, those that fall out coming in from above.",
        source: RUST,
        eval: |s, args, _| rotate(s, Turn::Right, args),
    },
    Builtin {
        signature: "fn wrapping_shl<T: Int>(a: T, n: u32) -> T",
        doc: "`a << n`, the count modulo the width.",
        source: RUST,
        eval: |s, args, _| shift(s, BinOp::Shl, args),
    },
    Builtin {
        signature: "fn wrapping_shr<T: Int>(a: T, n: u32) -> T",
        doc: "`a >> n`, the count modulo the width.",
        source: RUST,
        eval: |s, args, _| shift(s, BinOp::Shr, args),
    },
    Builtin {
        signature: "fn by_float<T: Float>(a: T, single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> T",
        doc: "`double(a)` of an `f64`, else `single(a)`, to and from `f32` where `T` is `f16` or `bf16`.",
        source: "this library's own, for functions that are written once a precision",
        eval: by_float,
    },
    Builtin {
        signature: "fn by_float2<T: Float>(a: T, b: T, single: impl Fn(f32, f32) -> f32, double: impl Fn(f64, f64) -> f64) -> T",
        doc: "`by_float` for functions of two numbers.",
        source: "this library's own, for functions that are written once a precision",
        eval: by_float,
    },
    Builtin {
        signature: "fn gpu_exp2(a: f32, scale: f32, exact: impl Fn(f32) -> f32) -> f32",
        doc: "`exact(a)`; under `fast_math` a GPU's own `2^(a * scale)`, whose relative error is 2^-22.",
        source: PTX,
        eval: |s, args, _| {
            on_gpu(s, args, |e, [a, scale]| {
                let scaled = times(e, a, scale);
                e.un(UnOp::Exp2, scaled)
            })
        },
    },
    Builtin {
        signature: "fn gpu_log2(a: f32, scale: f32, exact: impl Fn(f32) -> f32) -> f32",
        doc: "`exact(a)`; under `fast_math` a GPU's own `log2(a) * scale`, whose relative error is 2^-22, from 0.5 to 2 its absolute one.",
        source: PTX,
        eval: |s, args, _| {
            on_gpu(s, args, |e, [a, scale]| {
                let log = e.un(UnOp::Log2, a);
                times(e, log, scale)
            })
        },
    },
    Builtin {
        signature: "fn gpu_sin(a: f32, exact: impl Fn(f32) -> f32) -> f32",
        doc: "`exact(a)`; under `fast_math` a GPU's own sine, whose absolute error is 2^-20.5 from -2 pi to 2 pi, and grows with `a`.",
        source: PTX,
        eval: |s, args, _| on_gpu(s, args, |e, [a]| e.un(UnOp::Sin, a)),
    },
    Builtin {
        signature: "fn gpu_cos(a: f32, exact: impl Fn(f32) -> f32) -> f32",
        doc: "`exact(a)`; under `fast_math` a GPU's own cosine, whose absolute error is 2^-20.5 from -2 pi to 2 pi, and grows with `a`.",
        source: PTX,
        eval: |s, args, _| on_gpu(s, args, |e, [a]| e.un(UnOp::Cos, a)),
    },
    Builtin {
        signature: "fn gpu_tanh(a: f32, exact: impl Fn(f32) -> f32) -> f32",
        doc: "`exact(a)`; under `fast_math` and from `sm_75` on a GPU's own hyperbolic tangent, whose relative error is 2^-11.",
        source: PTX,
        eval: |s, args, _| {
            if !s.p.options.target.has_tanh() {
                return exact(s, args);
            }
            on_gpu(s, args, |e, [a]| e.un(UnOp::Tanh, a))
        },
    },
    Builtin {
        signature: "fn on_gpu() -> bool",
        doc: "Whether the code is for GPUs, and not for a processor's threads. For the library itself: both sides of a choice by it must give the same.",
        source: "reference.md §7",
        eval: |s, _, _| Ok(Value::Scalar(s.p.exprs.on_gpu())),
    },
];

/// The exact function, which is the last argument, of the first one.
fn exact(s: &mut Stage, args: &[Value]) -> Result<Value> {
    let (Some(a), Some(f)) = (args.first(), args.last()) else {
        return Err(s.error("OB099", "a function of a GPU's own has no arguments; please report this"));
    };
    let f = f.func(s)?;
    s.apply(&f, vec![a.clone()])
}

/// A choice between a GPU's own function of all arguments but the last, and the exact one. What a launch knows is exact
/// everywhere: lengths may be made of it, which the host computes too.
fn on_gpu<const N: usize>(
    s: &mut Stage,
    args: &[Value],
    own: impl Fn(&mut Exprs, [ExprId; N]) -> ExprId,
) -> Result<Value> {
    let value = exact(s, args)?;
    let numbers = args[..N].iter().map(|a| a.scalar(s)).collect::<Result<Vec<_>>>()?;
    let Ok(numbers) = <[ExprId; N]>::try_from(numbers) else { return Ok(value) };
    if s.p.options.math == Math::Exact || s.p.exprs.known_at_launch(numbers[0]) {
        return Ok(value);
    }
    let value = value.scalar(s)?;
    let (on_gpu, own) = (s.p.exprs.on_gpu(), own(&mut s.p.exprs, numbers));
    Ok(Value::Scalar(s.p.exprs.select(on_gpu, own, value)))
}

/// A product; one by 1 is no product.
fn times(e: &mut Exprs, a: ExprId, by: ExprId) -> ExprId {
    let one = e.as_const(by).is_some_and(|c| c.bits == u64::from(1f32.to_bits()));
    if one { a } else { e.bin(BinOp::Mul, a, by) }
}

fn unary(s: &mut Stage, op: UnOp, args: &[Value]) -> Result<Value> {
    let a = args[0].scalar(s)?;
    Ok(Value::Scalar(s.p.exprs.un(op, a)))
}

fn binary(s: &mut Stage, op: BinOp, args: &[Value]) -> Result<Value> {
    let (a, b) = (args[0].scalar(s)?, args[1].scalar(s)?);
    Ok(Value::Scalar(s.bin(op, a, b)))
}

/// A count, which Rust gives as a `u32`.
fn count(s: &mut Stage, op: UnOp, args: &[Value]) -> Result<Value> {
    let a = args[0].scalar(s)?;
    let n = s.p.exprs.un(op, a);
    Ok(Value::Scalar(s.p.exprs.cast(n, ScalarType::U32)))
}

/// Each step swaps the two groups of bytes in every pair of groups, from the halves of the value down to single bytes.
fn swap_bytes(s: &mut Stage, args: &[Value]) -> Result<Value> {
    let a = args[0].scalar(s)?;
    let (ty, e) = (s.p.exprs.ty(a), &mut s.p.exprs);
    let unsigned = ty.unsigned();
    let mut x = e.cast(a, unsigned);
    let mut group = ty.bits() / 2;
    while group >= 8 {
        // Ones in the lower group of every pair.
        let low = (0..ty.bits() / (2 * group)).fold(0, |m, k| m | ((1u64 << group) - 1) << (2 * group * k));
        let (mask, by) = (Const { ty: unsigned, bits: low }, Const { ty: unsigned, bits: group.into() });
        let (mask, by) = (e.constant(mask), e.constant(by));
        let up = e.bin(BinOp::And, x, mask);
        let up = e.bin(BinOp::Shl, up, by);
        let down = e.bin(BinOp::Shr, x, by);
        let down = e.bin(BinOp::And, down, mask);
        x = e.bin(BinOp::Or, up, down);
        group /= 2;
    }
    Ok(Value::Scalar(e.cast(x, ty)))
}

/// Which way bits go.
enum Turn {
    Left,
    Right,
}

/// As two shifts of the unsigned value; counts are taken modulo the width, so a rotation by 0 is `a | a`.
fn rotate(s: &mut Stage, turn: Turn, args: &[Value]) -> Result<Value> {
    let (a, n) = (args[0].scalar(s)?, args[1].scalar(s)?);
    let (ty, e) = (s.p.exprs.ty(a), &mut s.p.exprs);
    let unsigned = ty.unsigned();
    let (x, n) = (e.cast(a, unsigned), e.cast(n, unsigned));
    let zero = e.constant(Const { ty: unsigned, bits: 0 });
    let back = e.bin(BinOp::Sub, zero, n);
    let (first, second) = match turn {
        Turn::Left => (BinOp::Shl, BinOp::Shr),
        Turn::Right => (BinOp::Shr, BinOp::Shl),
    };
    let (there, round) = (e.bin(first, x, n), e.bin(second, x, back));
    let r = e.bin(BinOp::Or, there, round);
    Ok(Value::Scalar(e.cast(r, ty)))
}

fn shift(s: &mut Stage, op: BinOp, args: &[Value]) -> Result<Value> {
    let (a, n) = (args[0].scalar(s)?, args[1].scalar(s)?);
    let n = s.p.exprs.cast(n, s.p.exprs.ty(a));
    Ok(Value::Scalar(s.bin(op, a, n)))
}

/// The arguments are numbers, then the function on `f32` and the one on `f64`.
fn by_float(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let [numbers @ .., single, double] = args else {
        return Err(s.error("OB099", "`by_float` has too few arguments; please report this"));
    };
    let numbers = numbers.iter().map(|a| a.scalar(s)).collect::<Result<Vec<_>>>()?;
    let ty = numbers.first().map_or(ScalarType::F32, |&a| s.p.exprs.ty(a));
    let (at, f) = if ty == ScalarType::F64 { (ty, double) } else { (ScalarType::F32, single) };
    let f = f.func(s)?;
    let numbers = numbers.into_iter().map(|a| Value::Scalar(s.p.exprs.cast(a, at))).collect();
    let r = s.apply(&f, numbers)?.scalar(s)?;
    Ok(Value::Scalar(s.p.exprs.cast(r, ty)))
}

/// By comparing integers with zero; from the sign bit of floats.
fn signum(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let a = args[0].scalar(s)?;
    let (ty, e) = (s.p.exprs.ty(a), &mut s.p.exprs);
    let mut whole = |v: i32| {
        let v = e.constant(Const { ty: ScalarType::I32, bits: i64::from(v) as u64 });
        e.cast(v, ty)
    };
    let (zero, one, minus) = (whole(0), whole(1), whole(-1));
    let r = if ty.is_float() {
        // The sign bit of one; NaN stays.
        let bits = ty.unsigned();
        let sign = e.constant(Const { ty: bits, bits: 1 << (ty.bits() - 1) });
        let (raw, plus) = (e.bits(a, bits), e.bits(one, bits));
        let raw = e.bin(BinOp::And, raw, sign);
        let raw = e.bin(BinOp::Or, raw, plus);
        let unit = e.bits(raw, ty);
        let number = e.bin(BinOp::Eq, a, a);
        e.select(number, unit, a)
    } else {
        let (above, below) = (e.bin(BinOp::Gt, a, zero), e.bin(BinOp::Lt, a, zero));
        let negative = e.select(below, minus, zero);
        e.select(above, one, negative)
    };
    Ok(Value::Scalar(r))
}
