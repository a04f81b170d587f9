//! Indices as sums modulo 2^32, and the powers of two that divide a value. In: a program; out: per expression, a [`Form`] and a
//! number of zero bits. Sums and products that wrap keep their low bits, so nothing here asks for ranges.

use crate::passes::walk;
use crate::program::{BinOp, Block, Expr, ExprId, Program, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

/// Names are followed, and sums taken apart, so deep.
const DEPTH: u32 = 64;
/// Zero bits of 0.
const ALL: u32 = 32;

/// `sum of expression * factor + constant`, modulo 2^32, in order of the expressions; none of them ever changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::passes) struct Form {
    pub(in crate::passes) terms: Vec<(ExprId, u32)>,
    pub(in crate::passes) constant: u32,
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
pub(in crate::passes) struct Facts {
    bound: HashMap<VarId, Bound>,
    /// Zero bits that the launch checks show.
    checked: HashMap<ExprId, u32>,
    stable: HashMap<ExprId, bool>,
    zeros: HashMap<ExprId, u32>,
}

impl Facts {
    pub(in crate::passes) fn of(p: &Program) -> Facts {
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

    /// The index as a sum; `None` where it may differ between two places of one list of statements.
    pub(in crate::passes) fn form(&mut self, p: &Program, index: ExprId) -> Option<Form> {
        let mut form = Form { terms: Vec::new(), constant: 0 };
        self.gather(p, index, 1, &mut form, DEPTH);
        form.terms.sort_unstable();
        form.terms.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 = a.1.wrapping_add(b.1);
            }
            same
        });
        form.terms.retain(|t| t.1 != 0);
        form.terms.iter().all(|t| self.is_stable(p, t.0)).then_some(form)
    }

    fn gather(&mut self, p: &Program, e: ExprId, factor: u32, form: &mut Form, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return form.terms.push((e, factor)) };
        match p.exprs.expr(e) {
            Expr::Const(c) => form.constant = form.constant.wrapping_add(factor.wrapping_mul(c.bits as u32)),
            Expr::Bin(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                self.gather(p, a, factor, form, depth);
                let factor = if op == BinOp::Add { factor } else { factor.wrapping_neg() };
                self.gather(p, b, factor, form, depth);
            }
            Expr::Bin(BinOp::Mul, a, b) if p.exprs.as_u32(b).is_some() => {
                let k = p.exprs.as_u32(b).unwrap_or(1);
                self.gather(p, a, factor.wrapping_mul(k), form, depth);
            }
            Expr::Bin(BinOp::Shl, a, b) if p.exprs.as_u32(b).is_some_and(|k| k < 32) => {
                let k = p.exprs.as_u32(b).unwrap_or(0);
                self.gather(p, a, factor << k, form, depth);
            }
            Expr::Var(v) => match self.bound.get(&v).copied() {
                Some(Bound::Value(value)) if self.is_stable(p, value) => self.gather(p, value, factor, form, depth),
                _ => form.terms.push((e, factor)),
            },
            _ => form.terms.push((e, factor)),
        }
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

    /// So many low bits of a `u32` are surely zero.
    pub(in crate::passes) fn zeros(&mut self, p: &Program, e: ExprId) -> u32 {
        self.zeros_within(p, e, DEPTH)
    }

    fn zeros_within(&mut self, p: &Program, e: ExprId, depth: u32) -> u32 {
        if let Some(&known) = self.zeros.get(&e) {
            return known;
        }
        let Some(depth) = depth.checked_sub(1) else { return 0 };
        let bound = match p.exprs.expr(e) {
            Expr::Var(v) => self.bound.get(&v).copied(),
            _ => None,
        };
        let mut of = |x| self.zeros_within(p, x, depth);
        let found = match p.exprs.expr(e) {
            Expr::Const(c) => (c.bits as u32).trailing_zeros(),
            Expr::Bin(BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Min | BinOp::Max, a, b)
            | Expr::Select(_, a, b) => of(a).min(of(b)),
            Expr::Bin(BinOp::Mul, a, b) => of(a) + of(b),
            Expr::Bin(BinOp::And, a, b) => of(a).max(of(b)),
            Expr::Bin(BinOp::Rem, a, b) if p.exprs.as_u32(b).is_some_and(|k| k > 0) => of(a).min(of(b)),
            Expr::Bin(op @ (BinOp::Shl | BinOp::Shr | BinOp::Div), a, b) => {
                let zeros = of(a);
                match (op, p.exprs.as_u32(b)) {
                    (BinOp::Shl, Some(k)) => zeros + k % 32,
                    (BinOp::Shr, Some(k)) => zeros.saturating_sub(k % 32),
                    (BinOp::Div, Some(k)) if k.is_power_of_two() => zeros.saturating_sub(k.trailing_zeros()),
                    _ => 0,
                }
            }
            _ => match bound {
                Some(Bound::Value(value)) => of(value),
                Some(Bound::Loop(start, step)) => of(start).min(of(step)),
                _ => 0,
            },
        };
        let found = found.max(self.checked.get(&e).copied().unwrap_or(0)).min(ALL);
        self.zeros.insert(e, found);
        found
    }
}
