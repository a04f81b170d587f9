//! R19. One trial of accesses: the numbers that launches are made of, and what an access does in one, whose counters run through their
//! extents and whose conditions are evaluated.

use super::require::Condition;
use super::tried::{Place, Stray, Tried};
use crate::passes::walk::reachable;
use crate::program::scoped::{Around, Rounds};
use crate::program::{BinOp, Const, Expr, ExprId, LaunchCheck, Program, Range, ScalarType, VarId, arith};
use crate::tables::{HashMap, HashSet};

/// The depth to which expressions are evaluated.
const MAX_DEPTH: u32 = 200;
/// Combinations of numbers that are looked at for a launch.
const MAX_COMBINATIONS: u32 = 800;
/// Rounds of one loop that are all done.
const MAX_ROUNDS: u64 = 64;
/// Lengths and scalars that decide an access, at most.
const MAX_VALUES: usize = 6;
/// Numbers that lengths and scalars are tried at, besides those of the program and their neighbours.
const NUMBERS: [u64; 19] = [0, 1, 2, 3, 4, 5, 7, 31, 32, 33, 64, 65, 127, 200, 513, 1030, 2500, 5000, 20_001];
/// Of the program's numbers only those up to this.
const MAX_NUMBER: u64 = 8192;

/// Numbers of lengths and scalars, in the order of [`Trial::values`].
pub(super) type Numbers = Vec<u64>;

pub(super) struct Trial<'a> {
    p: &'a Program,
    place: Place<'a>,
    /// The lengths and scalars that decide the access.
    pub(super) values: Vec<ExprId>,
    /// Those that the launch must have equal to something made of the others: their places among `values`, and that.
    equal: Vec<(usize, ExprId)>,
    /// What the launch is asked of these alone: what it is asked of others besides would let fewer launches through.
    checks: Vec<ExprId>,
    /// Numbers to try for each.
    pub(super) numbers: Vec<Numbers>,
    pub(super) given: HashMap<ExprId, Const>,
    vars: HashMap<VarId, Const>,
    /// What expressions are worth where nothing has changed since.
    memo: HashMap<ExprId, Option<Const>>,
    most: u64,
    pub(super) spent: u64,
}

impl<'a> Trial<'a> {
    /// A trial of one of several accesses, with the numbers that decide any of them.
    pub(super) fn new(p: &'a Program, place: Place<'a>, places: &[Place<'a>], most: u64) -> Self {
        let mut numbers = HashSet::from_iter(NUMBERS);
        let mut parts = nodes(p, places);
        let values: Vec<ExprId> = parts.iter().copied().filter(|&e| is_value(p, e)).collect();
        let launched = |e: ExprId| matches!(p.exprs.expr(e), Expr::Len(_) | Expr::Scalar(_));
        let mut checks = Vec::new();
        for LaunchCheck { cond, .. } in &p.checks {
            let nodes = reachable(&p.exprs, [*cond], |_| false);
            if nodes.iter().all(|e| !launched(*e) || values.contains(e)) {
                checks.push(*cond);
                parts.extend(nodes);
            }
        }
        for e in parts {
            if let Expr::Const(Const { ty: ScalarType::U32, bits: k @ ..=MAX_NUMBER }) = p.exprs.expr(e) {
                numbers.extend([k.saturating_sub(1), k, k + 1, 2 * k, 2 * k + 1, 4 * k]);
            }
        }
        let equal = equal(p, &values, &checks);
        let is_equal = |i: usize| equal.iter().any(|(at, _)| *at == i);
        let tried = |(i, &e): (usize, &ExprId)| {
            // What the others decide is not chosen.
            if is_equal(i) { vec![0] } else { within(&numbers, p.exprs.range(e)) }
        };
        let numbers = values.iter().enumerate().map(tried).collect();
        let (given, vars, memo) = Default::default();
        Trial { p, place, values, equal, checks, numbers, given, vars, memo, most, spent: 0 }
    }

    /// Launches that the checks let through and that are `wanted`, small ones first.
    pub(super) fn launches(&mut self, wanted: impl Fn(&mut Self) -> bool) -> Vec<Numbers> {
        if self.values.len() > MAX_VALUES || self.numbers.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let all: u64 = self.numbers.iter().fold(1, |all: u64, n| all.saturating_mul(n.len() as u64));
        let mut found: Vec<(u64, Numbers)> = Vec::new();
        // All combinations where these are few, else some that lie far from one another.
        let tried = all.min(MAX_COMBINATIONS.into());
        for k in 0..tried {
            let mut at = if all == tried { k } else { k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16 };
            let mut launch = Numbers::new();
            for numbers in &self.numbers {
                let n = numbers.len() as u64;
                launch.push(numbers[(at % n) as usize]);
                at /= n;
            }
            self.set(&launch);
            for i in 0..self.equal.len() {
                let (at, e) = self.equal[i];
                launch[at] = self.number(e).unwrap_or(0);
            }
            self.set(&launch);
            if !self.is_let_through() || !wanted(self) {
                continue;
            }
            found.push((launch.iter().sum(), launch));
        }
        found.sort();
        found.dedup();
        found.into_iter().map(|(_, launch)| launch).collect()
    }

    /// By how much the launch misses a condition; not at all where nobody knows.
    pub(super) fn excess(&mut self, condition: &Condition) -> i128 {
        condition.excess(|e| self.number(e)).unwrap_or(0)
    }

    /// Whether the launch keeps conditions.
    pub(super) fn keeps(&mut self, asked: &[&Condition]) -> bool {
        asked.iter().all(|c| self.excess(c) <= 0)
    }

    /// Whether one of several accesses strays in a launch.
    pub(super) fn some_strays(&mut self, places: &[Place<'a>], launch: &Numbers) -> bool {
        places.iter().any(|&place| {
            self.place = place;
            self.set(launch);
            matches!(self.round(0), Some(Tried::Strays(_)))
        })
    }

    /// Whether each of several accesses is inside in a launch, wherever it happens.
    pub(super) fn none_strays(&mut self, places: &[Place<'a>], launch: &Numbers) -> bool {
        places.iter().all(|&place| {
            self.place = place;
            self.set(launch);
            matches!(self.round(0), None | Some(Tried::Inside))
        })
    }

    pub(super) fn set(&mut self, launch: &Numbers) {
        let given = |(&e, &n): (&ExprId, &u64)| (e, Const { ty: ScalarType::U32, bits: n });
        self.given = self.values.iter().zip(launch).map(given).collect();
        self.vars.clear();
        self.memo.clear();
    }

    fn is_let_through(&mut self) -> bool {
        (0..self.checks.len()).all(|i| self.value(self.checks[i], 0).is_none_or(|holds| holds.bits != 0))
    }

    pub(super) fn all(&mut self, launches: &[Numbers]) -> Tried {
        let mut found = Tried::Open;
        for launch in launches {
            self.set(launch);
            match self.round(0) {
                // What was looked at before the steps were used up.
                Some(Tried::Open) if self.spent >= self.most => return found,
                Some(Tried::Open) => return Tried::Open,
                Some(strays @ Tried::Strays(_)) => return strays,
                Some(Tried::Inside) => found = Tried::Inside,
                None => found = Tried::Inside,
            }
            if self.spent >= self.most {
                return found;
            }
        }
        found
    }

    /// What the access does under the counters so far; `None` where it is not reached.
    pub(super) fn round(&mut self, depth: usize) -> Option<Tried> {
        if self.spent >= self.most {
            return Some(Tried::Open);
        }
        let Some(&around) = self.place.around.get(depth) else { return Some(self.access()) };
        match around {
            Around::Head | Around::While { .. } => self.round(depth + 1),
            Around::Given { cond, truth } => {
                let reached = self.value(cond, 0).is_none_or(|value| (value.bits != 0) == truth);
                if reached { self.round(depth + 1) } else { None }
            }
            Around::Is { var, value } => {
                let value = self.value(value, 0);
                self.bind(var, value, depth)
            }
            Around::Count { var, end, rounds } => {
                let (start, step) = match rounds {
                    Rounds::InTurn { start, step } => (self.number(start), self.number(step)),
                    Rounds::Instances(_) => (Some(0), Some(1)),
                };
                let (Some(start), Some(end), Some(step @ 1..)) = (start, self.number(end), step) else {
                    return self.bind(var, None, depth);
                };
                let rounds = end.saturating_sub(start).div_ceil(step);
                let mut found = None;
                for k in self.looked_at(rounds) {
                    let value = Const { ty: self.p.var(var).ty, bits: start + k * step };
                    match self.bind(var, Some(value), depth) {
                        Some(Tried::Inside) => found = Some(Tried::Inside),
                        None => {}
                        decided => return decided,
                    }
                }
                found
            }
        }
    }

    /// Which of a loop's rounds are done, those first that stray most often. Of many rounds these are some, among them those
    /// where an array ends that is taken in chunks of `rounds`, or of one more.
    fn looked_at(&self, rounds: u64) -> Vec<u64> {
        if rounds <= MAX_ROUNDS {
            return (0..rounds).rev().collect();
        }
        let given = self.values.iter().filter_map(|e| self.given.get(e));
        let ends = given.flat_map(|n| [n.bits % rounds, n.bits % (rounds + 1)]);
        let ends = ends.flat_map(|end| [end, end + 1, end.saturating_sub(1)]).filter(|&k| k < rounds);
        let some = [1, 2, 3].into_iter().map(|back| rounds - back).chain([0, 1, 2, 31, 32, rounds / 2, rounds / 3]);
        let mut all = Vec::new();
        some.chain(ends).for_each(|k| {
            if !all.contains(&k) {
                all.push(k)
            }
        });
        all
    }

    fn bind(&mut self, var: VarId, value: Option<Const>, depth: usize) -> Option<Tried> {
        match value {
            Some(value) => drop(self.vars.insert(var, value)),
            None => drop(self.vars.remove(&var)),
        }
        self.memo.clear();
        let found = self.round(depth + 1);
        self.vars.remove(&var);
        self.memo.clear();
        found
    }

    fn access(&mut self) -> Tried {
        let (Some(index), Some(len)) = (self.number(self.place.index), self.number(self.place.len)) else {
            return Tried::Open;
        };
        if index < len {
            return Tried::Inside;
        }
        let launch = self.values.iter().map(|e| (*e, self.given[e].bits)).collect();
        Tried::Strays(Stray { launch, index, len })
    }

    pub(super) fn number(&mut self, e: ExprId) -> Option<u64> {
        self.value(e, 0).map(|value| value.bits)
    }

    /// The value of an expression; `None` where it is made of what is not known.
    fn value(&mut self, e: ExprId, depth: u32) -> Option<Const> {
        if let Some(&known) = self.memo.get(&e) {
            return known;
        }
        if depth > MAX_DEPTH || self.spent >= self.most {
            return None;
        }
        self.spent += 1;
        let exprs = &self.p.exprs;
        let ty = exprs.ty(e);
        let value = match exprs.expr(e) {
            Expr::Const(k) => Some(k),
            Expr::Var(v) => self.vars.get(&v).copied(),
            Expr::Len(_) | Expr::Scalar(_) => self.given.get(&e).copied(),
            Expr::Special(_) | Expr::Load(..) | Expr::OnGpu => None,
            Expr::Un(op, a) => self.value(a, depth + 1).map(|a| arith::un(op, a)),
            Expr::Bin(op, a, b) => match (self.value(a, depth + 1), self.value(b, depth + 1)) {
                (Some(a), Some(b)) => Some(arith::bin(op, a, b)),
                // One of the two decides, whatever the other is.
                (Some(one), None) | (None, Some(one)) if ty == ScalarType::Bool => match (op, one.bits) {
                    (BinOp::And, 0) | (BinOp::Or, 1) => Some(one),
                    _ => None,
                },
                _ => None,
            },
            Expr::Select(c, a, b) => {
                self.value(c, depth + 1).and_then(|c| self.value(if c.bits != 0 { a } else { b }, depth + 1))
            }
            Expr::Cast(a) => self.value(a, depth + 1).map(|a| arith::cast(a, ty)),
            Expr::Bits(a) => self.value(a, depth + 1).map(|a| arith::bits(a, ty)),
            Expr::MulAdd(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|e| self.value(e, depth + 1));
                Some(arith::mul_add(a?, b?, c?))
            }
        };
        self.memo.insert(e, value);
        value
    }
}

/// All that decides whether accesses stray.
pub(super) fn nodes(p: &Program, places: &[Place<'_>]) -> Vec<ExprId> {
    let around = places.iter().flat_map(|place| place.around).flat_map(|around| match *around {
        Around::Count { end, rounds: Rounds::InTurn { start, step }, .. } => [Some(end), Some(start), Some(step)],
        Around::Count { end: e, .. }
        | Around::Given { cond: e, .. }
        | Around::While { cond: e }
        | Around::Is { value: e, .. } => [Some(e), None, None],
        Around::Head => [None; 3],
    });
    let ends = places.iter().flat_map(|place| [place.index, place.len]);
    reachable(&p.exprs, around.flatten().chain(ends), |_| false).into_iter().collect()
}

/// Of the values those that a check wants equal to something made of other values: the length of a matrix, which is its rows times its
/// columns. None of them is made of another one.
fn equal(p: &Program, values: &[ExprId], checks: &[ExprId]) -> Vec<(usize, ExprId)> {
    let mut found: Vec<(usize, ExprId)> = Vec::new();
    for &check in checks {
        let Expr::Bin(BinOp::Eq, a, b) = p.exprs.expr(check) else { continue };
        for (value, other) in [(a, b), (b, a)] {
            let Some(at) = values.iter().position(|&e| e == value) else { continue };
            let parts = reachable(&p.exprs, [other], |_| false);
            let free = parts.iter().all(|e| *e != value && found.iter().all(|(i, _)| values[*i] != *e));
            let fresh = found.iter().all(|(i, of)| *i != at && !reachable(&p.exprs, [*of], |_| false).contains(&value));
            if free && fresh {
                found.push((at, other));
                break;
            }
        }
    }
    found
}

/// Whether an expression is a length or a scalar that can be tried.
pub(super) fn is_value(p: &Program, e: ExprId) -> bool {
    matches!(p.exprs.expr(e), Expr::Len(_) | Expr::Scalar(_)) && p.exprs.ty(e) == ScalarType::U32
}

/// Those of `numbers` that lie in `range`, small ones first.
fn within(numbers: &HashSet<u64>, range: Range) -> Numbers {
    let mut found: Numbers = numbers.iter().copied().filter(|&n| (range.lo..=range.hi).contains(&n.into())).collect();
    found.sort_unstable();
    found
}
