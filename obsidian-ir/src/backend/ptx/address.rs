//! Addresses: an index is split into a sum of scaled terms and a constant, so that neighbouring elements share one
//! address and differ in the immediate offset only. In: array and index. Out: the operand between brackets.

use super::emit::{Emitter, Known};
use super::is_shared;
use super::regs::{Class, Operand};
use crate::passes::index::{Mono, Polys, Reader, Reading, everywhere, is_sum, lower};
use crate::program::{ArrayId, BinOp, Expr, ExprId, Exprs, ScalarType, Space, VarId};

/// `sum of expression * factor`.
pub(super) type Terms = Vec<(ExprId, u32)>;

/// The greatest distance that is folded into an address. Its offset has 32 bits in PTX (PTX ISA, addresses as
/// operands), 24 in SASS.
const MAX_OFFSET: i128 = 1 << 23;

impl Emitter<'_> {
    /// An index as terms and a constant: equal as integers, and the terms' sum does not wrap.
    fn split(&mut self, index: ExprId) -> (Terms, i64) {
        let word = lower(&mut Addresses { e: self }, index);
        let sum = self.polys.get(word.residue()).clone();
        let term = |&(m, c): &(Mono, i64)| Some((m.as_value()?, u32::try_from(c).ok()?));
        let terms: Option<Terms> = sum.terms().iter().map(term).collect();
        let most = sum.offset(-sum.rest()).range(|m| everywhere(&self.p.exprs, &self.polys, m)).hi;
        match terms {
            Some(terms) if most <= i128::from(u32::MAX) && sum.rest().abs() <= MAX_OFFSET => (terms, sum.rest() as i64),
            _ => (vec![(index, 1)], 0),
        }
    }

    /// The address of an element in memory, with brackets.
    pub(super) fn address(&mut self, array: ArrayId, index: ExprId) -> String {
        let a = self.p.array(array);
        let (terms, constant) = self.split(index);
        let mut offset = constant * i64::from(a.elem.bytes());
        if is_shared(a.space) {
            offset += i64::from(a.offset.unwrap_or(0));
            if terms.is_empty() {
                return bracket("smem", offset);
            }
        }
        let base = self.base_of(array, &terms);
        bracket(&base, offset)
    }

    /// The register that holds base plus terms.
    fn base_of(&mut self, array: ArrayId, terms: &Terms) -> String {
        let a = self.p.array(array);
        if terms.is_empty() {
            return self.bases.get(&array).cloned().unwrap_or_default();
        }
        // Shared arrays have one base, so arrays of one element size share addresses.
        let owner = if is_shared(a.space) { self.first_shared(a.elem.bytes()) } else { array };
        let what = Known::Address(owner, terms.clone());
        if let Some(at) = self.known(&what) {
            return at.text;
        }
        let at = match a.space {
            Space::Shared(_) => {
                let ((sum, size), base) = (self.scaled(terms, a.elem.bytes()), self.shared.clone());
                self.compute("mad.lo.u32", Class::U32, &[&sum, &size, &base])
            }
            _ => {
                let (offset, base) = (self.offset(terms, a.elem.bytes()), self.bases.get(&array).cloned());
                self.compute("add.u64", Class::Addr, &[&base.unwrap_or_default(), &offset])
            }
        };
        if terms.iter().all(|&(e, _)| self.is_pure(e)) {
            self.note(what, at.clone());
        }
        at.text
    }

    /// The sum of the terms and the factor that makes it bytes: one multiplication for all factors that the terms and
    /// the size have in common.
    fn scaled(&mut self, terms: &Terms, bytes: u32) -> (Operand, u32) {
        let common = terms.iter().fold(0, |g, t| gcd(g, t.1));
        let (common, size) = bytes.checked_mul(common).map_or((1, bytes), |size| (common, size));
        (self.sum(&terms.iter().map(|&(e, k)| (e, k / common)).collect()), size)
    }

    /// The terms as a distance in bytes, which arrays of one element size share: ptxas fuses the product with each sum.
    fn offset(&mut self, terms: &Terms, bytes: u32) -> Operand {
        let what = Known::Offset(terms.clone(), bytes);
        if let Some(at) = self.known(&what) {
            return at;
        }
        let (sum, size) = self.scaled(terms, bytes);
        let sum = self.in_reg(sum, Class::U32);
        let at = self.compute("mul.wide.u32", Class::Addr, &[&sum, &size]);
        if terms.iter().all(|&(e, _)| self.is_pure(e)) {
            self.note(what, at.clone());
        }
        at
    }

    /// The shared array whose base serves all arrays of this element size.
    fn first_shared(&self, bytes: u32) -> ArrayId {
        let all = &self.p.arrays;
        let first = all.iter().position(|a| is_shared(a.space) && a.elem.bytes() == bytes);
        ArrayId(first.unwrap_or(0) as u32)
    }

    /// The sum of the terms, as `u32`.
    fn sum(&mut self, terms: &Terms) -> Operand {
        let what = Known::Sum(terms.clone());
        if let Some(at) = self.known(&what) {
            return at;
        }
        let mut total: Option<Operand> = None;
        for &(e, factor) in terms {
            let x = self.value(e);
            let next = match (total, factor) {
                (None, 1) => x,
                (None, k) => self.compute("mul.lo.u32", Class::U32, &[&x, &k]),
                (Some(t), 1) => self.compute("add.u32", Class::U32, &[&t, &x]),
                (Some(t), k) => self.compute("mad.lo.u32", Class::U32, &[&x, &k, &t]),
            };
            total = Some(next);
        }
        let total = total.unwrap_or_else(|| Operand::imm("0".to_string()));
        if terms.iter().all(|&(e, _)| self.is_pure(e)) {
            self.note(what, total.clone());
        }
        total
    }

    /// Loads an element.
    pub(super) fn load(&mut self, array: ArrayId, index: ExprId, ty: ScalarType) -> Operand {
        if let Some(r) = self.element(array, index) {
            return self.present(Operand::mutable(r));
        }
        let at = self.address(array, index);
        self.load_from(self.load_op(array), &at, ty)
    }

    /// The instruction that loads from the array, without its type.
    pub(super) fn load_op(&self, array: ArrayId) -> &'static str {
        match self.p.array(array).space {
            // Read-only for the whole launch, so the non-coherent path is right (PTX ISA, ld.global.nc).
            Space::Global(_) if !self.usage.writes(array) => "ld.global.nc",
            Space::Global(_) => "ld.global",
            Space::Shared(_) => "ld.shared",
            Space::Local | Space::Lanes | Space::Registers => "ld.local",
        }
    }

    /// The register of an element, where the array lives in registers.
    pub(super) fn element(&self, array: ArrayId, index: ExprId) -> Option<String> {
        let i = self.p.exprs.as_u32(index)?;
        self.elements.get(&array)?.get(i as usize).cloned()
    }
}

/// Reads what can be printed: sums whose terms are added, as far as the ranges of nodes show that nothing wraps. Names
/// stand for their values, so that neighbours whose indices have names share an address too.
struct Addresses<'e, 'a> {
    e: &'e mut Emitter<'a>,
}

impl Reader for Addresses<'_, '_> {
    fn exprs(&self) -> &Exprs {
        &self.e.p.exprs
    }

    fn polys(&mut self) -> &mut Polys {
        &mut self.e.polys
    }

    fn reading(&self) -> Reading {
        Reading::Integers
    }

    fn opens(&mut self, e: ExprId) -> bool {
        match self.exprs().expr(e) {
            Expr::Var(_) => true,
            Expr::Bin(BinOp::Sub, _, b) => self.exprs().as_const(b).is_some(),
            _ => is_sum(self.exprs(), e),
        }
    }

    fn bound(&mut self, v: VarId) -> Option<ExprId> {
        let value = self.e.lets.get(&v).copied()?;
        let sum = self.exprs().as_const(value).is_none() && is_sum(self.exprs(), value);
        (sum && self.e.is_pure(value)).then_some(value)
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn bracket(base: &str, offset: i64) -> String {
    match offset {
        0 => format!("[{base}]"),
        // A negative offset is an added negative immediate (PTX ISA, addresses as operands): `[%a+-8]`.
        _ => format!("[{base}+{offset}]"),
    }
}
