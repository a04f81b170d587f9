//! Votes of arrays that are kept in lanes: `vote.ballot`, `vote.any`, `vote.all` and `match.any`. Source: PTX ISA, `vote.sync` and
//! `match.sync`.

use super::{Keeper, LANES};
use crate::diag::Span;
use crate::program::votes::{self, Vote};
use crate::program::{BinOp, Block, ExprId, Range, ShuffleKind, Stmt, StmtKind};

impl Keeper<'_> {
    /// What an expression asks all lanes, if it is a vote on an array that is kept in them.
    pub(super) fn vote(&mut self, id: ExprId) -> Option<Vote> {
        let vote = votes::vote(&self.p.exprs, id)
            .filter(|v| self.registers.contains_key(&v.array) && self.len(v.array) == v.voters)?;
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
