//! What a launch is asked for, and how large it is, is computed by the host, in every text that is printed, as one expression each. Parts
//! that are shared stand there as often as they are used, which may be exponentially many times.
//!
//! In: an evaluated program. Out: nothing, or an error where one of its launch values is too large to be written out.

use crate::diag::{Diagnostic, Result, Span};
use crate::module::{Draft, each_launch};
use crate::program::{ExprId, Param, ParamKind, Program, walk};
use crate::tables::HashMap;

/// The most operations of a value that the host computes, written out.
const MAX_OPERATIONS: u64 = 2_000;

/// Checks the lengths, the numbers of blocks and the conditions of a kernel.
///
/// # Errors
/// `OB033`.
pub fn check(program: &Program) -> Result<()> {
    let lens = program.params.iter().filter_map(|param: &Param| match param.kind {
        ParamKind::Output { len, .. } => Some(len),
        _ => None,
    });
    let conditions = program.checks.iter().flat_map(|check| [check.cond, check.found]);
    check_all(program, [program.blocks].into_iter().chain(lens).chain(conditions))
}

/// Checks the same of the launches that an entry at `Device` asks for.
///
/// # Errors
/// `OB033`.
pub fn check_draft(draft: &Draft) -> Result<()> {
    check(&draft.workspace)?;
    let mut values = Vec::new();
    each_launch(&draft.steps, &mut |launch| {
        values.push(launch.blocks);
        values.extend(launch.checks.iter().flat_map(|check| [check.cond, check.found]));
    });
    check_all(&draft.workspace, values.into_iter())
}

/// Checks everything that the host of several launches computes.
///
/// # Errors
/// `OB033`.
pub fn check_host(host: &Program) -> Result<()> {
    check_all(host, (0..host.exprs.len() as u32).map(ExprId))
}

fn check_all(program: &Program, values: impl Iterator<Item = ExprId>) -> Result<()> {
    let mut sizes: HashMap<ExprId, u64> = HashMap::default();
    for value in values {
        for e in walk::reachable(&program.exprs, [value], |e| sizes.contains_key(&e)) {
            let parts = walk::operands(program.exprs.expr(e)).map(|part| sizes[&part]);
            sizes.insert(e, parts.fold(1, u64::saturating_add));
        }
        if sizes[&value] > MAX_OPERATIONS {
            let size = sizes[&value];
            let message =
                format!("a length, a number of blocks or a condition of a launch takes {size} operations, written out");
            return Err(Box::new(
                Diagnostic::new("OB033", Span::NONE, message)
                    .note(format!("the host computes it before each launch, as one expression of at most {MAX_OPERATIONS} operations"))
                    .help("loops unroll while compiling, and choices in them double what is written: let the caller compute it and pass it, `n: u32`"),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{BinOp, ParamId, ScalarType};

    /// What is left of `(x ^ 3) + x`, as often as that.
    fn rounds(n: u32) -> Program {
        let mut p = Program::new("k", 32);
        p.params.push(Param::new("x", ParamKind::Scalar(ScalarType::U32)));
        let (three, mut x) = (p.exprs.u32(3), p.exprs.scalar(ParamId(0), ScalarType::U32));
        for _ in 0..n {
            let turned = p.exprs.bin(BinOp::Xor, x, three);
            x = p.exprs.bin(BinOp::Add, turned, x);
        }
        p.blocks = x;
        p
    }

    #[test]
    fn what_is_shared_counts_as_often_as_it_stands_there() {
        assert!(check(&rounds(8)).is_ok() && check_host(&rounds(8)).is_ok());
        for result in [check(&rounds(9)), check_host(&rounds(60))] {
            assert_eq!(result.map_err(|e| e.code), Err("OB033"));
        }
    }
}
