//! An index with symbols: a polynomial over the block, launch scalars and lengths, whose coefficients are [`Table`].
//! All arithmetic is modulo 2^32, as the program's is. Two indices with the same symbolic part are compared by `rest`.

use std::rc::Rc;

use super::table::Table;
use crate::program::ExprId;

/// Terms of one index, at most.
const MAX_TERMS: usize = 12;

/// A product of symbols, sorted.
pub type Symbols = Rc<[ExprId]>;

/// `sum of coefficient * symbols + rest`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// In order of their symbols; no coefficient is 0 everywhere by form.
    pub terms: Vec<(Symbols, Table)>,
    /// What has no symbol.
    pub rest: Table,
}

impl Sum {
    /// A number.
    pub fn known(rest: Table) -> Sum {
        Sum { terms: Vec::new(), rest }
    }

    /// A symbol.
    pub fn symbol(e: ExprId) -> Sum {
        Sum { terms: vec![(Rc::from([e]), Table::uniform(1))], rest: Table::uniform(0) }
    }

    /// The number, where there is no symbol.
    pub fn as_known(&self) -> Option<&Table> {
        self.terms.is_empty().then_some(&self.rest)
    }

    /// Whether all coefficients are the same in all lanes.
    pub fn is_uniform(&self) -> bool {
        self.rest.as_uniform().is_some() && self.terms.iter().all(|(_, c)| c.as_uniform().is_some())
    }

    /// Sum.
    pub fn add(&self, other: &Sum, extents: &[u32]) -> Option<Sum> {
        let mut out = Sum::known(self.rest.add(&other.rest, extents));
        for (symbols, c) in self.terms.iter().chain(&other.terms) {
            out.gain(symbols, c, extents);
        }
        out.small()
    }

    /// `self - other`.
    pub fn sub(&self, other: &Sum, extents: &[u32]) -> Option<Sum> {
        self.add(&other.scale(&Table::uniform(u32::MAX), extents), extents)
    }

    /// Product with numbers.
    pub fn scale(&self, by: &Table, extents: &[u32]) -> Sum {
        let mut out = Sum::known(self.rest.mul(by, extents));
        for (symbols, c) in &self.terms {
            out.gain(symbols, &c.mul(by, extents), extents);
        }
        out
    }

    /// Product.
    pub fn mul(&self, other: &Sum, extents: &[u32]) -> Option<Sum> {
        let mut out = self.scale(&other.rest, extents);
        for (symbols, c) in &other.terms {
            out.gain(symbols, &c.mul(&self.rest, extents), extents);
            for (own, d) in &self.terms {
                let mut product: Vec<ExprId> = own.iter().chain(symbols.iter()).copied().collect();
                product.sort_unstable();
                out.gain(&product.into(), &c.mul(d, extents), extents);
            }
        }
        out.small()
    }

    /// In each lane `a` where `c` holds, `b` where it does not.
    pub fn select(c: &Table, a: &Sum, b: &Sum, extents: &[u32]) -> Option<Sum> {
        let mut out = Sum::known(c.select(&a.rest, &b.rest, extents));
        let none = Table::uniform(0);
        for (symbols, x) in &a.terms {
            out.gain(symbols, &c.select(x, &none, extents), extents);
        }
        for (symbols, y) in &b.terms {
            out.gain(symbols, &c.select(&none, y, extents), extents);
        }
        out.small()
    }

    fn small(self) -> Option<Sum> {
        (self.terms.len() <= MAX_TERMS).then_some(self)
    }

    fn gain(&mut self, symbols: &Symbols, c: &Table, extents: &[u32]) {
        match self.terms.binary_search_by(|(s, _)| s.cmp(symbols)) {
            Ok(at) => {
                let sum = self.terms[at].1.add(c, extents);
                if sum.as_uniform() == Some(0) {
                    self.terms.remove(at);
                } else {
                    self.terms[at].1 = sum;
                }
            }
            Err(_) if c.as_uniform() == Some(0) => {}
            Err(at) => self.terms.insert(at, (Rc::clone(symbols), c.clone())),
        }
    }

    /// The sum where each of some symbols stands for a sum of its own; products of symbols stay as they are.
    pub fn given(&self, known: &[(ExprId, Sum)], extents: &[u32]) -> Option<Sum> {
        let mut out = Sum::known(self.rest.clone());
        for (symbols, c) in &self.terms {
            let term = match known.iter().find(|(symbol, _)| **symbols == [*symbol]) {
                Some((_, value)) => value.scale(c, extents),
                None => Sum { terms: vec![(Rc::clone(symbols), c.clone())], rest: Table::uniform(0) },
            };
            out = out.add(&term, extents)?;
        }
        Some(out)
    }

    /// The number of low bits of the symbolic part that are zero, whatever the symbols are.
    pub fn aligned(&self) -> u32 {
        self.terms.iter().map(|(_, c)| c.trailing_zeros()).min().unwrap_or(32)
    }
}
