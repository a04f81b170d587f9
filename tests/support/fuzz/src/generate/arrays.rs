//! Delayed arrays of a wanted element type and length.

use obsidian_ir::program::{BinOp, Const};

use super::{Gen, Here, Seen, opaque};
use crate::ast::{Declared, Expr, HelperKind, Known, Op};
use crate::types::Ty;

impl Gen {
    /// A pull array of `n` elements; `n` is not 0.
    pub(super) fn pull(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if depth == 0 || !self.burn() {
            return self.pull_leaf(elem, n);
        }
        if let Some(call) = self.helper_of_arrays(elem, n, depth) {
            return call;
        }
        match self.random.below(12) {
            0..3 => self.pull_leaf(elem, n),
            3 | 4 => self.mapped(elem, n, depth),
            5 => self.moved(elem, n, depth),
            6 => self.joined(elem, n, depth),
            7 => self.rows(elem, n, depth),
            8 => self.network(elem, n, depth),
            9 if self.here != Here::Pure => self.stored(elem, n, depth),
            10 => {
                let f = self.index_closure(Here::Pure, n, |g| g.data(elem, depth.min(2)));
                Expr::call("mk_pull", vec![Expr::size(n), f])
            }
            _ => self.mapped(elem, n, depth),
        }
    }

    /// An array in scope, cut or padded to the length, or one made from an index.
    fn pull_leaf(&mut self, elem: &Ty, n: u32) -> Expr {
        let found: Vec<(u32, u32)> = self
            .scope
            .iter()
            .filter_map(|s| match &s.ty {
                Ty::Pull(e, m, Known::Static) if **e == *elem && *m > 0 => Some((s.var, *m)),
                _ => None,
            })
            .collect();
        let exact: Vec<u32> = found.iter().filter(|f| f.1 == n).map(|f| f.0).collect();
        if !exact.is_empty() && !self.random.one_in(4) {
            return Expr::var(exact[exact.len() - 1 - self.random.below(exact.len() as u32) as usize]);
        }
        if !found.is_empty() && !self.random.one_in(5) {
            let (var, m) = self.random.pick(&found);
            return self.fitted(Expr::var(var), elem, m, n);
        }
        if let Ty::Scalar(obsidian_ir::program::ScalarType::U32) = elem
            && self.random.one_in(4)
        {
            return Expr::call("iota", vec![Expr::size(n)]);
        }
        if self.random.one_in(5) {
            return Expr::call("replicate", vec![Expr::size(n), self.leaf(elem)]);
        }
        let f = self.index_closure(Here::Pure, n, |g| g.data(elem, 1));
        Expr::call("mk_pull", vec![Expr::size(n), f])
    }

    /// An array of `m` elements as one of `n`.
    fn fitted(&mut self, e: Expr, elem: &Ty, m: u32, n: u32) -> Expr {
        let size = Expr::size;
        if m == n {
            return e;
        }
        if m < n {
            return Expr::method("pad_to", vec![e, size(n), self.leaf(elem)]);
        }
        match self.random.below(6) {
            0 if m == 2 * n => Expr::method("halve", vec![e]).field(self.random.below(2)),
            1 if m == 2 * n => Expr::method("even_odds", vec![e]).field(self.random.below(2)),
            2 if m == 2 * n => Expr::method(self.random.pick(&["evens", "odds"]), vec![e]),
            3 if m / n > 1 && (m - 1).div_ceil(m / n) >= n => {
                let step = m / n;
                let long = m.div_ceil(step);
                self.fitted(Expr::method("every_nth", vec![e, size(step), size(0)]), elem, long, n)
            }
            4 => Expr::method("take_last", vec![e, size(n)]),
            5 => Expr::method("drop", vec![e, size(m - n)]),
            _ => Expr::method("take", vec![e, size(n)]),
        }
    }

    fn helper_of_arrays(&mut self, elem: &Ty, n: u32, depth: u32) -> Option<Expr> {
        let program = self.here != Here::Pure;
        let fits = |c: &&super::Called| {
            c.result == (Declared::Array, n)
                && (program || c.kind == HelperKind::Pure)
                && super::operators::satisfies(elem, c.bound)
        };
        let found: Vec<(usize, Vec<(Declared, u32)>)> =
            self.called.iter().filter(fits).map(|c| (c.index, c.params.clone())).collect();
        if found.is_empty() || self.random.one_in(3) {
            return None;
        }
        let (index, params) = found[self.random.below(found.len() as u32) as usize].clone();
        Some(self.helper_call(index, &params, elem, depth - 1))
    }

    /// A call with arguments of these kinds and lengths.
    pub(super) fn helper_call(&mut self, index: usize, params: &[(Declared, u32)], elem: &Ty, depth: u32) -> Expr {
        let arg = |(declared, m): &(Declared, u32)| match declared {
            Declared::Function => self.function(&[elem.clone(), elem.clone()], elem, 1),
            Declared::Element => self.leaf(elem),
            _ => self.pull(elem, *m, depth),
        };
        Expr::new(Op::Helper(index), params.iter().map(arg).collect())
    }

    /// A type of elements to start from.
    fn source(&mut self, elem: &Ty) -> Ty {
        let found: Vec<Ty> = self
            .scope
            .iter()
            .filter_map(|s| match &s.ty {
                Ty::Pull(e, _, Known::Static) if e.is_data() => Some((**e).clone()),
                _ => None,
            })
            .collect();
        match found.len() as u32 {
            0 => elem.clone(),
            _ if self.random.one_in(3) => elem.clone(),
            n => found[self.random.below(n) as usize].clone(),
        }
    }

    fn mapped(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let from = self.source(elem);
        match self.random.below(4) {
            0 => {
                let other = self.source(elem);
                let f = self.function(&[from.clone(), other.clone()], elem, 2);
                Expr::method("zip_with", vec![self.pull(&from, n, depth - 1), self.pull(&other, n, depth - 1), f])
            }
            1 => {
                let other = self.source(elem);
                let pair = Ty::Tuple(vec![from.clone(), other.clone()]);
                let f = self.closure(&[pair], |g| g.data(elem, 2));
                let zipped = Expr::method("zip", vec![self.pull(&from, n, depth - 1), self.pull(&other, n, depth - 1)]);
                Expr::method("map", vec![zipped, f])
            }
            2 => {
                let radius = 1 + self.random.below(2);
                let window = Ty::pull(from.clone(), 2 * radius + 1);
                let f = self.closure(&[window], |g| g.data(elem, 2));
                Expr::method("stencil", vec![self.pull(&from, n, depth - 1), Expr::size(radius), f])
            }
            _ => {
                let f = self.function(std::slice::from_ref(&from), elem, 3);
                Expr::method("map", vec![self.pull(&from, n, depth - 1), f])
            }
        }
    }

    /// Elements at other places.
    fn moved(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let xs = self.pull(elem, n, depth - 1);
        let k = self.random.below(n + 1);
        match self.random.below(5) {
            0 => Expr::method("reverse", vec![xs]),
            1 => Expr::method("rotate", vec![xs, Expr::size(k.min(n - 1))]),
            2 => Expr::method("shift_right", vec![xs, Expr::size(k), self.leaf(elem)]),
            3 => {
                let more = 1 + self.random.below(3);
                let longer = self.pull(elem, n + more, depth - 1);
                self.fitted(longer, elem, n + more, n)
            }
            _ => {
                let f = self.index_closure(Here::Pure, n, |g| g.index(n));
                Expr::method("ix_map", vec![xs, f])
            }
        }
    }

    /// Two arrays as one.
    fn joined(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if n.is_multiple_of(2) && self.random.one_in(2) {
            let half = n / 2;
            if elem.is_data() && *elem != opaque() && elem.scalar().is_some() && self.random.one_in(2) {
                let pair = Ty::Tuple(vec![elem.clone(), elem.clone()]);
                return Expr::method("unpair", vec![self.pull(&pair, half, depth - 1)]);
            }
            return Expr::method(
                "interleave",
                vec![self.pull(elem, half, depth - 1), self.pull(elem, half, depth - 1)],
            );
        }
        if n == 1 {
            return Expr::call("singleton", vec![self.data(elem, 2)]);
        }
        let first = 1 + self.random.below(n - 1);
        Expr::method("append", vec![self.pull(elem, first, depth - 1), self.pull(elem, n - first, depth - 1)])
    }

    /// Through a matrix and back.
    fn rows(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let k = self.divisor(n);
        let xs = self.pull(elem, n, depth - 1);
        let cut = self.random.pick(&["split_up", "split_into", "coalesce"]);
        let (count, length) = if cut == "split_into" { (k, n / k) } else { (n / k, k) };
        let mut matrix = Expr::method(cut, vec![xs, Expr::size(k)]);
        match self.random.below(3) {
            0 => matrix = Expr::method("transpose", vec![matrix]),
            1 => {
                let row = Ty::pull(elem.clone(), length);
                let f = self.closure(&[row], |g| {
                    let seen = g.scope[g.scope.len() - 1].var;
                    let inner = g.pull(elem, length, 1);
                    if g.random.one_in(2) { Expr::method("reverse", vec![Expr::var(seen)]) } else { inner }
                });
                matrix = Expr::method("map", vec![matrix, f]);
            }
            _ => {
                let xs = self.fresh();
                let seen = Seen::new(xs, Ty::pull(Ty::pull(elem.clone(), length), count), None);
                let value = self.seeing(seen, |g| {
                    let f = g.index_closure(Here::Pure, n, |g| {
                        let var = g.scope[g.scope.len() - 1].var;
                        let by = |op, k| Expr::bin(op, Expr::var(var), Expr::constant(Const::u32(k)));
                        let row = Expr::new(Op::Index, vec![Expr::var(xs), by(BinOp::Div, length)]);
                        Expr::new(Op::Index, vec![row, by(BinOp::Rem, length)])
                    });
                    Expr::call("mk_pull", vec![Expr::size(n), f])
                });
                return Expr::new(Op::Let(xs), vec![matrix, value]);
            }
        }
        Expr::method("concat", vec![matrix])
    }

    /// Butterflies.
    fn network(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if n % 2 == 1 {
            return self.moved(elem, n, depth);
        }
        let from = self.source(elem);
        if self.random.one_in(2) {
            let half = Ty::pull(from.clone(), n / 2);
            let f = self.closure(&[half], |g| g.pull(elem, n / 2, 1));
            let name = self.random.pick(&["two", "ilv"]);
            return Expr::call(name, vec![self.pull(&from, n, depth - 1), f]);
        }
        let k = self.random.below(n.trailing_zeros());
        let both = [from.clone(), from.clone()];
        let (f, g) = (self.function(&both, elem, 2), self.function(&both, elem, 2));
        let name = self.random.pick(&["ilv", "vee"]);
        Expr::call(name, vec![self.pull(&from, n, depth - 1), Expr::size(k), f, g])
    }
}
