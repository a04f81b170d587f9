//! What an expression of the host's is, from what its leaves are.

use crate::program::{Const, Expr, ExprId, Exprs, arith, walk};
use crate::tables::HashMap;

/// The bits of an expression, where `leaf` gives those of lengths, scalars and whatever else the host does not compute.
///
/// # Errors
/// The first that `leaf` gives.
pub fn evaluate<F>(exprs: &Exprs, e: ExprId, mut leaf: impl FnMut(Expr) -> Result<u64, F>) -> Result<u64, F> {
    let mut found: HashMap<ExprId, Const> = HashMap::default();
    for id in walk::reachable(exprs, [e], |_| false) {
        let ty = exprs.ty(id);
        let value = match exprs.expr(id) {
            Expr::Const(c) => c,
            Expr::Un(op, a) => arith::un(op, found[&a]),
            Expr::Bin(op, a, b) => arith::bin(op, found[&a], found[&b]),
            Expr::Select(c, a, b) => found[if found[&c].bits != 0 { &a } else { &b }],
            Expr::Cast(a) => arith::cast(found[&a], ty),
            Expr::Bits(a) => arith::bits(found[&a], ty),
            Expr::MulAdd(a, b, c) => arith::mul_add(found[&a], found[&b], found[&c]),
            // The host computes as the CPU does.
            Expr::OnGpu => Const { ty, bits: 0 },
            other @ (Expr::Len(_) | Expr::Scalar(_) | Expr::Var(_) | Expr::Load(..) | Expr::Special(_)) => {
                Const { ty, bits: leaf(other)? }
            }
        };
        found.insert(id, value);
    }
    Ok(found[&e].bits)
}
