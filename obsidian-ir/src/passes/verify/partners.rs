//! R41. Threads that update their own element and a partner's, `i` and `i ^ k` with one `k` for all, where the partner comes behind: of two partners
//! one alone does it. So does a step of a sort, `if p > i && m[i] > m[p] { .. }`.

use super::radix::{self, Products};
use super::touches::{Touch, touches};
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Expr, ExprId, Exprs, Program, VarId};
use crate::tables::HashMap;

/// What names stand for.
struct Names<'p> {
    exprs: &'p Exprs,
    lets: HashMap<VarId, ExprId>,
}

/// Whether all accesses to an array are at a thread's own place or its partner's, behind a test of which comes first; in launches in which none
/// of these products wraps.
pub(super) fn partners_apart(p: &Program, array: ArrayId) -> Option<Products> {
    let touches = touches(p, array);
    let names = Names { exprs: &p.exprs, lets: walk::lasting_lets(p) };
    let mut places: Vec<ExprId> = touches.iter().map(|touch| names.meant(touch.index)).collect();
    places.sort_unstable();
    places.dedup();
    let &[one, two] = &places[..] else { return None };
    let (own, partner) =
        [(one, two), (two, one)].into_iter().find(|&(own, partner)| names.are_partners(own, partner))?;
    let orders = [(own, partner), (partner, own)];
    let is_first = |touch: &Touch, order| touch.given.iter().any(|&cond| names.says(cond, order));
    orders.iter().find(|&&order| touches.iter().all(|touch| is_first(touch, order)))?;
    radix::apart_by(p, array, &touches, own)
}

impl Names<'_> {
    /// What a name stands for.
    fn meant(&self, mut e: ExprId) -> ExprId {
        while let Expr::Var(var) = self.exprs.expr(e) {
            match self.lets.get(&var) {
                Some(&value) => e = value,
                None => break,
            }
        }
        e
    }

    /// Whether the second is the first with bits flipped that the launch knows.
    fn are_partners(&self, own: ExprId, partner: ExprId) -> bool {
        let Expr::Bin(BinOp::Xor, a, b) = self.exprs.expr(partner) else { return false };
        [(a, b), (b, a)].iter().any(|&(i, k)| self.meant(i) == own && self.exprs.known_at_launch(k))
    }

    /// Whether a condition says that one number is less than another.
    fn says(&self, cond: ExprId, (less, more): (ExprId, ExprId)) -> bool {
        match self.exprs.expr(self.meant(cond)) {
            Expr::Bin(BinOp::And, a, b) => self.says(a, (less, more)) || self.says(b, (less, more)),
            Expr::Bin(BinOp::Lt, a, b) | Expr::Bin(BinOp::Gt, b, a) => (self.meant(a), self.meant(b)) == (less, more),
            _ => false,
        }
    }
}
