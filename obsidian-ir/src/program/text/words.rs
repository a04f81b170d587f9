//! Expressions as messages say them: by the author's names of values, where these are known and stand for one value each.
//!
//! Counters that the author has no name for, such as the block and the thread of `for_all` in a grid, go by the name of the text without
//! its number (`b`, `t`), unless two of an expression would have the same.

use super::print::Expressions;
use crate::level::Level;
use crate::program::{Expr, ExprId, Program, StmtKind, VarId, walk};
use crate::tables::{HashMap, HashSet};

/// What some expressions are called.
pub(super) type Words = HashMap<ExprId, String>;

/// An expression in the author's words; what it is made of goes by name, itself does not.
pub fn in_words(p: &Program, id: ExprId) -> String {
    words_and_counters(p, id).0
}

/// The same, and the counters in it that the author has no name for, each with what it counts.
pub fn words_and_counters(p: &Program, root: ExprId) -> (String, Vec<String>) {
    let mut words = Words::default();
    let mut taken: HashSet<String> = HashSet::default();
    let mut unnamed = Vec::new();
    let mut todo = vec![root];
    let mut seen = HashSet::default();
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        let var = match p.exprs.expr(id) {
            Expr::Var(var) => Some(var),
            _ => None,
        };
        // What the launch knows is said by lengths and scalars, as the checks of a launch say it.
        if let Some(name) = p.exprs.name(id).filter(|_| id != root || var.is_some())
            && !p.exprs.known_at_launch(id)
            && taken.insert(name.to_string())
        {
            words.insert(id, name.to_string());
            continue;
        }
        unnamed.extend(var.map(|var| (id, var)));
        todo.extend(walk::operands(p.exprs.expr(id)));
    }
    unnamed.reverse();
    let mut counters = Vec::new();
    for (id, var) in unnamed {
        let full = &p.var(var).name;
        let stem = full.trim_end_matches(|c: char| c.is_ascii_digit());
        let word = if !stem.is_empty() && taken.insert(stem.to_string()) { stem.to_string() } else { full.clone() };
        counters.extend(counter_of(p, var).map(|what| format!("{what} `{word}`")));
        words.insert(id, word);
    }
    abridge(p, root, &mut words);
    (Expressions { p, names: None, short: None, words: Some(&words) }.expr(root, true), counters)
}

/// The most operations, names and numbers of an expression that a message writes out.
const MAX_WORDS: u64 = 60;

/// Has what lies deep in an expression be `..`, where all of it would be too much: shared parts are written out wherever they stand, and
/// may be exponentially many.
fn abridge(p: &Program, root: ExprId, words: &mut Words) {
    let (exprs, named) = (&p.exprs, &*words);
    let order = walk::reachable(exprs, [root], |id| id != root && named.contains_key(&id));
    let parts = |id: ExprId| walk::operands(exprs.expr(id));
    // How far each is from the root: users stand behind what they use.
    let mut depth: HashMap<ExprId, usize> = HashMap::from_iter([(root, 0)]);
    for &id in order.iter().rev() {
        let here = depth[&id] + 1;
        for part in parts(id) {
            let known = depth.entry(part).or_insert(here);
            *known = here.min(*known);
        }
    }
    let size = |limit: usize| {
        let mut sizes: HashMap<ExprId, u64> = HashMap::default();
        for &id in &order {
            let inner =
                if depth[&id] < limit { parts(id).map(|part| sizes.get(&part).copied().unwrap_or(1)).sum() } else { 0 };
            sizes.insert(id, u64::saturating_add(inner, 1).min(MAX_WORDS + 1));
        }
        sizes[&root]
    };
    let deepest = depth.values().copied().max().unwrap_or(0);
    let limit = (1..=deepest + 1).take_while(|&limit| size(limit) <= MAX_WORDS).last().unwrap_or(1);
    let is_deep = |id: &ExprId| depth[id] >= limit && !walk::is_leaf(exprs.expr(*id));
    let deep: Vec<ExprId> = order.iter().copied().filter(is_deep).collect();
    words.extend(deep.into_iter().map(|id| (id, "..".to_string())));
}

/// Whose number a variable is.
fn counter_of(p: &Program, wanted: VarId) -> Option<&'static str> {
    let mut found = None;
    walk::each(&p.body, &mut |stmt| match stmt.kind {
        StmtKind::DistrPar { level, var, .. } if var == wanted => {
            found = Some(if level == Level::Warp { "warp" } else { "block" });
        }
        StmtKind::ForAll { var, .. } if var == wanted => found = Some("thread"),
        StmtKind::SeqFor { var, .. } if var == wanted => found = Some("round"),
        _ => {}
    });
    found
}
