//! Which loads are done whatever the conditions are that choose between values.
//!
//! ```text
//! b[i] = if c { a[i] } else { a[j] }
//! b[j] = if c { a[j] } else { a[i] }      both a[i] and a[j], for each is read where c holds and where it does not
//! ```

use std::collections::BTreeMap;

use crate::passes::access::Loads;
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Expr, ExprId, Program, UnOp};
use crate::tables::{HashMap, HashSet};

/// The most loads of an array between which statements of a thread may choose: one bit for each.
const MAX_LOADS: usize = 64;

/// How deep choices within choices are looked into.
const MAX_DEPTH: u32 = 8;

/// The loads of `array` in values that are all computed, if each of them is done whatever the conditions in these are.
/// `steady`: what has one value in all of them, and so means the same wherever it is a condition.
pub(super) fn sure_loads(
    p: &Program,
    loads: &Loads,
    roots: &[ExprId],
    (array, steady): (ArrayId, &dyn Fn(ExprId) -> bool),
) -> Option<Vec<ExprId>> {
    let holding = walk::reachable(&p.exprs, roots.iter().copied(), |e| !loads.of(e).contains(&array));
    let is_one = |e: &ExprId| matches!(p.exprs.expr(*e), Expr::Load(a, _) if a == array);
    let found: Vec<ExprId> = holding.iter().copied().filter(is_one).collect();
    if !holding.iter().any(|&e| matches!(p.exprs.expr(e), Expr::Select(..))) {
        return Some(found);
    }
    if found.len() > MAX_LOADS {
        return None;
    }
    let mut chosen = Chosen { p, steady, own: HashMap::default(), all: HashMap::default() };
    for e in holding {
        let own = found.binary_search(&e).map_or(0, |k| 1 << k);
        let all = walk::operands(p.exprs.expr(e)).fold(own, |bits, x| bits | chosen.all_of(x));
        chosen.own.insert(e, own);
        chosen.all.insert(e, all);
    }
    (chosen.sure(roots, 0) == chosen.all_of_each(roots)).then_some(found)
}

/// What two choices may hang on together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Condition {
    Holds(ExprId),
    Equal(ExprId, ExprId),
    /// That of this one choice.
    Once(ExprId),
}

/// Loads as bits.
struct Chosen<'p> {
    p: &'p Program,
    steady: &'p dyn Fn(ExprId) -> bool,
    /// What an expression that holds some loads is itself.
    own: HashMap<ExprId, u64>,
    /// What it holds.
    all: HashMap<ExprId, u64>,
}

impl Chosen<'_> {
    fn all_of(&self, e: ExprId) -> u64 {
        self.all.get(&e).copied().unwrap_or(0)
    }

    fn all_of_each(&self, values: &[ExprId]) -> u64 {
        values.iter().fold(0, |bits, &e| bits | self.all_of(e))
    }

    /// A condition without its negation, and whether it holds where `c` does.
    fn condition(&self, c: ExprId) -> (Condition, bool) {
        match self.p.exprs.expr(c) {
            Expr::Un(UnOp::Not, of) => (Condition::Holds(of), false),
            Expr::Bin(BinOp::Eq, a, b) => (Condition::Equal(a, b), true),
            Expr::Bin(BinOp::Ne, a, b) => (Condition::Equal(a, b), false),
            _ => (Condition::Holds(c), true),
        }
    }

    /// The loads that are done where all of `values` are computed.
    fn sure(&self, values: &[ExprId], depth: u32) -> u64 {
        let mut done = 0;
        // What is computed if a condition holds, and what if it does not.
        let mut sides: BTreeMap<Condition, [Vec<ExprId>; 2]> = BTreeMap::new();
        let mut todo = values.to_vec();
        let mut seen = HashSet::default();
        while let Some(e) = todo.pop() {
            let Some(own) = self.own.get(&e) else { continue };
            if !seen.insert(e) {
                continue;
            }
            done |= own;
            if let Expr::Select(c, then, els) = self.p.exprs.expr(e) {
                todo.push(c);
                let (condition, holds) = if (self.steady)(c) { self.condition(c) } else { (Condition::Once(e), true) };
                let [if_so, if_not] = sides.entry(condition).or_default();
                if_so.push(if holds { then } else { els });
                if_not.push(if holds { els } else { then });
            } else {
                todo.extend(walk::operands(self.p.exprs.expr(e)));
            }
        }
        for [if_so, if_not] in sides.values() {
            let open = self.all_of_each(if_so) & self.all_of_each(if_not) & !done;
            if open != 0 && depth < MAX_DEPTH {
                done |= self.sure(if_so, depth + 1) & self.sure(if_not, depth + 1);
            }
        }
        done
    }
}
