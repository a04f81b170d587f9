//! What verification finds, in the author's words.

use crate::diag::{Diagnostic, Span};
use crate::passes::access::{Kind, Site, Team};
use crate::program::{ArrayId, Claim, Program, Space};

/// What to do about a write that is not proved.
const HELP: &str = "use an atomic, or write it in `unsafe { .. }` with the reason in a comment";

/// The same about an output.
const OUTPUT_HELP: &str = "let the index follow from the numbers of block and thread alone, as `b * 64 + i`; or write it in `unsafe { .. }` with the reason in a comment";
/// What to do about a read that may come too early.
const READ_HELP: &str =
    "write every element before one is read: `replicate(n, x).push().new_mut()` begins with all of them";
/// What to do about an element that nobody writes.
const LEFT_OUT_HELP: &str = "the length of the array and the loops that write it must agree";
/// What to do about an element that is written under a condition only.
const DOUBTFUL_HELP: &str = "write in both sides of the `if`, or choose the value: `write(if .. { a } else { b }, i)`";
/// What to do where an array is written over what others still read.
const IN_PLACE_HELP: &str = "each thread may read what it writes itself; else compute into a new array: `.compute()`";

/// What was found out about a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Proved,
    /// Not known; why.
    Unproved(String),
    /// Not known, and this may go wrong.
    Doubtful(Fault),
    /// It is not so, as the fault shows.
    Refuted(Fault),
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Two touches of one element that may come in any order: what, by whom; the second is a read or another write.
    Race { element: u32, first: String, second: String, with: Kind },
    /// One element of an output is written twice.
    Twice { element: String, first: String, second: String },
    /// An element that is never written, and what needs it.
    Missing { element: String, needed: String },
}

/// What is to be proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// That nobody else writes the element.
    Writes,
    /// That each element of an output is written once.
    Output,
    /// That somebody has written the element.
    Reads,
}

/// How the message calls an array.
pub(super) fn name(p: &Program, array: ArrayId) -> String {
    let array = p.array(array);
    match array.space {
        Space::Global(param) => format!("`{}`", p.param(param).name),
        Space::Shared(_) | Space::Local | Space::Lanes | Space::Registers => "a computed array".to_string(),
    }
}

/// The thread of one lane of a site.
pub(super) fn who(site: &Site, lane: u64) -> String {
    let round = |dim: usize| {
        let inner: u64 = site.extents[dim + 1..].iter().map(|&n| u64::from(n)).product();
        lane / inner.max(1) % u64::from(site.extents[dim].max(1))
    };
    let warp = site.warp.map(|dim| format!(" of warp {}", round(dim))).unwrap_or_default();
    match site.team {
        Team::Threads(dims) if dims > 0 => format!("thread {}{warp}", round(dims - 1)),
        _ if site.warp.is_some() => warp.trim_start_matches(" of ").to_string(),
        _ => "the block".to_string(),
    }
}

/// In which rounds of the loops around a site's threads a lane is; those of the first `from` loops are not named.
pub(super) fn rounds(site: &Site, lane: u64, from: usize) -> String {
    let around = match site.team {
        Team::Threads(dims) => dims.saturating_sub(1),
        _ => site.extents.len(),
    };
    let loops: Vec<usize> = (from..around).filter(|&dim| site.warp != Some(dim)).collect();
    let round = |&dim: &usize| {
        let inner: u64 = site.extents[dim + 1..].iter().map(|&n| u64::from(n)).product();
        (lane / inner.max(1) % u64::from(site.extents[dim].max(1))).to_string()
    };
    match loops.len() {
        0 => String::new(),
        _ => format!(" in round {}", loops.iter().map(round).collect::<Vec<_>>().join(", ")),
    }
}

/// What a site does.
pub(super) fn does(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "reads it",
        Kind::Write => "writes it",
        Kind::Atomic => "updates it",
    }
}

/// The error of a claim that does not hold, where it is one: `claim` is the weakest of the writes it is about.
pub(super) fn error(
    p: &Program,
    array: ArrayId,
    claim: Claim,
    span: Span,
    about: About,
    verdict: Verdict,
) -> Option<Diagnostic> {
    let name = name(p, array);
    let diagnostic = match (verdict, claim) {
        (Verdict::Proved, _)
        | (_, Claim::Author)
        | (Verdict::Unproved(_) | Verdict::Doubtful(_), Claim::ByConstruction) => return None,
        (Verdict::Refuted(fault), Claim::ByConstruction) => {
            let (_, what, notes) = refuted(&name, fault);
            let message = format!("the kernel compiler made a program in which {what}; please report this");
            notes.into_iter().fold(Diagnostic::new("OB099", span, message), Diagnostic::note)
        }
        (Verdict::Refuted(fault), Claim::MustProve) => {
            let help = match fault {
                Fault::Missing { .. } => LEFT_OUT_HELP,
                Fault::Race { with: Kind::Read, .. } => IN_PLACE_HELP,
                _ => HELP,
            };
            let (code, what, notes) = refuted(&name, fault);
            notes.into_iter().fold(Diagnostic::new(code, span, what), Diagnostic::note).help(help)
        }
        (Verdict::Doubtful(Fault::Missing { element, needed }), Claim::MustProve) => {
            let message = format!("element {element} of {name} may stay unwritten");
            Diagnostic::new("OB053", span, message).note(needed).help(DOUBTFUL_HELP)
        }
        (Verdict::Doubtful(Fault::Race { element, first, second, .. }), Claim::MustProve) => {
            let why = format!("on element {element} two may meet: {first}, and {second}");
            Diagnostic::new("OB054", span, unproved(&name, about)).note(why).help(help(about))
        }
        (Verdict::Doubtful(Fault::Twice { element, first, second }), Claim::MustProve) => {
            let why = format!("element {element} may be written by {first} and by {second}");
            Diagnostic::new("OB054", span, unproved(&name, about)).note(why).help(help(about))
        }
        (Verdict::Unproved(why), Claim::MustProve) => {
            Diagnostic::new("OB054", span, unproved(&name, about)).note(why).help(help(about))
        }
    };
    Some(diagnostic)
}

/// What to do about what is not proved.
fn help(about: About) -> &'static str {
    match about {
        About::Writes => HELP,
        About::Output => OUTPUT_HELP,
        About::Reads => READ_HELP,
    }
}

fn unproved(name: &str, about: About) -> String {
    match about {
        About::Writes => format!("it is not proved that no two threads meet on an element of {name}"),
        About::Output => format!("it is not proved that each element of {name} is written once"),
        About::Reads => format!("it is not proved that what is read of {name} has been written"),
    }
}

fn refuted(name: &str, fault: Fault) -> (&'static str, String, Vec<String>) {
    match fault {
        Fault::Race { element, first, second, .. } => {
            ("OB052", format!("two threads meet on element {element} of {name}"), vec![first, second])
        }
        Fault::Twice { element, first, second } => {
            let notes = vec![format!("by {first}"), format!("and by {second}")];
            ("OB052", format!("element {element} of {name} is written twice"), notes)
        }
        Fault::Missing { element, needed } => {
            ("OB053", format!("element {element} of {name} is never written"), vec![needed])
        }
    }
}
