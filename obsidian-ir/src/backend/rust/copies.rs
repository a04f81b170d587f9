//! Neighbours that are copied one by one as one copy: a vector on every machine, where LLVM sees four indices that it does not compare.
//!
//! ```text
//! a[8 * i] = b[p + q]; a[8 * i + 1] = b[p + (q + 1)];    =>    copy(b + p + q, a + 8 * i, 2)
//! ```
//!
//! Each array has storage of its own, so the order of the elements does not matter. Indices are compared modulo 2^32: all are
//! inside their array, which has fewer elements than that, so none of them wraps.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::array_name;
use super::expr::Printer;
use crate::passes::index::{Facts, Form};
use crate::program::{ArrayId, Expr, ExprId, Program, ScalarType, Stmt, StmtKind};

/// An element that is stored as it is loaded.
#[derive(Clone, Copy)]
struct Element {
    to: (ArrayId, ExprId),
    from: (ArrayId, ExprId),
}

impl Element {
    fn of(p: &Program, stmt: &Stmt) -> Option<Element> {
        let StmtKind::Assign { array, index, value } = stmt.kind else { return None };
        let Expr::Load(from, at) = p.exprs.expr(value) else { return None };
        // A `bool` is a byte, of which a load makes 0 or 1.
        let plain = array != from && p.array(from).elem != ScalarType::Bool;
        plain.then_some(Element { to: (array, index), from: (from, at) })
    }
}

impl Printer<'_> {
    /// The elements that the head of a list copies, each the neighbour of the one before, as one copy; and how many they are, if
    /// more than one.
    pub fn copied(&mut self, list: &[Stmt]) -> Option<(TokenStream, usize)> {
        let first = Element::of(self.p, list.first()?)?;
        let mut last = self.places(first);
        let mut count = 1;
        while let Some(next) = list.get(count).and_then(|stmt| Element::of(self.p, stmt)) {
            if (next.to.0, next.from.0) != (first.to.0, first.from.0) {
                break;
            }
            let places = self.places(next);
            if !last.as_ref().zip(places.as_ref()).is_some_and(|(last, next)| follows(last, next)) {
                break;
            }
            (last, count) = (places, count + 1);
        }
        (count > 1).then(|| (self.copy(first, count), count))
    }

    /// Where an element is stored and loaded, as sums.
    fn places(&mut self, element: Element) -> Option<[Form; 2]> {
        let facts = self.facts.get_or_insert_with(|| Facts::of(self.p));
        Some([facts.form(self.p, element.to.1)?, facts.form(self.p, element.from.1)?])
    }

    fn copy(&self, Element { to, from }: Element, count: usize) -> TokenStream {
        let place = self.place(to.0, to.1);
        let source = if self.is_input(from.0) {
            let (name, index) = (array_name(from.0), self.wide(from.1));
            quote!(#name.as_ptr().add(#index))
        } else {
            self.place(from.0, from.1)
        };
        let count = Literal::usize_suffixed(count);
        quote!(::core::ptr::copy_nonoverlapping(#source, #place, #count);)
    }
}

fn follows(last: &[Form; 2], next: &[Form; 2]) -> bool {
    last.iter().zip(next).all(|(a, b)| a.terms == b.terms && a.constant.wrapping_add(1) == b.constant)
}

#[cfg(test)]
mod tests {
    use crate::backend::rust::fixtures::{Build, assign, stmt};
    use crate::backend::rust::native;
    use crate::level::Level;
    use crate::passes::{self, Native};
    use crate::program::{ArrayId, BinOp, ScalarType, Space, StmtKind};

    /// Arrays to copy to and from, of the number of an element, an output, an array in shared memory and two inputs.
    type Arrays = fn(usize, [ArrayId; 4]) -> [ArrayId; 2];

    /// The numbers of elements in the copies that are printed of `to[8 * t + a] = from[8 * t + b]`, for each pair `(a, b)`.
    fn copied(elem: ScalarType, arrays: Arrays, pairs: &[(u32, u32)]) -> Vec<usize> {
        let mut b = Build::new("copied", 5);
        let (_, inputs) = b.input("x", &[elem, elem]);
        let n = b.u32(48);
        let out = b.output("out", &[elem], n);
        let shared = b.array("s", elem, n, Space::Shared(Level::Block));
        let all = [out[0], shared, inputs[0], inputs[1]];
        let ((block, _), (thread, t)) = (b.index("b", 0), b.index("t", 4));
        let eight = b.u32(8);
        let row = b.bin(BinOp::Mul, t, eight);
        let at = |b: &mut Build, k| {
            let (base, k) = (if k < OF_T { row } else { t }, b.u32(k % OF_T));
            b.bin(BinOp::Add, base, k)
        };
        let mut body = Vec::new();
        for (i, &(a, from_at)) in pairs.iter().enumerate() {
            let ([to, from], to_at, from_at) = (arrays(i, all), at(&mut b, a), at(&mut b, from_at));
            let value = b.load(from, from_at);
            body.push(assign(to, to_at, value));
        }
        let phase = b.for_all(thread, 5, body);
        let uses_it = arrays(0, all).contains(&shared);
        let allocated = uses_it.then(|| stmt(StmtKind::Allocate { array: shared }));
        let one = b.u32(1);
        let mut p = b.grid(block, one, allocated.into_iter().chain([phase]).collect());
        passes::structured(&mut p).expect("fits");
        let text = native(&Native::checked(p).unwrap_or_else(|e| panic!("{e}"))).to_string();
        let count = |code: &str| code.split("usize) ;").next()?.rsplit(", ").next()?.trim().parse().ok();
        let counts =
            text.split("copy_nonoverlapping (").skip(1).map(|code| count(code).unwrap_or_else(|| panic!("{text}")));
        counts.collect()
    }

    /// Added to a place: from `t` on instead of `8 * t`.
    const OF_T: u32 = 100;

    const OUT_OF_IN: Arrays = |_, [out, _, x, _]| [out, x];

    #[test]
    fn neighbours_are_one_copy() {
        let same: Vec<(u32, u32)> = (0..4).map(|k| (k, k)).collect();
        let moved: Vec<(u32, u32)> = (0..3).map(|k| (k + 1, k + 4)).collect();
        assert_eq!(copied(ScalarType::U32, OUT_OF_IN, &same), [4]);
        assert_eq!(copied(ScalarType::F64, |_, [out, s, ..]| [out, s], &moved), [3]);
        assert_eq!(copied(ScalarType::U8, |_, [out, s, ..]| [out, s], &[(0, 0), (1, 1), (4, 4), (5, 5)]), [2, 2]);
    }

    #[test]
    fn others_stay_one_by_one() {
        let none: [usize; 0] = [];
        for pairs in [
            &[(0, 0)][..],
            &[(0, 3), (1, 2)],
            &[(1, 1), (0, 0)],
            &[(0, 0), (2, 2)],
            &[(0, 0), (1, 2)],
            &[(0, 0), (0, 1)],
            &[(0, 0), (1, OF_T + 1)],
            &[(0, 0), (OF_T + 1, 1)],
        ] {
            assert_eq!(copied(ScalarType::U32, OUT_OF_IN, pairs), none, "{pairs:?}");
        }
        let from_two: Arrays = |i, [out, _, x, y]| [out, if i == 0 { x } else { y }];
        assert_eq!(copied(ScalarType::U32, from_two, &[(0, 0), (1, 1)]), none);
        // The second element is the first one's result; and of a byte that is no `bool` a load makes one.
        assert_eq!(copied(ScalarType::U32, |_, [_, s, ..]| [s, s], &[(1, 0), (2, 1)]), none);
        assert_eq!(copied(ScalarType::Bool, OUT_OF_IN, &[(0, 0), (1, 1)]), none);
    }
}
