//! Where each lane reads: an index evaluated for all 32 lanes at once, and the shuffle that fetches from there.

use std::rc::Rc;

use super::LANES;
use crate::passes::walk;
use crate::program::{Const, Expr, ExprId, Exprs, Program, ShuffleKind, VarId, arith};
use crate::tables::HashMap;

/// The value of an expression in each lane, as bits.
pub(super) type Table = Rc<[u64; LANES as usize]>;

/// The expressions whose value in each lane is known while compiling.
#[derive(Debug, Default)]
pub(super) struct Tables {
    known: HashMap<ExprId, Option<Table>>,
}

impl Tables {
    /// A variable is the lane's number.
    pub(super) fn lane(&mut self, p: &mut Program, var: VarId) {
        self.known.insert(p.exprs.var(var), Some(Rc::new(std::array::from_fn(|lane| lane as u64))));
    }

    /// A variable is what an expression is.
    pub(super) fn bind(&mut self, p: &mut Program, var: VarId, value: ExprId) {
        let table = self.of(&p.exprs, value);
        self.known.insert(p.exprs.var(var), table);
    }

    /// The value of an expression in each lane.
    pub(super) fn of(&mut self, exprs: &Exprs, root: ExprId) -> Option<Table> {
        for id in walk::reachable(exprs, [root], |id| self.known.contains_key(&id)) {
            let table = self.evaluate(exprs, id);
            self.known.insert(id, table);
        }
        self.known.get(&root).cloned().flatten()
    }

    fn evaluate(&self, exprs: &Exprs, id: ExprId) -> Option<Table> {
        let of = |x: ExprId| self.known.get(&x).cloned().flatten();
        let at = |x: ExprId, table: &Table, lane: usize| Const { ty: exprs.ty(x), bits: table[lane] };
        match exprs.expr(id) {
            Expr::Const(c) => Some(Rc::new([c.bits; LANES as usize])),
            Expr::Un(op, a) => {
                let x = of(a)?;
                Some(Rc::new(std::array::from_fn(|l| arith::un(op, at(a, &x, l)).bits)))
            }
            Expr::Bin(op, a, b) => {
                let (x, y) = (of(a)?, of(b)?);
                Some(Rc::new(std::array::from_fn(|l| arith::bin(op, at(a, &x, l), at(b, &y, l)).bits)))
            }
            Expr::Cast(a) => {
                let x = of(a)?;
                Some(Rc::new(std::array::from_fn(|l| arith::cast(at(a, &x, l), exprs.ty(id)).bits)))
            }
            Expr::Select(c, a, b) => {
                let (c, x, y) = (of(c)?, of(a)?, of(b)?);
                Some(Rc::new(std::array::from_fn(|l| if c[l] != 0 { x[l] } else { y[l] })))
            }
            // No index is a float, or made of one's bits.
            Expr::MulAdd(..) | Expr::Bits(_) => None,
            Expr::Var(_) | Expr::Scalar(_) | Expr::Len(_) | Expr::Special(_) | Expr::Load(..) => None,
        }
    }
}

/// How the lanes get at what they read of one register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fetch {
    /// Each has it.
    Own,
    /// By a shuffle with a constant.
    Shuffle(ShuffleKind, u32),
    /// Each names its lane.
    Gather,
}

/// The constant that takes a lane to the one it reads.
type Way = fn(u32, u32) -> Option<u32>;

/// The cheapest way, for pairs of a lane and the lane that it reads.
pub(super) fn fetch(pairs: &[(u32, u32)]) -> Fetch {
    let all = |f: Way| {
        let first = pairs.first().and_then(|&(to, from)| f(to, from))?;
        pairs.iter().all(|&(to, from)| f(to, from) == Some(first)).then_some(first)
    };
    if pairs.iter().all(|&(to, from)| to == from) {
        return Fetch::Own;
    }
    let ways: [(ShuffleKind, Way); 4] = [
        (ShuffleKind::Index, |_, from| Some(from)),
        (ShuffleKind::Up, |to, from| to.checked_sub(from)),
        (ShuffleKind::Down, |to, from| from.checked_sub(to)),
        (ShuffleKind::Xor, |to, from| Some(to ^ from)),
    ];
    ways.into_iter().find_map(|(kind, way)| all(way).map(|by| Fetch::Shuffle(kind, by))).unwrap_or(Fetch::Gather)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(n: u32, from: impl Fn(u32) -> u32) -> Fetch {
        fetch(&(0..n).map(|lane| (lane, from(lane))).collect::<Vec<_>>())
    }

    #[test]
    fn each_pattern_has_its_shuffle() {
        assert_eq!(by(32, |l| l), Fetch::Own);
        assert_eq!(by(32, |_| 7), Fetch::Shuffle(ShuffleKind::Index, 7));
        assert_eq!(by(32, |l| l ^ 5), Fetch::Shuffle(ShuffleKind::Xor, 5));
        assert_eq!(by(20, |l| l + 12), Fetch::Shuffle(ShuffleKind::Down, 12));
        assert_eq!(by(32, |l| (l + 1) % 32), Fetch::Gather);
        let up: Vec<_> = (3..32).map(|lane| (lane, lane - 3)).collect();
        assert_eq!(fetch(&up), Fetch::Shuffle(ShuffleKind::Up, 3));
    }
}
