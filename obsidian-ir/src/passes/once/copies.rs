//! How often `schedule` would write a value: counted without writing it, which may take exponentially long.
//!
//! Each side of a choice that guards a load becomes a list of statements, written once for each copy of the choice. A value is
//! written once in each list that evaluates it, unless a list around has done so; what both sides of a choice
//! evaluate, the list around it does: that is sure to be evaluated where its statement is.

use std::collections::{BTreeMap, BTreeSet};

use crate::passes::walk;
use crate::program::{Expr, ExprId, Exprs};
use crate::tables::HashMap;

/// How many times the number of its uses a value may be written.
const MAX_COPIES: u64 = 16;
/// A value that more lists evaluate is taken for one that is always evaluated: it has as many users, so its copies are no surprise.
const MAX_LISTS: usize = 64;

/// A list of statements: a side of a choice, or the one that holds the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct List {
    choice: ExprId,
    side: bool,
}

/// The list that holds the statement itself: around all others, as a choice has a greater number than what it chooses from.
const OWN: List = List { choice: ExprId(u32::MAX), side: true };

/// The loads and the choices between loads of a statement.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Copies and users of each.
    values: BTreeMap<ExprId, (u64, u64)>,
    /// Choices between loads that stand on sides of choices, and are evaluated whatever is chosen.
    sure: Vec<ExprId>,
}

/// Whether any choice guards a load behind another choice that does: without, nothing is written often.
pub(super) fn any_nested(exprs: &Exprs) -> bool {
    let mut guards = vec![0_u32; exprs.len()];
    (0..exprs.len()).any(|i| {
        let id = ExprId(i as u32);
        let below = walk::operands(exprs.expr(id)).map(|x| guards[x.0 as usize]).fold(0, u32::max);
        guards[i] = below + u32::from(is_guard(exprs, id));
        guards[i] >= 2
    })
}

fn is_guard(exprs: &Exprs, id: ExprId) -> bool {
    matches!(exprs.expr(id), Expr::Select(_, a, b) if exprs.loads(a) || exprs.loads(b))
}

impl Copies {
    /// Counts for a statement that evaluates `roots`, before which what `named` holds for gets a name if it has several copies.
    pub(super) fn new(exprs: &Exprs, roots: impl Iterator<Item = ExprId>, named: impl Fn(ExprId) -> bool) -> Copies {
        let mut lists = Lists::default();
        let mut users: HashMap<ExprId, u64> = HashMap::default();
        let mut todo: BTreeMap<ExprId, BTreeSet<List>> = BTreeMap::new();
        let mut found = Copies::default();
        todo.extend(roots.filter(|&root| exprs.loads(root)).map(|root| (root, BTreeSet::from([OWN]))));
        // Users have greater numbers than what they use.
        while let Some((id, of)) = todo.pop_last() {
            let guard = is_guard(exprs, id);
            let on_sides = !of.contains(&OWN);
            let mut of = lists.least(of);
            if guard && on_sides && of.contains(&OWN) {
                found.sure.push(id);
            }
            if of.len() > MAX_LISTS {
                of = BTreeSet::from([OWN]);
            }
            if guard || matches!(exprs.expr(id), Expr::Load(..)) {
                let copies = lists.copies(&of);
                found.values.insert(id, (copies, users.get(&id).copied().unwrap_or(1)));
                if copies > 1 && named(id) {
                    of = BTreeSet::from([OWN]);
                }
            }
            for (k, x) in walk::operands(exprs.expr(id)).enumerate().filter(|&(_, x)| exprs.loads(x)) {
                *users.entry(x).or_default() += 1;
                let of_it = todo.entry(x).or_default();
                match k {
                    1 | 2 if guard => of_it.extend([List { choice: id, side: k == 1 }]),
                    _ => of_it.extend(&of),
                }
            }
            if guard {
                lists.add(id, of);
            }
        }
        found
    }

    /// Whether a value is written far more often than it is used.
    pub(super) fn too_many(&self) -> bool {
        self.values.values().any(|&(copies, users)| copies > MAX_COPIES.saturating_mul(users))
    }

    /// The choices between loads that stand on sides of choices, and are evaluated whatever is chosen; operands first.
    pub(super) fn sure(&self) -> impl Iterator<Item = ExprId> {
        self.sure.iter().rev().copied()
    }

    /// The copies of each load.
    #[cfg(test)]
    pub(super) fn loads(&self, exprs: &Exprs) -> impl Iterator<Item = u64> {
        self.values.iter().filter(|(id, _)| matches!(exprs.expr(**id), Expr::Load(..))).map(|(_, (copies, _))| *copies)
    }

    /// What is written more than once, operands first.
    pub(super) fn repeated(&self) -> impl Iterator<Item = ExprId> {
        self.values.iter().filter(|(_, (copies, _))| *copies > 1).map(|(&id, _)| id)
    }
}

/// The lists that evaluate each choice, and its copies.
#[derive(Debug, Default)]
struct Lists {
    of: HashMap<ExprId, (BTreeSet<List>, u64)>,
}

impl Lists {
    fn add(&mut self, choice: ExprId, of: BTreeSet<List>) {
        let copies = self.copies(&of);
        self.of.insert(choice, (of, copies));
    }

    fn copies(&self, lists: &BTreeSet<List>) -> u64 {
        lists.iter().map(|list| self.of.get(&list.choice).map_or(1, |choice| choice.1)).fold(0, u64::saturating_add)
    }

    /// The lists that write a value which `lists` evaluate.
    fn least(&self, mut lists: BTreeSet<List>) -> BTreeSet<List> {
        // Both sides of a choice: the list around. The inner choices come first.
        let mut after = None;
        while let Some(&list) = lists.iter().find(|list| Some(list.choice) > after) {
            after = Some(list.choice);
            let sides = [true, false].map(|side| List { side, ..list });
            if let Some((around, _)) = self.of.get(&list.choice).filter(|_| sides.iter().all(|s| lists.contains(s))) {
                sides.iter().for_each(|side| _ = lists.remove(side));
                lists.extend(around);
            }
        }
        if lists.contains(&OWN) {
            return BTreeSet::from([OWN]);
        }
        if lists.len() > MAX_LISTS {
            return lists;
        }
        let Some(&last) = lists.last() else { return lists };
        let mut known = HashMap::default();
        let done: Vec<List> = lists.iter().copied().filter(|list| self.done(*list, &lists, last, &mut known)).collect();
        done.iter().for_each(|list| _ = lists.remove(list));
        lists
    }

    /// Whether wherever a list is written, a list around it is among `lists`, whose last is `last`.
    fn done(&self, list: List, lists: &BTreeSet<List>, last: List, known: &mut HashMap<List, bool>) -> bool {
        if list.choice >= last.choice {
            return false;
        }
        if let Some(&done) = known.get(&list) {
            return done;
        }
        let Some((around, _)) = self.of.get(&list.choice) else { return false };
        let done = around.iter().all(|around| lists.contains(around) || self.done(*around, lists, last, known));
        known.insert(list, done);
        done
    }
}
