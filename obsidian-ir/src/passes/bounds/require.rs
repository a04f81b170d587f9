//! R12. Conditions on the launch: where all that a proof of an index lacks is a relation between lengths and scalars, the
//! launch is asked for it, before anything runs, and an `Err` says the numbers. Only accesses that would be refused are
//! treated so; those that a guard is for keep their guard.

use std::collections::VecDeque;

use super::prove::{Prover, ScopeId};
use crate::diag::Diagnostic;
use crate::passes::index::{Mono, Poly};
use crate::passes::walk;
use crate::program::{BinOp, Expr, ExprId, Exprs, LaunchCheck, Program, ScalarType, UnOp, print_expr};
use crate::tables::HashSet;

/// The most relations that one access may ask for: an author sees them all in one error.
const MAX_CONDITIONS: usize = 3;
/// The most polynomials that one search looks at.
const MAX_POLYNOMIALS: usize = 200;
/// A launch is not asked for lengths above this, nor for as large a multiple of one: a sum that wraps leads to them, which nobody means.
const MAX_LEAST: u64 = 1 << 24;
/// The most relations that one search weighs against one another.
const MAX_RELATIONS: usize = 24;

/// A launch that misses a condition by this many misses it by little.
const FAR: i128 = 8;

/// `left <= right`, which the launch must keep unless one of `extents` is zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    left: Sum,
    right: Sum,
    /// The numbers of blocks, threads or rounds around the access: where one is zero, it does not happen.
    extents: Vec<ExprId>,
}

/// A sum of products, which fits in 64 bits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Sum {
    terms: Vec<(u64, Vec<ExprId>)>,
    constant: u64,
}

/// An access that is in range where the launch keeps some conditions.
#[derive(Debug)]
pub struct Required {
    /// All of them are needed.
    pub conditions: Vec<Condition>,
    /// The same for the prover.
    pub(super) forms: Vec<Poly>,
    /// The numbers of blocks, threads and rounds around the access.
    pub(super) extents: Vec<ExprId>,
    /// What is said where a condition on the launch will not do.
    pub refusal: Box<Diagnostic>,
    /// The length that the access must stay below, if a guard would do instead.
    pub(super) guardable: Option<ExprId>,
}

impl Required {
    /// What holds where all of `extents` are above zero.
    pub(super) fn forms_within(&self, extents: &[ExprId]) -> &[Poly] {
        if self.extents.iter().all(|n| extents.contains(n)) { &self.forms } else { &[] }
    }
}

/// Relations for the prover, and the same for the launch.
pub(super) type Asked = (Vec<Poly>, Vec<Condition>);

impl Prover<'_> {
    /// That no difference of lengths and scalars in `e` wraps, where `e < n` follows from that.
    pub(super) fn without_wrapping(
        &mut self,
        s: ScopeId,
        (e, n): (ExprId, ExprId),
        extents: &[ExprId],
    ) -> Option<Asked> {
        let exprs = &self.p.exprs;
        let differences = walk::reachable(exprs, [e], |_| false).into_iter().filter_map(|e| match exprs.expr(e) {
            Expr::Bin(BinOp::Sub, a, b) if [a, b].iter().all(|&e| exprs.known_at_launch(e)) => Some((a, b)),
            _ => None,
        });
        let differences: Vec<(ExprId, ExprId)> = differences.collect();
        self.budget.begin();
        let mut forms = Vec::new();
        for (a, b) in differences {
            let (a, b) = (self.form(s, a), self.form(s, b));
            let form = a.minus(&b)?;
            if !self.certain(s, &form) {
                forms.push(form);
            }
        }
        let inside = self.with(s, forms.clone());
        if forms.is_empty() || forms.len() > MAX_CONDITIONS || !self.less(inside, e, n) {
            return None;
        }
        let conditions = forms.iter().map(|form| self.as_condition(form, extents)).collect::<Option<_>>()?;
        Some((forms, conditions))
    }

    /// Relations between launch values, none of which the launch checks contradict, under which `e < n`.
    pub(super) fn required(&mut self, s: ScopeId, (e, n): (ExprId, ExprId), extents: &[ExprId]) -> Option<Asked> {
        let mut assumed = self.asked_for(s, e, n, None)?;
        // On its way a proof may have asked for more than it needs.
        for relation in if assumed.len() > 1 { assumed.clone() } else { Vec::new() } {
            let rest: Vec<Poly> = assumed.iter().filter(|r| **r != relation).cloned().collect();
            if let Some(fewer) = self.asked_for(s, e, n, Some(rest)) {
                assumed = fewer;
            }
        }
        // Nothing is in range of an empty array.
        let not_zero: Vec<ExprId> = extents.iter().copied().chain([n]).collect();
        if assumed.is_empty() || assumed.len() > MAX_CONDITIONS || !self.may_hold_in_work(&assumed, &not_zero) {
            return None;
        }
        let conditions = assumed.iter().map(|form| self.as_condition(form, extents)).collect::<Option<_>>()?;
        Some((assumed, conditions))
    }

    /// Whether a launch that does something may keep the relations: one in which none of these numbers is 0.
    pub(super) fn may_hold_in_work(&mut self, relations: &[Poly], not_zero: &[ExprId]) -> bool {
        let checked = self.checked();
        let not_empty = not_zero.iter().map(|&n| self.form(checked, n).offset(-1)).collect();
        let working = self.with(checked, not_empty);
        !relations.iter().any(|form| {
            let never = form.times(-1).map(|f| f.offset(-1));
            never.is_some_and(|never| self.plainly_certain(working, &never))
        })
    }

    /// What a proof of `e < n` asks of the launch; `None` where there is no proof.
    fn asked_for(&mut self, s: ScopeId, e: ExprId, n: ExprId, allowed: Option<Vec<Poly>>) -> Option<Vec<Poly>> {
        self.begin_assuming(allowed);
        self.budget.begin();
        let (of_e, of_n) = (self.form(s, e), self.form(s, n));
        let wanted = of_n.minus(&of_e).map(|d| d.offset(-1));
        // Where nothing was asked on the way, the question is the one that had no proof.
        let proved =
            wanted.is_some_and(|wanted| self.has_asked() && self.certain(s, &wanted) || self.assume(s, &wanted));
        let asked = self.end_assuming();
        proved.then_some(asked)
    }

    /// The weakest relation between launch values that elimination comes to and from which `form >= 0` follows.
    pub(super) fn relation_for(&mut self, s: ScopeId, form: &Poly, facts: &[Poly]) -> Option<Poly> {
        let mut seen = HashSet::from_iter([form.clone()]);
        let mut queue = VecDeque::from([form.clone()]);
        let mut found: Vec<Poly> = Vec::new();
        while let Some(f) = queue.pop_front() {
            if self.may_be_asked(s, &f) {
                found.push(f);
                if found.len() == MAX_RELATIONS {
                    break;
                }
                continue;
            }
            for atom in f.monos() {
                self.budget.spend(facts.len());
                if self.budget.given_up() {
                    return None;
                }
                for next in facts.iter().filter_map(|fact| f.eliminate(atom, fact)) {
                    if seen.len() < MAX_POLYNOMIALS && seen.insert(next.clone()) {
                        queue.push_back(next);
                    }
                }
            }
        }
        self.weakest(found).or_else(|| self.at_least(s, form))
    }

    /// The relation from which `form >= 0` follows where each counter in it that adds has its least value: the first of those that go backwards.
    fn at_least(&mut self, s: ScopeId, form: &Poly) -> Option<Poly> {
        let mut least = form.clone();
        for &(m, c) in form.terms() {
            let (c, lo) = (i128::from(c), self.range(s, &Poly::of(m)).lo);
            if c > 0 && lo >= 0 && self.launch_value(m).is_none() {
                least = least.combine(1, &Poly::of(m), -c)?.offset(c.checked_mul(lo)?);
            }
        }
        (least != *form && self.may_be_asked(s, &least)).then_some(least)
    }

    /// Of relations that a launch may be asked for, the one that asks the least.
    fn weakest(&mut self, relations: Vec<Poly>) -> Option<Poly> {
        relations.into_iter().reduce(|weakest, other| if self.follows(&weakest, &other) { other } else { weakest })
    }

    /// The weakest relation between launch values from which `form >= 0` follows by one of the facts of a scope.
    pub(super) fn relation_nearby(&mut self, s: ScopeId, form: &Poly) -> Option<Poly> {
        let facts = self.facts(s).to_vec();
        let pairs = form.monos().flat_map(|atom| facts.iter().map(move |fact| (atom, fact)));
        let mut relations: Vec<Poly> = pairs.filter_map(|(atom, fact)| form.eliminate(atom, fact)).collect();
        relations.retain(|relation| self.is_about_launch(s, relation));
        self.weakest(relations).filter(|relation| !self.is_contradicted(relation))
    }

    /// Whether every launch that keeps `given >= 0` keeps `form >= 0`.
    fn follows(&mut self, given: &Poly, form: &Poly) -> bool {
        let checked = self.checked();
        let s = self.with(checked, vec![given.clone()]);
        self.certain(s, form)
    }

    /// Whether a launch can be asked for `form >= 0`: it is about launch values, fits in 64 bits, and some launch keeps it.
    fn may_be_asked(&mut self, s: ScopeId, form: &Poly) -> bool {
        self.is_about_launch(s, form) && !self.is_contradicted(form)
    }

    /// Whether `form >= 0` is about launch values, and fits in 64 bits.
    fn is_about_launch(&mut self, s: ScopeId, form: &Poly) -> bool {
        form.as_constant().is_none() && self.range(s, form).hi >= 0 && self.sides_of(form).is_some()
    }

    /// Whether no launch that keeps the other checks keeps `form >= 0`.
    fn is_contradicted(&mut self, form: &Poly) -> bool {
        let checked = self.checked();
        let never = form.times(-1).map(|f| f.offset(-1));
        never.is_none_or(|never| self.certain(checked, &never))
    }

    /// `form >= 0` as a condition that holds where none of `extents` is zero.
    pub(super) fn as_condition(&mut self, form: &Poly, extents: &[ExprId]) -> Option<Condition> {
        let (left, right) = self.sides_of(form)?;
        let extents = extents.iter().copied().filter(|&n| self.p.exprs.range(n).lo == 0).collect();
        Some(Condition { left, right, extents })
    }

    /// `form >= 0` as `left <= right`, of sums without negative terms.
    fn sides_of(&mut self, form: &Poly) -> Option<(Sum, Sum)> {
        let (mut left, mut right) = (Sum::default(), Sum::default());
        let (mut most_left, mut most_right) = (0i128, 0i128);
        for &(m, c) in form.terms() {
            let value = self.launch_value(m)?;
            let hi = value.iter().try_fold(1i128, |all, &e| all.checked_mul(self.p.exprs.range(e).hi))?;
            let (side, most) = if c > 0 { (&mut right, &mut most_right) } else { (&mut left, &mut most_left) };
            side.terms.push((c.unsigned_abs(), value));
            *most = most.checked_add(hi.checked_mul(i128::from(c).abs())?)?;
        }
        let (side, most) = if form.rest() > 0 { (&mut right, &mut most_right) } else { (&mut left, &mut most_left) };
        side.constant = u64::try_from(form.rest().abs()).ok()?;
        *most += form.rest().abs();
        let fits = most_left <= u64::MAX.into() && most_right <= u64::MAX.into();
        let small = left.terms.iter().chain(&right.terms).all(|&(k, _)| k <= MAX_LEAST);
        (fits && small && left.constant <= MAX_LEAST).then_some((left, right))
    }

    /// The lengths and scalars whose product a monomial is. What is computed from them is none: a relation of quotients and
    /// choices says nothing to the author, and asks for more than it must.
    pub(super) fn launch_value(&self, m: Mono) -> Option<Vec<ExprId>> {
        let exprs = &self.p.exprs;
        let known = |e: ExprId| {
            let leaf = matches!(exprs.expr(e), Expr::Len(_) | Expr::Scalar(_));
            (leaf && exprs.ty(e) == ScalarType::U32).then_some(e)
        };
        self.polys.factors(m).into_iter().map(|m| m.as_value().and_then(known)).collect()
    }
}

impl Condition {
    /// The condition as a launch check of the program that it was found in.
    pub(crate) fn into_check(self, p: &mut Program) -> LaunchCheck {
        let message = self.message(p);
        let [left, right] = [&self.left, &self.right].map(|side| side.expr(&mut p.exprs));
        let mut cond = p.exprs.bin(BinOp::Le, left, right);
        let yes = p.exprs.bool(true);
        for &n in &self.extents {
            let zero = p.exprs.u32(0);
            let none = p.exprs.bin(BinOp::Eq, n, zero);
            let some = p.exprs.un(UnOp::Not, none);
            cond = p.exprs.select(some, cond, yes);
        }
        LaunchCheck { cond, message, found: self.found(p) }
    }

    /// By how much a launch misses the condition, where that is above zero; `None` where nobody knows, or nothing happens.
    pub(super) fn excess(&self, number: impl FnMut(ExprId) -> Option<u64>) -> Option<i128> {
        self.sides(number).map(|(left, right)| left - right)
    }

    /// Whether a launch misses it so that it asks too much if nothing strays: by far, since chunks of lengths that do not divide miss one by less
    /// than what they ask for, or by what it asks besides that two sizes are one, as of `i + 1` in an array as long as all `i`.
    pub(super) fn is_telling(&self, number: impl FnMut(ExprId) -> Option<u64>) -> bool {
        let more = i128::from(self.left.constant);
        self.sides(number).is_some_and(|(left, right)| left > 2 * right + FAR || more > 0 && left - more == right)
    }

    /// What is to be at most what; `None` where nobody knows, or nothing happens.
    fn sides(&self, mut number: impl FnMut(ExprId) -> Option<u64>) -> Option<(i128, i128)> {
        let mut some = true;
        for &n in &self.extents {
            some &= number(n)? > 0;
        }
        let mut sum = |side: &Sum| {
            side.terms.iter().try_fold(i128::from(side.constant), |sum, (factor, values)| {
                let term = values.iter().try_fold(i128::from(*factor), |all, &e| all.checked_mul(number(e)?.into()));
                sum.checked_add(term?)
            })
        };
        let (left, right) = (sum(&self.left)?, sum(&self.right)?);
        some.then_some((left, right))
    }

    /// Whether a launch that keeps this one keeps `other` too, by the constants alone.
    pub(super) fn says(&self, other: &Condition) -> bool {
        let room = |c: &Condition| i128::from(c.right.constant) - i128::from(c.left.constant);
        self.is_like(other) && self.extents == other.extents && room(self) <= room(other)
    }

    /// Whether two differ in their constants alone.
    pub(super) fn is_like(&self, other: &Condition) -> bool {
        self.left.terms == other.left.terms && self.right.terms == other.right.terms
    }

    fn message(&self, p: &Program) -> String {
        let left = self.left.text(p);
        match (&self.right.terms[..], self.right.constant) {
            ([(1, one)], 0) if matches!(one[..], [e] if matches!(p.exprs.expr(e), Expr::Len(_))) => {
                let name = self.right.text(p);
                let name = name.trim_start_matches("len(").trim_end_matches(')');
                format!("the length of `{name}` must be at least {}", code(&left))
            }
            _ if self.left.terms.is_empty() => format!("{} must be at least {left}", code(&self.right.text(p))),
            _ => format!("{} must be at most {}", code(&left), code(&self.right.text(p))),
        }
    }

    /// The value that is shown beside the message: the one that is too small, or else the one that is too large.
    fn found(&self, p: &mut Program) -> ExprId {
        let first = |side: &Sum| side.terms.iter().flat_map(|t| &t.1).copied().next();
        first(&self.right).or(first(&self.left)).unwrap_or_else(|| p.exprs.u32(0))
    }
}

/// A number as it is, else in quotes.
fn code(text: &str) -> String {
    if text.parse::<u64>().is_ok() { text.to_string() } else { format!("`{text}`") }
}

impl Sum {
    fn expr(&self, exprs: &mut Exprs) -> ExprId {
        let wide = |exprs: &mut Exprs, bits| exprs.constant(crate::program::Const { ty: ScalarType::U64, bits });
        let mut sum = wide(exprs, self.constant);
        for (factor, values) in &self.terms {
            let mut term = wide(exprs, *factor);
            for &e in values {
                let value = exprs.cast(e, ScalarType::U64);
                term = exprs.bin(BinOp::Mul, term, value);
            }
            sum = exprs.bin(BinOp::Add, sum, term);
        }
        sum
    }

    fn text(&self, p: &Program) -> String {
        let term = |(factor, values): &(u64, Vec<ExprId>)| {
            let number = (*factor != 1).then(|| factor.to_string());
            let values = values.iter().map(|&e| print_expr(p, e));
            number.into_iter().chain(values).collect::<Vec<_>>().join(" * ")
        };
        let constant = (self.constant > 0 || self.terms.is_empty()).then(|| self.constant.to_string());
        self.terms.iter().map(term).chain(constant).collect::<Vec<_>>().join(" + ")
    }
}
