//! Outputs over arrays that need not divide into chunks.

use obsidian_ir::level::Level;

use super::operators::Order;
use super::{Gen, Seen};
use crate::ast::{Cut, Expr, InChunk, Op};
use crate::types::Ty;

impl Gen {
    /// An array of `n` elements of the grid's, cut into chunks of any length, of each of which a block makes something.
    pub(super) fn chunked(&mut self, source: Expr, elem: &Ty, n: u32) -> Expr {
        let k = match self.random.below(4) {
            0 => 1 + self.random.below(n + 3),
            _ => 1 + self.random.below(48),
        };
        let sortable = elem.scalar().is_some_and(|s| s.is_int());
        let what = match self.random.below(9) {
            0 => InChunk::Whole,
            1 => InChunk::Copied,
            2 => InChunk::Reversed,
            3 => InChunk::Mapped,
            4 => InChunk::Folded,
            5 => InChunk::Scanned,
            6 if sortable => InChunk::Sorted,
            7 => InChunk::Stored,
            _ => InChunk::Filled,
        };
        let (source, elem) = match what {
            // Of the grid's whole array, where neighbours are beside the element that is written.
            InChunk::Whole if !self.random.one_in(4) => self.stencil(source, elem),
            _ => (source, elem.clone()),
        };
        let (mut args, elem) = (vec![source], &elem);
        match what {
            InChunk::Whole
            | InChunk::Copied
            | InChunk::Reversed
            | InChunk::Stored
            | InChunk::Sorted
            | InChunk::Turned => {}
            InChunk::Mapped => {
                let to = self.elem();
                args.push(self.function(std::slice::from_ref(elem), &to, 2));
            }
            InChunk::Folded | InChunk::Scanned => args.push(self.operator(elem, Order::Kept)),
            InChunk::Filled => {
                args.push(self.leaf(elem));
                let (var, to, m) = (self.fresh(), self.elem(), self.length(Level::Block));
                let body =
                    self.seeing(Seen::new(var, Ty::pull(elem.clone(), k), None), |g| g.body(Level::Block, &to, m, 1));
                args.push(Expr::lambda(vec![var], body));
            }
        }
        Expr::new(Op::Chunked(what, Cut::Chunks(k)), args)
    }

    /// An array of `n` elements of the grid's, cut into rows of a width that is known at launch.
    pub(super) fn launched_rows(&mut self, source: Expr, elem: &Ty, n: u32) -> Expr {
        let k = 1 + self.random.below(n.min(9));
        let what = self.random.pick(&[
            InChunk::Copied,
            InChunk::Turned,
            InChunk::Reversed,
            InChunk::Mapped,
            InChunk::Folded,
            InChunk::Folded,
        ]);
        let mut args = vec![source];
        match what {
            InChunk::Mapped => {
                let to = self.elem();
                args.push(self.function(std::slice::from_ref(elem), &to, 2));
            }
            InChunk::Folded => args.push(self.operator(elem, Order::Kept)),
            _ => {}
        }
        Expr::new(Op::Chunked(what, Cut::Rows(k)), args)
    }
}
