//! The values of an expression for all rounds of the loops around it: a [`Table`], 32 bits each.
//!
//! Loops are numbered from the outside; the lane of rounds `r0, r1, ..` is their number in mixed radix, the innermost
//! loop's round running fastest. A table may stop at an outer loop: its values then hold for all rounds inside.

use std::rc::Rc;

use crate::program::{BinOp, Const, ScalarType, arith};

/// Loops around one site, at most.
pub const MAX_LOOPS: usize = 8;

/// One value for each lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Table {
    /// `base + sum of steps[d] * r_d`, modulo 2^32.
    Affine {
        /// In the first round of all loops.
        base: u32,
        /// More in each further round.
        steps: [u32; MAX_LOOPS],
    },
    /// The values for the rounds of the first `depth` loops.
    Listed {
        /// How many loops.
        depth: usize,
        /// One for each of their rounds together.
        values: Rc<[u32]>,
    },
}

/// Rounds of the loops `extents` together.
pub fn lanes_of(extents: &[u32]) -> u64 {
    extents.iter().fold(1, |n: u64, &e| n.saturating_mul(e.into()))
}

impl Table {
    /// The same value everywhere.
    pub fn uniform(value: u32) -> Table {
        Table::Affine { base: value, steps: [0; MAX_LOOPS] }
    }

    /// `start + step * r_d`.
    pub fn counter(dim: usize, start: u32, step: u32) -> Table {
        let mut steps = [0; MAX_LOOPS];
        steps[dim] = step;
        Table::Affine { base: start, steps }
    }

    /// The value, where it is the same everywhere by form.
    pub fn as_uniform(&self) -> Option<u32> {
        match self {
            Table::Affine { base, steps } if steps.iter().all(|&s| s == 0) => Some(*base),
            Table::Listed { values, .. } if values.len() == 1 => values.first().copied(),
            _ => None,
        }
    }

    /// How many of the outer loops it depends on.
    pub fn depth(&self) -> usize {
        match self {
            Table::Affine { steps, .. } => steps.iter().rposition(|&s| s != 0).map_or(0, |d| d + 1),
            Table::Listed { depth, .. } => *depth,
        }
    }

    /// The values for the rounds of the first `depth` of the loops `extents`, which is not below [`Table::depth`].
    pub fn spread(&self, extents: &[u32], depth: usize) -> Rc<[u32]> {
        match self {
            Table::Affine { base, steps } => {
                let mut values = vec![*base];
                for (&n, &step) in extents[..depth].iter().zip(steps) {
                    values = runs(&values, n, step);
                }
                values.into()
            }
            Table::Listed { depth: own, values } => {
                let each = lanes_of(&extents[*own..depth]) as usize;
                if each == 1 {
                    return Rc::clone(values);
                }
                let mut all = Vec::with_capacity(values.len() * each);
                for &v in values.iter() {
                    all.resize(all.len() + each, v);
                }
                all.into()
            }
        }
    }

    /// Sum, modulo 2^32.
    pub fn add(&self, other: &Table, extents: &[u32]) -> Table {
        match (self, other) {
            (Table::Affine { base: a, steps: s }, Table::Affine { base: b, steps: t }) => {
                let mut steps = *s;
                for (x, y) in steps.iter_mut().zip(t) {
                    *x = x.wrapping_add(*y);
                }
                Table::Affine { base: a.wrapping_add(*b), steps }
            }
            (Table::Listed { values, .. }, nothing) if values.len() > 1 && nothing.as_uniform() == Some(0) => {
                self.clone()
            }
            (nothing, Table::Listed { values, .. }) if values.len() > 1 && nothing.as_uniform() == Some(0) => {
                other.clone()
            }
            _ => self.map2(other, extents, u32::wrapping_add),
        }
    }

    /// Product, modulo 2^32.
    pub fn mul(&self, other: &Table, extents: &[u32]) -> Table {
        match (self, other.as_uniform(), other, self.as_uniform()) {
            (Table::Affine { base, steps }, Some(k), _, _) | (_, _, Table::Affine { base, steps }, Some(k)) => {
                Table::Affine { base: base.wrapping_mul(k), steps: steps.map(|s| s.wrapping_mul(k)) }
            }
            (Table::Listed { values, .. }, Some(1), _, _) if values.len() > 1 => self.clone(),
            (_, _, Table::Listed { values, .. }, Some(1)) if values.len() > 1 => other.clone(),
            _ => self.map2(other, extents, u32::wrapping_mul),
        }
    }

    /// `f` of each value.
    pub fn map(&self, extents: &[u32], f: impl Fn(u32) -> u32) -> Table {
        let depth = self.depth();
        let values = self.spread(extents, depth);
        Table::Listed { depth, values: each(&values, f).into() }.tidy()
    }

    /// `f` of the values in each lane.
    pub fn map2(&self, other: &Table, extents: &[u32], f: impl Fn(u32, u32) -> u32) -> Table {
        let depth = self.depth().max(other.depth());
        let values = match (self.as_uniform(), other.as_uniform()) {
            (Some(a), Some(b)) => return Table::uniform(f(a, b)),
            (Some(a), None) => each(&other.spread(extents, depth), |b| f(a, b)),
            (None, Some(b)) => each(&self.spread(extents, depth), |a| f(a, b)),
            (None, None) => pairs(&self.spread(extents, depth), &other.spread(extents, depth), f),
        };
        Table::Listed { depth, values: values.into() }
    }

    /// In each lane `a` where this holds, `b` where it does not.
    pub fn select(&self, a: &Table, b: &Table, extents: &[u32]) -> Table {
        if let Some(c) = self.as_uniform() {
            return if c != 0 { a.clone() } else { b.clone() };
        }
        let depth = self.depth().max(a.depth()).max(b.depth());
        let [c, a, b] = [self, a, b].map(|l| l.spread(extents, depth));
        let values = (0..c.len()).map(|i| if c[i] != 0 { a[i] } else { b[i] }).collect();
        Table::Listed { depth, values }
    }

    /// Whether the value may differ between rounds of loop `dim`.
    pub fn depends_on(&self, dim: usize) -> bool {
        match self {
            Table::Affine { steps, .. } => steps.get(dim).is_some_and(|&step| step != 0),
            Table::Listed { depth, .. } => dim < *depth,
        }
    }

    /// The number of low bits that are zero in every lane.
    pub fn trailing_zeros(&self) -> u32 {
        match self {
            Table::Affine { base, steps } => steps.iter().fold(base.trailing_zeros(), |z, s| z.min(s.trailing_zeros())),
            Table::Listed { values, .. } => values.iter().map(|v| v.trailing_zeros()).min().unwrap_or(32),
        }
    }

    fn tidy(self) -> Table {
        self.as_uniform().map_or(self, Table::uniform)
    }
}

// Compilers run without optimisation where kernels are developed: these loops are written to be fast there.

/// Each value `n` times, `step` more each time.
fn runs(values: &[u32], n: u32, step: u32) -> Vec<u32> {
    let mut out = vec![0; values.len() * n as usize];
    let all: &mut [u32] = &mut out;
    let (mut at, mut i) = (0, 0);
    while i < values.len() {
        let (mut v, end) = (values[i], at + n as usize);
        while at < end {
            all[at] = v;
            v = v.wrapping_add(step);
            at += 1;
        }
        i += 1;
    }
    out
}

fn each(values: &[u32], f: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut out = values.to_vec();
    let all: &mut [u32] = &mut out;
    let mut i = 0;
    while i < all.len() {
        all[i] = f(all[i]);
        i += 1;
    }
    out
}

fn pairs(a: &[u32], b: &[u32], f: impl Fn(u32, u32) -> u32) -> Vec<u32> {
    let mut out = a.to_vec();
    let all: &mut [u32] = &mut out;
    let mut i = 0;
    while i < all.len() {
        all[i] = f(all[i], b[i]);
        i += 1;
    }
    out
}

/// Whether values of the type fit a lane.
pub fn fits(ty: ScalarType) -> bool {
    ty.bits() <= 32
}

/// A lane's value as a constant of `ty`.
pub fn constant(ty: ScalarType, lane: u32) -> Const {
    let bits = if ty.is_int() && ty.is_signed() { arith::wrap(ty, i128::from(lane as i32)) } else { lane.into() };
    Const { ty, bits }
}

/// A binary operation on operands of type `ty`, lane by lane.
pub fn bin(op: BinOp, ty: ScalarType, a: &Table, b: &Table, extents: &[u32]) -> Table {
    let slow = |x, y| arith::bin(op, constant(ty, x), constant(ty, y)).bits as u32;
    if ty != ScalarType::U32 && ty != ScalarType::Bool {
        return a.map2(b, extents, slow);
    }
    let plain: fn(u32, u32) -> u32 = match op {
        BinOp::Add if ty == ScalarType::U32 => return a.add(b, extents),
        BinOp::Sub if ty == ScalarType::U32 => return a.add(&b.mul(&Table::uniform(u32::MAX), extents), extents),
        BinOp::Mul if ty == ScalarType::U32 => return a.mul(b, extents),
        BinOp::And => |x, y| x & y,
        BinOp::Or => |x, y| x | y,
        BinOp::Xor => |x, y| x ^ y,
        BinOp::Eq => |x, y| u32::from(x == y),
        BinOp::Ne => |x, y| u32::from(x != y),
        BinOp::Lt => |x, y| u32::from(x < y),
        BinOp::Le => |x, y| u32::from(x <= y),
        BinOp::Gt => |x, y| u32::from(x > y),
        BinOp::Ge => |x, y| u32::from(x >= y),
        BinOp::Min => |x, y| x.min(y),
        BinOp::Max => |x, y| x.max(y),
        BinOp::Shr if ty == ScalarType::U32 => |x, y| x >> (y & 31),
        BinOp::Shl if ty == ScalarType::U32 => |x, y| x << (y & 31),
        BinOp::Div => |x: u32, y| x.checked_div(y).unwrap_or(0),
        BinOp::Rem => |x: u32, y| x.checked_rem(y).unwrap_or(0),
        _ => return a.map2(b, extents, slow),
    };
    a.map2(b, extents, plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENTS: [u32; 3] = [3, 4, 5];

    fn values(l: &Table) -> Vec<u32> {
        l.spread(&EXTENTS, 3).to_vec()
    }

    #[test]
    fn lanes_run_through_the_innermost_loop_first() {
        let i = Table::counter(0, 7, 100).add(&Table::counter(2, 0, 1), &EXTENTS);
        let all = values(&i);
        assert_eq!((all[0], all[1], all[5], all[20], all[59]), (7, 8, 7, 107, 211));
    }

    #[test]
    fn tables_and_closed_forms_agree() {
        let i = Table::counter(0, 1, 3).add(&Table::counter(1, 2, 5), &EXTENTS);
        let j = Table::counter(1, 4, u32::MAX);
        let (ti, tj) = (i.map(&EXTENTS, |v| v), j.map(&EXTENTS, |v| v));
        let ops =
            [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem, BinOp::Xor, BinOp::Shl, BinOp::Shr, BinOp::Lt];
        for op in ops {
            let (a, b) = (bin(op, ScalarType::U32, &i, &j, &EXTENTS), bin(op, ScalarType::U32, &ti, &tj, &EXTENTS));
            assert_eq!(values(&a), values(&b), "{op:?}");
            for (lane, v) in values(&a).into_iter().enumerate() {
                let [x, y] = [&i, &j].map(|l| constant(ScalarType::U32, values(l)[lane]));
                assert_eq!(u64::from(v), arith::bin(op, x, y).bits, "{op:?}");
            }
        }
    }

    #[test]
    fn signed_values_keep_their_sign() {
        let minus = Table::uniform((-3i32) as u32);
        let shifted = bin(BinOp::Div, ScalarType::I32, &minus, &Table::uniform(2), &EXTENTS);
        assert_eq!(shifted.as_uniform(), Some((-1i32) as u32));
        let less = bin(BinOp::Lt, ScalarType::I8, &Table::uniform(0xff), &Table::uniform(0), &EXTENTS);
        assert_eq!(less.as_uniform(), Some(1));
    }
}
