//! Indices modulo `2^32` where no statement changes them, and the powers of two that divide a value: what neighbours in
//! memory are recognised by. Sums and products that wrap keep their low bits, so nothing here asks whether they do.

use super::lower::{Reader, Reading, Word, is_sum, lower};
use super::poly::{Mono, Poly, Polys};
use super::residue;
use crate::passes::walk;
use crate::program::{BinOp, Block, Expr, ExprId, Exprs, Program, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

/// The depth to which names are followed.
const MAX_DEPTH: u32 = 64;
/// The number of zero bits of 0.
const MAX_ZEROS: u32 = 32;

/// `sum of expression * factor + constant`, modulo 2^32, in order of the expressions; none of them ever changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Expressions, and how often each is added.
    pub terms: Vec<(ExprId, u32)>,
    /// The rest.
    pub constant: u32,
}

/// What a variable is bound to.
#[derive(Debug, Clone, Copy)]
enum Bound {
    /// A `let`.
    Value(ExprId),
    /// A loop's index: start and step.
    Loop(ExprId, ExprId),
    /// Something else.
    Other,
    /// Several things, in several places.
    Twice,
}

/// What is known of variables and of the launch.
#[derive(Debug, Default)]
pub struct Facts {
    bound: HashMap<VarId, Bound>,
    /// Zero bits that the launch checks show.
    checked: HashMap<ExprId, u32>,
    stable: HashMap<ExprId, bool>,
    zeros: HashMap<ExprId, u32>,
    polys: Polys,
    words: HashMap<ExprId, Word>,
}

impl Facts {
    /// Those of a program.
    pub fn of(p: &Program) -> Facts {
        let mut facts = Facts::default();
        facts.bind(&p.body);
        for check in &p.checks {
            facts.learn(p, check.cond);
        }
        facts
    }

    fn bind(&mut self, list: &Block) {
        for stmt in list {
            let one = match &stmt.kind {
                StmtKind::Let { var, value } => Some((*var, Bound::Value(*value))),
                StmtKind::SeqFor { var, start, step, .. } => Some((*var, Bound::Loop(*start, *step))),
                StmtKind::Shuffle { var, .. } | StmtKind::Atomic { old: Some(var), .. } => Some((*var, Bound::Other)),
                _ => None,
            };
            if let Some((var, bound)) = one {
                self.bound.entry(var).and_modify(|b| *b = Bound::Twice).or_insert(bound);
            }
            walk::nested(&stmt.kind).for_each(|inner| self.bind(inner));
        }
    }

    /// `x & mask == 0`, `x % n == 0`, and several of these.
    fn learn(&mut self, p: &Program, cond: ExprId) {
        match p.exprs.expr(cond) {
            Expr::Bin(BinOp::And, a, b) => {
                self.learn(p, a);
                self.learn(p, b);
            }
            Expr::Bin(BinOp::Eq, x, zero) if p.exprs.as_u32(zero) == Some(0) => {
                let (x, zeros) = match p.exprs.expr(x) {
                    Expr::Bin(BinOp::And, x, k) => (x, p.exprs.as_u32(k).map_or(0, u32::trailing_ones)),
                    Expr::Bin(BinOp::Rem, x, k) => (x, p.exprs.as_u32(k).map_or(0, u32::trailing_zeros)),
                    _ => return,
                };
                let known = self.checked.entry(x).or_default();
                *known = zeros.max(*known);
            }
            _ => {}
        }
    }

    fn sum(&mut self, p: &Program, e: ExprId) -> Poly {
        let word = lower(&mut Indices { facts: self, p }, e);
        self.polys.get(word.residue()).clone()
    }

    /// The index as a sum; `None` where it may differ between two places of one list of statements.
    pub fn form(&mut self, p: &Program, index: ExprId) -> Option<Form> {
        let sum = self.sum(p, index);
        let mut terms = Vec::with_capacity(sum.terms().len());
        for &(m, c) in sum.terms() {
            let e = m.as_value()?;
            if c as u32 != 0 {
                terms.push((e, c as u32));
            }
        }
        let stays = terms.iter().all(|t| self.is_stable(p, t.0));
        stays.then_some(Form { terms, constant: sum.rest() as u32 })
    }

    /// Whether no statement changes the value: it depends on no memory, and on no variable that is set or bound twice.
    fn is_stable(&mut self, p: &Program, root: ExprId) -> bool {
        let (bound, known) = (&self.bound, &self.stable);
        let mut new = Vec::new();
        let mut seen = HashSet::default();
        for id in walk::reachable(&p.exprs, [root], |id| known.contains_key(&id)) {
            let operands = walk::operands(p.exprs.expr(id));
            let fixed = match p.exprs.expr(id) {
                Expr::Load(..) => false,
                Expr::Var(v) => !p.var(v).mutable && !matches!(bound.get(&v), Some(Bound::Twice)),
                _ => true,
            };
            let all = operands.into_iter().all(|x| known.get(&x).copied().unwrap_or(seen.contains(&x)));
            if fixed && all {
                seen.insert(id);
            }
            new.push((id, fixed && all));
        }
        self.stable.extend(new);
        self.stable.get(&root).copied().unwrap_or(false)
    }

    /// The number of low bits of a `u32` that are zero for certain.
    pub(in crate::passes) fn zeros(&mut self, p: &Program, e: ExprId) -> u32 {
        self.zeros_within(p, e, MAX_DEPTH)
    }

    fn zeros_within(&mut self, p: &Program, e: ExprId, depth: u32) -> u32 {
        if let Some(&known) = self.zeros.get(&e) {
            return known;
        }
        let Some(depth) = depth.checked_sub(1) else { return 0 };
        let sum = self.sum(p, e);
        let found = if sum == Poly::of(Mono::value(e)) {
            self.zeros_of_atom(p, e, depth)
        } else {
            residue::zeros(&sum, |m| m.as_value().map_or(0, |e| self.zeros_within(p, e, depth)))
        };
        let found = found.max(self.checked.get(&e).copied().unwrap_or(0)).min(MAX_ZEROS);
        self.zeros.insert(e, found);
        found
    }

    /// The same for an expression that is no sum, from its operands.
    fn zeros_of_atom(&mut self, p: &Program, e: ExprId, depth: u32) -> u32 {
        let bound = match p.exprs.expr(e) {
            Expr::Var(v) => self.bound.get(&v).copied(),
            _ => None,
        };
        let mut of = |x| self.zeros_within(p, x, depth);
        match p.exprs.expr(e) {
            Expr::Bin(BinOp::Or | BinOp::Xor | BinOp::Min | BinOp::Max, a, b) | Expr::Select(_, a, b) => {
                of(a).min(of(b))
            }
            Expr::Bin(BinOp::Mul, a, b) => of(a) + of(b),
            Expr::Bin(BinOp::And, a, b) => of(a).max(of(b)),
            Expr::Bin(BinOp::Rem, a, b) if p.exprs.as_u32(b).is_some_and(|k| k > 0) => of(a).min(of(b)),
            Expr::Bin(BinOp::Shl, a, _) => of(a),
            Expr::Bin(BinOp::Shr, a, b) => p.exprs.as_u32(b).map_or(0, |k| of(a).saturating_sub(k % 32)),
            Expr::Bin(BinOp::Div, a, b) => match p.exprs.as_u32(b) {
                Some(k) if k.is_power_of_two() => of(a).saturating_sub(k.trailing_zeros()),
                _ => 0,
            },
            _ => match bound {
                Some(Bound::Value(value)) => of(value),
                Some(Bound::Loop(start, step)) => of(start).min(of(step)),
                _ => 0,
            },
        }
    }
}

/// Reads sums, and names of values that stay.
struct Indices<'a> {
    facts: &'a mut Facts,
    p: &'a Program,
}

impl Reader for Indices<'_> {
    fn exprs(&self) -> &Exprs {
        &self.p.exprs
    }

    fn polys(&mut self) -> &mut Polys {
        &mut self.facts.polys
    }

    fn reading(&self) -> Reading {
        Reading::Residues
    }

    fn opens(&mut self, e: ExprId) -> bool {
        is_sum(&self.p.exprs, e) || matches!(self.p.exprs.expr(e), Expr::Var(_))
    }

    fn bound(&mut self, v: VarId) -> Option<ExprId> {
        match self.facts.bound.get(&v).copied() {
            Some(Bound::Value(value)) if self.facts.is_stable(self.p, value) => Some(value),
            _ => None,
        }
    }

    fn recall(&mut self, e: ExprId) -> Option<Word> {
        self.facts.words.get(&e).copied()
    }

    fn note(&mut self, e: ExprId, word: Word) {
        self.facts.words.insert(e, word);
    }
}
