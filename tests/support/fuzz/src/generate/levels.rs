//! Push arrays and the code of levels: blocks that compute, warps and threads in them.

use obsidian_ir::level::Level;
use obsidian_ir::program::{BinOp, Const};

use super::operators::{Order, satisfies};
use super::{Gen, Here, Seen, opaque};
use crate::ast::{Declared, Expr, HelperKind, Op};
use crate::types::{BOOL, Ty, U32};

impl Gen {
    /// The code of a level: some `let`s, then a push array of `n` elements.
    pub(super) fn body(&mut self, level: Level, elem: &Ty, n: u32, lets: u32) -> Expr {
        self.there(Here::At(level), |g| g.lets(level, elem, n, lets))
    }

    fn lets(&mut self, level: Level, elem: &Ty, n: u32, lets: u32) -> Expr {
        if lets == 0 {
            return self.push(elem, n, 2);
        }
        let of = if self.random.one_in(3) { elem.clone() } else { self.elem() };
        let m = if self.random.one_in(2) { n } else { self.length(level) };
        let (value, ty) = match self.random.below(6) {
            // A loop's body may branch.
            0 if level == Level::Thread => (self.looped(&of, 1), of),
            0 => (self.without_views(|g| g.looped(&of, 1)), of),
            1 => (self.pull(&of, m, 1), Ty::pull(of, m)),
            2 if level == Level::Warp => self.vote(m),
            _ => (self.stored(&of, m, 2), Ty::pull(of, m)),
        };
        let var = self.fresh();
        let seen = Seen { view: self.reads_views(&value), ..Seen::new(var, ty, None) };
        let rest = self.seeing(seen, |g| g.lets(level, elem, n, lets - 1));
        Expr::new(Op::Let(var), vec![value, rest])
    }

    /// What all lanes of a warp are asked, and its type.
    fn vote(&mut self, n: u32) -> (Expr, Ty) {
        let n = n.min(32);
        if self.random.one_in(3) {
            let key = Ty::Scalar(self.integer());
            return (Expr::call("match_any", vec![self.pull(&key, n, 1)]), Ty::pull(U32, n));
        }
        let name = self.random.pick(&["ballot", "any", "all"]);
        (Expr::call(name, vec![self.pull(&BOOL, n, 1)]), if name == "ballot" { U32 } else { BOOL })
    }

    /// A length that suits a level.
    pub(super) fn length(&mut self, level: Level) -> u32 {
        match level {
            Level::Thread => self.random.pick(&[1, 2, 3, 4, 5, 8]),
            Level::Warp => self.random.pick(&[1, 2, 4, 7, 8, 16, 20, 31, 32, 33, 40]),
            _ => self.random.pick(&[1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 32, 33, 40, 48, 64, 65, 96]),
        }
    }

    /// A push array of `n` elements, at the level of this code.
    pub(super) fn push(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if depth == 0 || !self.burn() {
            return Expr::method("push", vec![self.pull(elem, n, 1)]);
        }
        let Some(level) = self.level() else { return self.push_anywhere(elem, n, depth) };
        if level == Level::Thread && self.random.one_in(2) {
            return self.of_thread(elem, n, depth);
        }
        match self.random.below(11) {
            10 => self.interleaved(level, elem, n),
            0..4 if level != Level::Thread => self.joined_levels(level, elem, n),
            4 => self.entered(level, elem, n),
            5 => self.carried(level, elem, n, depth),
            6 if level != Level::Thread => self.by_few(elem, n, depth),
            _ => self.push_anywhere(elem, n, depth),
        }
    }

    /// What every level can do.
    fn push_anywhere(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        match self.random.below(11) {
            8 if self.here != Here::Pure => self.written(elem, n, depth),
            0 => {
                let from = if *elem == opaque() { opaque() } else { self.elem() };
                let f = self.function(std::slice::from_ref(&from), elem, 2);
                Expr::method("map", vec![self.push(&from, n, depth - 1), f])
            }
            1 => Expr::method("reverse", vec![self.push(elem, n, depth - 1)]),
            2 if n > 1 => {
                let first = 1 + self.random.below(n - 1);
                Expr::method("append", vec![self.push(elem, first, depth - 1), self.push(elem, n - first, depth - 1)])
            }
            3 => self.scattered(elem, n, depth),
            4 if n.is_multiple_of(2) && elem.scalar().is_some() => {
                let pair = Ty::Tuple(vec![elem.clone(), elem.clone()]);
                Expr::method("unpair", vec![self.push(&pair, n / 2, depth - 1)])
            }
            5 | 6 if n == 1 => self.reduced(elem),
            7 => self.helper_push(elem, n, depth).unwrap_or_else(|| self.plain_push(elem, n, depth)),
            _ => self.plain_push(elem, n, depth),
        }
    }

    fn plain_push(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        Expr::method("push", vec![self.pull(elem, n, depth)])
    }

    fn helper_push(&mut self, elem: &Ty, n: u32, depth: u32) -> Option<Expr> {
        let fits = |c: &&super::Called| {
            c.kind == HelperKind::Program && c.result == (Declared::Pushed, n) && satisfies(elem, c.bound)
        };
        let found = self.called.iter().find(fits).map(|c| (c.index, c.params.clone()))?;
        Some(self.helper_call(found.0, &found.1, elem, depth - 1))
    }

    /// Written by hand: each thread says where its element goes.
    fn written(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let write = self.fresh();
        let f = self.index_closure(Here::Pure, n, |g| {
            let i = Expr::var(g.scope[g.scope.len() - 1].var);
            let value = g.data(elem, depth.min(2));
            Expr::new(Op::Tuple, vec![value, g.place(i, n)])
        });
        Expr::new(Op::Written(write), vec![Expr::size(n), f])
    }

    /// Where index `i` of `n` goes in a permutation.
    fn place(&mut self, i: Expr, n: u32) -> Expr {
        let literal = |k| Expr::constant(Const::u32(k));
        let k = self.random.below(n);
        match self.random.below(4) {
            0 => Expr::bin(BinOp::Sub, literal(n - 1), i),
            1 if n.is_power_of_two() => Expr::bin(BinOp::Xor, i, literal(k)),
            2 => Expr::bin(BinOp::Rem, Expr::bin(BinOp::Add, i, literal(k)), literal(n)),
            _ => i,
        }
    }

    /// Where element `j` of part `i` goes, of `parts` parts of `m` elements.
    fn place_of_two(&mut self, parts: u32, m: u32) -> Expr {
        let (i, j) = (self.fresh(), self.fresh());
        let literal = |k| Expr::constant(Const::u32(k));
        let sum = |a: Expr, by: u32, b: Expr| Expr::bin(BinOp::Add, Expr::bin(BinOp::Mul, a, literal(by)), b);
        let back = |of: u32, a: u32| Expr::bin(BinOp::Sub, literal(of - 1), Expr::var(a));
        let place = match self.random.below(4) {
            0 => sum(Expr::var(i), m, Expr::var(j)),
            1 => sum(Expr::var(j), parts, Expr::var(i)),
            2 => sum(back(parts, i), m, Expr::var(j)),
            _ => sum(back(m, j), parts, Expr::var(i)),
        };
        Expr::lambda(vec![i, j], place)
    }

    /// A permutation that undoes itself.
    fn scattered(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let xs = self.push(elem, n, depth - 1);
        let i = self.fresh();
        let literal = |k| Expr::constant(Const::u32(k));
        let to = match self.random.below(2) {
            0 if n.is_power_of_two() => Expr::bin(BinOp::Xor, Expr::var(i), literal(self.random.below(n))),
            _ => Expr::bin(BinOp::Sub, literal(n - 1), Expr::var(i)),
        };
        Expr::method("ix_map", vec![xs, Expr::lambda(vec![i], to)])
    }

    fn reduced(&mut self, elem: &Ty) -> Expr {
        let here = self.level();
        let m = self.length(here.unwrap_or(Level::Thread));
        let mut names = vec![("reduce", Order::Kept)];
        if m.is_power_of_two() {
            names.extend([("red1", Order::Kept), ("red2", Order::Free)]);
        }
        if here == Some(Level::Warp) && m <= 32 {
            names.push(("reduce_lanes", Order::Kept));
        }
        let (name, order) = self.random.pick(&names);
        let f = self.operator(elem, order);
        Expr::method(name, vec![self.pull(elem, m, 1), f])
    }

    /// Programs of a lower level side by side.
    fn joined_levels(&mut self, level: Level, elem: &Ty, n: u32) -> Expr {
        let inner = if level == Level::Block { self.random.pick(&[Level::Thread, Level::Warp]) } else { Level::Thread };
        let most = if inner == Level::Thread { 8 } else { 40 };
        let parts: Vec<u32> = (1..=n).filter(|p| n.is_multiple_of(*p) && n / p <= most).collect();
        let parts = self.random.pick(&parts);
        let (name, enter) = match (level, inner) {
            (Level::Block, Level::Warp) => ("as_block_map", "exec_warp"),
            (Level::Block, _) => ("as_block_map", "exec_thread"),
            _ => ("as_warp_map", "exec_thread"),
        };
        let lets = self.random.below(3);
        let inside = |g: &mut Gen| {
            if inner == Level::Thread && n == parts && g.random.one_in(2) {
                return Expr::call(enter, vec![g.there(Here::At(inner), |g| g.looped(elem, 1))]);
            }
            Expr::call(enter, vec![g.body(inner, elem, n / parts, lets)])
        };
        // Only the next level up joins by places.
        let placed = (level == Level::Block) == (inner == Level::Warp) && self.random.one_in(4);
        if self.random.one_in(3) {
            let f = self.index_closure(Here::Pure, parts, inside);
            let numbers = Expr::call("iota", vec![Expr::size(parts)]);
            if placed {
                return Expr::new(
                    Op::Interleaved("interleave_with"),
                    vec![numbers, f, self.place_of_two(parts, n / parts)],
                );
            }
            return Expr::method(name, vec![numbers, f]);
        }
        let (from, q) = (self.elem(), if self.random.one_in(2) { n / parts } else { self.length(inner) });
        let xs = self.pull(&from, parts * q, 1);
        let cut = self.random.pick(&["split_up", "coalesce"]);
        let rows = Expr::method(cut, vec![xs, Expr::size(q)]);
        let f = self.closure(&[Ty::pull(from, q)], inside);
        if placed {
            return Expr::new(Op::Interleaved("interleave_with"), vec![rows, f, self.place_of_two(parts, n / parts)]);
        }
        Expr::method(name, vec![rows, f])
    }

    /// Parts of the same level one after another, by places.
    fn interleaved(&mut self, level: Level, elem: &Ty, n: u32) -> Expr {
        let parts = self.divisor(n);
        let enter = match level {
            Level::Thread => "exec_thread",
            Level::Warp => "exec_warp",
            _ => "exec_block",
        };
        let f = self.index_closure(Here::Pure, parts, |g| Expr::call(enter, vec![g.body(level, elem, n / parts, 0)]));
        let numbers = Expr::call("iota", vec![Expr::size(parts)]);
        Expr::new(Op::Interleaved("interleave_seq"), vec![numbers, f, self.place_of_two(parts, n / parts)])
    }

    /// The same level once more.
    fn entered(&mut self, level: Level, elem: &Ty, n: u32) -> Expr {
        let name = match level {
            Level::Thread => "exec_thread",
            Level::Warp => "exec_warp",
            _ => "exec_block",
        };
        let lets = self.random.below(2);
        Expr::call(name, vec![self.body(level, elem, n, lets)])
    }

    /// A loop of the level that carries a value.
    fn carried(&mut self, level: Level, elem: &Ty, n: u32, depth: u32) -> Expr {
        let rounds = self.divisor(n);
        let (part, q) = (n / rounds, self.length(Level::Thread));
        let (from, acc) = (self.elem(), self.elem());
        let (xs, init) = (self.pull(&from, rounds * q, depth - 1), self.data(&acc, 1));
        let rows = Expr::method("split_up", vec![xs, Expr::size(q)]);
        let f = self.closure_at(Here::At(level), &[acc.clone(), Ty::pull(from, q)], |g| {
            let next = g.there(Here::Pure, |g| g.data(&acc, 2));
            let written = g.there(Here::Pure, |g| g.pull(elem, part, 1));
            Expr::new(Op::Tuple, vec![next, Expr::method("push", vec![written])])
        });
        Expr::method("s_map_accum", vec![rows, init, f])
    }

    /// Several elements per thread.
    fn by_few(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if n % 2 == 1 || self.random.one_in(2) {
            let k = self.divisor(n);
            return Expr::method("load", vec![self.pull(elem, n, depth - 1), Expr::size(k)]);
        }
        let (from, k) = (self.elem(), self.random.below(n.trailing_zeros()));
        let both = [from.clone(), from.clone()];
        let (f, g) = (self.function(&both, elem, 2), self.function(&both, elem, 2));
        let name = self.random.pick(&["ilv2", "vee2"]);
        Expr::call(name, vec![self.pull(&from, n, depth - 1), Expr::size(k), f, g])
    }

    /// Loops of one thread.
    fn of_thread(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if n == 1 && self.random.one_in(2) {
            return Expr::call("exec_thread", vec![self.looped(elem, 1)]);
        }
        let from = self.elem();
        match self.random.below(6) {
            0 => {
                let f = self.function(std::slice::from_ref(&from), elem, 2);
                Expr::method("seq_map", vec![self.pull(&from, n, depth - 1), f])
            }
            1 => {
                let f = self.function(&[elem.clone(), elem.clone()], elem, 2);
                Expr::method("seq_scan", vec![self.pull(elem, n, depth - 1), f])
            }
            2 => {
                let (f, init) = (self.function(&[elem.clone(), from.clone()], elem, 2), self.data(elem, 1));
                Expr::method("seq_scan_cin", vec![self.pull(&from, n, depth - 1), init, f])
            }
            3 if n > 1 => {
                let (f, init) = (self.function(&[elem.clone(), from.clone()], elem, 2), self.data(elem, 1));
                Expr::method("scanl", vec![self.pull(&from, n - 1, depth - 1), init, f])
            }
            4 => {
                let k = self.divisor(n);
                let row = Ty::pull(from.clone(), k);
                let rows = Expr::method("split_up", vec![self.pull(&from, n, depth - 1), Expr::size(k)]);
                let f = self.closure(&[row], |g| Expr::call("exec_thread", vec![g.body(Level::Thread, elem, k, 0)]));
                Expr::method("as_thread_map", vec![rows, f])
            }
            _ => {
                let acc = self.elem();
                let (xs, init) = (self.pull(&from, n, depth - 1), self.data(&acc, 1));
                let f = self.closure(&[acc.clone(), from], |g| {
                    let next = g.data(&acc, 2);
                    Expr::new(Op::Tuple, vec![next, g.data(elem, 2)])
                });
                let name = self.random.pick(&["map_accum_l", "map_accum_r"]);
                Expr::method(name, vec![xs, init, f])
            }
        }
    }

    /// Code of a block that updates an argument first.
    fn bumped(&mut self, body: Expr) -> Expr {
        if self.updated.is_empty() || self.random.one_in(3) {
            return body;
        }
        let (var, elem, n) = self.updated[self.random.below(self.updated.len() as u32) as usize].clone();
        let times = 1 + self.random.below(40);
        let f = self.index_closure(Here::Pure, times, |g| {
            let at = g.index(n);
            Expr::new(Op::Tuple, vec![at, g.data(&elem, 2)])
        });
        Expr::new(Op::Bump(var), vec![Expr::size(times), f, body])
    }

    /// The grid: a block for each part of something, or for each number.
    pub(super) fn grid(
        &mut self,
        source: Expr,
        part: Option<(Ty, Option<u32>)>,
        blocks: u32,
        elem: &Ty,
        n: u32,
    ) -> Expr {
        let lets = 1 + self.random.below(3);
        let var = self.fresh();
        let (ty, below) = part.unwrap_or((U32, Some(blocks)));
        let body = self.seeing(Seen::new(var, ty, below), |g| {
            let body = g.body(Level::Block, elem, n, lets);
            g.bumped(body)
        });
        let body = if self.random.one_in(2) { Expr::call("exec_block", vec![body]) } else { body };
        Expr::method("as_grid_map", vec![source, Expr::lambda(vec![var], body)])
    }
}
