//! Prints are for processors and the interpreter: on the way to code for GPUs they go, and with them the branches and
//! loops that did nothing else.
//!
//! Needs: any form with levels. Ensures: no `Print`. What the values were computed from stays; printers leave out names that
//! nothing reads.
//!
//! ```text
//! if x == 0 { print "none\n" }        =>
//! print "x is ", x, "\n"
//! ```

use super::walk;
use crate::program::{Block, Program, Stmt, StmtKind};

/// Whether a program prints.
pub fn any(program: &Program) -> bool {
    let mut prints = false;
    walk::each(&program.body, &mut |stmt| prints |= matches!(stmt.kind, StmtKind::Print { .. }));
    prints
}

/// Takes the prints out.
pub fn run(program: &mut Program) {
    if any(program) {
        silence(&mut program.body);
    }
}

fn silence(list: &mut Block) {
    list.retain_mut(|Stmt { kind, .. }| {
        let did = walk::nested(kind).any(|inner| !inner.is_empty());
        walk::nested_mut(kind).for_each(silence);
        match kind {
            StmtKind::Print { .. } => false,
            // It may not end.
            StmtKind::SeqWhile { .. } => true,
            _ => !did || walk::nested(kind).any(|inner| !inner.is_empty()),
        }
    });
}
