//! Votes of a warp, whose flags lie in bytes: a function of the runtime in place of a sum of shifted flags.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::expr::Printer;
use super::{array_name, tokens};
use crate::program::votes::vote;
use crate::program::{BinOp, ExprId, ShuffleKind, Space};

/// The fewest flags for which the function is shorter than the sum.
const MIN_VOTERS: u32 = 8;

impl Printer<'_> {
    /// The value of an expression, if it is a vote of flags in the block's own memory.
    pub(super) fn vote(&self, id: ExprId) -> Option<TokenStream> {
        let vote = vote(&self.p.exprs, id).filter(|vote| vote.voters >= MIN_VOTERS)?;
        let name = match vote.kind {
            ShuffleKind::Ballot => "bits",
            ShuffleKind::All(BinOp::Or) => "any",
            ShuffleKind::All(BinOp::And) => "all",
            _ => return None,
        };
        if !matches!(self.p.array(vote.array).space, Space::Shared(_)) {
            return None;
        }
        let (name, voters, flags) = (tokens(name), Literal::u32_unsuffixed(vote.voters), array_name(vote.array));
        Some(quote!(abi::lanes::votes::#name::<#voters>(#flags)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::rust::fixtures::Build;
    use crate::level::Level;
    use crate::program::{ArrayId, ScalarType};

    /// What is printed of the vote of `n` flags of an array in this space, `term` by `term`.
    fn printed(space: Space, n: u32, term: impl Fn(&mut Build, ArrayId, u32) -> ExprId, op: BinOp) -> String {
        let mut b = Build::new("votes", 32);
        let len = b.u32(n);
        let flags = b.array("f", ScalarType::Bool, len, space);
        let mut all = term(&mut b, flags, 0);
        for k in 1..n {
            let next = term(&mut b, flags, k);
            all = b.bin(op, all, next);
        }
        Printer::new(&b.0).value(all).to_string()
    }

    fn flag(b: &mut Build, flags: ArrayId, k: u32) -> ExprId {
        let at = b.u32(k);
        b.load(flags, at)
    }

    fn bit(b: &mut Build, flags: ArrayId, k: u32) -> ExprId {
        let flag = flag(b, flags, k);
        let one = b.0.exprs.cast(flag, ScalarType::U32);
        let by = b.u32(k);
        if k == 0 { one } else { b.bin(BinOp::Shl, one, by) }
    }

    #[test]
    fn flags_in_a_blocks_memory_vote_at_once() {
        let own = Space::Shared(Level::Warp);
        assert_eq!(printed(own, 32, bit, BinOp::Or), "abi :: lanes :: votes :: bits :: < 32 > (__a0)");
        assert_eq!(printed(own, 20, bit, BinOp::Or), "abi :: lanes :: votes :: bits :: < 20 > (__a0)");
        assert_eq!(printed(own, 32, flag, BinOp::Or), "abi :: lanes :: votes :: any :: < 32 > (__a0)");
        assert_eq!(printed(own, 32, flag, BinOp::And), "abi :: lanes :: votes :: all :: < 32 > (__a0)");
    }

    #[test]
    fn others_are_counted_one_by_one() {
        assert!(!printed(Space::Shared(Level::Warp), 4, bit, BinOp::Or).contains("votes"));
        assert!(!printed(Space::Local, 32, bit, BinOp::Or).contains("votes"));
        // One flag twice, and a bit in another place.
        let twice = |b: &mut Build, flags, k: u32| bit(b, flags, k.max(1));
        let moved = |b: &mut Build, flags, k: u32| {
            let flag = flag(b, flags, k);
            let one = b.0.exprs.cast(flag, ScalarType::U32);
            let by = b.u32(k + 1);
            b.bin(BinOp::Shl, one, by)
        };
        assert!(!printed(Space::Shared(Level::Warp), 32, twice, BinOp::Or).contains("votes"));
        assert!(!printed(Space::Shared(Level::Warp), 32, moved, BinOp::Or).contains("votes"));
    }
}
