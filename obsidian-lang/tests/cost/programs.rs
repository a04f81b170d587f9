//! Arguments for programs, and what they touch on them.

use obsidian_ir::interp::{self, Arg, Args, Buffer, Fault, Touch};
use obsidian_ir::program::{Const, ParamKind, Program, ScalarType, arith};

use super::sources;

/// Blocks of a kernel without inputs that are run.
const FEW_BLOCKS: u32 = 4;

/// Runs a program on the shortest inputs that it accepts; `None` where it accepts none, or finds an index out of range.
pub fn trace(p: &Program) -> Option<Vec<Touch>> {
    let mut p = p.clone();
    if !p.params.iter().any(|q| matches!(q.kind, ParamKind::Input { .. } | ParamKind::InOut { .. })) {
        let all = p.exprs.as_u32(p.blocks).expect("a number that is known");
        sources::first_blocks(&mut p, all.min(FEW_BLOCKS));
    }
    for scalar in [1, 8, 0] {
        for len in 1..=4096 {
            match interp::traced(&p, &args(&p, len, scalar)) {
                Err(Fault::Refused { .. } | Fault::Arguments(_)) => {}
                Ok((_, trace)) if !trace.is_empty() => return Some(trace),
                _ => break,
            }
        }
    }
    None
}

/// Small numbers: 0 to 3.
fn args(p: &Program, open: u32, scalar: u64) -> Args {
    let mut args = Args::new();
    for param in &p.params {
        match &param.kind {
            ParamKind::Scalar(ty) => args.0.push(Arg::Scalar(number(*ty, scalar))),
            ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => {
                let field = |ty| (0..len.unwrap_or(open)).map(|i| number(ty, u64::from(i % 4)).bits).collect();
                let types = arrays.iter().map(|&a| p.array(a).elem);
                args.0.push(Arg::Buffers(types.map(|ty| Buffer { ty, bits: field(ty) }).collect()));
            }
            _ => {}
        }
    }
    args
}

fn number(ty: ScalarType, value: u64) -> Const {
    let plain = Const { ty: ScalarType::U64, bits: value };
    if ty == ScalarType::Bool { Const { ty, bits: value & 1 } } else { arith::cast(plain, ty) }
}
