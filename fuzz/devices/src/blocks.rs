//! How many blocks a program has for given arguments: for devices that run a text, whose launch row has no geometry of the
//! program's own.

use obsidian_ir::interp::{Arg, Args};
use obsidian_ir::program::{Const, Expr, ExprId, ParamId, ParamKind, Program, arith};

/// The blocks of a launch; `None` where their number is computed of something else than lengths and scalars.
pub fn of(program: &Program, args: &Args) -> Option<u32> {
    Some(value(program, args, program.blocks)?.bits as u32)
}

fn value(program: &Program, args: &Args, id: ExprId) -> Option<Const> {
    let of = |id| value(program, args, id);
    let ty = program.exprs.ty(id);
    Some(match program.exprs.expr(id) {
        Expr::Const(c) => c,
        Expr::Len(param) => match argument(program, args, param)? {
            Arg::Buffers(fields) => Const { ty, bits: fields.first()?.bits.len() as u64 },
            Arg::Scalar(_) => return None,
        },
        Expr::Scalar(param) => match argument(program, args, param)? {
            Arg::Scalar(value) => *value,
            Arg::Buffers(_) => return None,
        },
        Expr::Un(op, a) => arith::un(op, of(a)?),
        Expr::Bin(op, a, b) => arith::bin(op, of(a)?, of(b)?),
        Expr::Select(cond, yes, no) => of(if of(cond)?.bits != 0 { yes } else { no })?,
        Expr::Cast(a) => arith::cast(of(a)?, ty),
        Expr::Bits(a) => arith::bits(of(a)?, ty),
        Expr::MulAdd(a, b, c) => arith::mul_add(of(a)?, of(b)?, of(c)?),
        Expr::Var(_) | Expr::Special(_) | Expr::Load(..) => return None,
    })
}

/// Arguments come in the order of the parameters that take them.
fn argument<'a>(program: &Program, args: &'a Args, param: ParamId) -> Option<&'a Arg> {
    let before = program.params.get(..param.0 as usize)?;
    let takes = |kind: &ParamKind| !matches!(kind, ParamKind::Output { .. } | ParamKind::Fault(_));
    args.0.get(before.iter().filter(|param| takes(&param.kind)).count())
}
