//! Proves by trying them all that the places which a known number of instances write are `0 .. len`, each once.
//! In: index expressions over loop variables of known range. Out: nothing, or the first place that is wrong.

use obsidian_ir::passes::index::{Budget, Eval};
use obsidian_ir::passes::walk;
use obsidian_ir::program::{Expr, ExprId, Exprs, VarId};
use obsidian_ir::tables::HashSet;

/// Places that are tried; beyond this the compiler would take too long.
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

/// Whether `indices`, for all values of the loops together, are `0 .. product of the loops' lengths * indices.len()`,
/// each once.
pub(super) fn prove(exprs: &Exprs, loops: &[(VarId, u32)], indices: &[ExprId]) -> Result<(), Fault> {
    let rounds = loops.iter().try_fold(1u64, |n, &(_, len)| n.checked_mul(len.into())).unwrap_or(u64::MAX);
    let places = rounds.saturating_mul(indices.len() as u64);
    if places > MAX_PLACES {
        return Err(Fault::TooMany(places));
    }
    let mut eval = Eval::new(Budget::new(u64::MAX));
    loops.iter().for_each(|&(var, len)| eval.enter(var, len, 0, 1));
    let mut all = Vec::with_capacity(indices.len());
    for &index in indices {
        let list = eval.list(exprs, index);
        all.push(list.ok_or_else(|| Fault::Depends(stranger(exprs, loops, index).unwrap_or(index)))?);
    }
    let mut written = vec![false; places as usize];
    for round in 0..rounds as usize {
        for list in &all {
            let at = list[round];
            let slot = written.get_mut(at as usize).ok_or(Fault::Outside(at.into()))?;
            if std::mem::replace(slot, true) {
                return Err(Fault::Twice(at));
            }
        }
    }
    Ok(())
}

/// The first part of an index that is not made of the loops' counters.
fn stranger(exprs: &Exprs, loops: &[(VarId, u32)], index: ExprId) -> Option<ExprId> {
    let (mut todo, mut seen) = (vec![index], HashSet::default());
    while let Some(id) = todo.pop() {
        match exprs.expr(id) {
            _ if !seen.insert(id) => {}
            Expr::Var(v) if loops.iter().any(|&(var, _)| var == v) => {}
            Expr::Const(_) => {}
            expr @ (Expr::Un(..) | Expr::Bin(..) | Expr::Select(..) | Expr::Cast(_)) => {
                let mut operands: Vec<ExprId> = walk::operands(expr).collect();
                operands.reverse();
                todo.extend(operands);
            }
            _ => return Some(id),
        }
    }
    None
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
