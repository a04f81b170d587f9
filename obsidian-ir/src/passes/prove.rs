//! The proofs of a program as `stage` made it, and what follows from them: where variables lie, what the launch is asked for, names for what many branches
//! would compute, guards.

use std::borrow::Cow;

use super::{bounds, copied, guards, intervals, lanes, launch, layout, once, verify};
use crate::diag;
use crate::program::Program;

/// Proves a program as `stage` made it, whatever the number of threads; what only a run can tell gets a guard.
///
/// # Errors
/// Those of [`layout::limit_own_arrays`], [`bounds::unproved`], [`verify::check`] and [`guards::run`].
pub fn prove(mut program: Program) -> diag::Result<Program> {
    layout::limit_own_arrays(&program)?;
    copied::run(&mut program);
    launch::be_exact(&mut program);
    intervals::narrow(&mut program);
    if !intervals::changes(&program) {
        return proved(program);
    }
    let found = proved(program.clone());
    let again = || proved(intervals::named(&program)?).ok();
    found.or_else(|refused| again().ok_or(refused))
}

/// Proves it as it is.
fn proved(mut program: Program) -> diag::Result<Program> {
    program = once::name_sure(&program).unwrap_or(program);
    let unproved = bounds::unproved(&in_memory(&program))?;
    launch::require(&mut program, unproved.conditions());
    let mut found = verify::proved(&in_memory(&program))?;
    if let Some((named, again)) = named(&program, &unproved, &found) {
        (program, found) = (named, again);
    }
    launch::keep_to(&mut program, &found.limits);
    guards::run(&mut program, &unproved)?;
    // Only proofs ask for it, and the text of a program does not tell it.
    program.arrays.iter_mut().for_each(|array| array.filled = None);
    Ok(program)
}

/// A program whose arrays of warps are in memory, as the proofs take it.
fn in_memory(program: &Program) -> Cow<'_, Program> {
    if !lanes::any(program) {
        return Cow::Borrowed(program);
    }
    let mut plain = program.clone();
    lanes::in_memory(&mut plain);
    Cow::Owned(plain)
}

/// The program with names for what many branches would compute. It may read earlier and more often, so it is proved again that
/// threads do not meet: that may leave no more open than `found` does.
fn named(program: &Program, unproved: &bounds::Unproved, found: &verify::Proved) -> Option<(Program, verify::Proved)> {
    [once::Reads::Stored, once::Reads::Given].into_iter().find_map(|reads| {
        let named = once::run(program, unproved, reads)?;
        let again = verify::proved(&in_memory(&named)).ok()?;
        again.is_within(found).then_some((named, again))
    })
}
