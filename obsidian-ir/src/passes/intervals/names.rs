//! Names for what conditions say of values. Where a branch or a loop's body begins with `j > 0`, a name for `j` has the range that `j` has
//! there, until `j` changes; and `if j > 0 { j - 1 } else { 9 }` gets one with the range of what it chooses. The ranges of expressions are those of
//! their parts, so nothing else keeps what a condition says.

use std::collections::BTreeSet;

use super::{Intervals, Known, put, tell};
use crate::program::walk::{bound, direct, direct_mut, nested, nested_mut, reachable, replaced, set_in};
use crate::program::{Block, Expr, ExprId, Program, Range, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// The program with such names; `None` where there is nothing to name.
pub(crate) fn named(p: &Program) -> Option<Program> {
    let mut named = p.clone();
    let mut body = std::mem::take(&mut named.body);
    let before = named.vars.len();
    name_all(&mut named, &mut body);
    named.body = body;
    (named.vars.len() > before).then_some(named)
}

fn name_all(p: &mut Program, list: &mut Block) {
    let mut at = 0;
    while at < list.len() {
        at += name_choices(p, list, at);
        let stmt = &mut list[at];
        match &mut stmt.kind {
            StmtKind::If { cond, then, els } => {
                name(p, then, (*cond, true));
                name(p, els, (*cond, false));
            }
            StmtKind::SeqWhile { cond, body, .. } => name(p, body, (*cond, true)),
            _ => {}
        }
        nested_mut(&mut stmt.kind).for_each(|inner| name_all(p, inner));
        at += 1;
    }
}

/// Names before a statement the choices that it makes; gives how many.
fn name_choices(p: &mut Program, list: &mut Block, at: usize) -> usize {
    // What a `while` tests is another value each time; what other loops count to is no index.
    let once = matches!(
        list[at].kind,
        StmtKind::Assign { .. }
            | StmtKind::Atomic { .. }
            | StmtKind::Let { .. }
            | StmtKind::Set { .. }
            | StmtKind::If { .. }
    );
    if !once {
        return 0;
    }
    let all = Intervals::new(&p.exprs);
    let choices = reachable(&p.exprs, direct(&list[at].kind), |_| false).into_iter().filter_map(|e| {
        let is_choice = matches!(p.exprs.expr(e), Expr::Select(..)) && p.exprs.ty(e).is_int() && !p.exprs.loads(e);
        let range = is_choice.then(|| all.value(e, &Known::new()))?;
        (range != p.exprs.range(e)).then_some((e, range))
    });
    let choices: Vec<(ExprId, Range)> = choices.collect();
    let (span, mut new) = (list[at].span, HashMap::default());
    let mut lets = Vec::new();
    for &(value, range) in &choices {
        let own = p.new_var("choice", p.exprs.ty(value), false, range);
        lets.push(Stmt::new(StmtKind::Let { var: own, value: replaced(&mut p.exprs, value, &mut new) }, span));
        new.insert(value, p.exprs.var(own));
    }
    if !lets.is_empty() {
        // Lists inside may change what the choice is made of.
        direct_mut(&mut list[at].kind).for_each(|e| *e = replaced(&mut p.exprs, *e, &mut new));
        tell(p, &mut new);
    }
    list.splice(at..at, lets);
    choices.len()
}

/// Names at the beginning of a list, where the condition is known.
fn name(p: &mut Program, list: &mut Block, (cond, truth): (ExprId, bool)) {
    let all = Intervals::new(&p.exprs);
    let known = all.where_is(cond, truth, &Known::new());
    let narrower = known.into_iter().filter(|&(var, range)| p.var(var).mutable && range != p.exprs.var_range(var));
    let narrower: Vec<(VarId, Range)> = narrower.collect();
    for (var, range) in narrower {
        let value = p.exprs.var(var);
        let until = list.iter().take_while(|stmt| !changes(stmt, var)).count();
        // A statement that itself gives the variable its next value has computed that before.
        let more = list.get(until).is_some_and(|stmt| matches!(stmt.kind, StmtKind::Set { .. }));
        let stretch = &mut list[..until + usize::from(more)];
        if !stretch.iter().any(|stmt| reads(p, stmt, value)) {
            continue;
        }
        let (name, span) = (p.var(var).name.clone(), stretch[0].span);
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let own = p.new_var(name, p.exprs.ty(value), false, range);
        let mut new = HashMap::from_iter([(value, p.exprs.var(own))]);
        put(p, stretch, &mut new);
        list.insert(0, Stmt::new(StmtKind::Let { var: own, value }, span));
    }
}

fn changes(stmt: &Stmt, var: VarId) -> bool {
    let mut vars = BTreeSet::new();
    set_in(std::slice::from_ref(stmt), &mut vars);
    vars.contains(&var) || bound(&stmt.kind).any(|own| own == var)
}

fn reads(p: &Program, stmt: &Stmt, value: ExprId) -> bool {
    let reads_it = |e| reachable(&p.exprs, [e], |_| false).contains(&value);
    direct(&stmt.kind).any(reads_it) || nested(&stmt.kind).flatten().any(|stmt| reads(p, stmt, value))
}
