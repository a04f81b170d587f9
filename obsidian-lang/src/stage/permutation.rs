//! Proves, by trying all of them, that the places which a known number of instances write are `0 .. len`, each once.
//! In: index expressions over loop variables of known range. Out: nothing, or the first place that is wrong.

use obsidian_ir::program::{Const, Expr, ExprId, Exprs, VarId, arith};
use obsidian_ir::tables::HashMap;

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
    Un(obsidian_ir::program::UnOp, usize),
    Bin(obsidian_ir::program::BinOp, usize, usize),
    Select(usize, usize, usize),
    Cast(usize, obsidian_ir::program::ScalarType),
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
    use obsidian_ir::program::{BinOp, Const, Program, Range, ScalarType};

    fn index(p: &mut Program, name: &str, n: i128) -> (VarId, ExprId) {
        let var = p.new_var(name, ScalarType::U32, false, Range::new(0, n - 1));
        (var, p.exprs.var(var))
    }

    fn op(p: &mut Program, op: BinOp, a: ExprId, b: u32) -> ExprId {
        let b = p.exprs.constant(Const::u32(b));
        p.exprs.bin(op, a, b)
    }

    /// Two writes of each of 8 instances: at `f(i)` and at `f(i) ^ mask`.
    fn pairs(mask: u32, f: impl Fn(&mut Program, ExprId) -> ExprId) -> Result<(), Fault> {
        let mut p = Program::new("test", 32);
        let (v, i) = index(&mut p, "i", 8);
        let low = f(&mut p, i);
        let high = op(&mut p, BinOp::Xor, low, mask);
        prove(&p.exprs, &[(v, 8)], &[low, high])
    }

    fn double(p: &mut Program, i: ExprId) -> ExprId {
        op(p, BinOp::Mul, i, 2)
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
        let mut p = Program::new("test", 32);
        let (v, i) = index(&mut p, "i", 8);
        let (_, other) = index(&mut p, "j", 2);
        let at = p.exprs.bin(BinOp::Xor, i, other);
        assert!(matches!(prove(&p.exprs, &[(v, 8)], &[at]), Err(Fault::Depends(e)) if e == other));
        assert!(matches!(prove(&p.exprs, &[(v, u32::MAX)], &[i]), Err(Fault::TooMany(_))));
    }
}
