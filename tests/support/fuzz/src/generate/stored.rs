//! Arrays that a level computes: stored, scanned, sorted, counted, computed again and again in loops; and values that
//! loops compute.

use obsidian_ir::level::Level;
use obsidian_ir::program::{BinOp, Const, ScalarType};

use super::entry::ATOMICS;
use super::operators::Order;
use super::{Gen, Here, Seen, opaque};
use crate::ast::{Expr, Going, Known, Op, Place, Stages};
use crate::types::programs::columns;
use crate::types::{Ty, U32};

impl Gen {
    /// A pull array that lies in memory of the level.
    pub(super) fn stored(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let depth = depth.max(1);
        match self.random.below(17) {
            16 => self.in_turn(elem, n, depth),
            15 => self.in_registers(elem, n, depth),
            14 => self.either(elem, n, depth),
            13 => self.in_step(elem, n, depth),
            12 => self.columns(elem, n, depth),
            11 => self.compact(elem, n, depth),
            10 => self.in_place(elem, n, depth),
            0 => self.scanned(elem, n, depth),
            1 => self.sorted(elem, n, depth),
            2 => self.updated(elem, n, depth),
            3 => self.repeated(elem, n, depth),
            4 => self.powered(elem, n, depth),
            5 | 6 => {
                let xs = self.push(elem, n, depth - 1);
                self.computed_of(xs, n)
            }
            _ => {
                let xs = self.pull(elem, n, depth - 1);
                self.computed_of(xs, n)
            }
        }
    }

    /// An array of `n` elements stored; where the lanes of a warp can have as many neighbours each, in these, too.
    fn computed_of(&mut self, xs: Expr, n: u32) -> Expr {
        let each: Vec<u32> = (1..=4).filter(|k| n.is_multiple_of(32 * k)).collect();
        if self.level() == Some(Level::Warp) && !each.is_empty() && self.random.one_in(3) {
            let k = self.random.pick(&each);
            return Expr::method("compute_lanes", vec![xs, Expr::size(k)]);
        }
        self.computed(xs)
    }

    fn computed(&mut self, xs: Expr) -> Expr {
        match self.random.below(8) {
            0 => Expr::call("force", vec![xs]),
            1 => Expr::method("compute_padded", vec![xs, Expr::size(1 + self.random.below(2))]),
            2..6 if self.level() == Some(Level::Warp) => Expr::method("compute_lanes", vec![xs]),
            _ => Expr::method("compute", vec![xs]),
        }
    }

    /// Some of the elements in front, by a test of each.
    fn compact(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let xs = self.plain(elem, n, depth);
        let keep = self.closure(std::slice::from_ref(elem), |g| g.data(&Ty::Scalar(ScalarType::Bool), 2));
        let fill = self.there(Here::Pure, |g| g.leaf(elem));
        Expr::new(Op::Kept(self.fresh()), vec![xs, keep, fill])
    }

    /// One of two arrays, each of which its side of a branch stores.
    fn either(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let condition = self.data(&Ty::Scalar(ScalarType::Bool), 2);
        let side = |g: &mut Gen| match g.random.below(3) {
            0 => g.pull(elem, n, 1),
            1 => g.scanned(elem, n, 1),
            _ => g.plain(elem, n, depth),
        };
        let (then, els) = (side(self), side(self));
        Expr::new(Op::If, vec![condition, then, els])
    }

    fn plain(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let xs = self.pull(elem, n, depth - 1);
        self.computed(xs)
    }

    fn scanned(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let mut names = vec!["scan_kogge_stone", "scan_kogge_stone_push", "scan_brent_kung"];
        if n.is_power_of_two() && n >= 2 {
            names.extend(["scan_sklansky1", "scan_sklansky2", "scan_sklansky3"]);
        }
        if self.level() == Some(Level::Warp) {
            names.extend(["scan_lanes", "scan_lanes"]);
        }
        let name = self.random.pick(&names);
        let f = self.operator(elem, Order::Kept);
        Expr::method(name, vec![self.pull(elem, n, depth - 1), f])
    }

    fn sorted(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if !(2..=64).contains(&n) || !elem.scalar().is_some_and(|s| s.is_int()) {
            return self.plain(elem, n, depth);
        }
        let names: &[&'static str] = match n.is_power_of_two() && n <= 32 {
            true => &["sort_tree", "tsort2", "sort_periodic", "vsort2", "sort_bitonic", "sort_odd_even"],
            false => &["sort_odd_even"],
        };
        Expr::method(self.random.pick(names), vec![self.pull(elem, n, depth - 1)])
    }

    /// Atomic updates: whatever their order, the result is the same.
    fn updated(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let Some(ty) = elem.scalar().filter(|s| s.is_int() && s.bits() >= 32) else {
            return self.plain(elem, n, depth);
        };
        let name = self.random.pick(&ATOMICS);
        let (times, array) = (1 + self.random.below(40), self.fresh());
        let start = self.pull(elem, n, depth - 1);
        let f = self.index_closure(Here::Pure, times, |g| {
            let at = g.index(n);
            Expr::new(Op::Tuple, vec![at, g.data(elem, 2)])
        });
        Expr::new(Op::Updates(name, ty, array), vec![start, Expr::size(times), f])
    }

    /// Elements that the threads of a block keep through the rounds of a loop.
    fn in_registers(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if self.level() != Some(Level::Block) || *elem == opaque() || n == 0 {
            return self.plain(elem, n, depth);
        }
        let each: Vec<u32> = (1..=4).filter(|&k| n.is_multiple_of(k)).collect();
        let (each, registers, rounds) = (self.random.pick(&each), self.fresh(), self.rounds());
        if self.random.one_in(2) {
            let stages = Stages { depth: 1 + self.random.below(4), each };
            let f = self.function(&[elem.clone(), elem.clone()], elem, 2);
            let start = self.pull(elem, n, depth - 1);
            return Expr::new(Op::Staged(registers, stages), vec![start, rounds, f]);
        }
        let f = self.closure(&[elem.clone(), U32], |g| g.data(elem, 2));
        let start = self.pull(elem, n, depth - 1);
        Expr::new(Op::Registers(registers, each), vec![start, rounds, f])
    }

    /// Rounds that read one half of an array at places that data tells, and write the other.
    fn in_turn(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if self.level() != Some(Level::Block) || *elem == opaque() || n == 0 {
            return self.plain(elem, n, depth);
        }
        let (halves, rounds) = (self.fresh(), self.rounds());
        let place = self.random.pick(&[Place::Remainder, Place::Tested]);
        let f = self.function(&[elem.clone(), elem.clone()], elem, 2);
        let at = self.closure(&[elem.clone(), U32], |g| g.data(&U32, 2));
        let start = self.pull(elem, n, depth - 1);
        Expr::new(Op::InTurn(halves, place), vec![start, rounds, f, at])
    }

    /// Butterflies in place: who reads two elements writes them.
    fn in_place(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if n % 2 == 1 || *elem == opaque() {
            return self.plain(elem, n, depth);
        }
        let (k, array) = (self.random.below(n.trailing_zeros()), self.fresh());
        let both = [elem.clone(), elem.clone()];
        let (f, g) = (self.function(&both, elem, 2), self.function(&both, elem, 2));
        let start = self.pull(elem, n, depth - 1);
        let name = self.random.pick(&["ilv2", "vee2"]);
        Expr::new(Op::InPlace(name, array), vec![start, Expr::size(k), f, g])
    }

    /// A program of each half, or of each other element: its phases are those of both.
    fn in_step(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let Some(level) = self.level().filter(|_| n.is_multiple_of(2)) else { return self.plain(elem, n, depth) };
        let half = Ty::pull(elem.clone(), n / 2);
        let f = self.closure_at(Here::At(level), std::slice::from_ref(&half), |g| {
            let made = match g.random.below(4) {
                0 if n.is_multiple_of(4) && depth > 1 => g.in_step(elem, n / 2, depth - 1),
                1 => g.scanned(elem, n / 2, 1),
                _ => g.plain(elem, n / 2, 1),
            };
            let stored = g.fresh();
            let rest =
                g.seeing(Seen::new(stored, half.clone(), None), |g| g.there(Here::Pure, |g| g.pull(elem, n / 2, 1)));
            Expr::new(Op::Let(stored), vec![made, rest])
        });
        let name = self.random.pick(&["two", "ilv"]);
        Expr::call(name, vec![self.pull(elem, n, depth - 1), f])
    }

    /// Two or three columns of a network at once.
    fn columns(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let name = self.random.pick(&["i_swap2", "i_swap3"]);
        let (columns, powers) = (columns(name), n.trailing_zeros());
        if powers < columns || *elem == opaque() {
            return self.plain(elem, n, depth);
        }
        let k = columns - 1 + self.random.below(powers - columns + 1);
        let both = [elem.clone(), elem.clone()];
        let (f, g) = (self.function(&both, elem, 1), self.function(&both, elem, 1));
        let swapped = Expr::method(name, vec![self.pull(elem, n, depth - 1), Expr::size(k), f, g]);
        self.computed(swapped)
    }

    /// A loop each of whose rounds stores an array: unrolled, or at run time.
    fn repeated(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        let (state, index) = (self.fresh(), self.fresh());
        let known = (self.level().is_none() || self.random.one_in(2)).then(|| 1 + self.random.below(3));
        let rounds = known.map_or_else(|| self.rounds(), Expr::size);
        let start = self.pull(elem, n, depth - 1);
        let seen = Seen::new(state, Ty::pull(elem.clone(), n), None);
        let next = self.seeing(seen, |g| {
            let counter = Seen::new(index, U32, known);
            g.seeing(counter, |g| {
                let xs = g.pull(elem, n, 1);
                g.computed(xs)
            })
        });
        Expr::new(Op::For(state, index, self.going()), vec![rounds, start, next, Expr::var(state)])
    }

    /// A loop at run time over an array, by the library.
    fn powered(&mut self, elem: &Ty, n: u32, depth: u32) -> Expr {
        if self.level().is_none() {
            return self.plain(elem, n, depth);
        }
        let rounds = self.rounds();
        let start = self.pull(elem, n, depth - 1);
        let here = self.here;
        let step = self.closure_at(here, &[U32, Ty::pull(elem.clone(), n)], |g| {
            let xs = g.there(Here::Pure, |g| g.pull(elem, n, 1));
            let pushed = Expr::method("push", vec![xs]);
            if g.random.one_in(2) { Expr::method("reverse", vec![pushed]) } else { pushed }
        });
        Expr::method("power", vec![start, rounds, step])
    }

    /// A number of rounds that is known at launch or when the kernel runs; at most 4.
    fn rounds(&mut self) -> Expr {
        let words: Vec<u32> = self.scope.iter().filter(|s| s.ty == U32).map(|s| s.var).collect();
        if words.is_empty() {
            return Expr::constant(Const::u32(self.random.below(4)));
        }
        let word = Expr::var(self.random.pick(&words));
        Expr::bin(BinOp::Rem, word, Expr::constant(Const::u32(5)))
    }

    /// A value that a level makes by a loop.
    pub(super) fn looped(&mut self, elem: &Ty, depth: u32) -> Expr {
        if *elem == opaque() {
            return self.data(elem, depth);
        }
        match (elem.scalar(), self.random.below(6)) {
            (Some(scalar), 5) if scalar != ScalarType::Bool => self.total(scalar, depth),
            (_, 0) => {
                let (rounds, init) = (self.rounds(), self.data(elem, 1));
                let f = self.closure(&[elem.clone(), U32], |g| g.data(elem, 2));
                Expr::call("seq_fold", vec![rounds, init, f])
            }
            (Some(_), 1) => {
                let (limit, init) = (Expr::constant(Const::u32(self.random.below(5))), self.data(elem, 1));
                let state = Ty::Tuple(vec![U32, elem.clone()]);
                let test = self.closure(std::slice::from_ref(&state), |g| {
                    let var = g.scope[g.scope.len() - 1].var;
                    let counted = Expr::bin(BinOp::Lt, Expr::var(var).field(0), limit);
                    Expr::bin(BinOp::And, counted, g.scalar(ScalarType::Bool, 1))
                });
                let next = self.closure(&[state], |g| {
                    let var = g.scope[g.scope.len() - 1].var;
                    let one = Expr::constant(Const::u32(1));
                    let counted = Expr::bin(BinOp::Add, Expr::var(var).field(0), one);
                    Expr::new(Op::Tuple, vec![counted, g.data(elem, 2)])
                });
                let start = Expr::new(Op::Tuple, vec![Expr::constant(Const::u32(0)), init]);
                Expr::call("seq_while", vec![start, test, next]).field(1)
            }
            (_, 2) if self.level() == Some(Level::Thread) => {
                let m = 1 + self.random.below(9);
                let f = self.function(&[elem.clone(), elem.clone()], elem, 2);
                Expr::method("seq_reduce", vec![self.pull(elem, m, depth), f])
            }
            (_, 3) if self.level() == Some(Level::Thread) => {
                let init = self.data(elem, 1);
                let buffers = self.scope.iter().filter_map(|s| match &s.ty {
                    Ty::Pull(e, _, Known::AtLaunch) => Some((s.var, (**e).clone())),
                    _ => None,
                });
                let buffers: Vec<(u32, Ty)> = buffers.collect();
                let (xs, from) = if buffers.is_empty() || self.random.one_in(2) {
                    let (from, m) = (self.elem(), 1 + self.random.below(9));
                    (self.pull(&from, m, depth), from)
                } else {
                    // A buffer whose length is only known at launch, walked by each thread.
                    let (var, from) = buffers[self.random.below(buffers.len() as u32) as usize].clone();
                    (Expr::var(var), from)
                };
                let f = self.function(&[elem.clone(), from], elem, 2);
                Expr::method("foldl", vec![xs, init, f])
            }
            _ => self.rounds_of(elem),
        }
    }

    /// Mostly upwards.
    fn going(&mut self) -> Going {
        match self.random.below(8) {
            0 => Going::Down,
            1 => Going::UpBy(1 + self.random.below(4)),
            2 => Going::DownBy(1 + self.random.below(4)),
            _ => Going::Up,
        }
    }

    /// `for` over a number: unrolled where it is known, a loop where not.
    fn rounds_of(&mut self, elem: &Ty) -> Expr {
        let (state, index) = (self.fresh(), self.fresh());
        let inside = matches!(self.level(), Some(Level::Thread | Level::Warp | Level::Block));
        let unknown = inside && self.random.below(3) > 0;
        let rounds = if unknown { self.rounds() } else { Expr::size(1 + self.random.below(3)) };
        let init = self.data(elem, 1);
        let seen = Seen::new(state, elem.clone(), None);
        let left = inside && self.random.one_in(3);
        let (next, ends) = self.seeing(seen, |g| {
            let counter = Seen::new(index, U32, None);
            let condition = Ty::Scalar(ScalarType::Bool);
            g.seeing(counter, |g| {
                g.there(Here::Pure, |g| (g.data(elem, 2), left.then(|| [g.data(&condition, 1), g.data(&condition, 1)])))
            })
        });
        let going = self.going();
        let op = if left { Op::ForLeft(state, index, going) } else { Op::For(state, index, going) };
        Expr::new(op, [rounds, init, next, Expr::var(state)].into_iter().chain(ends.into_iter().flatten()).collect())
    }
}
