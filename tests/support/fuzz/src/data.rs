//! The inputs' values, from the kernel's seed: edges of their types, small numbers and any bits.

use obsidian_ir::interp::{Arg, Args, Buffer};
use obsidian_ir::program::{Const, ScalarType, arith};

use crate::ast::{Input, Kernel, Source};
use crate::random::Random;

/// The arguments of a launch.
pub fn args(kernel: &Kernel) -> Args {
    let args = |input: &Input| {
        let columns = columns(kernel, input);
        match input.source {
            Source::Scalar => vec![Arg::Scalar(columns[0][0])],
            Source::Buffer(..) | Source::Updated(..) | Source::Matrix(..) => {
                let field = |(column, ty): (&Vec<Const>, &ScalarType)| Buffer {
                    ty: *ty,
                    bits: column.iter().map(|c| c.bits).collect(),
                };
                let elements = Arg::Buffers(columns.iter().zip(&input.fields).map(field).collect());
                let Source::Matrix(rows, cols) = input.source else { return vec![elements] };
                vec![elements, Arg::Scalar(Const::u32(rows)), Arg::Scalar(Const::u32(cols))]
            }
        }
    };
    Args(kernel.inputs.iter().flat_map(args).collect())
}

/// The values of an input, field by field; a scalar is one value.
pub fn columns(kernel: &Kernel, input: &Input) -> Vec<Vec<Const>> {
    let n = input.source.len();
    let column = |(f, ty): (usize, &ScalarType)| {
        let mut random = Random::new(kernel.data_seed ^ (u64::from(input.var) << 32) ^ (f as u64) << 56);
        let value = |_| match input.below {
            Some(limit) => Const::u32(random.below(limit)),
            None => value(*ty, &mut random),
        };
        (0..n).map(value).collect()
    };
    input.fields.iter().enumerate().map(column).collect()
}

/// Any value of a type, edges more often than others.
pub fn value(ty: ScalarType, random: &mut Random) -> Const {
    let bits = random.bits();
    let bits = match (ty, random.below(4)) {
        (ScalarType::Bool, _) => bits & 1,
        (_, 0) if ty.is_float() => float_edge(ty, random),
        (_, 1 | 2) if ty.is_float() => {
            let small = Const { ty: ScalarType::I32, bits: (bits % 41) as i64 as u64 };
            let quarter =
                Const { ty, bits: arith::cast(Const { ty: ScalarType::F32, bits: 0.25f32.to_bits().into() }, ty).bits };
            let sign = if bits >> 40 & 1 == 1 { 1 << (ty.bits() - 1) } else { 0 };
            arith::bin(obsidian_ir::program::BinOp::Mul, arith::cast(small, ty), quarter).bits | sign
        }
        (_, _) if ty.is_float() => bits & (u64::MAX >> (64 - ty.bits())),
        (_, 0) => {
            let sign = 1u64 << (ty.bits() - 1);
            arith::wrap(ty, random.pick(&[0, u64::MAX, 1, sign, sign - 1, u64::MAX - 1, 2]).into())
        }
        (_, 1 | 2) => arith::wrap(ty, (bits % 32) as i128 - if ty.is_signed() { 16 } else { 0 }),
        _ => arith::wrap(ty, bits.into()),
    };
    Const { ty, bits }
}

/// Zeros, infinities, NaN, the least and the greatest numbers.
fn float_edge(ty: ScalarType, random: &mut Random) -> u64 {
    let sign = 1u64 << (ty.bits() - 1);
    let named = |name| arith::named(ty, name).unwrap_or(0);
    let (least, infinity) = (1, named("INFINITY"));
    let edges = [0, sign, named("NAN"), infinity, infinity | sign, named("MAX"), named("MAX") | sign];
    let more = [least, least | sign, named("MIN_POSITIVE"), named("MIN_POSITIVE") | sign, infinity - 1];
    if random.one_in(2) { random.pick(&edges) } else { random.pick(&more) }
}
