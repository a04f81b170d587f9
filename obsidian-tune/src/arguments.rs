//! Arguments for measuring and for verifying: lengths and scalars as the user says them, elements from a fixed sequence.

use std::collections::BTreeMap;

use obsidian_abi::Geometry;
use obsidian_ir::interp::{Arg, Args, Buffer};
use obsidian_ir::program::{Const, ParamKind, Program, ScalarType, arith};

use crate::launch::geometry;
use crate::random::mixed;

/// The size of the problem that a kernel is measured on.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Elements of each input and updated buffer whose type leaves the length open.
    pub len: u32,
    /// Other lengths, and the values of scalars, by the names of parameters.
    pub set: BTreeMap<String, f64>,
    /// Integers are below this.
    pub below: u64,
}

/// A scalar that nothing is said of.
const SCALAR: f64 = 1.0;
/// Every length up to this is tried for a kernel to be verified on,
const SMALL: u32 = 4096;
/// and then every power of two up to this.
const LARGE: u32 = 1 << 17;
/// The length that is verified, over the least one accepted: enough that several blocks run.
const BLOCKS: u32 = 3;

impl Problem {
    /// The arguments of a program.
    pub fn arguments(&self, program: &Program) -> Args {
        self.with_len(program, self.len, &self.set)
    }

    /// Arguments that the interpreter gets through soon: the shortest open buffers that the program accepts, several blocks of
    /// them if it can be. `None` where it accepts none of the lengths that are tried.
    pub fn small(&self, program: &Program) -> Option<Args> {
        let scalars = scalars(program, &self.set);
        let accepted = |args: &Args| geometry::of(program, args).is_ok_and(|geometry| geometry.blocks > 0);
        let of = |len| self.with_len(program, len, &scalars);
        let powers = (SMALL.ilog2() + 1..=LARGE.ilog2()).map(|n| 1 << n);
        let least = (1..=SMALL).chain(powers).find(|&len| accepted(&of(len)))?;
        let several = of(least * BLOCKS);
        Some(if accepted(&several) { several } else { of(least) })
    }

    /// The launch of a program, without its arguments.
    ///
    /// # Errors
    /// The first condition that does not hold.
    pub fn geometry(&self, program: &Program) -> Result<Geometry, geometry::Refused> {
        let values = program.params.iter().filter_map(|param| match &param.kind {
            ParamKind::Output { .. } | ParamKind::Fault(_) => None,
            ParamKind::Scalar(ty) => Some(scalar(&param.name, *ty, &self.set).bits),
            ParamKind::Input { len, .. } | ParamKind::InOut { len, .. } => {
                Some(length(&param.name, *len, self.len, &self.set).into())
            }
        });
        geometry::of_values(program, &values.collect::<Vec<u64>>())
    }

    fn with_len(&self, program: &Program, open: u32, set: &BTreeMap<String, f64>) -> Args {
        let given = program.params.iter().enumerate().filter_map(|(place, param)| match &param.kind {
            ParamKind::Output { .. } | ParamKind::Fault(_) => None,
            ParamKind::Scalar(ty) => Some(Arg::Scalar(scalar(&param.name, *ty, set))),
            ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => {
                let len = length(&param.name, *len, open, set);
                let field = |(field, &array)| self.buffer((place, field), program.array(array).elem, len);
                Some(Arg::Buffers(arrays.iter().enumerate().map(field).collect()))
            }
        });
        Args(given.collect())
    }

    fn buffer(&self, (place, field): (usize, usize), ty: ScalarType, len: u32) -> Buffer {
        let seed = ((place as u64) << 40) + ((field as u64) << 36);
        Buffer { ty, bits: (0..u64::from(len)).map(|i| self.value(ty, mixed(seed + i + 1))).collect() }
    }

    /// Floats lie between 1 and 8 and have both signs: no sum of them is exact, none is infinite.
    fn value(&self, ty: ScalarType, bits: u64) -> u64 {
        if ty == ScalarType::Bool {
            return bits & 1;
        }
        if !ty.is_float() {
            return arith::wrap(ty, (bits % self.below.max(1)).into());
        }
        let magnitude = f64::from_bits(0x3ff << 52 | bits >> 12) * [1.0, 2.0, 4.0][bits as usize % 3];
        let value = if bits & 0x800 == 0 { magnitude } else { -magnitude };
        arith::cast(Const { ty: ScalarType::F64, bits: value.to_bits() }, ty).bits
    }
}

fn scalar(name: &str, ty: ScalarType, set: &BTreeMap<String, f64>) -> Const {
    let value = set.get(name).copied().unwrap_or(SCALAR);
    arith::cast(Const { ty: ScalarType::F64, bits: value.to_bits() }, ty)
}

/// Elements of a buffer: what its type says, else what is said of it, else what is open.
fn length(name: &str, of_type: Option<u32>, open: u32, set: &BTreeMap<String, f64>) -> u32 {
    of_type.or(set.get(name).map(|&len| len as u32)).unwrap_or(open)
}

/// What is said of scalars, without what is said of lengths.
fn scalars(program: &Program, set: &BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    let is_scalar =
        |name: &str| program.params.iter().any(|p| p.name == name && matches!(p.kind, ParamKind::Scalar(_)));
    set.iter().filter(|(name, _)| is_scalar(name)).map(|(name, value)| (name.clone(), *value)).collect()
}

/// Arguments and results that are buffers of `u32`, one for each parameter.
pub mod words {
    use obsidian_ir::interp::{Arg, Args, Buffer, Outputs};
    use obsidian_ir::program::ScalarType;

    /// Buffers as arguments.
    pub fn args(buffers: &[&[u32]]) -> Args {
        let buffer = |values: &&[u32]| {
            let bits = values.iter().map(|&x| u64::from(x)).collect();
            Arg::Buffers(vec![Buffer { ty: ScalarType::U32, bits }])
        };
        Args(buffers.iter().map(buffer).collect())
    }

    /// The first result.
    pub fn result(outputs: &Outputs) -> Vec<u32> {
        let first = outputs.0.first().and_then(|fields| fields.first());
        first.map_or(Vec::new(), |buffer| buffer.bits.iter().map(|&bits| bits as u32).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{File, WHOLE, compile};

    #[test]
    fn lengths_scalars_and_small_arguments() {
        let text = "#[kernel(threads = 64)]
            pub fn f(a: f32, n: u8, x: DPull<f32>, y: DPull<u32>) -> DPush<Grid, f32> {
                x.zip_with(y, |x, y| a * x + (y + n as u32) as f32).split_up(100).as_grid_map(|c| c.push())
            }";
        let kernels = compile(&[File { path: "f.rs".into(), text: text.into() }], WHOLE).kernels;
        let program = &kernels[0].variants().next().unwrap().native;
        let set = [("a".to_string(), 2.5), ("y".to_string(), 500.0)].into();
        let problem = Problem { len: 400, set, below: 10 };
        let args = problem.arguments(program);
        let lens: Vec<usize> =
            args.0[2..].iter().map(|a| if let Arg::Buffers(f) = a { f[0].bits.len() } else { 0 }).collect();
        assert_eq!(lens, [400, 500]);
        assert_eq!(problem.geometry(program), geometry::of(program, &args));
        assert_eq!(args.0[0], Arg::Scalar(Const { ty: ScalarType::F32, bits: 2.5f32.to_bits().into() }));
        assert_eq!(args.0[1], Arg::Scalar(Const { ty: ScalarType::U8, bits: 1 }));
        let Arg::Buffers(ys) = &args.0[3] else { panic!() };
        assert!(ys[0].bits.iter().all(|&y| y < 10));
        let small = problem.small(program).unwrap();
        let Arg::Buffers(xs) = &small.0[2] else { panic!() };
        assert_eq!(xs[0].bits.len(), 300);
    }
}
