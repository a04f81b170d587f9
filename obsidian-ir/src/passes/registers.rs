//! Registers of a block's virtual threads (`Space::Registers`): whether there are any, whether a real thread has room for
//! those of its virtual ones, the same in memory for native code, and the variables that `virtualise` makes of them.
//!
//! ```text
//! registers q4: f32[64]                       local q4_0: f32          (32 threads)
//! forall Block t < 64 { q4[t] = xs[t] }   =>  local q4_1: f32
//!                                             q4_0 = xs[tid]; q4_1 = xs[tid + 32]
//! ```

use std::collections::BTreeMap;

use super::virtualise::Rewriter;
use super::walk;
use crate::diag::{self, Diagnostic};
use crate::level::Level;
use crate::program::{Array, ArrayId, Block, Const, Expr, Program, Range, Space, StmtKind, VarId};

/// The registers that one thread may have.
const MOST_OF_A_THREAD: u32 = 255;
/// The registers of all threads that run at one time, which one block at most can have.
const MOST_OF_A_BLOCK: u32 = 65536;
/// What is left to a thread for all but its arrays: indices, addresses, operands.
const OTHERS: u32 = 32;

/// Whether a program keeps arrays in registers.
pub fn any(program: &Program) -> bool {
    program.arrays.iter().any(held)
}

fn held(array: &Array) -> bool {
    array.space == Space::Registers
}

/// The same program with these arrays in memory of the block: native code goes through the instances of a loop over threads
/// one after the other, or many at once, so a register of each is an array.
pub fn in_memory(program: &mut Program) {
    program.arrays.iter_mut().filter(|a| held(a)).for_each(|a| a.space = Space::Shared(Level::Block));
}

/// The registers of a real thread, of 32 bits, that its arrays may take.
fn allowed(program: &Program) -> u32 {
    let threads = program.threads.next_multiple_of(32);
    // They are handed out by eights.
    let each = (MOST_OF_A_BLOCK / threads / 8 * 8).min(MOST_OF_A_THREAD);
    each.saturating_sub(OTHERS)
}

/// How many instances of `array.len` threads a real thread does.
fn rounds(program: &Program, array: ArrayId) -> u32 {
    program.exprs.as_u32(program.array(array).len).unwrap_or(0).div_ceil(program.threads)
}

/// Tests that the registers of a real thread suffice.
///
/// # Errors
/// `OB046` where its arrays take too many.
pub fn fit(program: &Program) -> diag::Result<()> {
    let (needed, allowed) = (most(program, &program.body), allowed(program));
    let arrays = (0..program.arrays.len() as u32).map(ArrayId).filter(|&id| held(program.array(id)));
    let Some(largest) = arrays.max_by_key(|&id| rounds(program, id)).filter(|_| needed > u64::from(allowed)) else {
        return Ok(());
    };
    let (threads, turns) = (program.threads, rounds(program, largest));
    let array = program.array(largest);
    let len = program.exprs.as_u32(array.len).unwrap_or(0);
    let message =
        format!("the registers are full: {needed} of 32 bits are needed in each thread, {allowed} are allowed");
    let shared_out = match turns {
        1 => format!("a thread of the {threads} does one of the {len} instances"),
        _ => format!(
            "a thread of the {threads} does {turns} of the {len} instances, and keeps the registers of all of them"
        ),
    };
    let machine = format!(
        "a thread has {MOST_OF_A_THREAD} registers, the threads of a block together {MOST_OF_A_BLOCK}; {OTHERS} of each are for other values"
    );
    let help = "keep fewer elements in each, have as many instances as threads, or store the elements by `compute()`";
    Err(Box::new(Diagnostic::new("OB046", array.span, message).note(shared_out).note(machine).help(help)))
}

/// The registers that are in use at one time, at most: an array lives from where it is allocated to the end of that list.
fn most(program: &Program, list: &Block) -> u64 {
    let (mut live, mut peak) = (0, 0);
    for stmt in list {
        if let StmtKind::Allocate { array } = stmt.kind
            && held(program.array(array))
        {
            let words = u64::from(program.array(array).elem.bytes().div_ceil(4));
            live += words * u64::from(rounds(program, array));
        }
        peak = walk::nested(&stmt.kind).map(|inner| live + most(program, inner)).fold(peak.max(live), u64::max);
    }
    peak
}

/// The variables of a real thread that stand for arrays: one for each instance that it does.
#[derive(Default)]
pub(super) struct Held(BTreeMap<ArrayId, Vec<VarId>>);

impl Held {
    /// Makes the variables of an array, and gives the statements that declare them; `None` for an array in memory.
    pub(super) fn declare(&mut self, p: &mut Program, array: ArrayId) -> Option<Vec<StmtKind>> {
        if !held(p.array(array)) {
            return None;
        }
        let (name, ty, len) = (format!("{}_", p.array(array).name), p.array(array).elem, p.array(array).len);
        let full = p.exprs.as_u32(len).unwrap_or(0) / p.threads;
        let vars: Vec<VarId> = (0..rounds(p, array)).map(|_| p.new_var(&name, ty, true, Range::full(ty))).collect();
        let zero = p.exprs.constant(Const { ty, bits: 0 });
        let kinds = vars.iter().enumerate().map(|(round, &var)| {
            // In the last turn some threads have no instance: what a compiler sees of their register is a value, too.
            let init = (round as u32 >= full).then_some(zero);
            StmtKind::Local { var, init }
        });
        let kinds = kinds.collect();
        self.0.insert(array, vars);
        Some(kinds)
    }

    /// Whether a list of statements touches any of the arrays.
    pub(super) fn touched(&self, p: &Program, list: &Block) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let mut written = false;
        walk::each(list, &mut |stmt| written |= walk::written(&stmt.kind).is_some_and(|a| self.0.contains_key(&a)));
        written
            || walk::reachable(&p.exprs, walk::evaluated(list), |id| !p.exprs.loads(id))
                .into_iter()
                .any(|id| matches!(p.exprs.expr(id), Expr::Load(array, _) if self.0.contains_key(&array)))
    }

    /// The code of the instance that a real thread does in a round, with its variables for the arrays.
    pub(super) fn replaced(&self, p: &mut Program, list: &Block, round: u32) -> Block {
        let own = self.0.iter().filter_map(|(&array, vars)| Some((array, *vars.get(round as usize)?)));
        Rewriter::holding(own.collect()).block(p, list)
    }
}
