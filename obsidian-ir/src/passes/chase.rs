//! Loops that chase: a round reads memory at a place that the rounds before have found by reading memory, as a binary search does. No two
//! rounds of such a loop are under way at a time, however it is written out, so printers keep compilers from unrolling a long one.

use std::collections::BTreeSet;

use super::walk;
use crate::program::{Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};
use crate::tables::HashSet;

/// The most rounds of a loop that compilers may write out: several such loops of a thread are then under way side by side.
const MAX_WRITTEN_OUT: i128 = 8;

/// Whether a loop from `start` to `end` is to stay one: it chases, and may have many rounds.
pub fn stays_rolled(p: &Program, start: ExprId, end: ExprId, body: &[Stmt]) -> bool {
    p.exprs.range(end).hi - p.exprs.range(start).lo > MAX_WRITTEN_OUT && chases(p, body)
}

/// Whether a loop of these rounds chases. Arrays of one thread count as variables that hold nothing of memory.
fn chases(p: &Program, body: &[Stmt]) -> bool {
    let round = Round { p, body, values: walk::reachable(&p.exprs, walk::evaluated(body), |_| false) };
    let loads = |e| matches!(e, Expr::Load(array, _) if p.array(array).space != Space::Local);
    let (mut read, mut set, mut declared) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    walk::each(body, &mut |stmt| match stmt.kind {
        StmtKind::LoadVector { .. } | StmtKind::Atomic { .. } => read.extend(walk::bound(&stmt.kind)),
        StmtKind::Set { var, .. } => drop(set.insert(var)),
        StmtKind::Local { var, .. } => drop(declared.insert(var)),
        _ => {}
    });
    let (told, _) = round.depending(read, loads);
    let carried: BTreeSet<VarId> = set.difference(&declared).filter(|var| told.contains(var)).copied().collect();
    if carried.is_empty() {
        return false;
    }
    let (_, found) = round.depending(carried, |_| false);
    let mut places = Vec::new();
    walk::each(body, &mut |stmt| match stmt.kind {
        StmtKind::LoadVector { index, .. } | StmtKind::Atomic { index, old: Some(_), .. } => places.push(index),
        _ => {}
    });
    places.extend(round.values.iter().filter_map(|value| match p.exprs.expr(*value) {
        load @ Expr::Load(_, index) if loads(load) => Some(index),
        _ => None,
    }));
    places.iter().any(|place| found.contains(place))
}

/// The rounds of a loop, and what they evaluate, operands before users.
struct Round<'p> {
    p: &'p Program,
    body: &'p [Stmt],
    values: Vec<ExprId>,
}

impl Round<'_> {
    /// The variables, these among them, and expressions whose values may depend on these variables or on a source, by what they are
    /// computed from or by the branch that sets them.
    fn depending(
        &self,
        mut vars: BTreeSet<VarId>,
        source: impl Fn(Expr) -> bool,
    ) -> (BTreeSet<VarId>, HashSet<ExprId>) {
        loop {
            let mut values = HashSet::default();
            for &id in &self.values {
                let e = self.p.exprs.expr(id);
                let of_var = matches!(e, Expr::Var(var) if vars.contains(&var));
                if source(e) || of_var || walk::operands(e).any(|operand| values.contains(&operand)) {
                    values.insert(id);
                }
            }
            let before = vars.len();
            spread(self.body, &values, &mut vars);
            if vars.len() == before {
                return (vars, values);
            }
        }
    }
}

/// Adds the variables that statements bind to such values, or in branches and loops that such values decide on.
fn spread(list: &[Stmt], values: &HashSet<ExprId>, vars: &mut BTreeSet<VarId>) {
    for stmt in list {
        if walk::direct(&stmt.kind).any(|value| values.contains(&value)) {
            let bind = &mut |stmt: &Stmt| vars.extend(walk::bound(&stmt.kind));
            walk::each(std::slice::from_ref(stmt), bind);
        } else {
            walk::nested(&stmt.kind).for_each(|inner| spread(inner, values, vars));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::text::read;

    /// Whether a loop of `rounds` rounds stays one, in which `at` and `sum` are carried.
    fn stays(rounds: &str, round: &[&str]) -> bool {
        let round = round.join("\n      ");
        let text = format!(
            "kernel search (threads = 32, shared = 0 B, target = sm_80)
  in  xs: u32[len(xs)]
  mut ys: u32[len(ys)]
  in  n: u32
  out out: u32[len(xs)]
  distribute Block b0 < 1
    local at: u32 = 0
    local sum: u32 = 0
    local few: u32[2]
    seq k in 1..{rounds}
      {round}
    out[at] = sum
"
        );
        let program = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut found = None;
        walk::each(&program.body, &mut |stmt| {
            if let StmtKind::SeqFor { start, end, body, .. } = &stmt.kind {
                found.get_or_insert(stays_rolled(&program, *start, *end, body));
            }
        });
        found.expect("a loop")
    }

    #[test]
    fn searches_of_many_rounds_stay_loops() {
        let by_value = "at = if xs[at] < k { at + (512 >> k) } else { at }";
        assert!(stays("10", &[by_value]) && stays("n", &[by_value]));
        assert!(!stays("9", &[by_value]), "at most 8 rounds");
        assert!(stays("n", &["let x = xs[at]", "if x < k", "  at = at + k"]), "by a branch");
        assert!(stays("n", &["let old = atomic_add(ys[at], 1)", "at = old"]), "by what an update finds");
        assert!(stays("n", &["let a, b = xs[at * 2 ..]", "at = b"]), "by neighbours in memory");
        assert!(stays("n", &["if k < 5", "  at = xs[at]"]), "in some rounds");
        assert!(stays("n", &["if xs[at] < k", "  seq j in 0..2", "    at = at + j"]), "by a loop inside");
    }

    #[test]
    fn rounds_that_may_be_side_by_side_do_not() {
        assert!(!stays("n", &["sum = sum + xs[k]"]), "a sum");
        assert!(!stays("n", &["sum = sum + xs[ys[k]]"]), "places from memory, but not from rounds before");
        assert!(!stays("n", &["at = at + k", "sum = sum + xs[at]"]), "places from rounds before, but not from memory");
        assert!(
            !stays("n", &["local here: u32 = xs[k]", "here = here + ys[k]", "sum = sum + xs[here]"]),
            "of the round alone"
        );
        assert!(!stays("n", &["few[0] = k", "at = few[0]", "sum = sum + xs[at]"]), "through registers");
        assert!(!stays("n", &["at = xs[k]", "out[at] = k"]), "writes by data");
    }
}
