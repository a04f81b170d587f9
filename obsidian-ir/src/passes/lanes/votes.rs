//! Votes: what a program reads of all elements of an array in lanes, one after the other, and the machine finds in one step.
//!
//! ```text
//! (f[0] as u32) | (f[1] as u32) << 1 | ..              the bits of flags: `vote.ballot`
//! f[0] | f[1] | ..  and  f[0] & f[1] & ..              `vote.any`, `vote.all`
//! (k[0] == k[i] as u32) | (k[1] == k[i] as u32) << 1 | ..   in lane `i`: `match.any`
//! ```
//! Whatever has this form means this, so a vote is never wrong, only perhaps not seen. Source: PTX ISA, `vote.sync` and
//! `match.sync`; the library's `ballot`, `any`, `all` and `match_any`.

use super::{Keeper, LANES};
use crate::diag::Span;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Exprs, Range, ScalarType, ShuffleKind, Stmt, StmtKind};

/// An expression that is a vote.
pub(super) struct Vote {
    array: ArrayId,
    kind: ShuffleKind,
    /// The loads in it, with their indices.
    pub loads: Vec<(ExprId, ExprId)>,
}

impl Keeper<'_> {
    /// What an expression asks all lanes, if it is a vote on an array that is kept in them.
    pub(super) fn vote(&mut self, id: ExprId) -> Option<Vote> {
        let Expr::Bin(op @ (BinOp::Or | BinOp::And), ..) = self.p.exprs.expr(id) else { return None };
        let terms = chain(&self.p.exprs, id, op);
        let e = &self.p.exprs;
        let found = match (e.ty(id), op) {
            (ScalarType::Bool, _) => flags(e, &terms, |_, _, term| Some(term), ShuffleKind::All(op)),
            (ScalarType::U32, BinOp::Or) => flags(e, &terms, flag_at, ShuffleKind::Ballot).or_else(|| keys(e, &terms)),
            _ => None,
        };
        let vote =
            found.filter(|v| self.registers.contains_key(&v.array) && self.len(v.array) == terms.len() as u32)?;
        (vote.kind != ShuffleKind::Same || self.asks_of_itself(&vote)).then_some(vote)
    }

    /// Whether each lane that has an instance compares the elements with its own.
    fn asks_of_itself(&mut self, vote: &Vote) -> bool {
        let (Some(round), Some(&(_, own))) = (&self.round, vote.loads.last()) else { return false };
        let valid = round.valid;
        let table = self.eval.list(&self.p.exprs, own);
        table.is_some_and(|table| (0..valid).all(|lane| table[lane as usize] == lane))
    }

    /// The value of a vote; the lanes without an element of their own have none.
    pub(super) fn voted(&mut self, id: ExprId, vote: &Vote, out: &mut Block, span: Span) -> ExprId {
        if let Some((_, value)) = self.done.iter().find(|(what, _)| *what == (vote.array, id)) {
            return *value;
        }
        let n = self.len(vote.array);
        let value = self.p.exprs.var(self.registers[&vote.array][0]);
        let voted = match vote.kind {
            ShuffleKind::All(op) if n < LANES => {
                let bits = self.asked(value, ShuffleKind::Ballot, out, span);
                let all = self.p.exprs.u32(u32::MAX >> (LANES - n));
                let bits = self.p.exprs.bin(BinOp::And, bits, all);
                let zero = self.p.exprs.u32(0);
                match op {
                    BinOp::Or => self.p.exprs.bin(BinOp::Ne, bits, zero),
                    _ => self.p.exprs.bin(BinOp::Eq, bits, all),
                }
            }
            kind => {
                let found = self.asked(value, kind, out, span);
                let all = self.p.exprs.u32(u32::MAX >> (LANES - n));
                if n < LANES { self.p.exprs.bin(BinOp::And, found, all) } else { found }
            }
        };
        if self.round.is_some() {
            self.done.push(((vote.array, id), voted));
        }
        voted
    }

    fn asked(&mut self, value: ExprId, kind: ShuffleKind, out: &mut Block, span: Span) -> ExprId {
        let (ty, lane) = (kind.gives(self.p.exprs.ty(value)), self.p.exprs.u32(0));
        let var = self.p.new_var("x", ty, false, Range::full(ty));
        out.push(Stmt::new(StmtKind::Shuffle { var, value, kind, lane }, span));
        self.p.exprs.var(var)
    }
}

/// The operands of `((a op b) op c) op ..`, the first one first.
fn chain(exprs: &Exprs, mut id: ExprId, op: BinOp) -> Vec<ExprId> {
    let mut terms = Vec::new();
    while let Expr::Bin(o, a, b) = exprs.expr(id)
        && o == op
        && terms.len() < LANES as usize
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
        let vote = vote.get_or_insert(Vote { array, kind, loads: Vec::new() });
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
        let (vote, asked) = vote.get_or_insert((Vote { array, kind: ShuffleKind::Same, loads: Vec::new() }, own));
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
