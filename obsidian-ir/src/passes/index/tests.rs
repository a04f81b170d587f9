//! Random expressions of all integer types against `program::arith`, and each rule where it matters.

use super::*;
use crate::program::{BinOp, Const, Expr, ExprId, Exprs, ParamId, Program, Range, ScalarType, UnOp, VarId, arith};

/// A small generator (xorshift); the seed names the case.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const INTEGERS: [ScalarType; 8] = [
    ScalarType::I8,
    ScalarType::I16,
    ScalarType::I32,
    ScalarType::I64,
    ScalarType::U8,
    ScalarType::U16,
    ScalarType::U32,
    ScalarType::U64,
];

/// Variables: of each type one of any value, and of `u32` one below 64 and one below 1000.
struct Case {
    r: Random,
    p: Program,
    vars: Vec<ExprId>,
}

impl Case {
    fn new(seed: u64) -> Case {
        let mut p = crate::passes::fixture::program(32);
        let mut ranges: Vec<(ScalarType, Range)> = INTEGERS.iter().map(|&ty| (ty, Range::full(ty))).collect();
        ranges.extend([64, 1000].map(|n| (ScalarType::U32, Range::new(0, n - 1))));
        ranges.push((ScalarType::I32, Range::new(-50, 50)));
        let vars = ranges.into_iter().map(|(ty, range)| p.new_var("v", ty, false, range)).collect::<Vec<VarId>>();
        let vars = vars.into_iter().map(|v| p.exprs.var(v)).collect();
        Case { r: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), p, vars }
    }

    fn leaf(&mut self, ty: ScalarType) -> ExprId {
        let own: Vec<ExprId> = self.vars.iter().copied().filter(|&v| self.p.exprs.ty(v) == ty).collect();
        if self.r.below(3) > 0 {
            return self.r.pick(&own);
        }
        let (full, k) = (Range::full(ty), self.r.pick(&[0, 1, 2, 3, 4, 7, 8, 15, 16, 24, 31, 32, 63, 64, 100, 127]));
        let value = self.r.pick(&[k, k, k, -k, full.hi - k, full.lo + k, 1 << (k % 63)]);
        self.p.exprs.constant(Const { ty, bits: arith::wrap(ty, value) })
    }

    fn expr(&mut self, ty: ScalarType, depth: u32) -> ExprId {
        use BinOp::*;
        if depth == 0 || self.r.below(6) == 0 {
            return self.leaf(ty);
        }
        match self.r.below(12) {
            0 => {
                let op = self.r.pick(&[UnOp::Neg, UnOp::Not]);
                let a = self.expr(ty, depth - 1);
                self.p.exprs.un(op, a)
            }
            1 | 2 => {
                let from = self.r.pick(&INTEGERS);
                let a = self.expr(from, depth - 1);
                self.p.exprs.cast(a, ty)
            }
            _ => {
                let op = self.r.pick(&[Add, Add, Add, Sub, Sub, Mul, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Min]);
                let a = self.expr(ty, depth - 1);
                let b = if self.r.below(2) == 0 { self.leaf(ty) } else { self.expr(ty, depth - 1) };
                self.p.exprs.bin(op, a, b)
            }
        }
    }

    fn values(&mut self) -> Vec<Const> {
        let vars = self.vars.clone();
        let value = |e: ExprId| {
            let (ty, range) = (self.p.exprs.ty(e), self.p.exprs.range(e));
            let by = self.r.below(1 << 20) as i128;
            let wide = by.wrapping_mul(0x0123_4567_89ab_cdef) & i128::from(u64::MAX);
            let v = self.r.pick(&[range.lo + by, range.hi - by, by - 5, range.lo + wide]);
            let v = range.lo + (v - range.lo).rem_euclid(range.hi - range.lo + 1);
            Const { ty, bits: arith::wrap(ty, v) }
        };
        vars.into_iter().map(value).collect()
    }
}

/// The value of an expression by the meaning of arithmetic.
fn value(exprs: &Exprs, vars: &[Const], e: ExprId) -> Const {
    let of = |x| value(exprs, vars, x);
    match exprs.expr(e) {
        Expr::Const(c) => c,
        Expr::Var(v) => vars[v.0 as usize],
        Expr::Un(op, a) => arith::un(op, of(a)),
        Expr::Bin(op, a, b) => arith::bin(op, of(a), of(b)),
        Expr::Cast(a) => arith::cast(of(a), exprs.ty(e)),
        other => panic!("{other:?}"),
    }
}

/// The value of a polynomial; `None` beyond 128 bits.
fn exact(polys: &Polys, p: &Poly, of: &dyn Fn(ExprId) -> i128) -> Option<i128> {
    let mut sum = p.rest();
    for &(m, c) in p.terms() {
        let mut product = i128::from(c);
        for factor in polys.factors(m) {
            let x = match polys.atom(factor)? {
                Atom::Value(e, _) => of(e),
                Atom::Quotient(p, d) => exact(polys, polys.get(p), of)?.div_euclid(d),
            };
            product = product.checked_mul(x)?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum)
}

/// 10^5 expressions of all integer types: the word's polynomial is right modulo `2^w`, and the integer is the value.
#[test]
fn words_mean_what_arithmetic_says() {
    let (mut integers, mut wrapping, mut quotients) = (0, 0, 0);
    for seed in 0..100_000 {
        let mut case = Case::new(seed);
        let ty = case.r.pick(&INTEGERS);
        let e = case.expr(ty, 3);
        let vars = case.values();
        let exprs = &case.p.exprs;
        let mut r = Plain::new(exprs);
        let word = lower(&mut r, e);
        let integer = word.integer(&mut r);
        let expected = value(exprs, &vars, e).int();
        let of = |e| value(exprs, &vars, e).int();
        let sum = r.polys.get(word.residue()).clone();
        let says =
            || format!("seed {seed}: {}\n{sum:?} {:?} {vars:?}", crate::program::print_expr(&case.p, e), r.polys);
        if let Some(found) = exact(&r.polys, &sum, &of) {
            assert_eq!(arith::wrap(ty, found), arith::wrap(ty, expected), "{}", says());
            wrapping += usize::from(found != expected);
        }
        if let Some(found) = integer.as_ref().and_then(|p| exact(&r.polys, p, &of)) {
            assert_eq!(found, expected, "{}", says());
            integers += usize::from(!sum.terms().is_empty());
        }
        let whole = |m| matches!(r.polys.atom(m), Some(Atom::Quotient(..)));
        quotients += usize::from(integer.is_some_and(|p| p.monos().any(whole)));
    }
    assert!(integers > 50_000 && wrapping > 5_000 && quotients > 10_000, "{integers} {wrapping} {quotients}");
}

/// A program's expressions by hand.
struct Hand {
    p: Program,
}

impl Hand {
    fn new() -> Hand {
        Hand { p: crate::passes::fixture::program(32) }
    }

    fn var(&mut self, n: i128) -> ExprId {
        let v = self.p.new_var("v", ScalarType::U32, false, Range::new(0, n - 1));
        self.p.exprs.var(v)
    }

    fn any(&mut self) -> ExprId {
        self.p.exprs.scalar(ParamId(0), ScalarType::U32)
    }

    fn op(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.p.exprs.bin(op, a, b)
    }

    fn with(&mut self, op: BinOp, a: ExprId, k: u32) -> ExprId {
        let k = self.p.exprs.u32(k);
        self.p.exprs.bin(op, a, k)
    }
}

/// Whether two expressions are read as one word.
fn same_word(h: &Hand, a: ExprId, b: ExprId) -> bool {
    let mut r = Plain::new(&h.p.exprs);
    lower(&mut r, a) == lower(&mut r, b)
}

/// Whether two expressions are read as one integer.
fn same_integer(h: &Hand, a: ExprId, b: ExprId) -> bool {
    let mut r = Plain::new(&h.p.exprs);
    let [a, b] = [a, b].map(|e| lower(&mut r, e).integer(&mut r));
    a.is_some() && a == b
}

#[test]
fn r1_sums_that_wrap_are_one_word_and_their_parts_cancel() {
    let mut h = Hand::new();
    let (x, y) = (h.any(), h.var(1 << 32));
    let sum = h.op(BinOp::Add, x, y);
    let back = h.op(BinOp::Sub, sum, y);
    assert!(same_word(&h, back, x) && same_integer(&h, back, x));
    let four = h.with(BinOp::Mul, sum, 4);
    let shifted = h.with(BinOp::Shl, x, 2);
    let parts = h.with(BinOp::Mul, y, 4);
    let parts = h.op(BinOp::Add, shifted, parts);
    assert!(same_word(&h, four, parts));
}

/// `n * 4 / 4` is not `n`, `x * 4 / 4` is where `x * 4` does not wrap.
#[test]
fn r2_only_what_does_not_wrap_is_its_sum() {
    for (n, exact) in [(1 << 32, false), ((1 << 30) + 1, false), (1 << 30, true)] {
        let mut h = Hand::new();
        let x = h.var(n);
        let four = h.with(BinOp::Mul, x, 4);
        let mut r = Plain::new(&h.p.exprs);
        let word = lower(&mut r, four);
        let sum = r.polys.get(word.residue()).clone();
        assert_eq!(word.integer(&mut r) == Some(sum), exact, "{n}");
    }
    // Below zero is a wrap too.
    let mut h = Hand::new();
    let (x, y) = (h.var(10), h.var(10));
    let apart = h.op(BinOp::Sub, x, y);
    let mut r = Plain::new(&h.p.exprs);
    let word = lower(&mut r, apart);
    let sum = r.polys.get(word.residue()).clone();
    assert_eq!(wraps(&mut r, &sum, ScalarType::U32), Wraps::Perhaps);
    assert_eq!(wraps(&mut r, &sum, ScalarType::I32), Wraps::No);
    assert_ne!(word.integer(&mut r), Some(sum));
}

#[test]
fn r4_bits_are_quotients_and_remainders() {
    let mut h = Hand::new();
    let (x, y) = (h.any(), h.var(16));
    let (masked, rest) = (h.with(BinOp::And, x, 31), h.with(BinOp::Rem, x, 32));
    assert!(same_integer(&h, masked, rest));
    let (shifted, divided) = (h.with(BinOp::Shr, x, 5), h.with(BinOp::Div, x, 32));
    assert!(same_integer(&h, shifted, divided));
    // The digit of 8 of a half: the quotient by 8 of it is that by 16 of the whole.
    let half = h.with(BinOp::Shr, x, 1);
    let digit = h.with(BinOp::And, half, 7);
    for (bits, same) in [(4, true), (3, false), (5, false)] {
        let quotient = h.with(BinOp::Shr, x, bits);
        let above = h.with(BinOp::Mul, quotient, 8);
        let left = h.op(BinOp::Sub, half, above);
        assert_eq!(same_integer(&h, digit, left), same, "{bits}");
    }
    let high = h.with(BinOp::And, x, 0xffff_ffe0);
    let without = h.op(BinOp::Sub, x, rest);
    assert!(same_integer(&h, high, without));
    // The last digit of 16, turned and turned back.
    let turned = h.with(BinOp::Xor, y, 15);
    let back = h.with(BinOp::Xor, turned, 15);
    assert!(same_integer(&h, back, y));
    // `16 * x | y` where the bits are apart; `8 * x | y` where they may not be.
    for (k, apart) in [(16, true), (8, false)] {
        let z = h.var(1000);
        let product = h.with(BinOp::Mul, z, k);
        let (or, xor) = (h.op(BinOp::Or, product, y), h.op(BinOp::Xor, product, y));
        let sum = h.op(BinOp::Add, product, y);
        assert_eq!((same_integer(&h, or, sum), same_integer(&h, xor, sum)), (apart, apart), "{k}");
    }
}

#[test]
fn quotients_have_a_normal_form() {
    let mut h = Hand::new();
    let (b, i) = (h.var(1000), h.var(64));
    let base = h.with(BinOp::Mul, b, 64);
    let at = h.op(BinOp::Add, base, i);
    let named = h.p.new_var("at", ScalarType::U32, false, Range::full(ScalarType::U32));
    let named = h.p.exprs.var(named);
    let mut r = Plain::new(&h.p.exprs);
    let sum = lower(&mut r, at).integer(&mut r).unwrap();
    let value = |e| Poly::of(Mono::value(e));
    let mut by = |p: &Poly, d| {
        let exprs = &h.p.exprs;
        r.polys.quotient(p, d, &mut |polys, m| everywhere(exprs, polys, m)).unwrap()
    };
    // Multiples of the divisor go out, and what is left is below it.
    assert_eq!(by(&sum, 64), value(b));
    assert_eq!(by(&sum.offset(64), 64), value(b).offset(1));
    assert_ne!(by(&sum.offset(1), 64), value(b));
    // A common factor goes; nests are joined.
    let four = value(named).times(4).unwrap();
    assert_eq!(by(&four.offset(3), 64), by(&value(named), 16));
    let eighth = by(&value(named).offset(5), 8);
    assert_eq!(by(&eighth, 4), by(&value(named).offset(5), 32));
    assert_eq!(by(&eighth.offset(1), 4), by(&value(named).offset(13), 32));
    assert_ne!(by(&eighth.offset(1), 4), by(&value(named).offset(6), 32));
    // Downwards, below zero too.
    assert_eq!(by(&value(i).offset(-64), 64), Poly::constant(-1));
}

#[test]
fn r5_residues_tell_values_apart() {
    let mut h = Hand::new();
    let (x, y) = (h.any(), h.var(1 << 32));
    let (a, b) = (h.with(BinOp::Mul, x, 6), h.with(BinOp::Mul, y, 4));
    let mut r = Plain::new(&h.p.exprs);
    let [a, b] = [a, b].map(|e| lower(&mut r, e).residue()).map(|id| r.polys.get(id).clone());
    let apart = a.minus(&b).unwrap();
    assert!(is_never_multiple(&apart.offset(1), 2) && is_never_multiple(&apart.offset(1), 4));
    assert!(!is_never_multiple(&apart, 2) && !is_never_multiple(&apart.offset(2), 4));
    assert!(!is_never_multiple(&apart.offset(1), 3));
    assert_eq!(zeros(&apart, |_| 0), 1);
    assert_eq!(zeros(&apart, |_| 1), 2);
    assert_eq!(zeros(&apart.offset(1), |_| 7), 0);
}

/// A square leaves 0 or 1 modulo 4, which only the cases of `k` show.
#[test]
fn r5_cases_of_a_shared_value() {
    let mut h = Hand::new();
    let k = h.var(1000);
    let square = h.op(BinOp::Mul, k, k);
    let parity = h.with(BinOp::Rem, k, 2);
    let mut r = Plain::new(&h.p.exprs);
    let [square, parity] = [square, parity].map(|e| lower(&mut r, e).integer(&mut r).unwrap());
    let apart = square.minus(&parity).unwrap();
    let mut never = |p: &Poly, m| is_never_multiple_by_cases(&mut r.polys, p, m, Mono::value(k));
    assert!(!is_never_multiple(&square.offset(2), 4));
    assert_eq!(never(&square.offset(2), 4), Some(true));
    assert_eq!(never(&square.offset(3), 4), Some(false));
    // Only the first case, and only the last.
    assert_eq!(never(&square, 3), Some(false));
    assert_eq!(never(&Poly::of(Mono::value(k)).offset(1), 3), Some(false));
    // `k * k - k % 2` is a multiple of 4: the quotient inside it is split too.
    assert_eq!(never(&apart.offset(2), 4), Some(true));
    assert_eq!(never(&apart, 4), Some(false));
}

/// What two instances have each for itself is two atoms; counters above their parting are one.
#[test]
fn r8_only_what_is_shared_is_one_atom() {
    let mut h = Hand::new();
    let (b, t, n) = (h.var(64), h.var(32), h.any());
    let base = h.op(BinOp::Mul, b, n);
    let at = h.op(BinOp::Add, base, t);
    let mut r = Plain::new(&h.p.exprs);
    let mut read = |view: View| {
        r.look(view);
        let id = lower(&mut r, at).residue();
        r.polys.get(id).clone()
    };
    let (first, second) = (read(View::of(Side::First)), read(View::of(Side::Second)));
    let apart = first.minus(&second).unwrap();
    assert_eq!(apart.terms().len(), 4, "{apart:?}");
    let counter = |e| match h.p.exprs.expr(e) {
        Expr::Var(v) => v,
        other => panic!("{other:?}"),
    };
    let [first, second] = [Side::First, Side::Second].map(|side| read(View::of(side).above([counter(b)])));
    // The block is the same: its part cancels, the threads are two.
    assert_eq!(first.minus(&second).unwrap().terms().len(), 2);
    assert_eq!(read(View::one()), read(View::one()));
}

/// A value that is loaded is each instance's own even where its index is shared: it may have changed in between.
#[test]
fn r8_what_is_loaded_is_never_shared() {
    let mut h = Hand::new();
    let (_, xs) = crate::passes::fixture::Make::input(&mut h.p, "xs", ScalarType::U32);
    let n = h.any();
    let load = h.p.exprs.load(xs, n, ScalarType::U32);
    let mut r = Plain::new(&h.p.exprs);
    let [first, second] = [Side::First, Side::Second].map(|side| {
        r.look(View::of(side));
        lower(&mut r, load)
    });
    assert_ne!(first, second);
}

/// R10: only combinations that keep `>= 0`, and rounding down.
#[test]
fn r10_facts_are_combined_with_the_right_signs() {
    let [x, y] = [1, 2].map(|k| Mono::value(ExprId(k)));
    let poly = |a: i128, b: i128, k: i128| Poly::of(x).times(a).unwrap().combine(1, &Poly::of(y), b).unwrap().offset(k);
    // 1 * (4x - 5y + 1) - 2 * (2x - 3y - 2) is y + 5.
    assert_eq!(poly(4, -5, 1).eliminate(x, &poly(2, -3, -2)), Some(poly(0, 1, 5)));
    assert_eq!(poly(2, -3, 1).eliminate(x, &poly(-4, -5, -2)), None);
    assert_eq!(poly(2, -3, 1).eliminate(y, &poly(4, 5, -2)), None);
    // 3x >= 2 and x <= y: 3y >= 2, so y >= 1.
    assert_eq!(poly(3, 0, -2).follow(x, &poly(-1, 1, 0)), Some(poly(0, 1, -1)));
    assert_eq!(poly(3, 0, -2).follow(x, &poly(1, 1, 0)), None);
    assert_eq!(poly(5, 1, 7).replace(x, &poly(0, 2, 1)), Some(poly(0, 11, 12)));
    assert_eq!(poly(1 << 40, 0, 0).times(1 << 20), None);
}

/// R10: wherever a goal is taken over by another and the fact holds, the goal holds too; and nothing weaker would do.
#[test]
fn r10_a_goal_in_whole_numbers_is_as_weak_as_it_may_be() {
    let [x, y] = [1, 2].map(|k| Mono::value(ExprId(k)));
    let poly = |a: i128, b: i128, k: i128| Poly::of(x).times(a).unwrap().combine(1, &Poly::of(y), b).unwrap().offset(k);
    let at = |p: &Poly, i: i128, j: i128| p.coefficient(x) * i + p.coefficient(y) * j + p.rest();
    let small = || -3..=3;
    let mut taken = 0;
    for (a, b, k) in small().flat_map(|a| small().flat_map(move |b| small().map(move |k| (a, b, k)))) {
        for (c, d) in small().flat_map(|c| small().map(move |d| (c, d))) {
            let (goal, fact) = (poly(a, b, k), poly(c, d, 1));
            let Some(next) = goal.eliminate(x, &fact) else { continue };
            taken += 1;
            for (i, j) in (-9..=9).flat_map(|i| (-9..=9).map(move |j| (i, j))) {
                let follows = at(&next, i, j) < 0 || at(&fact, i, j) < 0 || at(&goal, i, j) >= 0;
                assert!(follows, "{goal:?} from {fact:?} by {next:?} at {i}, {j}");
            }
        }
    }
    assert!(taken > 1000);
    // x >= 0 from 2x + 1 >= 0: the half that is missing is no whole number.
    assert_eq!(poly(1, 0, 0).eliminate(x, &poly(2, 0, 1)), Some(poly(0, 0, 0)));
    assert_eq!(poly(1, 0, 0).eliminate(x, &poly(2, 0, 2)).and_then(|p| p.as_constant()), Some(-1));
}

#[test]
fn products_are_polynomials_of_at_most_three_atoms() {
    let mut polys = Polys::default();
    let [x, y] = [1, 2].map(|k| Poly::of(Mono::value(ExprId(k))));
    let (sum, apart) = (x.plus(&y).unwrap(), x.minus(&y).unwrap());
    let product = polys.product(&sum, &apart).unwrap();
    let [xx, yy] = [&x, &y].map(|p| polys.product(p, p).unwrap());
    assert_eq!(product, xx.minus(&yy).unwrap());
    let cube = polys.product(&xx, &y).unwrap();
    assert!(polys.product(&cube, &x).is_none());
}
