//! Looks at a program: once with what most programs need, and once more with all that can be known of variables.

use super::{Check, Unproved};
use crate::diag;
use crate::passes::intervals::changes;
use crate::program::Program;
use crate::program::scoped::visit;

/// As [`unproved`](super::unproved), and the prover's steps. What loops keep is looked for where something is not proved without, since most programs need nothing of it.
pub fn counted(program: &Program) -> (diag::Result<Unproved>, u64) {
    let Looked { found, spent, variables } = look(program, Variables::Ranges);
    if variables == Variables::Ranges || !changes(program) {
        return (found, spent);
    }
    let more = look(program, variables);
    (if more.found.is_ok() { more.found } else { found }, spent + more.spent)
}

/// What came of one look at a program.
struct Looked {
    found: diag::Result<Unproved>,
    spent: u64,
    /// What of variables may have been missing.
    variables: Variables,
}

fn look(program: &Program, variables: Variables) -> Looked {
    let (mut excessive, mut spent, mut tries) = (Vec::new(), 0, 0);
    loop {
        tries += 1;
        let mut check = Check::new(program, excessive, variables);
        let facts = check.prover.checked();
        let top = check.scope(facts);
        let Ok(_) = visit(&mut check, &program.body, top);
        check.decide_waiting();
        spent += check.prover.budget.spent();
        let in_vain = if tries < MAX_TRIES { check.asked_in_vain() } else { Vec::new() };
        if in_vain.is_empty() {
            let found = diag::all_of(check.refused).map(|()| check.unproved);
            return Looked { found, spent, variables: check.missing };
        }
        excessive = check.excessive;
        excessive.extend(in_vain);
    }
}

/// How often a program is looked at: again where a launch was asked for more than is needed.
const MAX_TRIES: u32 = 3;

/// What is known of variables that change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variables {
    /// Their ranges, and what conditions say until they change.
    Ranges,
    /// What loops keep too (R38).
    Kept,
}
