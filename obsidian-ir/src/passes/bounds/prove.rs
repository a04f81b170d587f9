//! The prover: is `e < n` for certain? Turns expressions into sums that do not wrap ([`Prover::form`]), gathers what is
//! known of their atoms, and searches for a combination of known inequalities that gives the wanted one.
//!
//! Every "yes" is a proof; a "no" only says that none was found within the budget. The same question under the same facts
//! is answered once: facts that are equal make one scope.

mod near;
mod pairs;
mod reading;
mod relevant;
mod scopes;
mod search;

use std::rc::Rc;

use super::ask::Question;
use super::traits::Traits;
use crate::passes::index::{Budget, Mono, Poly, PolyId, Polys, everywhere};
use crate::passes::walk;
use crate::program::{BinOp, Expr, ExprId, Program, Range, VarId};
use crate::tables::{HashMap, HashSet};
use scopes::Scope;
pub(super) use scopes::ScopeId;
use search::SIDE_STEPS;

/// Steps for one program: the largest program of `programs` takes a sixtieth. A step is one polynomial made, or one known
/// inequality tried.
const MAX_STEPS: u64 = 6_000_000;
/// Of these, steps for one question.
const MAX_OF_QUESTION: u64 = 200_000;
/// Steps of one search.
const STEPS: usize = 600;
/// Choices (`min`, `if`) taken apart inside one another.
const SPLITS: usize = 2;

/// Scopes of one program: more come only of conditions nested many deep.
const SCOPES: usize = 20_000;

/// The prover for one program.
pub(super) struct Prover<'p> {
    pub(super) p: &'p Program,
    pub(super) traits: Traits<'p>,
    pub(super) budget: Budget,
    scopes: Vec<Scope>,
    /// The scope that knows all launch checks.
    launched: ScopeId,
    /// Each scope by its parent and what it knows more.
    made: HashMap<(ScopeId, Vec<Poly>), ScopeId>,
    branches: HashMap<(ScopeId, ExprId, bool), ScopeId>,
    /// The atoms and polynomials of the program's expressions.
    pub(super) polys: Polys,
    forms: HashMap<(ScopeId, ExprId), PolyId>,
    /// Forms found on the way to a proof, by nesting: weaker than they need be, so not kept.
    passing: HashMap<(usize, ScopeId, ExprId), PolyId>,
    /// Side questions with a proof, and where it holds.
    proved: HashMap<Poly, Vec<ScopeId>>,
    /// Side questions without, and the least nesting at which none was found: with less, more is looked at.
    failed: HashMap<(ScopeId, Poly), usize>,
    /// Coordinates without a proof.
    outside: HashSet<(ScopeId, Poly)>,
    open: HashSet<(ScopeId, ExprId)>,
    /// What an atom reads.
    reads: HashMap<Mono, Rc<[ExprId]>>,
    vars: HashMap<VarId, ExprId>,
    nesting: usize,
    /// What the launch is to be asked for, while a proof may ask it.
    assumed: Option<Assumed>,
}

/// What a proof asks of the launch.
#[derive(Default)]
struct Assumed {
    asked: Vec<Poly>,
    /// What it may ask; anything where there is no list.
    allowed: Option<Vec<Poly>>,
}

impl<'p> Prover<'p> {
    /// A prover whose scope 0 knows nothing.
    pub(super) fn new(p: &'p Program) -> Self {
        let ids = (0..p.exprs.len() as u32).map(ExprId);
        let vars = ids.filter_map(|e| match p.exprs.expr(e) {
            Expr::Var(v) => Some((v, e)),
            _ => None,
        });
        let mut budget = Budget::of_questions(MAX_STEPS, MAX_OF_QUESTION);
        budget.begin();
        Prover {
            vars: vars.collect(),
            p,
            traits: Traits::new(p),
            budget,
            launched: 0,
            scopes: vec![Scope::default()],
            made: HashMap::default(),
            branches: HashMap::default(),
            polys: Polys::default(),
            forms: HashMap::default(),
            passing: HashMap::default(),
            proved: HashMap::default(),
            failed: HashMap::default(),
            outside: HashSet::default(),
            open: HashSet::default(),
            reads: HashMap::default(),
            nesting: 0,
            assumed: None,
        }
    }

    /// From here on what a proof lacks may be asked of the launch, as far as it is `allowed`.
    pub(super) fn begin_assuming(&mut self, allowed: Option<Vec<Poly>>) {
        self.assumed = Some(Assumed { asked: Vec::new(), allowed });
        // What was read while nothing could be asked knows less.
        self.forget_answers();
    }

    /// What the launch is to be asked for.
    pub(super) fn end_assuming(&mut self) -> Vec<Poly> {
        // What was read meanwhile holds only where the launch is asked for all of it.
        self.forget_answers();
        self.assumed.take().unwrap_or_default().asked
    }

    fn forget_answers(&mut self) {
        self.forms.clear();
        self.passing.clear();
        self.branches.clear();
        self.proved.clear();
        self.failed.clear();
        self.outside.clear();
    }

    /// Whether anything was asked of the launch.
    pub(super) fn has_asked(&self) -> bool {
        self.assumed.as_ref().is_some_and(|assumed| !assumed.asked.is_empty())
    }

    /// Asks the launch for what `form >= 0` lacks, where it may be asked.
    pub(super) fn assume(&mut self, s: ScopeId, form: &Poly) -> bool {
        if self.assumed.is_none() {
            return false;
        }
        let facts = self.known(s, form);
        let relation = self.relation_for(s, form, &facts);
        let Some((relation, assumed)) = relation.zip(self.assumed.as_mut()) else { return false };
        if assumed.allowed.as_ref().is_some_and(|allowed| !allowed.contains(&relation)) {
            return false;
        }
        if !assumed.asked.contains(&relation) {
            assumed.asked.push(relation);
        }
        true
    }

    /// The expression that reads a variable, where there is one.
    pub(super) fn var_expr(&self, v: VarId) -> Option<ExprId> {
        self.vars.get(&v).copied()
    }

    /// Whether `form >= 0` is certain.
    pub(super) fn certain(&mut self, s: ScopeId, form: &Poly) -> bool {
        self.prove(s, form, SPLITS)
    }

    /// Whether conditions inside expressions are still followed.
    pub(super) fn has_room(&self) -> bool {
        self.scopes.len() < SCOPES && self.budget.has_room()
    }

    /// Whether `e < n` is certain. Both are `u32`.
    pub(super) fn less(&mut self, s: ScopeId, e: ExprId, n: ExprId) -> bool {
        if self.narrowed(s, e).hi < self.p.exprs.range(n).lo {
            return true;
        }
        if self.inside_matrix(s, e, n) {
            return true;
        }
        let (of_e, n) = (self.form(s, e), self.form(s, n));
        let Some(wanted) = n.combine(1, &of_e, -1).map(|d| d.offset(-1)) else { return false };
        if self.prove(s, &wanted, SPLITS) {
            return true;
        }
        let inside = self.with_products(s, e);
        inside != s && self.prove(inside, &wanted, SPLITS)
    }

    /// Whether a question is answered by yes.
    pub(super) fn answers(&mut self, s: ScopeId, Question { index, len, along, .. }: Question) -> bool {
        along.is_some_and(|along| self.inside_side(s, (index, len), along.other)) || self.less(s, index, len)
    }

    /// `s` with what is known of products in `e` as whole values: as sums they have lost the ranges of their factors.
    fn with_products(&mut self, s: ScopeId, e: ExprId) -> ScopeId {
        let p = self.p;
        let constant = |id| p.exprs.as_const(id).is_some();
        let mut facts = Vec::new();
        for id in walk::reachable(&p.exprs, [e], |id| !p.exprs.ty(id).is_int()) {
            let Expr::Bin(BinOp::Mul, a, b) = p.exprs.expr(id) else { continue };
            if !constant(a) && !constant(b) && p.exprs.ty(id).is_unsigned() && self.traits.steady(id) {
                facts.extend(self.product_facts(s, id, (a, b)));
            }
        }
        self.with(s, facts)
    }

    /// The same by what is said near the two values.
    pub(super) fn nearly_less(&mut self, s: ScopeId, e: ExprId, n: ExprId) -> bool {
        let (e, n) = (self.form(s, e), self.form(s, n));
        let Some(wanted) = n.combine(1, &e, -1).map(|d| d.offset(-1)) else { return false };
        self.range(s, &wanted).lo >= 0 || self.nearby(s, &wanted)
    }

    /// The same with little work: a "no" may be a "yes" of [`Prover::less`].
    pub(super) fn plainly_less(&mut self, s: ScopeId, e: ExprId, n: ExprId) -> bool {
        if self.p.exprs.range(e).hi < self.p.exprs.range(n).lo {
            return true;
        }
        let (e, n) = (self.form(s, e), self.form(s, n));
        n.combine(1, &e, -1).is_some_and(|d| self.plainly_certain(s, &d.offset(-1)))
    }

    /// Whether `form >= 0` is certain, with little work.
    pub(super) fn plainly_certain(&mut self, s: ScopeId, form: &Poly) -> bool {
        // To gather what is known takes longer than most searches.
        if self.range(s, form).lo >= 0 {
            return true;
        }
        let facts = self.known(s, form);
        self.search(s, form, &facts, SIDE_STEPS)
    }

    /// Whether `form >= 0` is certain.
    fn prove(&mut self, s: ScopeId, form: &Poly, splits: usize) -> bool {
        // What a condition says word for word needs no search.
        let said = |fact: &Poly| form.combine(1, fact, -1).and_then(|more| more.as_constant()).is_some_and(|k| k >= 0);
        if self.scopes[s].facts.iter().any(said) {
            return true;
        }
        if self.nearby(s, form) {
            return true;
        }
        let facts = self.known(s, form);
        let steps = if self.nesting == 0 { STEPS } else { SIDE_STEPS };
        if self.search(s, form, &facts, steps) {
            return true;
        }
        if splits == 0 || self.budget.given_up() {
            return false;
        }
        self.choices(form, &facts).into_iter().any(|atom| {
            self.sides(s, atom).is_some_and(|sides| {
                sides.into_iter().all(|(value, given)| self.prove_side(s, form, atom, &value, given, splits - 1))
            })
        })
    }

    /// Whether `form >= 0` where the choice `atom` is `value`.
    fn prove_side(
        &mut self,
        s: ScopeId,
        form: &Poly,
        atom: Mono,
        value: &Poly,
        given: Vec<Poly>,
        splits: usize,
    ) -> bool {
        let side = self.chosen(s, atom, value, given);
        let known = self.scopes[side].facts.clone();
        let impossible = known.iter().any(|f| f.replace(atom, value).is_some_and(|f| self.range(side, &f).hi < 0));
        impossible || form.replace(atom, value).is_some_and(|f| self.prove(side, &f, splits))
    }

    /// The same where one choice is taken apart: what is said near its atoms is enough on either side.
    fn nearby_on_both_sides(&mut self, s: ScopeId, form: &Poly) -> bool {
        let facts = self.facts(s);
        self.choices(form, &facts).into_iter().any(|atom| {
            self.sides(s, atom).is_some_and(|sides| {
                sides.into_iter().all(|(value, given)| {
                    let side = self.chosen(s, atom, &value, given);
                    form.replace(atom, &value).is_some_and(|f| self.nearby(side, &f))
                })
            })
        })
    }

    /// `s` where the choice `atom` is `value`.
    fn chosen(&mut self, s: ScopeId, atom: Mono, value: &Poly, given: Vec<Poly>) -> ScopeId {
        let is = Poly::of(atom);
        let mut facts = given;
        facts.extend(value.combine(1, &is, -1));
        facts.extend(is.combine(1, value, -1));
        self.with(s, facts)
    }

    /// The choices that may matter to a form: in it, or in a fact about one of its atoms.
    fn choices(&self, form: &Poly, facts: &[Poly]) -> Vec<Mono> {
        let near = facts.iter().filter(|f| f.monos().any(|a| form.coefficient(a) != 0)).flat_map(Poly::monos);
        let mut found = Vec::new();
        for atom in form.monos().chain(near) {
            let Some(e) = atom.as_value() else { continue };
            let choice = matches!(self.p.exprs.expr(e), Expr::Select(..) | Expr::Bin(BinOp::Min | BinOp::Max, ..));
            if choice && !found.contains(&atom) && found.len() < 2 {
                found.push(atom);
            }
        }
        found
    }

    /// The values of a choice, each with what holds when it is chosen.
    fn sides(&mut self, s: ScopeId, atom: Mono) -> Option<[(Poly, Vec<Poly>); 2]> {
        let e = atom.as_value()?;
        if !self.traits.steady(e) || !self.p.exprs.ty(e).is_int() {
            return None;
        }
        match self.p.exprs.expr(e) {
            Expr::Select(c, a, b) => {
                let (yes, no) = (self.condition(s, c, true), self.condition(s, c, false));
                // Each side's sums need not wrap only where the side is chosen.
                let (sa, sb) = (self.with(s, yes.clone()), self.with(s, no.clone()));
                Some([(self.form(sa, a), yes), (self.form(sb, b), no)])
            }
            Expr::Bin(op @ (BinOp::Min | BinOp::Max), a, b) => {
                let (a, b) = (self.form(s, a), self.form(s, b));
                let (low, high) = if op == BinOp::Min { (&a, &b) } else { (&b, &a) };
                let rise = high.combine(1, low, -1)?;
                let fall = low.combine(1, high, -1)?;
                Some([(a, vec![rise]), (b, vec![fall])])
            }
            _ => None,
        }
    }

    /// What a form's value lies in.
    pub(super) fn range(&self, s: ScopeId, form: &Poly) -> Range {
        let ranges = &self.scopes[s].ranges;
        form.range(|a| ranges.get(&a).copied().unwrap_or_else(|| self.node_range(a)))
    }

    /// What an atom's value lies in, wherever it stands.
    fn node_range(&self, atom: Mono) -> Range {
        everywhere(&self.p.exprs, &self.polys, atom)
    }
}
