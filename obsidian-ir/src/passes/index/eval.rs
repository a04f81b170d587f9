//! The one evaluator: the value of an expression for all rounds of a box of loops at once.
//!
//! Expressions come in, and what their variables stand for; out goes a [`Sum`], or `None` for what depends on data, mixes
//! symbols and rounds in other ways than a polynomial, or would take more than the budget. Values of more than 32 bits are
//! followed too, but are no sums.

use std::rc::Rc;

use super::budget::Budget;
use super::sum::Sum;
use super::table::{self, Table, lanes_of};
use crate::passes::walk;
use crate::program::{BinOp, Const, Expr, ExprId, Exprs, ScalarType, VarId, arith};

/// What a variable stands for.
#[derive(Debug, Clone)]
enum Meaning {
    /// Nothing known.
    Unknown,
    /// One unknown value in all lanes.
    Symbol,
    Is(Option<Value>),
}

/// The values of an expression.
#[derive(Debug, Clone)]
enum Value {
    Word(Sum),
    /// More than 32 bits each: for the rounds of the first `depth` loops.
    Wide {
        depth: usize,
        values: Rc<[u64]>,
    },
}

/// The evaluator: a box of loops and what variables stand for in it.
#[derive(Debug)]
pub struct Eval {
    vars: Vec<Meaning>,
    /// Values of expressions; what is in `noted` only.
    memo: Vec<Option<Option<Value>>>,
    noted: Vec<ExprId>,
    /// What some symbols are taken to be.
    supposed: Vec<(ExprId, Sum)>,
    /// Rounds of the loops around.
    extents: Vec<u32>,
    /// What may still be spent.
    pub budget: Budget,
}

impl Eval {
    /// No loop, and nothing known of any variable.
    pub fn new(budget: Budget) -> Eval {
        Eval {
            vars: Vec::new(),
            memo: Vec::new(),
            noted: Vec::new(),
            supposed: Vec::new(),
            extents: Vec::new(),
            budget,
        }
    }

    /// Inside loops of `extents` rounds; nothing is known of any variable.
    pub fn over(extents: Vec<u32>, budget: Budget) -> Eval {
        Eval { extents, ..Eval::new(budget) }
    }

    /// Rounds of the loops around, the outermost first.
    pub fn extents(&self) -> &[u32] {
        &self.extents
    }

    /// Forgets values: needed when a variable changes its meaning.
    fn forget(&mut self) {
        for id in self.noted.drain(..) {
            self.memo[id.0 as usize] = None;
        }
    }

    fn mean(&mut self, var: VarId, meaning: Meaning) {
        let at = var.0 as usize;
        if self.vars.len() <= at {
            self.vars.resize(at + 1, Meaning::Unknown);
        }
        self.vars[at] = meaning;
    }

    fn bind(&mut self, var: VarId, meaning: Meaning) {
        self.forget();
        self.mean(var, meaning);
    }

    /// `var` has one unknown value.
    pub fn bind_symbol(&mut self, var: VarId) {
        self.bind(var, Meaning::Symbol);
    }

    /// Nothing is known of `var`.
    pub fn bind_unknown(&mut self, var: VarId) {
        self.bind(var, Meaning::Unknown);
    }

    /// `var` is bound to an expression, and no value that was asked for depends on it.
    pub fn bind_value(&mut self, exprs: &Exprs, var: VarId, value: ExprId) {
        let value = self.any_value(exprs, value);
        self.mean(var, Meaning::Is(value));
    }

    /// `var` is `start + step * rounds` after a number of rounds that `symbol` stands for.
    pub fn bind_round(&mut self, var: VarId, start: &Sum, step: u32, symbol: ExprId) {
        let rounds = Sum::symbol(symbol).scale(&Table::uniform(step), &self.extents);
        let value = start.add(&rounds, &self.extents);
        self.bind(var, Meaning::Is(value.map(Value::Word)));
    }

    /// `var` is the round of a loop around: the first is 0.
    pub fn bind_counter(&mut self, var: VarId, dim: usize) {
        self.bind(var, Meaning::Is(Some(Value::Word(Sum::known(Table::counter(dim, 0, 1))))));
    }

    /// Enters a loop of `n` rounds in which `var` is `start + step * round`.
    pub fn enter(&mut self, var: VarId, n: u32, start: u32, step: u32) {
        let dim = self.extents.len();
        let counter = (dim < table::MAX_LOOPS).then(|| Value::Word(Sum::known(Table::counter(dim, start, step))));
        self.bind(var, counter.map_or(Meaning::Unknown, |counter| Meaning::Is(Some(counter))));
        self.extents.push(n);
    }

    /// Leaves the loop that was entered last.
    pub fn leave(&mut self) {
        self.forget();
        self.extents.pop();
    }

    /// The value in all lanes; `None` too where it has more than 32 bits.
    pub fn value(&mut self, exprs: &Exprs, root: ExprId) -> Option<Sum> {
        match self.any_value(exprs, root)? {
            Value::Word(sum) => Some(sum),
            Value::Wide { .. } => None,
        }
    }

    /// The value where each of some symbols is a sum: each may be made of those before it, and of itself as a symbol for something else.
    pub fn value_given(&mut self, exprs: &Exprs, root: ExprId, supposed: &[(ExprId, Sum)]) -> Option<Sum> {
        self.forget();
        self.supposed = supposed.to_vec();
        let value = self.value(exprs, root);
        self.supposed.clear();
        self.forget();
        value
    }

    /// The values for the rounds of all loops around, where they are known.
    pub fn list(&mut self, exprs: &Exprs, root: ExprId) -> Option<Rc<[u32]>> {
        let sum = self.value(exprs, root)?;
        let known = sum.as_known()?;
        let affordable = self.budget.take(lanes_of(&self.extents));
        affordable.then(|| known.spread(&self.extents, self.extents.len()))
    }

    fn any_value(&mut self, exprs: &Exprs, root: ExprId) -> Option<Value> {
        if self.memo.len() < exprs.len() {
            self.memo.resize(exprs.len(), None);
        }
        let mut todo = vec![root];
        while let Some(&id) = todo.last() {
            if self.memo[id.0 as usize].is_some() {
                todo.pop();
                continue;
            }
            let expr = exprs.expr(id);
            let before = todo.len();
            if !matches!(expr, Expr::Load(..)) {
                todo.extend(walk::operands(expr).filter(|o| self.memo[o.0 as usize].is_none()));
            }
            if todo.len() == before {
                let value = self.compute(exprs, id, expr);
                self.memo[id.0 as usize] = Some(value);
                self.noted.push(id);
                todo.pop();
            }
        }
        self.memo[root.0 as usize].clone().flatten()
    }

    fn known(&self, id: ExprId) -> Option<&Sum> {
        match self.memo[id.0 as usize].as_ref()?.as_ref()? {
            Value::Word(sum) => Some(sum),
            Value::Wide { .. } => None,
        }
    }

    fn pay(&mut self, of: &[&Table]) -> bool {
        let depth = of.iter().map(|l| l.depth()).max().unwrap_or(0);
        let tables = of.iter().any(|l| l.as_uniform().is_none());
        !tables || self.budget.take(lanes_of(&self.extents[..depth]))
    }

    fn compute(&mut self, exprs: &Exprs, id: ExprId, expr: Expr) -> Option<Value> {
        if let Some((_, sum)) = self.supposed.iter().find(|(symbol, _)| *symbol == id) {
            return Some(Value::Word(sum.clone()));
        }
        let ty = exprs.ty(id);
        let meaning = match expr {
            Expr::Var(v) => self.vars.get(v.0 as usize).unwrap_or(&Meaning::Unknown),
            _ => &Meaning::Unknown,
        };
        match meaning {
            Meaning::Is(Some(Value::Word(sum))) if !self.supposed.is_empty() => {
                return sum.given(&self.supposed, &self.extents).map(Value::Word);
            }
            Meaning::Is(value) => return value.clone(),
            Meaning::Symbol if ty == ScalarType::U32 => return Some(Value::Word(Sum::symbol(id))),
            _ => {}
        }
        let is_wide = |e: ExprId| !table::fits(exprs.ty(e));
        if is_wide(id) || walk::operands(expr).any(is_wide) {
            return self.wide(exprs, id, expr);
        }
        self.word(exprs, id, expr).map(Value::Word)
    }

    fn word(&mut self, exprs: &Exprs, id: ExprId, expr: Expr) -> Option<Sum> {
        let ty = exprs.ty(id);
        match expr {
            Expr::Const(c) => Some(Sum::known(Table::uniform(c.bits as u32))),
            Expr::Scalar(_) | Expr::Len(_) => (ty == ScalarType::U32).then(|| Sum::symbol(id)),
            Expr::Un(op, a) => self.map(exprs, id, a, |c| arith::un(op, c)),
            Expr::Cast(a) => self.map(exprs, id, a, |c| arith::cast(c, ty)),
            Expr::Bin(op, a, b) => self.bin(exprs, id, op, a, b),
            Expr::Select(c, a, b) => {
                let (c, a, b) = (self.known(c)?.clone(), self.known(a)?.clone(), self.known(b)?.clone());
                let known = c.as_known()?;
                (self.pay(&[known, &a.rest, &b.rest])).then(|| Sum::select(known, &a, &b, &self.extents))?
            }
            _ => None,
        }
    }

    fn map(&mut self, exprs: &Exprs, id: ExprId, a: ExprId, f: impl Fn(Const) -> Const) -> Option<Sum> {
        let from = exprs.ty(a);
        let x = self.known(a)?.clone();
        if !x.terms.is_empty() {
            return opaque(exprs, id, &[&x]);
        }
        if !self.pay(&[&x.rest]) {
            return None;
        }
        Some(Sum::known(x.rest.map(&self.extents, |v| f(table::constant(from, v)).bits as u32)))
    }

    fn bin(&mut self, exprs: &Exprs, id: ExprId, op: BinOp, a: ExprId, b: ExprId) -> Option<Sum> {
        let ty = exprs.ty(a);
        let (x, y) = (self.known(a)?.clone(), self.known(b)?.clone());
        if !self.pay(&[&x.rest, &y.rest]) {
            return None;
        }
        let e = &self.extents;
        if let (Some(x), Some(y)) = (x.as_known(), y.as_known()) {
            return Some(Sum::known(table::bin(op, ty, x, y, e)));
        }
        if ty != ScalarType::U32 {
            return opaque(exprs, id, &[&x, &y]);
        }
        match op {
            BinOp::Add => return x.add(&y, e),
            BinOp::Sub => return x.sub(&y, e),
            BinOp::Mul => return x.mul(&y, e),
            BinOp::Shl => {
                if let Some(k) = y.as_known().and_then(Table::as_uniform) {
                    return Some(x.scale(&Table::uniform(1 << (k % 32)), e));
                }
            }
            BinOp::Eq | BinOp::Ne => {
                let apart = x.sub(&y, e)?;
                return Some(Sum::known(table::bin(op, ty, apart.as_known()?, &Table::uniform(0), e)));
            }
            BinOp::And | BinOp::Or | BinOp::Xor => {
                if let Some(known) = self.low_bits(op, &x, &y).or_else(|| self.low_bits(op, &y, &x)) {
                    return Some(known);
                }
            }
            BinOp::Rem => {
                let mask = y.as_known().and_then(Table::as_uniform).filter(|d| d.is_power_of_two()).map(|d| d - 1);
                let mask = mask.map(|mask| Sum::known(Table::uniform(mask)));
                if let Some(known) = mask.and_then(|mask| self.low_bits(BinOp::And, &x, &mask)) {
                    return Some(known);
                }
            }
            _ => {}
        }
        opaque(exprs, id, &[&x, &y])
    }

    /// `x op m` where `m` lies below the lowest bit that `x`'s symbols reach; but for `&`, which lets nothing else through, so does all that is
    /// known of `x`.
    fn low_bits(&self, op: BinOp, x: &Sum, m: &Sum) -> Option<Sum> {
        let limit = 1u32.checked_shl(x.aligned()).map_or(u32::MAX, |l| l - 1);
        let m = m.as_known()?;
        let below = if op == BinOp::And { vec![m] } else { vec![m, &x.rest] };
        for l in below {
            let small = l.spread(&self.extents, l.depth()).iter().all(|&v| v <= limit);
            if !small {
                return None;
            }
        }
        let rest = table::bin(op, ScalarType::U32, &x.rest, m, &self.extents);
        let terms = if op == BinOp::And { Vec::new() } else { x.terms.clone() };
        Some(Sum { terms, rest })
    }

    /// An operation with more than 32 bits in it, value by value.
    fn wide(&mut self, exprs: &Exprs, id: ExprId, expr: Expr) -> Option<Value> {
        let ty = exprs.ty(id);
        match expr {
            Expr::Const(c) => return Some(Value::Wide { depth: 0, values: Rc::from([c.bits]) }),
            Expr::Un(..) | Expr::Bin(..) | Expr::Cast(_) | Expr::Select(..) => {}
            _ => return None,
        }
        let operands: Vec<ExprId> = walk::operands(expr).collect();
        let depths: Option<Vec<usize>> = operands.iter().map(|&e| self.depth(e)).collect();
        let depth = depths?.into_iter().max().unwrap_or(0);
        if !self.budget.take(lanes_of(&self.extents[..depth])) {
            return None;
        }
        let columns: Option<Vec<Vec<Const>>> = operands.iter().map(|&e| self.column(exprs, e, depth)).collect();
        let columns = columns?;
        let lanes = lanes_of(&self.extents[..depth]) as usize;
        let values = (0..lanes).map(|lane| {
            let of = |k: usize| columns[k][lane];
            match expr {
                Expr::Un(op, _) => arith::un(op, of(0)).bits,
                Expr::Cast(_) => arith::cast(of(0), ty).bits,
                Expr::Bin(op, ..) => arith::bin(op, of(0), of(1)).bits,
                _ => of(if of(0).bits != 0 { 1 } else { 2 }).bits,
            }
        });
        if table::fits(ty) {
            let values = values.map(|bits| bits as u32).collect();
            return Some(Value::Word(Sum::known(Table::Listed { depth, values })));
        }
        Some(Value::Wide { depth, values: values.collect() })
    }

    /// How many of the outer loops a known value depends on.
    fn depth(&self, e: ExprId) -> Option<usize> {
        match self.memo[e.0 as usize].as_ref()?.as_ref()? {
            Value::Word(sum) => sum.as_known().map(Table::depth),
            Value::Wide { depth, .. } => Some(*depth),
        }
    }

    /// The values for the rounds of the first `depth` loops.
    fn column(&self, exprs: &Exprs, e: ExprId, depth: usize) -> Option<Vec<Const>> {
        let ty = exprs.ty(e);
        match self.memo[e.0 as usize].as_ref()?.as_ref()? {
            Value::Word(sum) => {
                let values = sum.as_known()?.spread(&self.extents, depth);
                Some(values.iter().map(|&v| table::constant(ty, v)).collect())
            }
            Value::Wide { depth: own, values } => {
                let each = lanes_of(&self.extents[*own..depth]) as usize;
                Some(values.iter().flat_map(|&bits| std::iter::repeat_n(Const { ty, bits }, each)).collect())
            }
        }
    }
}

/// An operation on symbols alone is a symbol itself.
fn opaque(exprs: &Exprs, id: ExprId, operands: &[&Sum]) -> Option<Sum> {
    let uniform = operands.iter().all(|o| o.is_uniform());
    (uniform && exprs.ty(id) == ScalarType::U32).then(|| Sum::symbol(id))
}

#[cfg(test)]
mod tests;
