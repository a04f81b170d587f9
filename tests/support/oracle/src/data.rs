//! Generated arguments, as the interpreter takes them: edge values, pseudo-random bits, and small numbers.

use obsidian::abi::{ParamInfo, ParamKind};
use obsidian_ir::interp::{Arg, Args, Buffer, Scalar};
use obsidian_ir::program::{Const, ParamKind as Takes, Program, ScalarType, arith};

/// How values are generated.
#[derive(Debug, Clone, Copy)]
pub enum Pattern {
    /// 0, 1, the least and the greatest; NaN, -0.0, infinities and the smallest subnormal of floats.
    Edges,
    /// Any bits.
    Hash,
    /// 1, 2, 3 ..: where floats round seldom and integers do not wrap.
    Count,
    /// Floats of both signs, in magnitude from 1 to 8, of all bits: no sum of them is exact, none is infinite. Integers of
    /// any bits.
    Rounding,
    /// Numbers below 32: as indices, inside most arrays.
    Low,
}

/// What a back end is asked.
pub const PATTERNS: [Pattern; 3] = [Pattern::Edges, Pattern::Hash, Pattern::Count];

/// Arguments for all inputs and scalars of a kernel; `len` is the length of those inputs whose type leaves it open.
pub fn args(params: &[ParamInfo], lens: &[u32], pattern: Pattern) -> Args {
    let (mut lens, mut last) = (lens.iter(), 0);
    let names: Vec<&str> = params.iter().map(|param| param.name).collect();
    let given = params.iter().enumerate().filter_map(|(place, param)| {
        let fields = param.fields;
        match param.kind {
            ParamKind::Output => None,
            ParamKind::Scalar => Some(match obsidian_sources::entries::extent(&names, place, last) {
                Some(extent) => Arg::Scalar(Const { ty: fields[0], bits: extent.into() }),
                None => number(place, fields[0], pattern),
            }),
            ParamKind::Input(_) | ParamKind::InOut(_) => {
                last = *lens.next().expect("one length an input");
                Some(buffers(place, fields, last, pattern))
            }
        }
    });
    Args(given.collect())
}

/// Rows and columns of matrices that no block divides: one element, few long rows, and what is neither.
const SHAPES: [(u32, u32); 4] = [(1, 1), (7, 333), (641, 479), (3, 5000)];

/// What a kernel of one matrix is asked at these shapes, each with its words; nothing where it takes other arguments.
pub fn shaped(params: &[ParamInfo]) -> impl Iterator<Item = (String, Args)> {
    SHAPES.into_iter().filter_map(|shape| {
        let (rows, cols) = shape;
        Some((format!("a matrix of {rows} x {cols}"), of_matrix(params, shape, Pattern::Hash)?))
    })
}

/// Arguments for a kernel of one matrix of this shape, scalars and nothing else; `None` if it takes other arguments.
fn of_matrix(params: &[ParamInfo], (rows, cols): (u32, u32), pattern: Pattern) -> Option<Args> {
    let buffers_taken = params.iter().filter(|p| matches!(p.kind, ParamKind::Input(_) | ParamKind::InOut(_))).count();
    let [matrix, high, wide, ..] = params else { return None };
    let is_side = |param: &ParamInfo, side: &str| param.name == format!("{}_{side}", matrix.name);
    let open = matrix.kind == ParamKind::Input(None) && is_side(high, "rows") && is_side(wide, "cols");
    if !open || buffers_taken > 1 {
        return None;
    }
    let sides = [rows, cols].map(|side| Arg::Scalar(Const::u32(side)));
    let mut given = vec![buffers(0, matrix.fields, rows * cols, pattern)];
    given.extend(sides);
    let scalars = params.iter().enumerate().skip(3).filter(|(_, param)| param.kind == ParamKind::Scalar);
    given.extend(scalars.map(|(place, param)| number(place, param.fields[0], pattern)));
    Some(Args(given))
}

/// The same for a program.
pub fn args_of(program: &Program, open: u32, pattern: Pattern) -> Args {
    let names: Vec<&str> = program.params.iter().map(|param| param.name.as_str()).collect();
    let given = program.params.iter().enumerate().filter_map(|(place, param)| match &param.kind {
        Takes::Output { .. } | Takes::Fault(_) => None,
        Takes::Scalar(ty) if obsidian_sources::entries::extent(&names, place, open).is_some() => {
            let bits = obsidian_sources::entries::extent(&names, place, open).unwrap_or_default().into();
            Some(Arg::Scalar(Const { ty: *ty, bits }))
        }
        Takes::Scalar(ty) => Some(number(place, *ty, pattern)),
        Takes::Input { arrays, len } | Takes::InOut { arrays, len } => {
            let fields: Vec<ScalarType> = arrays.iter().map(|&a| program.array(a).elem).collect();
            Some(buffers(place, &fields, len.unwrap_or(open), pattern))
        }
    });
    Args(given.collect())
}

fn number(place: usize, ty: ScalarType, pattern: Pattern) -> Arg {
    Arg::Scalar(Const { ty, bits: value(ty, pattern, 1000 * place as u64 + 3) })
}

fn buffers(place: usize, fields: &[ScalarType], len: u32, pattern: Pattern) -> Arg {
    let field = |(f, &ty): (usize, &ScalarType)| {
        let seed = 1000 * place as u64 + 7 * f as u64;
        Buffer { ty, bits: (0..u64::from(len)).map(|i| value(ty, pattern, seed + i)).collect() }
    };
    Arg::Buffers(fields.iter().enumerate().map(field).collect())
}

/// Canonical bits of value `i`.
fn value(ty: ScalarType, pattern: Pattern, i: u64) -> u64 {
    match ty {
        ScalarType::Bool => mixed(i) & 1,
        ScalarType::I8 => integer::<i8>(pattern, i),
        ScalarType::I16 => integer::<i16>(pattern, i),
        ScalarType::I32 => integer::<i32>(pattern, i),
        ScalarType::I64 => integer::<i64>(pattern, i),
        ScalarType::U8 => integer::<u8>(pattern, i),
        ScalarType::U16 => integer::<u16>(pattern, i),
        ScalarType::U32 => integer::<u32>(pattern, i),
        ScalarType::U64 => integer::<u64>(pattern, i),
        ScalarType::F16 | ScalarType::BF16 => {
            let single = Const { ty: ScalarType::F32, bits: value(ScalarType::F32, pattern, i) };
            match pattern {
                // The edges of `f32` are those of the type, but for subnormals, which would all be zero.
                Pattern::Edges => [arith::cast(single, ty).bits, 1, 0x8001][(mixed(i) >> 32) as usize % 3],
                Pattern::Hash => mixed(i) & 0xffff,
                _ => arith::cast(single, ty).bits,
            }
        }
        ScalarType::F32 => match pattern {
            Pattern::Edges => edge32(i).to_bits64(),
            Pattern::Hash => f32::from_bits64(mixed(i)).to_bits64(),
            _ => (middling(pattern, i) as f32).to_bits64(),
        },
        ScalarType::F64 => match pattern {
            Pattern::Edges => edge64(i).to_bits64(),
            Pattern::Hash => mixed(i),
            _ => middling(pattern, i).to_bits64(),
        },
    }
}

/// A float that is no edge.
fn middling(pattern: Pattern, i: u64) -> f64 {
    match pattern {
        Pattern::Rounding => {
            let bits = mixed(i);
            let magnitude = f64::from_bits(0x3ff << 52 | bits >> 12) * [1.0, 2.0, 4.0][bits as usize % 3];
            if bits & 0x800 == 0 { magnitude } else { -magnitude }
        }
        Pattern::Low => (mixed(i) % 32) as f64,
        _ => i as f64 + 1.0,
    }
}

fn integer<T: Scalar>(pattern: Pattern, i: u64) -> u64 {
    let sign = 1u64 << (T::TYPE.bits() - 1);
    let raw = match pattern {
        // Of signed types the least and the greatest, of unsigned ones the two around the middle; the rest is common.
        Pattern::Edges => [0, u64::MAX, 1, sign, sign - 1, u64::MAX - 1, 2][mixed(i) as usize % 7],
        Pattern::Hash | Pattern::Rounding => mixed(i),
        Pattern::Count => i + 1,
        Pattern::Low => mixed(i) % 32,
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
