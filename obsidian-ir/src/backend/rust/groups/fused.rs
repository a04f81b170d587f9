//! Phases one after the other in one loop over groups, where each group meets elements of its own alone.
//!
//! Before, all goes through memory after each phase:
//!
//! ```text
//! for g in 0..64 { b[16 * g ..] = a[16 * g ..] + permute(a[16 * g ..], by 1); }
//! for g in 0..64 { c[16 * g ..] = b[16 * g ..] + permute(b[16 * g ..], by 2); }
//! ```
//!
//! After, it stays in a register:
//!
//! ```text
//! for g in 0..64 { let x = a[16 * g ..] + permute(a[16 * g ..], by 1); b[16 * g ..] = x; c[16 * g ..] = x + permute(x, by 2); }
//! ```
//!
//! Needs: native form, where the instances of a phase do not meet. Gives: the same bits, since no group reads or overwrites what another
//! has written in an earlier phase, or is to write in a later one: of an array that one phase writes and another one meets, group `g`
//! meets the elements from `16 * g` to `16 * g + 15`, and no others, in both.

use proc_macro2::TokenStream;
use quote::quote;

use super::affine::{Affine, Term};
use super::shape::Shapes;
use super::{Loops, Phase, SMALLEST};
use crate::backend::rust::count_up;
use crate::backend::rust::expr::Printer;
use crate::passes::walk::{direct, each, reachable};
use crate::program::{ArrayId, Expr, ExprId, Program, Stmt, StmtKind};
use crate::tables::HashMap;

/// Phases at the head of a list that are one loop over groups.
pub(in crate::backend::rust) struct Fused {
    pub code: TokenStream,
    /// How many statements of the list they are.
    pub statements: usize,
}

impl Printer<'_> {
    /// The phases at the head of a list as one loop, where that is possible and pays.
    pub fn fused(&mut self, list: &[Stmt]) -> Option<Fused> {
        let mut ends = ends_of_phases(self.p, list);
        while ends.len() > 1 {
            let statements = *ends.last()?;
            let (list, phases) = (&list[..statements], list[..statements].iter().filter_map(Phase::of));
            if let Some(groups) = self.in_groups(SMALLEST, &phases.collect::<Vec<_>>(), (Loops::Kept, false)) {
                let code = self.both_ways(list, groups);
                return Some(Fused { code, statements });
            }
            ends.pop();
        }
        None
    }

    /// In groups where the machine has vectors, phase by phase elsewhere.
    fn both_ways(&mut self, list: &[Stmt], groups: TokenStream) -> TokenStream {
        self.in_lanes = true;
        let groups = self.marked(&list[0], groups);
        let end = self.streams.phases_end(self.p, list);
        let (mut arrays, mut loops) = (TokenStream::new(), TokenStream::new());
        for stmt in list {
            match Phase::of(stmt) {
                Some(phase) => {
                    let n = self.wide(phase.n);
                    let (name, body) = self.loop_body(phase.var, phase.body);
                    let end = self.streams.phases_end(self.p, std::slice::from_ref(stmt));
                    let all = count_up(&name, quote!(0usize), n, body);
                    loops.extend(self.marked(stmt, quote!(#all #end)));
                }
                None => {
                    let array = self.stmt(stmt);
                    arrays.extend(self.marked(stmt, array));
                }
            }
        }
        quote!(#arrays if __L::FAST { #groups #end } else { #loops })
    }
}

/// Where the phases at the head of a list end that may be one loop, one after the other.
fn ends_of_phases(p: &Program, list: &[Stmt]) -> Vec<usize> {
    let mut ends = Vec::new();
    let Some(first) = list.first().and_then(Phase::of) else { return ends };
    if !p.exprs.as_u32(first.n).is_some_and(|n| n.is_multiple_of(SMALLEST as u32)) {
        return ends;
    }
    let mut met = HashMap::default();
    for (i, stmt) in list.iter().enumerate() {
        match &stmt.kind {
            StmtKind::Allocate { .. } | StmtKind::Sync { .. } => {}
            _ => match Phase::of(stmt) {
                Some(phase) if phase.n == first.n && !phase.loops() && goes_on(p, &phase, &mut met) => ends.push(i + 1),
                _ => break,
            },
        }
    }
    ends
}

/// What phases do to an array.
struct Met {
    writes: bool,
    /// Where each group meets it, if that is known.
    window: Option<Window>,
}

/// Group `g` meets elements of the vector that begins at `g * 16`, counted from what is the same in all groups.
///
/// Two vectors for each group, as sorting networks have them, stay phases of their own. The row `sort_bitonic of 512` of
/// `cargo bench -p obsidian-benches --bench cpu` on a Xeon with AVX-512, 27 November 2026: 16.1 to 17.2 ms apart, 17.7 to 18.3 ms as one
/// loop; `scan_sklansky1 of 1024`, with one vector: 6.4 to 6.5 ms apart, 5.8 to 5.9 ms as one loop.
#[derive(PartialEq, Eq)]
struct Window {
    from: Vec<(Term, i64)>,
}

impl Window {
    fn of(p: &Program, at: &Affine) -> Option<Window> {
        let whole = SMALLEST as i64;
        let (group, from): (Vec<_>, Vec<_>) = at.terms.iter().partition(|(term, _)| *term == Term::Group);
        let loads =
            |e: ExprId| reachable(&p.exprs, [e], |_| false).iter().any(|e| matches!(p.exprs.expr(*e), Expr::Load(..)));
        // A number from memory may be another one in the next phase.
        let stays = from.iter().all(|(term, _)| !matches!(term, Term::Of(e, _) if loads(*e)));
        let inside = group == [(Term::Group, whole)] && at.at.iter().all(|at| (0..whole).contains(at));
        (stays && inside).then_some(Window { from })
    }
}

/// Whether a phase goes on with what those before it have written, and its groups may run before other groups have done these. Adds what
/// it does.
fn goes_on(p: &Program, phase: &Phase<'_>, met: &mut HashMap<ArrayId, Met>) -> bool {
    let mut own = HashMap::default();
    let mut shapes = Shapes::of(p, SMALLEST, &[*phase]);
    let mut meet = |array, index, writes| {
        let window = shapes.affine(index).and_then(|at| Window::of(p, &at));
        join(&mut own, array, Met { writes, window });
    };
    each(phase.body, &mut |stmt| {
        if let StmtKind::Assign { array, index, .. } = stmt.kind {
            meet(array, index, true);
        }
        for e in reachable(&p.exprs, direct(&stmt.kind), |_| false) {
            if let Expr::Load(array, index) = p.exprs.expr(e) {
                meet(array, index, false);
            }
        }
    });
    let apart = own.iter().all(|(array, now)| match met.get(array) {
        Some(before) if before.writes || now.writes => now.window.is_some() && now.window == before.window,
        _ => true,
    });
    let joined = met.is_empty() || own.keys().any(|array| met.get(array).is_some_and(|before| before.writes));
    own.into_iter().for_each(|(array, now)| join(met, array, now));
    apart && joined
}

fn join(met: &mut HashMap<ArrayId, Met>, array: ArrayId, now: Met) {
    met.entry(array)
        .and_modify(|before| {
            before.writes |= now.writes;
            before.window = before.window.take().filter(|window| Some(window) == now.window.as_ref());
        })
        .or_insert(now);
}
