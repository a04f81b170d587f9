//! Phases in lane groups: the instances of a `ForAll` in step, 16 to 64 at a time, in vectors behind `abi::lanes::Lanes`.
//!
//! Before, an instance after the other, of which LLVM makes vectors only where there is no loop inside and all is contiguous:
//!
//! ```text
//! for t in 0..512 { let mut acc = 0.0; for k in 0..512 { acc = acc + a[r * 512 + k] * b[k * 512 + t]; } out[r * 512 + t] = acc; }
//! ```
//!
//! After, on machines with vectors; what remains of the instances, and all of them elsewhere, runs as before:
//!
//! ```text
//! for g in 0..8 { let t = g * 64;
//!     let mut acc = W::splat(0); for k in 0..512 { acc = acc + W::splat(a[r * 512 + k]) * W::load(&b[k * 512 + t]); }
//!     acc.store(&out[r * 512 + t]); }
//! ```
//!
//! Needs: native form, where the instances of a phase do not meet. Gives: the same bits. `shape` says what is equal in all lanes
//! and stays scalar, what lies at constant distances (contiguous, a permutation by a constant, or rows), and what varies. A phase stays
//! scalar where a load would gather and there are no rows, where a loop's bounds vary, where a type has not 32 bits, and where LLVM does
//! as well alone: where there is neither a loop nor a branch nor a permutation nor a row.

mod affine;
mod fused;
mod memory;
mod rows;
#[cfg(test)]
mod rows_tests;
mod shape;
mod stmt;
#[cfg(test)]
mod tests;
mod value;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

pub(super) use self::fused::Fused;
use self::memory::{Held, Pending};
use self::rows::{Pass, Rows};
use self::shape::Shapes;
use super::expr::Printer;
use super::{count_up, var_name};
use crate::passes::access::{Effects, Loads};
use crate::passes::walk::{direct, each, nested, reachable};
use crate::program::{ArrayId, Block, ExprId, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// Lanes of the smallest group: `abi::lanes::SMALLEST`.
const SMALLEST: usize = 16;
/// Vectors of values that may be alive at one time in each of several groups, of the 32 registers of AVX-512.
const REGISTERS: usize = 24;

/// Phases being printed in lanes. `None` of any of its functions: they are not to be.
struct Group<'p, 'a> {
    printer: &'p mut Printer<'a>,
    shapes: Shapes<'a>,
    lanes: usize,
    /// The type of a group.
    ty: TokenStream,
    /// The lanes that run where statements are being printed.
    under: Under,
    /// Masks and stored values that have a name.
    names: u32,
    /// Whether statements are being printed that are done once, by all lanes.
    top: bool,
    /// Values of arrays that are in a register.
    held: Vec<Held>,
    /// Loads that come before the statement that is being printed.
    before: TokenStream,
    /// Stores whose other half is to come.
    pending: Vec<Pending>,
    /// What lanes meet one after the other.
    rows: Rows,
    /// Elements of arrays that each lane has of its own.
    own: HashMap<(ArrayId, i64), Ident>,
    loops: Loops,
    /// How many loops that are printed round by round the statements are in.
    rounds: u32,
    /// What the phase reads and writes.
    effects: Effects,
    /// Whether anything was printed that LLVM does not find by itself.
    gains: bool,
}

/// What becomes of loops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loops {
    Kept,
    /// Those whose rounds are known are printed round by round, for the sake of rows.
    Unrolled,
}

/// Which lanes run.
#[derive(Clone)]
enum Under {
    All,
    /// Those of a mask; if it is the same in every group, its bits.
    Mask(Ident, Option<u64>),
}

/// A statement whose instances are what lanes run.
#[derive(Clone, Copy)]
struct Phase<'s> {
    stmt: &'s Stmt,
    var: VarId,
    n: ExprId,
    body: &'s Block,
}

/// The instances of a phase in lanes, as a loop over groups; how many instances are in a group, which divides their number where that is known.
pub(super) struct Lanes {
    pub groups: TokenStream,
    pub width: usize,
}

impl Printer<'_> {
    /// A phase in lanes, where that is possible and pays.
    pub fn lanes(&mut self, stmt: &Stmt) -> Option<Lanes> {
        let phase = Phase::of(stmt)?;
        let loops = phase.loops();
        let widths: &[usize] = if loops { &[4, 2, 1] } else { &[1] };
        let fits = |width: usize| match self.p.exprs.as_u32(phase.n) {
            Some(n) => (n as usize).is_multiple_of(width),
            None => self.p.exprs.range(phase.n).hi >= width as i128,
        };
        let alive = alive(phase.body);
        let widths: Vec<usize> = widths
            .iter()
            .filter(|groups| **groups == 1 || alive * **groups <= REGISTERS)
            .map(|groups| groups * SMALLEST)
            .filter(|width| fits(*width))
            .collect();
        let found = widths.into_iter().find_map(|width| {
            let groups = self.in_groups(width, &[phase], (Loops::Kept, loops))?;
            Some(Lanes { groups, width })
        });
        found.or_else(|| {
            if !loops || !fits(SMALLEST) {
                return None;
            }
            let groups = self.in_groups(SMALLEST, &[phase], (Loops::Unrolled, false))?;
            Some(Lanes { groups, width: SMALLEST })
        })
    }

    /// The loop of a phase whose threads store neighbours in each round, and far apart from round to round: its bounds, its counter, and what a
    /// thread does in a round. Without lanes all threads do one round, and then the next: what lies side by side is stored one after the other.
    /// No two threads meet, so their order is free.
    pub fn rounds_of_all(&self, stmt: &Stmt) -> Option<([ExprId; 3], VarId, Block)> {
        let phase = Phase::of(stmt)?;
        let (last, before) = phase.body.split_last()?;
        let StmtKind::SeqFor { var, start, end, step, body } = &last.kind else { return None };
        // What is read before the loop may be another value behind a round.
        let is_name = |s: &Stmt| matches!(s.kind, StmtKind::Let { value, .. } if !self.p.exprs.loads(value));
        let mut shapes = Shapes::of(self.p, SMALLEST, &[phase]);
        let mut stores_neighbours = |s: &Stmt| match s.kind {
            StmtKind::Assign { index, .. } => {
                shapes.affine(index).is_some_and(|at| at.steps().iter().zip(0..).all(|(step, lane)| *step == lane))
            }
            StmtKind::Let { .. } => true,
            _ => false,
        };
        let known = [start, end, step].iter().all(|e| self.p.exprs.as_u32(**e).is_some());
        (known && before.iter().all(is_name) && body.iter().all(&mut stores_neighbours))
            .then(|| ([*start, *end, *step], *var, before.iter().chain(body).cloned().collect()))
    }

    /// Phases of as many instances, each of which a group does before the next group begins. `gains`: whether LLVM alone is known to do
    /// worse.
    fn in_groups(&mut self, width: usize, phases: &[Phase<'_>], how: (Loops, bool)) -> Option<TokenStream> {
        let past = self.parts.past.len();
        let printed = self.print_groups(width, phases, how);
        if printed.is_none() {
            self.parts.past.truncate(past);
        }
        printed
    }

    fn print_groups(
        &mut self,
        width: usize,
        phases: &[Phase<'_>],
        (loops, gains): (Loops, bool),
    ) -> Option<TokenStream> {
        let mut group = Group {
            ty: ty(width),
            lanes: width,
            shapes: Shapes::of(self.p, width, phases),
            under: Under::All,
            names: 0,
            top: true,
            held: Vec::new(),
            before: TokenStream::new(),
            pending: Vec::new(),
            rows: Rows::default(),
            own: HashMap::default(),
            loops,
            rounds: 0,
            effects: Effects::default(),
            gains,
            printer: self,
        };
        let mut printed = TokenStream::new();
        let mut rows = false;
        for phase in phases {
            printed.extend(group.phase(phase)?);
            rows |= group.rows.any();
        }
        if loops == Loops::Unrolled && !rows {
            return None;
        }
        let (gains, n, lanes) = (group.gains, self.wide(phases.first()?.n), Literal::usize_suffixed(width));
        let group = Ident::new("__group", Span::call_site());
        gains.then(|| count_up(&group, quote!(0usize), quote!(#n / #lanes), printed))
    }
}

impl<'s> Phase<'s> {
    fn of(stmt: &'s Stmt) -> Option<Phase<'s>> {
        let StmtKind::ForAll { var, n, body, .. } = &stmt.kind else { return None };
        Some(Phase { stmt, var: *var, n: *n, body })
    }

    fn loops(&self) -> bool {
        let mut loops = false;
        each(self.body, &mut |s| loops |= matches!(s.kind, StmtKind::SeqFor { .. } | StmtKind::SeqWhile { .. }));
        loops
    }
}

impl Group<'_, '_> {
    /// A phase of one group.
    fn phase(&mut self, phase: &Phase<'_>) -> Option<TokenStream> {
        self.printer.wide_vars[phase.var.0 as usize] = true;
        let loads = self.printer.loads.get_or_init(|| Loads::new(&self.printer.p.exprs));
        self.effects = Effects::of(phase.stmt, loads);
        self.gains |= self.picks_bits(phase.body);
        let (name, lanes) = (var_name(phase.var), Literal::usize_suffixed(self.lanes));
        self.rows = Rows::default();
        let held = self.held.clone();
        let mut body = self.block(phase.body)?;
        if self.rows.any() {
            // What was found in memory now comes in rows.
            (self.held, self.rows.pass) = (held, Pass::Print);
            self.own.clear();
            body = self.block(phase.body)?;
        }
        let done = self.pending.is_empty() && self.rows.done();
        done.then(|| quote!(let #name = __group * #lanes; #body))
    }

    fn picks_bits(&mut self, body: &Block) -> bool {
        let (mut picks, p) = (false, self.printer.p);
        each(body, &mut |s| {
            for e in reachable(&p.exprs, direct(&s.kind), |_| false) {
                picks |= self.shapes.picks_bits(e);
            }
        });
        picks
    }

    /// A new name.
    fn name(&mut self, prefix: &str) -> Ident {
        self.names += 1;
        Ident::new(&format!("__{prefix}{}", self.names), Span::call_site())
    }
}

/// The type of a group of `width` lanes.
fn ty(width: usize) -> TokenStream {
    match width / SMALLEST {
        4 => quote!(abi::lanes::Pair<abi::lanes::Pair<__L>>),
        2 => quote!(abi::lanes::Pair<__L>),
        _ => quote!(__L),
    }
}

/// A guess at how many values are alive at one time: the variables of the phase, and of its loops the one with the most.
fn alive(body: &Block) -> usize {
    let own = body.iter().filter(|s| matches!(s.kind, StmtKind::Let { .. } | StmtKind::Local { .. })).count();
    let inner = body.iter().map(|s| nested(&s.kind).map(alive).sum::<usize>()).max().unwrap_or(0);
    own + inner
}
