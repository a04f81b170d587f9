//! R38. What a loop keeps: what is said of its variables where it begins, and is still so behind each statement that sets one. In
//! `let mut j = i; while j > 0 && .. { j = j - 1; }` that is `j <= i`, and so whatever is above `i`.

use std::collections::BTreeSet;
use std::convert::Infallible;

use super::prove::{Prover, ScopeId};
use super::{Check, Scope, Variables};
use crate::passes::index::{Mono, Poly};
use crate::passes::walk::{self, reachable, set_in};
use crate::program::scoped::{Around, Visitor, visit};
use crate::program::{Block, Expr, ExprId, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// Forms that are tried for one loop.
const MAX_FORMS: usize = 12;
/// Variables among which one name is placed.
const MAX_AMONG: usize = 4;
/// Choices inside one another that are taken apart.
const MAX_CHOICES: usize = 8;

/// A loop, what is known before it, and what the loops around it keep.
type Place = (*const Stmt, ScopeId, Vec<Poly>);

/// What is known of a loop, and which forms it keeps.
type Found = (ScopeId, Vec<Poly>);

/// What was found of loops.
#[derive(Default)]
pub(super) struct Loops {
    found: HashMap<Place, Found>,
    /// What the loops around a statement keep.
    pub(super) around: Vec<Poly>,
}

impl<'p> Check<'p> {
    /// What is known in all rounds of a loop and behind it, of what is known before it; and what of that it keeps.
    pub(super) fn known_through(&mut self, stmt: &'p Stmt, scope: ScopeId) -> Found {
        let bare = self.forget(stmt, scope);
        if bare == scope || self.variables == Variables::Ranges {
            return (bare, Vec::new());
        }
        let place = (std::ptr::from_ref(stmt), scope, self.loops.around.clone());
        if let Some(found) = self.loops.found.get(&place) {
            return found.clone();
        }
        let tried = self.may_be_kept(stmt, scope);
        let mut forms = tried.clone();
        self.drop_broken(stmt, &mut forms, bare);
        // What is not so, and was assumed, may have hidden what is.
        for form in tried {
            if !forms.contains(&form) {
                let kept = forms.len();
                forms.push(form);
                if !self.broken(stmt, &forms, bare).is_empty() {
                    forms.truncate(kept);
                }
            }
        }
        if self.prover.budget.given_up() {
            forms.clear();
        }
        let found = (self.prover.with(bare, forms.clone()), forms);
        self.loops.found.insert(place, found.clone());
        found
    }

    /// Leaves the forms that a loop keeps if it keeps all of them.
    fn drop_broken(&mut self, stmt: &'p Stmt, forms: &mut Vec<Poly>, bare: ScopeId) {
        while !forms.is_empty() {
            let broken = self.broken(stmt, forms, bare);
            if broken.is_empty() {
                return;
            }
            forms.retain(|form| !broken.contains(form));
        }
    }

    /// What a loop may keep of what is known before it: that says something of a variable that it sets, or of a value that this has there.
    fn may_be_kept(&mut self, stmt: &'p Stmt, scope: ScopeId) -> Vec<Poly> {
        let (mut set, mut named) = (BTreeSet::new(), BTreeSet::new());
        let all = std::slice::from_ref(stmt);
        set_in(all, &mut set);
        walk::each(all, &mut |stmt| named.extend(walk::bound(&stmt.kind).filter(|var| !set.contains(var))));
        let facts = self.prover.facts(scope);
        let mut forms: Vec<Poly> = Vec::new();
        for is in self.atoms(&set) {
            let of_it = facts.iter().filter(|fact| fact.coefficient(is) != 0);
            forms.extend(of_it.clone().cloned());
            let same = of_it.filter(|fact| facts.contains(&opposite(fact)));
            for (value, more) in same.filter_map(|fact| value_of(is, fact)) {
                let by_itself = self.prover.structure(scope, value);
                let said = facts.iter().chain(&by_itself).filter(|fact| fact.coefficient(value) != 0);
                forms.extend(said.filter_map(|fact| fact.replace(value, &Poly::of(is).offset(-more))));
            }
        }
        forms.extend(self.one_round_more(stmt, &set, scope));
        let between: Vec<Poly> = self.atoms(&set).into_iter().flat_map(|is| through(is, &forms)).collect();
        forms.extend(between);
        let mut found: Vec<Poly> = Vec::new();
        for form in forms {
            let is_new = form.as_constant().is_none() && !found.contains(&form);
            if is_new && found.len() < MAX_FORMS && self.speaks_plainly(&form, &set, &named) {
                found.push(form);
            }
        }
        found
    }

    /// Of `j < n`, which a loop asks before each round, that `j <= n`.
    fn one_round_more(&mut self, stmt: &'p Stmt, set: &BTreeSet<VarId>, scope: ScopeId) -> Vec<Poly> {
        let StmtKind::SeqWhile { cond, .. } = stmt.kind else { return Vec::new() };
        let inside = self.prover.condition(scope, cond, true);
        let inside = self.prover.lasting(inside);
        let atoms = self.atoms(set);
        let of_them = inside.into_iter().filter(|fact| atoms.iter().any(|&is| fact.coefficient(is) != 0));
        let more: Vec<Poly> = of_them.map(|fact| fact.offset(1)).collect();
        more.into_iter().filter(|form| self.prover.certain(scope, form)).collect()
    }

    /// Where a name for a value lies among the variables that the value is made of: their next values are often made of it, such as those of
    /// `lo` and `hi` of `mid`, and what it is made of is not known any more when the first of them is set.
    pub(super) fn placed_among(&mut self, (var, value): (VarId, ExprId), scope: ScopeId) -> ScopeId {
        let made_of = self.prover.traits.reads(value).mutable.clone();
        let exprs = &self.prover.p.exprs;
        let is_other =
            self.variables == Variables::Kept && exprs.ty(value).is_int() && !matches!(exprs.expr(value), Expr::Var(_));
        let Some(name) = self.prover.var_expr(var).filter(|_| is_other).map(Mono::value) else { return scope };
        let is_name = Poly::of(name);
        let mut facts = Vec::new();
        for is in self.atoms(&made_of).into_iter().take(MAX_AMONG) {
            let is = Poly::of(is);
            let [above, below] = [is.minus(&is_name), is_name.minus(&is)];
            let tried = [above.as_ref().map(|above| above.offset(-1)), above, below].into_iter().flatten();
            facts.extend(tried.filter(|form| self.prover.keeps(scope, (form, name), value, MAX_CHOICES)));
        }
        self.prover.with(scope, facts)
    }

    /// Whether nothing in a form is made of variables that are set, but these themselves, or of names that are other values each time.
    fn speaks_plainly(&self, form: &Poly, set: &BTreeSet<VarId>, named: &BTreeSet<VarId>) -> bool {
        let prover = &self.prover;
        let exprs = &prover.p.exprs;
        form.monos().all(|m| match m.as_value().map(|e| exprs.expr(e)) {
            Some(Expr::Var(var)) => !named.contains(&var),
            _ => prover.polys.factors(m).into_iter().all(|of| {
                let of = prover.expr_of(of);
                let is_other =
                    |e: &ExprId| matches!(exprs.expr(*e), Expr::Var(var) if set.contains(&var) || named.contains(&var));
                of.is_some_and(|of| !reachable(exprs, [of], |_| false).iter().any(is_other))
            }),
        })
    }

    /// The variables that are read, as atoms.
    fn atoms(&self, vars: &BTreeSet<VarId>) -> Vec<Mono> {
        vars.iter().filter_map(|&var| self.prover.var_expr(var)).map(Mono::value).collect()
    }

    /// The forms that a statement in a loop may break, where they all hold before it.
    fn broken(&mut self, stmt: &'p Stmt, forms: &[Poly], bare: ScopeId) -> Vec<Poly> {
        let outer = self.loops.around.len();
        self.loops.around.extend(forms.iter().cloned());
        let facts = self.prover.with(bare, forms.to_vec());
        let scope = self.scope(facts);
        let mut keeping = Keeping { check: self, around: stmt, forms, broken: Vec::new() };
        let Ok(_) = visit(&mut keeping, std::slice::from_ref(stmt), scope);
        let broken = keeping.broken;
        self.loops.around.truncate(outer);
        broken
    }
}

/// What follows of forms in which an atom has opposite signs.
fn through(is: Mono, forms: &[Poly]) -> Vec<Poly> {
    let pairs = forms.iter().enumerate().flat_map(|(k, form)| forms[k + 1..].iter().map(move |other| (form, other)));
    pairs.filter_map(|(form, other)| form.follow(is, other)).collect()
}

fn opposite(fact: &Poly) -> Poly {
    Poly::default().combine(1, fact, -1).unwrap_or_default()
}

/// The value that an atom has by `fact == 0`: an atom and what is added to that.
fn value_of(is: Mono, fact: &Poly) -> Option<(Mono, i128)> {
    let other = fact.monos().find(|&m| m != is)?;
    let [_, _] = fact.terms() else { return None };
    match (fact.coefficient(is), fact.coefficient(other)) {
        (1, -1) => Some((other, -fact.rest())),
        (-1, 1) => Some((other, fact.rest())),
        _ => None,
    }
}

/// Looks which forms the statements of a loop keep.
struct Keeping<'c, 'p> {
    check: &'c mut Check<'p>,
    around: &'p Stmt,
    forms: &'c [Poly],
    broken: Vec<Poly>,
}

impl<'p> Visitor<'p> for Keeping<'_, 'p> {
    type Scope = Scope;
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'p Stmt, scope: &Scope) -> Result<Option<Scope>, Infallible> {
        // Of the loop itself they are assumed.
        if std::ptr::eq(stmt, self.around) { Ok(Some(*scope)) } else { self.check.begin(stmt, scope) }
    }

    fn enter(&mut self, around: Around, list: &'p Block, outer: &Scope) -> Result<Option<Scope>, Infallible> {
        self.check.enter(around, list, outer)
    }

    fn leave(&mut self, around: Around, outer: &Scope, inner: &Scope) {
        self.check.leave(around, outer, inner);
    }

    fn end(&mut self, stmt: &'p Stmt, scope: Scope) -> Result<Scope, Infallible> {
        if std::ptr::eq(stmt, self.around) {
            return Ok(scope);
        }
        let prover = &mut self.check.prover;
        match stmt.kind {
            StmtKind::Set { var, value } if prover.p.exprs.ty(value).is_int() => {
                let Some(is) = prover.var_expr(var).map(Mono::value) else { return Ok(self.check.behind(stmt, scope)) };
                for form in self.forms.iter().filter(|form| form.coefficient(is) != 0) {
                    if !prover.keeps(scope.facts, (form, is), value, MAX_CHOICES) {
                        self.broken.push(form.clone());
                    }
                }
            }
            StmtKind::Local { var, .. } => {
                let is = prover.var_expr(var).map(Mono::value);
                let said = self.forms.iter().filter(|form| is.is_some_and(|is| form.coefficient(is) != 0));
                self.broken.extend(said.cloned());
            }
            _ => {}
        }
        Ok(self.check.behind(stmt, scope))
    }
}

impl Prover<'_> {
    /// Whether `form >= 0` for certain with a value in the place of an atom; of a choice each side, where the condition says so.
    fn keeps(&mut self, s: ScopeId, (form, is): (&Poly, Mono), value: ExprId, choices: usize) -> bool {
        if let Expr::Select(cond, a, b) = self.p.exprs.expr(value)
            && choices > 0
            && self.has_room()
        {
            return [(a, true), (b, false)].into_iter().all(|(side, truth)| {
                let inner = self.branch(s, cond, truth);
                self.keeps(inner, (form, is), side, choices - 1)
            });
        }
        let value = self.form(s, value);
        form.replace(is, &value).is_some_and(|behind| self.certain(s, &behind))
    }
}
