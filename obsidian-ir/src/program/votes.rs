//! Votes: what a program reads of all elements of an array, one after the other, and a machine finds in one step.
//!
//! ```text
//! (f[0] as u32) | (f[1] as u32) << 1 | ..              the bits of flags
//! f[0] | f[1] | ..  and  f[0] & f[1] & ..              whether one holds, whether all hold
//! (k[0] == k[i] as u32) | (k[1] == k[i] as u32) << 1 | ..   which keys are equal to one of them
//! ```
//! Whatever has this form means this, so a vote is never wrong, only perhaps not seen. These are the library's `ballot`, `any`,
//! `all` and `match_any`.

use super::{ArrayId, BinOp, Expr, ExprId, Exprs, ScalarType, ShuffleKind};

/// The most elements that a vote has: a bit for each.
const MAX_VOTERS: usize = 32;

/// An expression that is a vote.
pub(crate) struct Vote {
    /// What votes: all elements from the first on, one for each term.
    pub array: ArrayId,
    /// What is asked of them.
    pub kind: ShuffleKind,
    /// How many elements vote.
    pub voters: u32,
    /// The loads in it, with their indices; of [`ShuffleKind::Same`] the last is the key that the others are compared with.
    pub loads: Vec<(ExprId, ExprId)>,
}

/// What an expression asks all elements of an array, if it is a vote.
pub(crate) fn vote(exprs: &Exprs, id: ExprId) -> Option<Vote> {
    let Expr::Bin(op @ (BinOp::Or | BinOp::And), ..) = exprs.expr(id) else { return None };
    let terms = chain(exprs, id, op);
    match (exprs.ty(id), op) {
        (ScalarType::Bool, _) => flags(exprs, &terms, |_, _, term| Some(term), ShuffleKind::All(op)),
        (ScalarType::U32, BinOp::Or) => {
            flags(exprs, &terms, flag_at, ShuffleKind::Ballot).or_else(|| keys(exprs, &terms))
        }
        _ => None,
    }
}

/// The operands of `((a op b) op c) op ..`, the first one first.
fn chain(exprs: &Exprs, mut id: ExprId, op: BinOp) -> Vec<ExprId> {
    let mut terms = Vec::new();
    while let Expr::Bin(o, a, b) = exprs.expr(id)
        && o == op
        && terms.len() < MAX_VOTERS
    {
        terms.push(b);
        id = a;
    }
    terms.push(id);
    terms.reverse();
    terms
}

/// Bit `k` of a mask: what stands for `flag as u32 << k`.
fn flag_at(exprs: &Exprs, k: u32, term: ExprId) -> Option<ExprId> {
    let flag = match exprs.expr(term) {
        Expr::Bin(BinOp::Shl, flag, by) if k > 0 && exprs.as_u32(by) == Some(k) => flag,
        _ if k == 0 => term,
        _ => return None,
    };
    match exprs.expr(flag) {
        Expr::Cast(flag) if exprs.ty(flag) == ScalarType::Bool => Some(flag),
        _ => None,
    }
}

/// Terms of which each is, by `of`, element `k` of an array of flags.
fn flags(
    exprs: &Exprs,
    terms: &[ExprId],
    of: impl Fn(&Exprs, u32, ExprId) -> Option<ExprId>,
    kind: ShuffleKind,
) -> Option<Vote> {
    let mut vote: Option<Vote> = None;
    for (k, &term) in terms.iter().enumerate() {
        let load = of(exprs, k as u32, term)?;
        let (array, index) = element(exprs, load)?;
        let vote = vote.get_or_insert(Vote { array, kind, voters: terms.len() as u32, loads: Vec::new() });
        if vote.array != array || exprs.as_u32(index) != Some(k as u32) {
            return None;
        }
        vote.loads.push((load, index));
    }
    vote
}

/// Bits of which each tells whether element `k` of an array equals one and the same other; that one comes last.
fn keys(exprs: &Exprs, terms: &[ExprId]) -> Option<Vote> {
    let mut vote: Option<(Vote, ExprId)> = None;
    for (k, &term) in terms.iter().enumerate() {
        let Expr::Bin(BinOp::Eq, key, own) = exprs.expr(flag_at(exprs, k as u32, term)?) else { return None };
        let (array, index) = element(exprs, key)?;
        if !exprs.ty(key).is_int() {
            return None;
        }
        let none = Vote { array, kind: ShuffleKind::Same, voters: terms.len() as u32, loads: Vec::new() };
        let (vote, asked) = vote.get_or_insert((none, own));
        if vote.array != array || *asked != own || exprs.as_u32(index) != Some(k as u32) {
            return None;
        }
        vote.loads.push((key, index));
    }
    let (mut vote, own) = vote?;
    let (array, index) = element(exprs, own)?;
    vote.loads.push((own, index));
    (array == vote.array).then_some(vote)
}

fn element(exprs: &Exprs, load: ExprId) -> Option<(ArrayId, ExprId)> {
    match exprs.expr(load) {
        Expr::Load(array, index) => Some((array, index)),
        _ => None,
    }
}
