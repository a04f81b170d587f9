//! What the author has denied: shared memory and barriers above a limit. In: the laid-out program with its barriers.
//! Out: nothing, or an error with the numbers. Limits on conflicts, on uncoalesced accesses and on guards belong here
//! too, once an analysis of costs finds them; until then `syntax` refuses their names.

use crate::Level;
use crate::diag::{Diagnostic, Result};
use crate::program::{Block, Deny, Program, StmtKind};

/// Holds a program against its limits.
///
/// # Errors
/// `OB042`, at the limit that is exceeded.
pub fn check(program: &Program, deny: &Deny) -> Result<()> {
    if let Some((max, span)) = deny.max_shared
        && program.shared_bytes > max
    {
        let found = program.shared_bytes;
        let message = format!("this kernel uses {found} bytes of shared memory, more than `max_shared = {max}`");
        return Err(Box::new(
            Diagnostic::new("OB042", span, message)
                .help("compute smaller arrays, or fewer that are in use at one time"),
        ));
    }
    if let Some((max, span)) = deny.max_barriers {
        let found = barriers(&program.body);
        if found > max {
            let message = format!("this kernel has {found} barriers, more than `max_barriers = {max}`");
            return Err(Box::new(
                Diagnostic::new("OB042", span, message)
                    .note("barriers of the block are counted as they stand in the program, those of warps are not")
                    .help("do more work in a thread or a warp between two `compute()`s of the block"),
            ));
        }
    }
    Ok(())
}

/// The barriers of the block in the text of a program.
fn barriers(body: &Block) -> u32 {
    let of = |kind: &StmtKind| match kind {
        StmtKind::Sync { scope } => u32::from(*scope == Level::Block),
        StmtKind::If { then, els, .. } => barriers(then) + barriers(els),
        StmtKind::SeqWhile { head, body, .. } => barriers(head) + barriers(body),
        StmtKind::SeqFor { body, .. } | StmtKind::ForAll { body, .. } | StmtKind::DistrPar { body, .. } => {
            barriers(body)
        }
        _ => 0,
    };
    body.iter().map(|s| of(&s.kind)).sum()
}
