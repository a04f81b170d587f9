//! Types of the library's functions that run at a level, or make push arrays.

use obsidian_ir::level::Level;
use obsidian_ir::program::ScalarType;

use super::{Ambient, Args, BOOL, Ty, U32, computes};
use crate::ast::Known;

struct Call<'c, 't, 'k> {
    args: &'c Args<'t, 'k>,
    ambient: Ambient,
}

/// How many columns of a network a function does at once.
pub fn columns(name: &str) -> u32 {
    match name {
        "i_swap2" => 2,
        "i_swap3" => 3,
        _ => 1,
    }
}

/// A function of the library; `None` where it is none of these, too.
pub(super) fn call(name: &str, args: &Args<'_, '_>) -> Option<Ty> {
    let c = Call { args, ambient: args.ambient };
    c.joined(name).or_else(|| c.stored(name)).or_else(|| c.tree(name)).or_else(|| c.sequential(name))
}

fn pushed(level: Level, elem: Ty, n: u32) -> Option<Ty> {
    elem.is_data().then(|| Ty::Push(level, Box::new(elem), n, Known::Static))
}

impl Call<'_, '_, '_> {
    fn ty(&self, i: usize) -> Option<Ty> {
        self.args.ty(i)
    }

    /// A pull array of known length.
    fn pull(&self, i: usize) -> Option<(Ty, u32)> {
        match self.ty(i)? {
            Ty::Pull(elem, n, Known::Static) => Some((*elem, n)),
            _ => None,
        }
    }

    fn size(&self, i: usize) -> Option<u32> {
        self.args.size(i)
    }

    fn apply(&self, i: usize, ambient: Ambient, args: Vec<Ty>) -> Option<Ty> {
        self.args.apply(i, ambient, args)
    }

    /// Levels joined, and entered.
    fn joined(&self, name: &str) -> Option<Ty> {
        let level = match name {
            "as_thread_map" | "exec_thread" => Level::Thread,
            "as_warp_map" | "exec_warp" => Level::Warp,
            "as_block_map" | "exec_block" => Level::Block,
            "as_grid_map" => Level::Grid,
            "push" => self.ambient.filter(|_| computes(self.ambient))?,
            _ => return None,
        };
        if name == "push" {
            let (elem, n) = self.pull(0)?;
            return pushed(level, elem, n);
        }
        if name.starts_with("exec") {
            return match self.args.types.ty(self.args.list.first()?, self.args.scope, Some(level))? {
                Ty::Pull(elem, n, Known::Static) => pushed(level, *elem, n),
                Ty::Push(l, elem, n, known) if l == level => Some(Ty::Push(l, elem, n, known)),
                ty if ty.is_data() => pushed(level, ty, 1),
                _ => None,
            };
        }
        let Ty::Pull(part, n, known) = self.ty(0)? else { return None };
        let inside = (level == Level::Grid).then_some(Level::Block);
        let Ty::Push(inner, elem, m, Known::Static) = self.apply(1, inside, vec![*part])? else { return None };
        let steps = inner.step() == Some(level) || (inner <= level && level != Level::Grid);
        (steps && (known == Known::Static || level == Level::Grid)).then(|| Ty::Push(level, elem, n * m, known))
    }

    /// Arrays stored.
    fn stored(&self, name: &str) -> Option<Ty> {
        let level = self.ambient.filter(|_| computes(self.ambient))?;
        match name {
            "compute" | "force" => {}
            "compute_padded" => drop(self.size(1).filter(|k| *k > 0)?),
            "compute_lanes" if level == Level::Warp => {}
            "ballot" | "any" | "all" | "match_any" if level == Level::Warp => return self.vote(name),
            _ => return None,
        }
        // Neighbours in a lane: all lanes have as many.
        let of = if name == "compute_lanes" { self.size(1).map_or(1, |k| 32 * k) } else { 1 };
        let fits = |n: u32| n > 0 && n.is_multiple_of(of);
        match self.ty(0)? {
            Ty::Pull(elem, n, Known::Static) if elem.is_data() && fits(n) => Some(Ty::pull(*elem, n)),
            Ty::Push(l, elem, n, Known::Static) if l == level && fits(n) => Some(Ty::pull(*elem, n)),
            _ => None,
        }
    }

    /// What all lanes of a warp are asked.
    fn vote(&self, name: &str) -> Option<Ty> {
        let (elem, n) = self.pull(0).filter(|(_, n)| (1..=32).contains(n))?;
        match name {
            "match_any" => elem.scalar().filter(|s| s.is_int()).map(|_| Ty::pull(U32, n)),
            "ballot" => (elem == BOOL).then_some(U32),
            _ => (elem == BOOL).then_some(BOOL),
        }
    }

    /// Trees and networks, by an operator that associates or an order.
    fn tree(&self, name: &str) -> Option<Ty> {
        let level = self.ambient.filter(|_| computes(self.ambient))?;
        let (elem, n) = self.pull(0)?;
        let power = n.is_power_of_two();
        let operator =
            || self.apply(1, None, vec![elem.clone(), elem.clone()]).filter(|ty| *ty == elem && ty.is_data());
        match name {
            "reduce" => {
                operator()?;
                (n > 0).then_some(pushed(level, elem, 1)?)
            }
            "red1" | "red2" => {
                operator()?;
                power.then_some(pushed(level, elem, 1)?)
            }
            "reduce_lanes" => {
                operator()?;
                (level == Level::Warp && n > 0 && n <= 32).then_some(pushed(level, elem, 1)?)
            }
            "scan_lanes" => {
                operator()?;
                (level == Level::Warp && n > 0).then(|| Ty::pull(elem, n))
            }
            "scan_sklansky1" | "scan_sklansky2" | "scan_sklansky3" => {
                operator()?;
                (power && n >= 2).then(|| Ty::pull(elem, n))
            }
            "scan_kogge_stone" | "scan_kogge_stone_push" | "scan_brent_kung" => {
                operator()?;
                (n > 0).then(|| Ty::pull(elem, n))
            }
            "sort_odd_even" | "sort_tree" | "sort_periodic" | "sort_bitonic" | "tsort2" | "vsort2" => {
                let number = elem.scalar().is_some_and(|s| s.is_int());
                (number && n >= 2 && (power || name == "sort_odd_even")).then(|| Ty::pull(elem, n))
            }
            "load" => {
                let k = self.size(1)?;
                if k > 0 && n % k == 0 && n > 0 { pushed(level, elem, n) } else { None }
            }
            "ilv2" | "vee2" | "i_swap2" | "i_swap3" => {
                let (k, columns) = (self.size(1)?, columns(name));
                let span = if k + 1 < columns { 0 } else { 2u32.checked_shl(k)? };
                let (f, g) = (
                    self.apply(2, None, vec![elem.clone(), elem.clone()])?,
                    self.apply(3, None, vec![elem.clone(), elem.clone()])?,
                );
                let same = f == g && (columns == 1 || f == elem);
                if same && n > 0 && n.is_multiple_of(span) { pushed(level, f, n) } else { None }
            }
            "power" => {
                let array = Ty::pull(elem.clone(), n);
                let next = self.apply(2, self.ambient, vec![U32, array.clone()])?;
                (self.ty(1)? == U32 && n > 0 && Some(next) == pushed(level, elem, n)).then_some(array)
            }
            "s_map_accum" => {
                let acc = self.ty(1).filter(Ty::is_data)?;
                match self.apply(2, self.ambient, vec![acc.clone(), elem])? {
                    Ty::Tuple(both) if both.len() == 2 && both[0] == acc => match &both[1] {
                        Ty::Push(l, to, m, Known::Static) if *l == level => pushed(level, (**to).clone(), n * m),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Loops.
    fn sequential(&self, name: &str) -> Option<Ty> {
        match name {
            "seq_fold" if computes(self.ambient) => {
                let acc = self.ty(1).filter(Ty::is_data)?;
                let next = self.apply(2, self.ambient, vec![acc.clone(), U32])?;
                (self.ty(0)? == U32 && next == acc).then_some(acc)
            }
            "seq_while" if computes(self.ambient) => {
                let state = self.ty(0).filter(Ty::is_data)?;
                let fits = self.apply(1, self.ambient, vec![state.clone()])? == BOOL
                    && self.apply(2, self.ambient, vec![state.clone()])? == state;
                fits.then_some(state)
            }
            _ => self.folded(name),
        }
    }

    /// What all elements give together: in a closure that gives an element, or at a level that computes.
    fn total(&self, name: &str, elem: &Ty, n: u32) -> Option<Ty> {
        let number = elem.scalar().filter(|s| *s != ScalarType::Bool);
        if self.ambient.is_some() && !computes(self.ambient) {
            return None;
        }
        match name {
            "count" => (self.apply(1, None, vec![elem.clone()])? == BOOL).then_some(U32),
            "sum" | "product" => number.filter(|s| s.is_int()).map(Ty::Scalar),
            _ => number.filter(|_| n > 0).map(Ty::Scalar),
        }
    }

    /// Folds and scans in one thread.
    fn folded(&self, name: &str) -> Option<Ty> {
        let Ty::Pull(elem, n, known) = self.ty(0)? else { return None };
        let elem = *elem;
        let thread = |to: Ty, n: u32| if known == Known::Static && n > 0 { pushed(Level::Thread, to, n) } else { None };
        let own = || self.apply(1, None, vec![elem.clone(), elem.clone()]).filter(|ty| *ty == elem && ty.is_data());
        let from = || {
            let acc = self.ty(1).filter(Ty::is_data)?;
            (self.apply(2, None, vec![acc.clone(), elem.clone()])? == acc).then_some(acc)
        };
        match name {
            "seq_reduce" if self.ambient == Some(Level::Thread) && n > 0 => own(),
            "foldl" if matches!(self.ambient, None | Some(Level::Thread)) => from(),
            "sum" | "product" | "minimum" | "maximum" | "count" => self.total(name, &elem, n),
            "seq_map" => thread(self.apply(1, None, vec![elem.clone()])?, n),
            "seq_scan" => thread(own()?, n),
            "seq_scan_cin" => thread(from()?, n),
            "scanl" => thread(from()?, n + 1),
            "map_accum_l" | "map_accum_r" => {
                let acc = self.ty(1).filter(Ty::is_data)?;
                match self.apply(2, Some(Level::Thread), vec![acc.clone(), elem.clone()])? {
                    Ty::Tuple(both) if both.len() == 2 && both[0] == acc => thread(both[1].clone(), n),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
