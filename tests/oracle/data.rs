//! Generated arguments, as the interpreter takes them: edge values, pseudo-random bits, and small numbers.

use obsidian::abi::{DType, ParamInfo, ParamKind};
use obsidian_ir::interp::{Arg, Args, Buffer, Scalar};
use obsidian_ir::program::{Const, ScalarType, arith};

/// How values are generated.
#[derive(Debug, Clone, Copy)]
pub enum Pattern {
    /// 0, 1, the least and the greatest; NaN, -0.0, infinities and the smallest subnormal of floats.
    Edges,
    /// Any bits.
    Hash,
    /// 1, 2, 3 ..: where floats round seldom and integers do not wrap.
    Count,
}

/// All patterns.
pub const PATTERNS: [Pattern; 3] = [Pattern::Edges, Pattern::Hash, Pattern::Count];

/// Arguments for all inputs and scalars of a kernel; `len` is the length of those inputs whose type leaves it open.
pub fn args(params: &[ParamInfo], lens: &[u32], pattern: Pattern) -> Args {
    let mut lens = lens.iter();
    let mut args = Args::new();
    for (place, param) in params.iter().enumerate() {
        let seed = 1000 * place as u64;
        match param.kind {
            ParamKind::Output => {}
            ParamKind::Scalar => {
                let bits = value(param.fields[0], pattern, seed + 3);
                args.0.push(Arg::Scalar(Const { ty: scalar(param.fields[0]), bits }));
            }
            ParamKind::Input(_) | ParamKind::InOut(_) => {
                let len = u64::from(*lens.next().expect("one length an input"));
                let field = |(f, &ty): (usize, &DType)| Buffer {
                    ty: scalar(ty),
                    bits: (0..len).map(|i| value(ty, pattern, seed + 7 * f as u64 + i)).collect(),
                };
                args.0.push(Arg::Buffers(param.fields.iter().enumerate().map(field).collect()));
            }
        }
    }
    args
}

/// The compiler's name of a stored type.
pub fn scalar(ty: DType) -> ScalarType {
    ScalarType::from_name(ty.name()).expect("both sides know the same types")
}

/// Canonical bits of value `i`.
fn value(ty: DType, pattern: Pattern, i: u64) -> u64 {
    match ty {
        DType::Bool => mixed(i) & 1,
        DType::I8 => integer::<i8>(pattern, i),
        DType::I16 => integer::<i16>(pattern, i),
        DType::I32 => integer::<i32>(pattern, i),
        DType::I64 => integer::<i64>(pattern, i),
        DType::U8 => integer::<u8>(pattern, i),
        DType::U16 => integer::<u16>(pattern, i),
        DType::U32 => integer::<u32>(pattern, i),
        DType::U64 => integer::<u64>(pattern, i),
        DType::F16 | DType::BF16 => {
            let single = Const { ty: ScalarType::F32, bits: value(DType::F32, pattern, i) };
            match pattern {
                // The edges of `f32` are those of the type, but for subnormals, which would all be zero.
                Pattern::Edges => [arith::cast(single, scalar(ty)).bits, 1, 0x8001][(mixed(i) >> 32) as usize % 3],
                Pattern::Hash => mixed(i) & 0xffff,
                Pattern::Count => arith::cast(single, scalar(ty)).bits,
            }
        }
        DType::F32 => match pattern {
            Pattern::Edges => edge32(i).to_bits64(),
            Pattern::Hash => f32::from_bits64(mixed(i)).to_bits64(),
            Pattern::Count => (i as f32 + 1.0).to_bits64(),
        },
        DType::F64 => match pattern {
            Pattern::Edges => edge64(i).to_bits64(),
            Pattern::Hash => mixed(i),
            Pattern::Count => (i as f64 + 1.0).to_bits64(),
        },
    }
}

fn integer<T: Scalar>(pattern: Pattern, i: u64) -> u64 {
    let sign = 1u64 << (T::TYPE.bits() - 1);
    let raw = match pattern {
        // Of signed types the least and the greatest, of unsigned ones the two around the middle; the rest is common.
        Pattern::Edges => [0, u64::MAX, 1, sign, sign - 1, u64::MAX - 1, 2][mixed(i) as usize % 7],
        Pattern::Hash => mixed(i),
        Pattern::Count => i + 1,
    };
    T::from_bits64(raw).to_bits64()
}

fn edge32(i: u64) -> f32 {
    let least = f32::from_bits(1);
    let edges =
        [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, least, 1.0, -f32::MIN_POSITIVE];
    edges[mixed(i) as usize % edges.len()]
}

fn edge64(i: u64) -> f64 {
    let least = f64::from_bits(1);
    let edges =
        [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, least, 1.0, -f64::MIN_POSITIVE];
    edges[mixed(i) as usize % edges.len()]
}

/// The finaliser of SplitMix64: bits with no pattern that a kernel could keep.
fn mixed(i: u64) -> u64 {
    let z = i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
