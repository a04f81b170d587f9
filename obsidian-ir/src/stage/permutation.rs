//! Proves, by trying all of them, that the places which a known number of instances write are `0 .. len`, each once.
//! In: index expressions over loop variables of known range. Out: nothing, or the first place that is wrong.

use crate::program::{Const, Expr, ExprId, Exprs, VarId, arith};
use crate::tables::HashMap;

/// The most places that are tried: more would take the compiler too long.
const MAX_PLACES: u64 = 1 << 17;

/// Why the places are not each written once.
pub(super) enum Fault {
    /// The index depends on more than the instance.
    Depends(ExprId),
    /// How many instances there are is not known.
    Unknown(ExprId),
    /// There are too many to try.
    TooMany(u64),
    /// Not below the length.
    Outside(i128),
    /// Written a second time, so that another place is left out.
    Twice(u32),
}

/// An operation on the values before it.
enum Step {
    Const(Const),
    /// The counter of a loop.
    Counter(usize),
    Un(crate::program::UnOp, usize),
    Bin(crate::program::BinOp, usize, usize),
    Select(usize, usize, usize),
    Cast(usize, crate::program::ScalarType),
}

/// Whether `indices`, for all values of the loops together, are `0 .. product of the loops' lengths * indices.len()`,
/// each once.
pub(super) fn prove(exprs: &Exprs, loops: &[(VarId, u32)], indices: &[ExprId]) -> Result<(), Fault> {
    let rounds = loops.iter().try_fold(1u64, |n, &(_, len)| n.checked_mul(len.into())).unwrap_or(u64::MAX);
    let places = rounds.saturating_mul(indices.len() as u64);
    if places > MAX_PLACES {
        return Err(Fault::TooMany(places));
    }
    let mut plan = Plan { exprs, loops, steps: Vec::new(), known: HashMap::default() };
    let roots = indices.iter().map(|&i| plan.add(i)).collect::<Result<Vec<_>, _>>()?;
    let steps = plan.steps;
    let mut written = vec![false; places as usize];
    let mut counters = vec![0u32; loops.len()];
    let mut values: Vec<Const> = Vec::with_capacity(steps.len());
    for _ in 0..rounds {
        values.clear();
        for step in &steps {
            let value = step.value(&values, &counters);
            values.push(value);
        }
        for &root in &roots {
            let at = values[root].int();
            let Some(slot) = usize::try_from(at).ok().and_then(|at| written.get_mut(at)) else {
                return Err(Fault::Outside(at));
            };
            if std::mem::replace(slot, true) {
                return Err(Fault::Twice(at as u32));
            }
        }
        advance(&mut counters, loops);
    }
    Ok(())
}

/// Counts up, the last loop fastest.
fn advance(counters: &mut [u32], loops: &[(VarId, u32)]) {
    for (counter, &(_, len)) in counters.iter_mut().zip(loops).rev() {
        *counter += 1;
        if *counter < len {
            return;
        }
        *counter = 0;
    }
}

struct Plan<'a> {
    exprs: &'a Exprs,
    loops: &'a [(VarId, u32)],
    steps: Vec<Step>,
    known: HashMap<ExprId, usize>,
}

impl Plan<'_> {
    /// The step that computes an expression; each expression once.
    fn add(&mut self, id: ExprId) -> Result<usize, Fault> {
        if let Some(&step) = self.known.get(&id) {
            return Ok(step);
        }
        let step = match self.exprs.expr(id) {
            Expr::Const(c) => Step::Const(c),
            Expr::Var(v) => match self.loops.iter().position(|&(var, _)| var == v) {
                Some(counter) => Step::Counter(counter),
                None => return Err(Fault::Depends(id)),
            },
            Expr::Un(op, a) => Step::Un(op, self.add(a)?),
            Expr::Bin(op, a, b) => Step::Bin(op, self.add(a)?, self.add(b)?),
            Expr::Select(c, a, b) => Step::Select(self.add(c)?, self.add(a)?, self.add(b)?),
            Expr::Cast(a) => Step::Cast(self.add(a)?, self.exprs.ty(id)),
            _ => return Err(Fault::Depends(id)),
        };
        self.steps.push(step);
        self.known.insert(id, self.steps.len() - 1);
        Ok(self.steps.len() - 1)
    }
}

impl Step {
    fn value(&self, values: &[Const], counters: &[u32]) -> Const {
        match *self {
            Step::Const(c) => c,
            Step::Counter(i) => Const::u32(counters[i]),
            Step::Un(op, a) => arith::un(op, values[a]),
            Step::Bin(op, a, b) => arith::bin(op, values[a], values[b]),
            Step::Select(c, a, b) => values[if values[c].bits != 0 { a } else { b }],
            Step::Cast(a, to) => arith::cast(values[a], to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::fixture::{Make, program};
    use crate::program::{BinOp, Program};

    /// Two writes of each of 8 instances: at `f(i)` and at `f(i) ^ mask`.
    fn pairs(mask: u32, f: impl Fn(&mut Program, ExprId) -> ExprId) -> Result<(), Fault> {
        let mut p = program(32);
        let (v, i) = p.index("i", 8);
        let low = f(&mut p, i);
        let mask = p.u32(mask);
        let high = p.op(BinOp::Xor, low, mask);
        prove(&p.exprs, &[(v, 8)], &[low, high])
    }

    fn double(p: &mut Program, i: ExprId) -> ExprId {
        let two = p.u32(2);
        p.op(BinOp::Mul, i, two)
    }

    #[test]
    fn places_written_once_are_accepted_and_others_named() {
        assert!(pairs(1, double).is_ok());
        assert!(pairs(8, |_, i| i).is_ok());
        assert!(matches!(pairs(2, double), Err(Fault::Twice(2))));
        assert!(matches!(pairs(16, double), Err(Fault::Outside(16))));
    }

    #[test]
    fn an_index_that_depends_on_more_is_refused() {
        let mut p = program(32);
        let (v, i) = p.index("i", 8);
        let (_, other) = p.index("j", 2);
        let at = p.op(BinOp::Xor, i, other);
        assert!(matches!(prove(&p.exprs, &[(v, 8)], &[at]), Err(Fault::Depends(e)) if e == other));
        assert!(matches!(prove(&p.exprs, &[(v, u32::MAX)], &[i]), Err(Fault::TooMany(_))));
    }
}
