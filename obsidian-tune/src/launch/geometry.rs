//! The launch of a program for given arguments, computed from the program itself: for launch rows that are made at run time,
//! which have no geometry of the program's own.

use std::fmt;

use obsidian_abi::{Geometry, arith, assertion};
use obsidian_ir::interp::Args;
use obsidian_ir::program::{Const, Expr, ExprId, ParamId, ParamKind, Program};

/// Why there is no launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// A condition does not hold.
    Condition {
        /// What must hold.
        message: String,
        /// The value found.
        found: u64,
    },
    /// Something is computed of more than lengths and scalars.
    NotKnown,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Condition { message, found } => match assertion::failed(message, *found) {
                Some(failed) => f.write_str(&failed.message),
                None => write!(f, "{message}; found {found}"),
            },
            Refused::NotKnown => f.write_str("the number of blocks is not known from the arguments"),
        }
    }
}

/// Checks a launch and computes its size.
///
/// # Errors
/// The first condition that does not hold.
pub fn of(program: &Program, args: &Args) -> Result<Geometry, Refused> {
    of_values(program, &super::values(args))
}

/// The same for the lengths of buffers and the bits of scalars, in the order of the parameters that have them.
///
/// # Errors
/// As of [`of`].
pub fn of_values(program: &Program, values: &[u64]) -> Result<Geometry, Refused> {
    let number = |id| value(program, values, id).ok_or(Refused::NotKnown).map(|v| v.bits);
    for check in &program.checks {
        if number(check.cond)? == 0 {
            return Err(Refused::Condition { message: check.message.clone(), found: number(check.found)? });
        }
    }
    let outputs = program.params.iter().filter_map(|param| match param.kind {
        ParamKind::Output { len, .. } => Some(number(len)),
        _ => None,
    });
    Ok(Geometry::of(number(program.blocks)? as u32, outputs.collect::<Result<_, _>>()?))
}

fn value(program: &Program, values: &[u64], id: ExprId) -> Option<Const> {
    let of = |id| value(program, values, id);
    let ty = program.exprs.ty(id);
    Some(match program.exprs.expr(id) {
        Expr::Const(c) => c,
        Expr::Len(param) | Expr::Scalar(param) => Const { ty, bits: argument(program, values, param)? },
        Expr::Un(op, a) => arith::un(op, of(a)?),
        Expr::Bin(op, a, b) => arith::bin(op, of(a)?, of(b)?),
        Expr::Select(cond, yes, no) => of(if of(cond)?.bits != 0 { yes } else { no })?,
        Expr::Cast(a) => arith::cast(of(a)?, ty),
        Expr::Bits(a) => arith::bits(of(a)?, ty),
        Expr::MulAdd(a, b, c) => arith::mul_add(of(a)?, of(b)?, of(c)?),
        Expr::Var(_) | Expr::Special(_) | Expr::OnGpu | Expr::Load(..) => return None,
    })
}

/// Values come in the order of the parameters that have them.
fn argument(program: &Program, values: &[u64], param: ParamId) -> Option<u64> {
    let before = program.params.get(..param.0 as usize)?;
    let takes = |kind: &ParamKind| !matches!(kind, ParamKind::Output { .. } | ParamKind::Fault(_));
    values.get(before.iter().filter(|param| takes(&param.kind)).count()).copied()
}
