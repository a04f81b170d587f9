//! Arguments for programs, and what they touch on them.

use obsidian_ir::interp::{self, Arg, Args, Buffer, Fault, Touch};
use obsidian_ir::program::{BinOp, Const, Expr, ParamKind, Program, ScalarType, Stmt, StmtKind, arith};

use super::sources;

/// Blocks of a kernel without inputs that are run.
const FEW_BLOCKS: u32 = 4;

/// The longest input that is tried.
const MAX_LEN: u32 = 4096;

/// Runs a program on the shortest inputs that it accepts, or that are a whole block's where it accepts any; `None` where it
/// accepts none, or finds an index out of range. A last block that has less to do is left out.
pub fn trace(p: &Program) -> Option<Vec<Touch>> {
    let mut p = p.clone();
    if !p.params.iter().any(|q| matches!(q.kind, ParamKind::Input { .. } | ParamKind::InOut { .. })) {
        let all = p.exprs.as_u32(p.blocks).expect("a number that is known");
        sources::first_blocks(&mut p, all.min(FEW_BLOCKS));
    }
    for scalar in [1, 8, 0] {
        for len in 1..=MAX_LEN {
            match interp::traced(&p, &args(&p, len, scalar)) {
                Err(Fault::Refused { .. } | Fault::Arguments(_)) => {}
                Ok((_, trace)) if !trace.is_empty() => {
                    let whole = if len == 1 { whole_block(&p, scalar) } else { None };
                    return Some(whole.unwrap_or_else(|| without_last(&p, trace)));
                }
                _ => break,
            }
        }
    }
    None
}

/// What one block of each grid does that has all it can take, where longer inputs need more blocks and shorter ones are
/// accepted.
fn whole_block(p: &Program, scalar: u64) -> Option<Vec<Touch>> {
    let traced = |len| interp::traced(p, &args(p, len, scalar)).ok().map(|(_, trace)| trace);
    let blocks = |len| traced(len).map(|trace| trace.iter().map(|touch| touch.block).max().unwrap_or(0) + 1);
    let grids = p.body.iter().filter(|stmt| matches!(stmt.kind, StmtKind::DistrPar { .. })).count() as u32;
    // From below: what a kernel does may grow faster than its input.
    let (mut one, mut more) = (1, 2);
    if blocks(one)? != grids {
        return None;
    }
    while blocks(more)? == grids {
        if more == MAX_LEN {
            return None;
        }
        (one, more) = (more, MAX_LEN.min(2 * more));
    }
    while more - one > 1 {
        let middle = one.midpoint(more);
        *if blocks(middle)? == grids { &mut one } else { &mut more } = middle;
    }
    traced(one)
}

/// The trace without the block of a last chunk, of an input whose length is known.
fn without_last(p: &Program, mut trace: Vec<Touch>) -> Vec<Touch> {
    for stmt in &p.body {
        let StmtKind::DistrPar { body, .. } = &stmt.kind else { continue };
        if let [Stmt { kind: StmtKind::If { cond, .. }, .. }, ..] = &body[..]
            && let Expr::Bin(BinOp::Lt, _, whole) = p.exprs.expr(*cond)
            && let Some(whole) = p.exprs.as_u32(whole)
        {
            trace.retain(|touch| touch.block < whole);
        }
    }
    trace
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
