//! The limits that the author sets by `deny`: shared memory, barriers, accesses that cost more than they must, tests at
//! run time. In: the laid-out program with its barriers, and the report of its costs. Out: nothing, or an error with
//! the numbers, at the access.
//!
//! ```text
//! deny(uncoalesced)    .. = xs[i * 32]      OB044: a warp asks for 32 sectors; side by side its elements lie in 4
//! ```

use super::barriers;
use super::cost::{Access, Action, Memory, Pattern, Report};
use crate::diag::{Diagnostic, Result, Span};
use crate::program::{Deny, Program};

/// Checks a program against its limits.
///
/// # Errors
/// `OB042`, at the limit that is exceeded; `OB043`, `OB044` and `OB045` at the first access with bank conflicts, that is
/// not coalesced, or whose index is tested at run time, where that is denied; `OB048` at the first array of a thread in local memory.
pub fn check(program: &Program, report: &Report, deny: &Deny) -> Result<()> {
    let found = [most_shared(program, deny), most_barriers(program, deny), conflicts(report, deny)];
    let found = found.into_iter().chain([uncoalesced(report, deny), guards(report, deny), local_memory(report, deny)]);
    found.flatten().next().map_or(Ok(()), |d| Err(Box::new(d)))
}

fn most_shared(program: &Program, deny: &Deny) -> Option<Diagnostic> {
    let (max, span) = deny.max_shared.filter(|(max, _)| program.shared_bytes > *max)?;
    let found = program.shared_bytes;
    let message = format!("this kernel uses {found} bytes of shared memory, more than `max_shared = {max}`");
    Some(Diagnostic::new("OB042", span, message).help("compute smaller arrays, or fewer that are in use at one time"))
}

fn most_barriers(program: &Program, deny: &Deny) -> Option<Diagnostic> {
    let [found, _] = barriers::count(&program.body);
    let (max, span) = deny.max_barriers.filter(|(max, _)| found > *max)?;
    let message = format!("this kernel has {found} barriers, more than `max_barriers = {max}`");
    Some(
        Diagnostic::new("OB042", span, message)
            .note("barriers of the block are counted as they stand in the program, those of warps are not")
            .help("do more work in a thread or a warp between two `compute()`s of the block"),
    )
}

/// The denied accesses: the worst one at the first place that has any.
fn worst(report: &Report, memory: Memory, denied: fn(&Access) -> bool) -> Option<(&Access, String)> {
    let all: Vec<&Access> = report.of(memory).filter(|a| denied(a)).collect();
    let first = all.first()?.site;
    let here = all.iter().filter(|a| a.site == first);
    let worst = here.max_by_key(|a| a.requests().map_or(u32::MAX, |r| r.worst))?;
    let mut places: Vec<Span> = all.iter().map(|a| a.site.span).collect();
    places.sort_unstable();
    places.dedup();
    let others = match places.len() - 1 {
        0 => String::new(),
        1 => "one more place has such accesses".to_string(),
        n => format!("{n} more places have such accesses"),
    };
    Some((worst, others))
}

fn noted(d: Diagnostic, note: String) -> Diagnostic {
    if note.is_empty() { d } else { d.note(note) }
}

/// Why an access is denied whose pattern is not known.
fn unknown(pattern: &Pattern) -> &'static str {
    match pattern {
        Pattern::DataDependent => "its index depends on data",
        _ => "the compiler cannot follow its index",
    }
}

fn conflicts(report: &Report, deny: &Deny) -> Option<Diagnostic> {
    let denied = deny.bank_conflicts?;
    let (access, others) = worst(report, Memory::Shared, Access::has_conflicts)?;
    let what = doing(access);
    let span = access.site.span.or(denied);
    let d = match access.requests() {
        Some(r) => {
            let message = format!("this {what} shared memory with {}-way bank conflicts", r.worst);
            let (turns, least) = (r.transactions, r.least);
            Diagnostic::new("OB043", span, message)
                .note(format!("the banks take {turns} turns for what could take {least} in a block"))
                .help(
                    "let neighbouring threads touch neighbouring elements, or store the array with `compute_padded(1)`",
                )
        }
        None => {
            let message = format!("whether this {what} shared memory with bank conflicts is not known");
            Diagnostic::new("OB043", span, message)
                .note(unknown(&access.pattern))
                .help("leave `bank_conflicts` out of `deny(..)`, or index by what is known while compiling")
        }
    };
    Some(noted(d, others))
}

fn uncoalesced(report: &Report, deny: &Deny) -> Option<Diagnostic> {
    let denied = deny.uncoalesced?;
    let (access, others) = worst(report, Memory::Global, Access::is_uncoalesced)?;
    let (what, span) = (doing(access), access.site.span.or(denied));
    let d = match access.requests() {
        Some(r) => {
            let message =
                format!("this {what} `{}` uncoalesced: a warp asks for up to {} sectors", access.array, r.worst);
            let least = r.least.div_ceil(r.count.max(1));
            Diagnostic::new("OB044", span, message)
                .note(format!("a sector is 32 bytes; side by side the elements of a request would lie in {least}"))
                .help(
                    "let neighbouring threads touch neighbouring elements: `coalesce(n)` for parts that a thread each \
                       walks through, `transpose_tiled` for a matrix",
                )
        }
        None => {
            let message = format!("whether this {what} `{}` coalesced is not known", access.array);
            Diagnostic::new("OB044", span, message)
                .note(unknown(&access.pattern))
                .help("leave `uncoalesced` out of `deny(..)`, or bring the part that is read into shared memory first")
        }
    };
    Some(noted(d, others))
}

fn guards(report: &Report, deny: &Deny) -> Option<Diagnostic> {
    let denied = deny.guards?;
    let first = report.guards.first()?;
    let message = "this index is tested when the kernel runs";
    let d = Diagnostic::new("OB045", first.span.or(denied), message)
        .note("it depends on data, or is not proved inside its array")
        .help(
            "bring it into range, such as by `min(xs.len() - 1)`, or test it: `if i < xs.len() { xs[i] } else { .. }`",
        );
    let others = match report.guards.len() - 1 {
        0 => String::new(),
        n => format!("tests in the program besides this one: {n}"),
    };
    Some(noted(d, others))
}

fn local_memory(report: &Report, deny: &Deny) -> Option<Diagnostic> {
    let denied = deny.local_memory?;
    let first = report.local.first()?;
    let message = format!("a GPU keeps this array of each thread in memory: {} bytes", first.bytes);
    let d = Diagnostic::new("OB048", first.site.span.or(denied), message)
        .note("registers have no index: what is not known once short loops are written out, or is too long for that, lies in local memory")
        .help("index it by what is known while compiling, `for k in 0..16 { .. own[k] .. }`, or keep fewer elements in each thread");
    let others = match report.local.len() - 1 {
        0 => String::new(),
        n => format!("such arrays in the program besides this one: {n}"),
    };
    Some(noted(d, others))
}

fn doing(access: &Access) -> &'static str {
    match access.action {
        Action::Load => "reads",
        Action::Store => "writes",
        Action::Atomic => "updates",
    }
}
