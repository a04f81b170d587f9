//! Elements at the digits of a mixed radix: the counters of the loops around an access, each times the number of rounds of
//! those below it. These numbers may be known at launch only, where nothing can be looked at lane by lane.
//!
//! R3. Digits below their numbers of rounds make each number below the product of these once. Asked last, of what nothing else
//! has proved.

use super::touches::{Below, Loop, Touch, touches};
use crate::level::Level;
use crate::passes::bounds::{Row, columns, rows};
use crate::passes::index::{Mono, Poly, Polys, Reader, Reading, Word, lower};
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Expr, ExprId, Exprs, LaunchCheck, Program, Space, VarId};
use crate::tables::HashMap;

/// Whether the whole of an output of `len` elements is written, each element once: by one statement, in loops alone, whose counters may
/// be limited as threads of a grid are that has some too many. The launch checks keep `len` from wrapping, so the index does not wrap
/// either.
pub(super) fn fills(p: &Program, array: ArrayId, len: ExprId) -> bool {
    let touches = touches(p, array);
    let [Touch { index, loops, limits, sure: true, writes: true, .. }] = &touches[..] else { return false };
    let mut reader = Named::of(p);
    reader.digits(*index, loops, limits, Some(len)).is_some_and(|digits| {
        let all = digits.together.len() == limits.len() && digits.together.iter().all(|(n, of)| reaches(p, *n, of));
        all && digits.rest == Poly::default() && digits.fills
    })
}

/// Whether loops go round at least `n` times together: as many as fit into each of the last one's, rounded up, where the launch is asked that
/// this does not wrap.
fn reaches(p: &Program, n: ExprId, of: &[Loop]) -> bool {
    let exprs = &p.exprs;
    let (known, open): (Vec<&Loop>, Vec<&Loop>) = of.iter().partition(|l| exprs.as_u32(l.rounds).is_some());
    let mut rounds_of_known = known.iter().filter_map(|l| exprs.as_u32(l.rounds)).map(u64::from);
    let known = rounds_of_known.try_fold(1u64, |all, rounds| all.checked_mul(rounds).filter(|&all| all <= 1 << 32));
    let (Some(known), [Loop { rounds, .. }]) = (known, &open[..]) else { return false };
    let padded = match exprs.expr(*rounds) {
        Expr::Bin(BinOp::Div, sum, by) if exprs.as_u32(by).map(u64::from) == Some(known) => sum,
        Expr::Bin(BinOp::Shr, sum, by) if exprs.as_u32(by).is_some_and(|by| 1 << by.min(63) == known) => sum,
        _ => return false,
    };
    let Expr::Bin(BinOp::Add, a, more) = exprs.expr(padded) else { return false };
    let most = |check: &LaunchCheck| match exprs.expr(check.cond) {
        Expr::Bin(BinOp::Le, x, most) if x == n => exprs.as_u32(most).map(u64::from),
        _ => None,
    };
    let wraps = p.checks.iter().filter_map(most).min().is_none_or(|most| most + known > 1 << 32);
    a == n && exprs.as_u32(more).is_some_and(|more| u64::from(more) + 1 == known) && !wraps
}

/// Numbers whose products must not wrap, which the launch is asked for.
pub(super) type Products = Vec<Vec<ExprId>>;

/// Whether no two instances of loops touch one element of an array: all accesses are at one place in the same loops. What an instance does
/// in turn, such as the columns of its row, is a digit too: two that meet are in one round of one instance. It is so in launches in which
/// none of the products of the numbers that are given wraps.
pub(super) fn apart(p: &Program, array: ArrayId) -> Option<Products> {
    let touches = touches(p, array);
    let first = touches.first()?;
    if !touches.iter().all(|t| (t.index, &t.loops) == (first.index, &first.loops)) {
        return None;
    }
    told_apart(p, array, &touches, first.index).map(|digits| digits.products)
}

/// R39. The same where all accesses are in rows, and no two instances have one row.
pub(super) fn rows_apart(p: &Program, array: ArrayId) -> Option<Products> {
    let touches = touches(p, array);
    rows(p, array).into_iter().find_map(|Row { row, width }| {
        let mut products = told_apart(p, array, &touches, row)?.products;
        // The number of rows comes last.
        products.last_mut()?.push(width);
        Some(products)
    })
}

/// R40. The same where all accesses are in columns, and no two instances have one column.
pub(super) fn columns_apart(p: &Program, array: ArrayId) -> Option<Products> {
    let touches = touches(p, array);
    columns(p, array).into_iter().find_map(|column| Some(told_apart(p, array, &touches, column)?.products))
}

/// The same where each access is told apart by a value, the same in all of them.
pub(super) fn apart_by(p: &Program, array: ArrayId, touches: &[Touch], value: ExprId) -> Option<Products> {
    told_apart(p, array, touches, value).map(|digits| digits.products)
}

/// A value as digits that tell the instances apart which touch an array.
fn told_apart(p: &Program, array: ArrayId, touches: &[Touch], value: ExprId) -> Option<Digits> {
    // Each block has its own copy of an array of a block's.
    let shared = matches!(p.array(array).space, Space::Shared(Level::Block));
    let parts = |l: &Loop| l.instances.is_some_and(|level| !(shared && level == Level::Block));
    if matches!(p.array(array).space, Space::Shared(Level::Warp)) {
        return None;
    }
    let made_of = walk::reachable(&p.exprs, [value], |_| false);
    let goes = |l: &Loop| l.instances.is_none() && made_of.iter().any(|&e| p.exprs.expr(e) == Expr::Var(l.var));
    let counted = |t: &Touch| t.loops.iter().filter(|l| parts(l) || goes(l)).copied().collect::<Vec<Loop>>();
    let first = touches.first()?;
    let loops = counted(first);
    if touches.iter().any(|t| counted(t) != loops) {
        return None;
    }
    let limits = first.limits.iter().filter(|limit| touches.iter().all(|t| t.limits.contains(limit)));
    let limits: Vec<Below> = limits.copied().collect();
    let mut reader = Named::of(p);
    // What a condition limits are fewer.
    [&limits[..], &[]].into_iter().find_map(|limits| reader.digits(value, &loops, limits, None).filter(|d| d.is_common))
}

/// An index taken apart.
struct Digits {
    /// What is left of it without the digits.
    rest: Poly,
    /// Whether that is the same for all instances.
    is_common: bool,
    /// Numbers of rounds, none of whose products may wrap.
    products: Vec<Vec<ExprId>>,
    /// Whether the product of the numbers of rounds is the length.
    fills: bool,
    /// The limits of digits that are sums of counters, and the loops whose counters these are.
    together: Vec<(ExprId, Vec<Loop>)>,
}

/// A number that is below `rounds`: the counter of a loop, or a sum that a condition limits.
struct Digit {
    value: Poly,
    /// The counter in it whose coefficient is 1.
    lowest: Mono,
    rounds: ExprId,
    /// The number of rounds, where that is read exactly; the highest digit does without.
    size: Option<Poly>,
}

impl Named<'_> {
    /// An index as digits: one for each of the loops, or for several of them together, where a limit says how much these count to.
    fn digits(&mut self, index: ExprId, loops: &[Loop], limits: &[Below], len: Option<ExprId>) -> Option<Digits> {
        // What the length is made of is checked not to wrap.
        let checked = walk::reachable(self.exprs, len, |_| false);
        let (index, len) = (self.read(index), len.map(|len| self.read(len)));
        let (mut open, mut products, mut together) = (Vec::new(), Vec::new(), Vec::new());
        let mut left: Vec<Loop> = loops.iter().filter(|l| self.exprs.as_u32(l.rounds) != Some(1)).copied().collect();
        for &limit in limits {
            let Some((digit, of, product)) = self.together(limit, &left) else { continue };
            left.retain(|l| !of.contains(l));
            together.push((digit.rounds, of));
            products.push(product);
            open.push(digit);
        }
        for l in left {
            let lowest = self.counter(l)?;
            open.push(Digit {
                value: Poly::of(lowest),
                lowest,
                rounds: l.rounds,
                size: self.size(l.rounds, &checked)?,
            });
        }
        products.push(open.iter().map(|digit| digit.rounds).collect());
        let (sum, size) = self.stacked(&index, open)?;
        let rest = index.minus(&sum)?;
        let mut made_of = Vec::new();
        rest.monos().for_each(|m| self.polys.exprs(m, &mut made_of));
        let is_common = made_of.iter().all(|&e| self.exprs.known_at_launch(e));
        Some(Digits { rest, is_common, products, fills: len.is_some() && len == size, together })
    }

    /// The sum of digits in an index, from the lowest on, each times the numbers of rounds of those below it; and the product of all of
    /// these, if each is read exactly.
    fn stacked(&mut self, index: &Poly, mut open: Vec<Digit>) -> Option<(Poly, Option<Poly>)> {
        let (mut sum, mut size) = (Poly::default(), Some(Poly::constant(1)));
        while !open.is_empty() {
            let below = size?;
            let mut next = None;
            for (at, digit) in open.iter().enumerate() {
                if self.polys.coefficient(index, digit.lowest)? == below {
                    next = Some(at);
                    break;
                }
            }
            let digit = open.remove(next?);
            sum = sum.plus(&self.polys.product(&digit.value, &below)?)?;
            size = match digit.size {
                Some(n) => Some(self.polys.product(&below, &n)?),
                None => None,
            };
        }
        Some((sum, size))
    }

    /// A sum of counters, such as the number of a thread in the grid, as one digit below what a condition says; the loops whose counters
    /// these are, and their numbers of rounds. Each value of such a sum is that of one instance alone.
    fn together(&mut self, (value, rounds): Below, left: &[Loop]) -> Option<(Digit, Vec<Loop>, Vec<ExprId>)> {
        let made_of = walk::reachable(self.exprs, [value], |_| false);
        let counts = |l: &&Loop| made_of.iter().any(|&e| self.exprs.expr(e) == Expr::Var(l.var));
        let of: Vec<Loop> = left.iter().filter(counts).copied().collect();
        let digits = self.digits(value, &of, &[], None).filter(|digits| digits.rest == Poly::default())?;
        let value = self.read(value);
        let one = Poly::constant(1);
        let mut lowest = None;
        for l in &of {
            let counter = self.counter(*l)?;
            if self.polys.coefficient(&value, counter)? == one {
                lowest = Some(counter);
            }
        }
        let digit = Digit { value, lowest: lowest?, rounds, size: self.size(rounds, &[])? };
        Some((digit, of, digits.products.concat()))
    }

    /// The counter of a loop.
    fn counter(&self, l: Loop) -> Option<Mono> {
        let counter = (0..self.exprs.len() as u32).map(ExprId).find(|&e| self.exprs.expr(e) == Expr::Var(l.var))?;
        Some(Mono::value(counter))
    }

    /// A number of rounds, if the launch knows it; where it may wrap, not what it is.
    fn size(&mut self, rounds: ExprId, checked: &[ExprId]) -> Option<Option<Poly>> {
        if !self.exprs.known_at_launch(rounds) {
            return None;
        }
        let n = self.read(rounds);
        let plain = n.single().is_some_and(|(m, c, k)| (c, k) == (1, 0) && self.polys.atom(m).is_some());
        Some((plain || n.as_constant().is_some() || checked.contains(&rounds)).then_some(n))
    }
}

/// Reads modulo `2^w`, through the names of values.
struct Named<'p> {
    exprs: &'p Exprs,
    polys: Polys,
    lets: HashMap<VarId, ExprId>,
    known: HashMap<ExprId, Word>,
}

impl<'p> Named<'p> {
    fn of(p: &'p Program) -> Named<'p> {
        Named { exprs: &p.exprs, polys: Polys::default(), lets: walk::lasting_lets(p), known: HashMap::default() }
    }

    fn read(&mut self, e: ExprId) -> Poly {
        let id = lower(self, e).residue();
        self.polys.get(id).clone()
    }
}

impl Reader for Named<'_> {
    fn exprs(&self) -> &Exprs {
        self.exprs
    }

    fn polys(&mut self) -> &mut Polys {
        &mut self.polys
    }

    fn reading(&self) -> Reading {
        Reading::Residues
    }

    fn opens(&mut self, _: ExprId) -> bool {
        true
    }

    fn bound(&mut self, var: VarId) -> Option<ExprId> {
        self.lets.get(&var).copied()
    }

    fn recall(&mut self, e: ExprId) -> Option<Word> {
        self.known.get(&e).copied()
    }

    fn note(&mut self, e: ExprId, word: Word) {
        self.known.insert(e, word);
    }
}
