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
    use crate::module::{Launch, Step, StepKind};
    use crate::program::{BinOp, LaunchCheck, ParamId, ScalarType};

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

    /// A program whose blocks are one, and a large value of its.
    fn aside() -> (Program, ExprId, ExprId) {
        let mut p = rounds(60);
        let one = p.exprs.u32(1);
        let large = std::mem::replace(&mut p.blocks, one);
        (p, large, one)
    }

    /// Gives a program a large value somewhere, beside a one.
    type Place<'p> = &'p dyn Fn(&mut Program, ExprId, ExprId);

    #[test]
    fn lengths_conditions_and_what_was_found_count() {
        assert!(check(&aside().0).is_ok());
        let output = |p: &mut Program, len, _| {
            p.params.push(Param::new("ys", ParamKind::Output { arrays: Vec::new(), len }));
        };
        let of = |cond, found| LaunchCheck { cond, found, message: "m".to_owned() };
        let condition = |p: &mut Program, large, one| p.checks.push(of(large, one));
        let found = |p: &mut Program, large, one| p.checks.push(of(one, large));
        let places: [Place<'_>; 3] = [&output, &condition, &found];
        for place in places {
            let (mut p, large, one) = aside();
            place(&mut p, large, one);
            assert_eq!(check(&p).map_err(|e| e.code), Err("OB033"));
        }
    }

    #[test]
    fn launches_at_device_count() {
        let (workspace, large, one) = aside();
        let of = |blocks, cond| Launch {
            name: "k".to_owned(),
            body: Vec::new(),
            blocks,
            checks: vec![LaunchCheck { cond, found: one, message: "m".to_owned() }],
            known: Vec::new(),
            outputs: Vec::new(),
            span: Span::NONE,
        };
        for (launch, expected) in
            [(of(one, one), Ok(())), (of(large, one), Err("OB033")), (of(one, large), Err("OB033"))]
        {
            let steps = vec![Step { kind: StepKind::Launch(launch), span: Span::NONE }];
            let draft = Draft { workspace: workspace.clone(), given: 0, steps, results: Vec::new() };
            assert_eq!(check_draft(&draft).map_err(|e| e.code), expected);
        }
    }
}
