//! Blocks whose threads go over neighbours of their own, as many as a vector has words, or more: the CPU back end turns such rows.

use obsidian_ir::level::Level;
use obsidian_ir::program::ScalarType;

use super::operators::Order;
use super::{Gen, Here, Seen};
use crate::ast::{Expr, Input, Known, Op, Source};
use crate::types::Ty;

/// Words of the widest vectors.
const WORDS: u32 = 16;

impl Gen {
    /// One more argument, and an output in which each thread of a block goes over neighbours in it.
    pub(super) fn with_neighbours(&mut self, inputs: &mut Vec<Input>, outputs: &mut Vec<Expr>) {
        self.fuel = 26;
        let threads = self.random.pick(&[16, 16, 17, 20, 32, 33, 48]);
        let each = WORDS + self.random.pick(&[0, 0, 1, 4, 8, 16]);
        let blocks = self.random.pick(&[1, 2, 3]);
        let word = self.random.pick(&[ScalarType::U32, ScalarType::I32, ScalarType::F32]);
        let (var, part, n) = (self.fresh(), self.fresh(), threads * each);
        let source = Source::Buffer(n * blocks, Known::AtLaunch);
        inputs.push(Input { var, fields: vec![word], source, below: None });
        let word = Ty::Scalar(word);
        let seen = Seen::new(part, Ty::pull(word.clone(), n), None);
        let body = self.seeing(seen, |g| g.there(Here::At(Level::Block), |g| g.over_neighbours(part, &word, each)));
        let parts = Expr::method("split_up", vec![Expr::var(var), Expr::size(n)]);
        outputs.push(Expr::method("as_grid_map", vec![parts, Expr::lambda(vec![part], body)]));
    }

    /// A thread for each `each` elements, as they are given or as the block has stored them.
    fn over_neighbours(&mut self, xs: u32, word: &Ty, each: u32) -> Expr {
        if self.random.one_in(2) {
            return self.threads_over(xs, word, each);
        }
        let stored = self.fresh();
        let rest = self.threads_over(stored, word, each);
        Expr::new(Op::Let(stored), vec![Expr::method("compute", vec![Expr::var(xs)]), rest])
    }

    fn threads_over(&mut self, xs: u32, word: &Ty, each: u32) -> Expr {
        let rows = Expr::method("split_up", vec![Expr::var(xs), Expr::size(each)]);
        let f = self.closure(&[Ty::pull(word.clone(), each)], |g| {
            let row = Expr::var(g.scope[g.scope.len() - 1].var);
            let thread = g.there(Here::At(Level::Thread), |g| g.of_neighbours(row, word, each));
            Expr::call("exec_thread", vec![thread])
        });
        Expr::method("as_block_map", vec![rows, f])
    }

    /// What a thread makes of its own: one element, or as many as they are.
    fn of_neighbours(&mut self, row: Expr, word: &Ty, each: u32) -> Expr {
        match self.random.below(4) {
            0 => {
                let f = self.operator(word, Order::Kept);
                Expr::method("reduce", vec![row, f])
            }
            1 => {
                let (to, acc) = (self.word_or_other(word), self.elem());
                let init = self.data(&acc, 1);
                let f = self.closure(&[acc.clone(), word.clone()], |g| {
                    let next = g.data(&acc, 2);
                    Expr::new(Op::Tuple, vec![next, g.data(&to, 2)])
                });
                Expr::method("map_accum_l", vec![row, init, f])
            }
            2 => {
                let to = self.word_or_other(word);
                let f = self.function(std::slice::from_ref(word), &to, 2);
                Expr::method("push", vec![Expr::method("map", vec![row, f])])
            }
            _ => {
                let (to, lets) = (self.word_or_other(word), self.random.below(2));
                let n = self.random.pick(&[1, each]);
                self.body(Level::Thread, &to, n, lets)
            }
        }
    }

    /// A type of elements: mostly that of what is gone over, since rows are of words.
    fn word_or_other(&mut self, word: &Ty) -> Ty {
        if self.random.one_in(3) { self.elem() } else { word.clone() }
    }
}
