//! Reading expressions as polynomials: an expression in, a [`Word`] out, whose polynomial is right modulo `2^w` and an
//! integer only where somebody has asked [`wraps`]. What is no sum, product or quotient is an atom.
//!
//! A [`Reader`] says what is looked into, what names stand for and what is known where it reads; [`Plain`] knows the
//! ranges of nodes and which counters two instances share.

use super::poly::{Atom, Poly, PolyId, Polys, Side};
use super::range::{Wraps, everywhere, wraps};
use crate::passes::walk;
use crate::program::{BinOp, Expr, ExprId, Exprs, Range, ScalarType, UnOp, VarId};
use crate::tables::{HashMap, HashSet};

/// The depth to which an expression is looked into.
const MAX_DEPTH: u32 = 256;
/// Beyond these bounds no value is reduced.
const MAX_VALUE: i128 = 1 << 100;

/// A machine word: a polynomial reduced into a type. The polynomial is not the value, unless nothing wraps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word {
    poly: PolyId,
    ty: ScalarType,
}

impl Word {
    /// A word that a reader has noted.
    pub fn of(poly: PolyId, ty: ScalarType) -> Word {
        Word { poly, ty }
    }

    /// A polynomial that equals the value modulo `2^w`: enough for comparing two words, and for alignment.
    pub fn residue(self) -> PolyId {
        self.poly
    }

    /// The type.
    pub fn ty(self) -> ScalarType {
        self.ty
    }

    /// The value itself as a polynomial: where the sum may wrap, what is left of it when multiples of `2^w` are taken
    /// away. `None` where the numbers grow too large.
    pub fn integer(self, r: &mut dyn Reader) -> Option<Poly> {
        let sum = r.polys().get(self.poly).clone();
        if r.reading() == Reading::Integers || wraps(r, &sum, self.ty) == Wraps::No {
            return Some(sum);
        }
        let (range, low) = (r.range(&sum), Range::full(self.ty).lo);
        if range.lo < -MAX_VALUE || range.hi > MAX_VALUE {
            return None;
        }
        let size = 1i128 << self.ty.bits();
        let turns = quotient(r, &sum.offset(-low), size)?;
        sum.combine(1, &turns, -size)
    }
}

/// What is made of a sum that may wrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// It stays: every polynomial is right modulo `2^w`, and only what needs the integer reduces it.
    Residues,
    /// It is an atom, the value of its expression: every polynomial is an integer. For readers that know different
    /// things in different places: the atom is the same everywhere, and so are quotients, which are of values by name.
    Integers,
}

/// Who reads expressions, and what is known there.
pub trait Reader {
    /// The program's expressions.
    fn exprs(&self) -> &Exprs;
    /// The atoms and polynomials.
    fn polys(&mut self) -> &mut Polys;
    /// What becomes of sums that may wrap.
    fn reading(&self) -> Reading;
    /// Whether to look into an expression. It is an atom where not; [`Reader::note`] follows where so.
    fn opens(&mut self, e: ExprId) -> bool;
    /// The expression that a variable stands for.
    fn bound(&mut self, _: VarId) -> Option<ExprId> {
        None
    }
    /// Whose value an expression is that is an atom.
    fn side(&mut self, _: ExprId) -> Side {
        Side::Shared
    }
    /// What a polynomial's value lies in: by the ranges of nodes, where the reader knows no more.
    fn range(&mut self, p: &Poly) -> Range {
        let polys = std::mem::take(self.polys());
        let range = p.range(|m| everywhere(self.exprs(), &polys, m));
        *self.polys() = polys;
        range
    }
    /// Whether `p >= 0` is proved by more than ranges.
    fn proves(&mut self, _: Poly) -> bool {
        false
    }
    /// What an expression has been read as.
    fn recall(&mut self, _: ExprId) -> Option<Word> {
        None
    }
    /// An expression that was opened has been read.
    fn note(&mut self, _: ExprId, _: Word) {}
}

/// Reads an expression.
pub fn lower(r: &mut dyn Reader, e: ExprId) -> Word {
    Lowering { r, depth: 0 }.word(e)
}

/// Whether an expression is a constant, a sum, or a product with a constant: what readers look into who take no
/// quotients.
pub fn is_sum(exprs: &Exprs, e: ExprId) -> bool {
    match exprs.expr(e) {
        Expr::Const(_) | Expr::Bin(BinOp::Add | BinOp::Sub, ..) => true,
        Expr::Bin(BinOp::Mul | BinOp::Shl, _, k) => exprs.as_const(k).is_some(),
        _ => false,
    }
}

fn quotient(r: &mut dyn Reader, p: &Poly, d: i128) -> Option<Poly> {
    let range = r.range(p);
    if range.lo.div_euclid(d) == range.hi.div_euclid(d) {
        return Some(Poly::constant(range.lo.div_euclid(d)));
    }
    let mut polys = std::mem::take(r.polys());
    let exprs = r.exprs();
    let found = polys.quotient(p, d, &mut |polys, m| everywhere(exprs, polys, m));
    *r.polys() = polys;
    found
}

struct Lowering<'r> {
    r: &'r mut dyn Reader,
    depth: u32,
}

impl Lowering<'_> {
    fn word(&mut self, e: ExprId) -> Word {
        if let Some(known) = self.r.recall(e) {
            return known;
        }
        let ty = self.r.exprs().ty(e);
        if !ty.is_int() || self.depth >= MAX_DEPTH || !self.r.opens(e) {
            let atom = self.atom(e);
            return self.finished(atom, ty);
        }
        self.depth += 1;
        let read = self.read(e, ty);
        self.depth -= 1;
        let poly = read.unwrap_or_else(|| self.atom(e));
        let word = self.finished(poly, ty);
        self.r.note(e, word);
        word
    }

    fn finished(&mut self, poly: Poly, ty: ScalarType) -> Word {
        Word { poly: self.r.polys().id(poly), ty }
    }

    fn atom(&mut self, e: ExprId) -> Poly {
        let side = self.r.side(e);
        Poly::of(self.r.polys().mono(Atom::Value(e, side)))
    }

    /// The operand as it is: right modulo `2^w`.
    fn residue(&mut self, e: ExprId) -> Poly {
        let word = self.word(e);
        self.r.polys().get(word.poly).clone()
    }

    /// The operand's value.
    fn integer(&mut self, e: ExprId) -> Option<Poly> {
        self.word(e).integer(self.r)
    }

    fn known(&self, e: ExprId) -> Option<i128> {
        self.r.exprs().as_const(e).map(|c| c.int())
    }

    fn is_natural(&self, e: ExprId) -> bool {
        self.r.exprs().range(e).lo >= 0
    }

    /// `None`: it is an atom.
    fn read(&mut self, e: ExprId, ty: ScalarType) -> Option<Poly> {
        let sum = match self.r.exprs().expr(e) {
            Expr::Const(c) => return Some(Poly::constant(c.int())),
            Expr::Var(v) => {
                let value = self.r.bound(v)?;
                return Some(self.residue(value));
            }
            Expr::Un(UnOp::Neg, a) => self.residue(a).times(-1)?,
            Expr::Un(UnOp::Not, a) => self.residue(a).times(-1)?.offset(-1),
            Expr::Bin(BinOp::Add, a, b) => self.residue(a).plus(&self.residue(b))?,
            Expr::Bin(BinOp::Sub, a, b) => self.residue(a).minus(&self.residue(b))?,
            Expr::Bin(BinOp::Mul, a, b) => self.product(a, b)?,
            Expr::Bin(BinOp::Shl, a, b) => self.residue(a).times(1 << self.count(b, ty)?)?,
            Expr::Bin(op, a, b) => return self.by_digits(op, (a, b), ty),
            Expr::Cast(a) if self.r.exprs().ty(a).is_int() => self.cast(a, ty)?,
            _ => return None,
        };
        let keep = self.r.reading() == Reading::Residues || wraps(self.r, &sum, ty) == Wraps::No;
        keep.then_some(sum)
    }

    fn product(&mut self, a: ExprId, b: ExprId) -> Option<Poly> {
        if let Some(k) = self.known(b) {
            return self.residue(a).times(k);
        }
        let (x, y) = (self.residue(a), self.residue(b));
        self.r.polys().product(&x, &y)
    }

    /// A shift's constant count: taken modulo the width.
    fn count(&self, by: ExprId, ty: ScalarType) -> Option<u32> {
        Some(self.known(by)?.rem_euclid(ty.bits().into()) as u32)
    }

    /// To fewer bits the residue is enough; to more the value is needed.
    fn cast(&mut self, a: ExprId, to: ScalarType) -> Option<Poly> {
        if to.bits() <= self.r.exprs().ty(a).bits() { Some(self.residue(a)) } else { self.integer(a) }
    }

    /// R4. What looks at bits: a quotient and a remainder, or several.
    fn by_digits(&mut self, op: BinOp, (a, b): (ExprId, ExprId), ty: ScalarType) -> Option<Poly> {
        match op {
            BinOp::Shr => {
                let count = self.count(b, ty)?;
                self.divided(a, 1 << count)
            }
            // Rust rounds towards zero, and a quotient downwards.
            BinOp::Div | BinOp::Rem if self.is_natural(a) => {
                let d = self.known(b).filter(|&d| d > 0)?;
                let q = self.divided(a, d)?;
                if op == BinOp::Div { Some(q) } else { self.integer(a)?.combine(1, &q, -d) }
            }
            BinOp::And | BinOp::Or | BinOp::Xor => match self.known(b) {
                Some(mask) => self.masked(op, a, mask, ty),
                None if op == BinOp::And => None,
                None => self.disjoint(a, b).or_else(|| self.disjoint(b, a)),
            },
            _ => None,
        }
    }

    /// `a / d`, rounded down.
    fn divided(&mut self, a: ExprId, d: i128) -> Option<Poly> {
        if d == 1 {
            return self.integer(a);
        }
        // A quotient's quotient is that by the product, as both are rounded down.
        if let Some((of, by)) = self.as_quotient(a)
            && let Some(d) = by.checked_mul(d)
        {
            return self.divided(of, d);
        }
        match self.r.reading() {
            Reading::Residues => {
                let value = self.integer(a)?;
                quotient(self.r, &value, d)
            }
            Reading::Integers => {
                let named = self.atom(a);
                let id = self.r.polys().id(named);
                Some(Poly::of(self.r.polys().mono(Atom::Quotient(id, d))))
            }
        }
    }

    /// `x` and `d` of a value that is `x / d`, rounded down.
    fn as_quotient(&self, e: ExprId) -> Option<(ExprId, i128)> {
        match self.r.exprs().expr(e) {
            Expr::Bin(BinOp::Shr, a, by) => Some((a, 1 << self.count(by, self.r.exprs().ty(e))?)),
            Expr::Bin(BinOp::Div, a, d) if self.is_natural(a) => Some((a, self.known(d).filter(|&d| d > 0)?)),
            _ => None,
        }
    }

    /// With a constant whose ones are one run: the digit of `a` under that run stays, is all ones, or is turned.
    fn masked(&mut self, op: BinOp, a: ExprId, mask: i128, ty: ScalarType) -> Option<Poly> {
        let low = mask.trailing_zeros();
        let ones = (mask >> low.min(127)).trailing_ones();
        let top = low + ones;
        if mask == 0 || top < 127 && mask >> top != 0 {
            return None;
        }
        // A run that goes all the way up has nothing above it.
        let top = (top < ty.bits()).then_some(top);
        let above = match top {
            Some(top) => self.divided(a, 1 << top)?.times(1 << (top - low))?,
            None => Poly::default(),
        };
        let digit = self.divided(a, 1 << low)?.minus(&above)?;
        let size = 1 << low;
        match op {
            BinOp::And => digit.times(size),
            BinOp::Or => self.integer(a)?.combine(1, &digit, -size).map(|rest| rest.offset(mask)),
            _ => self.integer(a)?.combine(1, &digit, -2 * size).map(|rest| rest.offset(mask)),
        }
    }

    /// `a | b` and `a ^ b` are the sum where `a` is a multiple of `2^k` and `0 <= b < 2^k`.
    fn disjoint(&mut self, a: ExprId, b: ExprId) -> Option<Poly> {
        let (x, y) = (self.integer(a)?, self.integer(b)?);
        let zeros = x.terms().iter().fold(x.rest().trailing_zeros(), |z, t| z.min(t.1.trailing_zeros()));
        let r = self.r.range(&y);
        (r.lo >= 0 && r.hi < 1 << zeros.min(100)).then(|| x.plus(&y))?
    }
}

/// Which counters two instances have in common. Values made of these and of launch values are shared, all others are one
/// instance's own.
#[derive(Debug, Clone, Default)]
pub struct View {
    own: Option<Side>,
    shared: HashSet<VarId>,
}

impl View {
    /// For a question about one instance.
    pub fn one() -> View {
        View::default()
    }

    /// For one of two instances, whose counters are all its own.
    pub fn of(side: Side) -> View {
        View { own: Some(side), shared: HashSet::default() }
    }

    /// With counters above the place where the two instances part: they have one value for both.
    pub fn above(mut self, counters: impl IntoIterator<Item = VarId>) -> View {
        self.shared.extend(counters);
        self
    }

    /// R8. Whose value an expression is. What is loaded is never shared: it may have changed between two readings.
    fn side(&self, exprs: &Exprs, e: ExprId) -> Side {
        let Some(own) = self.own else { return Side::Shared };
        let shared = walk::reachable(exprs, [e], |_| false).into_iter().all(|id| match exprs.expr(id) {
            Expr::Var(v) => self.shared.contains(&v),
            Expr::Load(..) | Expr::Special(_) => false,
            _ => true,
        });
        if shared { Side::Shared } else { own }
    }
}

/// Reads modulo `2^w`, with the ranges of nodes and a view.
#[derive(Debug)]
pub struct Plain<'p> {
    exprs: &'p Exprs,
    /// The atoms and polynomials; kept from view to view, so that two can be compared.
    pub polys: Polys,
    view: View,
    known: HashMap<ExprId, Word>,
}

impl<'p> Plain<'p> {
    /// A reader for one instance.
    pub fn new(exprs: &'p Exprs) -> Plain<'p> {
        Plain { exprs, polys: Polys::default(), view: View::one(), known: HashMap::default() }
    }

    /// Reads for another view from here on.
    pub fn look(&mut self, view: View) {
        self.view = view;
        self.known.clear();
    }
}

impl Reader for Plain<'_> {
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

    fn side(&mut self, e: ExprId) -> Side {
        self.view.side(self.exprs, e)
    }

    fn recall(&mut self, e: ExprId) -> Option<Word> {
        self.known.get(&e).copied()
    }

    fn note(&mut self, e: ExprId, word: Word) {
        self.known.insert(e, word);
    }
}
