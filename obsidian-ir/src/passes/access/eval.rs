//! Evaluates expressions of thread code for all rounds of the loops around them.
//!
//! Takes expressions of a program and what its variables stand for; gives a [`Sum`], or `None` for what depends on data,
//! does not fit 32 bits, mixes symbols and rounds in other ways than a polynomial, or would take more than the budget.

use super::lanes::{self, Lanes, lanes_of};
use super::sum::Sum;
use crate::passes::walk;
use crate::program::{BinOp, Expr, ExprId, Program, ScalarType, VarId, arith};

/// Values in one table, at most.
const TABLE: u64 = 1 << 17;

/// Work left, in values of tables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    left: u64,
    exceeded: bool,
}

impl Budget {
    /// So many values.
    pub(crate) fn new(left: u64) -> Budget {
        Budget { left, exceeded: false }
    }

    /// Pays for `n` values; whether there was enough.
    pub(crate) fn take(&mut self, n: u64) -> bool {
        let enough = n <= self.left && n <= TABLE;
        if enough {
            self.left -= n;
        }
        self.exceeded |= !enough;
        enough
    }

    /// Whether there was not enough at some time.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.exceeded
    }
}

/// What a variable stands for.
#[derive(Debug, Clone)]
enum Meaning {
    /// Nothing known.
    Unknown,
    /// One unknown value in all lanes.
    Symbol,
    Is(Option<Sum>),
}

pub(super) struct Eval<'p> {
    p: &'p Program,
    vars: Vec<Meaning>,
    /// Values of expressions; what is in `noted` only.
    memo: Vec<Option<Option<Sum>>>,
    noted: Vec<ExprId>,
    /// Rounds of the loops around.
    pub(super) extents: Vec<u32>,
    /// Their counters.
    pub(super) counters: Vec<VarId>,
    pub(super) budget: Budget,
}

impl<'p> Eval<'p> {
    pub(super) fn new(p: &'p Program, budget: Budget) -> Eval<'p> {
        let vars = vec![Meaning::Unknown; p.vars.len()];
        Eval {
            p,
            vars,
            memo: vec![None; p.exprs.len()],
            noted: Vec::new(),
            extents: Vec::new(),
            counters: Vec::new(),
            budget,
        }
    }

    /// Forgets values: needed when a variable changes its meaning.
    fn forget(&mut self) {
        for id in self.noted.drain(..) {
            self.memo[id.0 as usize] = None;
        }
    }

    fn bind(&mut self, var: VarId, meaning: Meaning) {
        self.forget();
        self.vars[var.0 as usize] = meaning;
    }

    /// `var` has one unknown value.
    pub(super) fn bind_symbol(&mut self, var: VarId) {
        self.bind(var, Meaning::Symbol);
    }

    /// Nothing is known of `var`.
    pub(super) fn bind_unknown(&mut self, var: VarId) {
        self.bind(var, Meaning::Unknown);
    }

    /// `var` is bound to an expression.
    pub(super) fn bind_value(&mut self, var: VarId, value: ExprId) {
        let value = self.value(value);
        // A name for a value changes no other value: it has not been used yet.
        self.vars[var.0 as usize] = Meaning::Is(value);
    }

    /// `var` is `start + step * rounds` after a number of rounds that `symbol` stands for.
    pub(super) fn bind_round(&mut self, var: VarId, start: &Sum, step: u32, symbol: ExprId) {
        let rounds = Sum::symbol(symbol).scale(&Lanes::uniform(step), &self.extents);
        let value = start.add(&rounds, &self.extents);
        self.bind(var, Meaning::Is(value));
    }

    /// Enters a loop of `n` rounds in which `var` is `start + step * round`.
    pub(super) fn enter(&mut self, var: VarId, n: u32, start: u32, step: u32) {
        let dim = self.extents.len();
        let meaning = if dim < lanes::DIMS {
            Meaning::Is(Some(Sum::known(Lanes::counter(dim, start, step))))
        } else {
            Meaning::Unknown
        };
        self.bind(var, meaning);
        self.extents.push(n);
        self.counters.push(var);
    }

    pub(super) fn leave(&mut self) {
        self.forget();
        self.extents.pop();
        self.counters.pop();
    }

    /// The value in all lanes.
    pub(super) fn value(&mut self, root: ExprId) -> Option<Sum> {
        let mut todo = vec![root];
        while let Some(&id) = todo.last() {
            if self.memo[id.0 as usize].is_some() {
                todo.pop();
                continue;
            }
            let expr = self.p.exprs.expr(id);
            let before = todo.len();
            if !matches!(expr, Expr::Load(..)) {
                todo.extend(walk::operands(expr).filter(|o| self.memo[o.0 as usize].is_none()));
            }
            if todo.len() == before {
                let value = self.compute(id, expr);
                self.memo[id.0 as usize] = Some(value);
                self.noted.push(id);
                todo.pop();
            }
        }
        self.known(root)
    }

    fn known(&self, id: ExprId) -> Option<Sum> {
        self.memo[id.0 as usize].clone().flatten()
    }

    fn pay(&mut self, of: &[&Lanes]) -> bool {
        let depth = of.iter().map(|l| l.depth()).max().unwrap_or(0);
        let tables = of.iter().any(|l| l.as_uniform().is_none());
        !tables || self.budget.take(lanes_of(&self.extents[..depth]))
    }

    fn compute(&mut self, id: ExprId, expr: Expr) -> Option<Sum> {
        let ty = self.p.exprs.ty(id);
        if !lanes::fits(ty) {
            return None;
        }
        match expr {
            Expr::Const(c) => Some(Sum::known(Lanes::uniform(c.bits as u32))),
            Expr::Var(v) => match &self.vars[v.0 as usize] {
                Meaning::Is(value) => value.clone(),
                Meaning::Symbol if ty == ScalarType::U32 => Some(Sum::symbol(id)),
                _ => None,
            },
            Expr::Scalar(_) | Expr::Len(_) => (ty == ScalarType::U32).then(|| Sum::symbol(id)),
            Expr::Un(op, a) => self.map(id, a, |c| arith::un(op, c)),
            Expr::Cast(a) => self.map(id, a, |c| arith::cast(c, ty)),
            Expr::Bin(op, a, b) => self.bin(id, op, a, b),
            Expr::Select(c, a, b) => {
                let (c, a, b) = (self.known(c)?, self.known(a)?, self.known(b)?);
                let known = c.as_known()?;
                (self.pay(&[known, &a.rest, &b.rest])).then(|| Sum::select(known, &a, &b, &self.extents))?
            }
            _ => None,
        }
    }

    fn map(
        &mut self,
        id: ExprId,
        a: ExprId,
        f: impl Fn(crate::program::Const) -> crate::program::Const,
    ) -> Option<Sum> {
        let from = self.p.exprs.ty(a);
        let x = self.known(a)?;
        if !x.terms.is_empty() {
            return self.opaque(id, &[&x]);
        }
        if !self.pay(&[&x.rest]) {
            return None;
        }
        Some(Sum::known(x.rest.map(&self.extents, |v| f(lanes::constant(from, v)).bits as u32)))
    }

    fn bin(&mut self, id: ExprId, op: BinOp, a: ExprId, b: ExprId) -> Option<Sum> {
        let ty = self.p.exprs.ty(a);
        let (x, y) = (self.known(a)?, self.known(b)?);
        if !self.pay(&[&x.rest, &y.rest]) {
            return None;
        }
        let e = &self.extents;
        if let (Some(x), Some(y)) = (x.as_known(), y.as_known()) {
            return Some(Sum::known(lanes::bin(op, ty, x, y, e)));
        }
        if ty != ScalarType::U32 {
            return self.opaque(id, &[&x, &y]);
        }
        match op {
            BinOp::Add => return x.add(&y, e),
            BinOp::Sub => return x.sub(&y, e),
            BinOp::Mul => return x.mul(&y, e),
            BinOp::Shl => {
                if let Some(k) = y.as_known().and_then(Lanes::as_uniform) {
                    return Some(x.scale(&Lanes::uniform(1 << (k % 32)), e));
                }
            }
            BinOp::Eq | BinOp::Ne => {
                let apart = x.sub(&y, e)?;
                return Some(Sum::known(lanes::bin(op, ty, apart.as_known()?, &Lanes::uniform(0), e)));
            }
            BinOp::And | BinOp::Or | BinOp::Xor => {
                if let Some(known) = self.low_bits(op, &x, &y).or_else(|| self.low_bits(op, &y, &x)) {
                    return Some(known);
                }
            }
            _ => {}
        }
        self.opaque(id, &[&x, &y])
    }

    /// `x op m` where all that is known of `x`, and `m`, lie below the lowest bit that `x`'s symbols reach.
    fn low_bits(&mut self, op: BinOp, x: &Sum, m: &Sum) -> Option<Sum> {
        let limit = 1u32.checked_shl(x.aligned()).map_or(u32::MAX, |l| l - 1);
        let m = m.as_known()?;
        for l in [m, &x.rest] {
            let small = l.spread(&self.extents, l.depth()).iter().all(|&v| v <= limit);
            if !small {
                return None;
            }
        }
        let rest = lanes::bin(op, ScalarType::U32, &x.rest, m, &self.extents);
        let terms = if op == BinOp::And { Vec::new() } else { x.terms.clone() };
        Some(Sum { terms, rest })
    }

    /// An operation on symbols alone is a symbol itself.
    fn opaque(&self, id: ExprId, operands: &[&Sum]) -> Option<Sum> {
        let uniform = operands.iter().all(|o| o.is_uniform());
        (uniform && self.p.exprs.ty(id) == ScalarType::U32).then(|| Sum::symbol(id))
    }
}
