//! Values of elements: leaves from what is in scope, operations on all scalar types, indices that are in range.

use obsidian_ir::level::Level;
use obsidian_ir::program::{BinOp, Const, ScalarType, UnOp};

use super::{Gen, Here, opaque};
use crate::ast::{Bound, Declared, Expr, HelperKind, Op};
use crate::data;
use crate::types::{BOOL, Ty, U32};

impl Gen {
    /// A value of a type that can be stored.
    pub(super) fn data(&mut self, ty: &Ty, depth: u32) -> Expr {
        if depth == 0 || !self.burn() || self.random.one_in(4) {
            return self.leaf(ty);
        }
        if matches!(self.here, Here::Any | Here::At(_)) && self.random.one_in(16) {
            let (tested, most) = (self.data(&U32, depth - 1), 1 + self.random.below(100));
            return Expr::new(Op::Asserted(most), vec![tested, self.data(ty, depth - 1)]);
        }
        if let Some(call) = self.helper_of_elements(ty, depth) {
            return call;
        }
        match ty {
            Ty::Scalar(s) => self.scalar(*s, depth),
            ty if *ty == opaque() => self.opaque_value(depth),
            Ty::Tuple(fields) if self.random.one_in(2) => {
                let fields = fields.clone();
                Expr::new(Op::Tuple, fields.iter().map(|f| self.data(f, depth - 1)).collect())
            }
            Ty::Record(fields) if self.random.one_in(2) => {
                let fields = fields.clone();
                let parts = fields.iter().map(|f| self.data(&Ty::Scalar(*f), depth - 1)).collect();
                Expr::new(Op::Record(fields), parts)
            }
            ty => self.choice(ty, depth),
        }
    }

    /// `if` or `match`: their branches compute nothing.
    fn choice(&mut self, ty: &Ty, depth: u32) -> Expr {
        if self.random.one_in(4) {
            let of = self.integer();
            let value = self.scalar(of, depth.saturating_sub(1));
            let three = |g: &mut Gen| g.there(Here::Pure, |g| [g.data(ty, depth - 1), g.leaf(ty), g.leaf(ty)]);
            let [a, b, c] = if self.is_joint() { self.without_views(three) } else { three(self) };
            return Expr::new(Op::Match, vec![value, a, b, c]);
        }
        if self.random.one_in(5) {
            let at = self.scalar(ScalarType::U32, depth.saturating_sub(1));
            let [a, b, c] = [self.data(ty, depth - 1), self.leaf(ty), self.leaf(ty)];
            return Expr::new(Op::Listed, vec![at, a, b, c]);
        }
        let condition = self.scalar(ScalarType::Bool, depth.saturating_sub(1));
        let both = |g: &mut Gen| g.there(Here::Pure, |g| (g.data(ty, depth - 1), g.data(ty, depth - 1)));
        let (a, b) = if self.is_joint() { self.without_views(both) } else { both(self) };
        Expr::new(Op::If, vec![condition, a, b])
    }

    /// Whether several threads execute this code together.
    fn is_joint(&self) -> bool {
        matches!(self.here, Here::Any | Here::At(Level::Warp | Level::Block))
    }

    /// A variable, an element or a constant.
    pub(super) fn leaf(&mut self, ty: &Ty) -> Expr {
        let found: Vec<(u32, Ty)> =
            self.scope.iter().filter(|s| holds(&s.ty, ty)).map(|s| (s.var, s.ty.clone())).collect();
        if !found.is_empty() && (*ty == opaque() || !self.random.one_in(6)) {
            // Inner variables more often.
            let back = self.random.below(found.len() as u32).min(self.random.below(found.len() as u32));
            let (var, seen) = found[found.len() - 1 - back as usize].clone();
            return self.part(Expr::var(var), &seen, ty);
        }
        match ty {
            Ty::Scalar(s) => Expr::constant(data::value(*s, &mut self.random)),
            Ty::Tuple(fields) => {
                let fields = fields.clone();
                Expr::new(Op::Tuple, fields.iter().map(|f| self.leaf(f)).collect())
            }
            Ty::Record(fields) => {
                let fields = fields.clone();
                let parts = fields.iter().map(|f| self.leaf(&Ty::Scalar(*f))).collect();
                Expr::new(Op::Record(fields), parts)
            }
            // Arrays are not asked for here.
            _ => Expr::constant(Const::u32(0)),
        }
    }

    /// The part of a variable that has the type.
    fn part(&mut self, e: Expr, seen: &Ty, ty: &Ty) -> Expr {
        match seen {
            seen if seen == ty => e,
            Ty::Tuple(fields) => {
                let fits: Vec<usize> = (0..fields.len()).filter(|&i| holds(&fields[i], ty)).collect();
                let i = self.random.pick(&fits);
                self.part(e.field(i as u32), &fields[i], ty)
            }
            Ty::Record(fields) => {
                let fits: Vec<u32> =
                    (0..fields.len() as u32).filter(|&i| Ty::Scalar(fields[i as usize]) == *ty).collect();
                e.part(self.random.pick(&fits))
            }
            Ty::Pull(elem, n, _) => {
                let at = self.index(*n);
                self.part(Expr::new(Op::Index, vec![e, at]), elem, ty)
            }
            _ => e,
        }
    }

    /// An index below `n`.
    pub(super) fn index(&mut self, n: u32) -> Expr {
        let within: Vec<u32> =
            self.scope.iter().filter(|s| s.ty == U32 && s.below.is_some_and(|b| b <= n)).map(|s| s.var).collect();
        let words: Vec<u32> = self.scope.iter().filter(|s| s.ty == U32).map(|s| s.var).collect();
        let literal = |k| Expr::constant(Const::u32(k));
        // Elements of an array of indices, where no text shows that they are in range.
        let tables: Vec<(u32, u32)> = self
            .scope
            .iter()
            .filter_map(|s| match (&s.ty, s.below) {
                (Ty::Pull(elem, m, crate::ast::Known::Static), Some(b)) if **elem == U32 && b <= n => Some((s.var, *m)),
                _ => None,
            })
            .collect();
        if !tables.is_empty() && self.random.one_in(2) {
            let (table, m) = self.random.pick(&tables);
            let at = literal(self.random.below(m));
            let at =
                if within.is_empty() || m < n { at } else { Expr::bin(BinOp::Rem, Expr::var(within[0]), literal(m)) };
            return Expr::new(Op::Index, vec![Expr::var(table), at]);
        }
        if !within.is_empty() && self.random.below(3) > 0 {
            let i = Expr::var(self.random.pick(&within));
            let k = self.random.below(n);
            return match self.random.below(5) {
                0 => Expr::bin(BinOp::Sub, literal(n - 1), i),
                1 => Expr::bin(BinOp::Rem, Expr::bin(BinOp::Add, i, literal(k)), literal(n)),
                2 if n.is_power_of_two() => Expr::bin(BinOp::Xor, i, literal(k)),
                _ => i,
            };
        }
        if words.is_empty() || self.random.one_in(2) {
            return literal(self.random.below(n));
        }
        let word = Expr::var(self.random.pick(&words));
        match self.random.below(4) {
            0 => Expr::bin(BinOp::Min, word, literal(n - 1)),
            1 if n.is_power_of_two() => Expr::bin(BinOp::And, word, literal(n - 1)),
            _ => Expr::bin(BinOp::Rem, word, literal(n)),
        }
    }

    /// A value of a helper's element type.
    fn opaque_value(&mut self, depth: u32) -> Expr {
        let ty = opaque();
        let mut two = || (self.data(&ty, depth - 1), self.data(&ty, depth - 1));
        let (a, b) = two();
        if let Some(f) = self.function.filter(|_| self.random.one_in(2)) {
            return Expr::new(Op::Apply(f), vec![a, b]);
        }
        let op = match self.bound {
            Bound::Data => return self.choice(&ty, depth),
            Bound::Num => self.random.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Min, BinOp::Max]),
            Bound::Int => self.random.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::And, BinOp::Or, BinOp::Xor]),
        };
        Expr::bin(op, a, b)
    }

    fn helper_of_elements(&mut self, ty: &Ty, depth: u32) -> Option<Expr> {
        let fits = |c: &&super::Called| {
            c.kind == HelperKind::Pure
                && c.result.0 == Declared::Element
                && super::operators::satisfies(ty, c.bound)
                && c.params.iter().all(|p| p.0 == Declared::Element)
        };
        let found: Vec<(usize, usize)> = self.called.iter().filter(fits).map(|c| (c.index, c.params.len())).collect();
        if found.is_empty() || *ty == opaque() || !self.random.one_in(5) {
            return None;
        }
        let (index, params) = self.random.pick(&found);
        Some(Expr::new(Op::Helper(index), (0..params).map(|_| self.data(ty, depth - 1)).collect()))
    }

    /// An operation that gives this type.
    pub(super) fn scalar(&mut self, ty: ScalarType, depth: u32) -> Expr {
        if depth == 0 || !self.burn() {
            return self.leaf(&Ty::Scalar(ty));
        }
        let below = depth - 1;
        if self.here == Here::Pure && ty != ScalarType::Bool && self.random.one_in(24) {
            return self.total(ty, below);
        }
        match self.random.below(12) {
            0 => self.choice(&Ty::Scalar(ty), depth),
            1 | 2 if ty != ScalarType::Bool => self.cast(ty, below),
            3 | 4 => self.unary(ty, below),
            5 => self.call(ty, below),
            _ => self.binary(ty, below),
        }
    }

    /// What all elements of an array give together; of floats only what does not round.
    pub(super) fn total(&mut self, ty: ScalarType, depth: u32) -> Expr {
        // Short ones are unrolled in a closure that gives an element.
        let most = if self.random.one_in(4) { 40 } else { 9 };
        let m = 1 + self.random.below(most);
        if ty == ScalarType::U32 && self.random.one_in(3) {
            let of = Ty::Scalar(self.integer());
            let xs = self.pull(&of, m, depth);
            let test = self.function(&[of], &BOOL, 1);
            return Expr::method("count", vec![xs, test]);
        }
        let names: &[&str] =
            if ty.is_float() { &["minimum", "maximum"] } else { &["sum", "product", "minimum", "maximum"] };
        let name = self.random.pick(names);
        Expr::method(name, vec![self.pull(&Ty::Scalar(ty), m, depth)])
    }

    fn cast(&mut self, ty: ScalarType, depth: u32) -> Expr {
        if ty == ScalarType::U32 && self.random.one_in(3) {
            let from = self.integer();
            let op = self.random.pick(&[UnOp::CountOnes, UnOp::LeadingZeros, UnOp::TrailingZeros]);
            return Expr::new(Op::Un(op), vec![self.scalar(from, depth)]);
        }
        if ty.is_float() && self.random.one_in(4) {
            return Expr::new(Op::FromBits(ty), vec![self.scalar(ty.unsigned(), depth)]);
        }
        let float = ScalarType::ALL.into_iter().find(|f| f.is_float() && f.unsigned() == ty);
        if let Some(float) = float.filter(|_| self.random.one_in(4)) {
            // Which NaN an operation gives is not specified.
            let v = self.fresh();
            let x = self.scalar(float, depth);
            let zero = Expr::constant(Const { ty, bits: 0 });
            let bits = Expr::new(Op::ToBits, vec![Expr::var(v)]);
            let nan = Expr::method("is_nan", vec![Expr::var(v)]);
            return Expr::new(Op::Let(v), vec![x, Expr::new(Op::If, vec![nan, zero, bits])]);
        }
        let mut from = self.scalar_type();
        if from == ScalarType::Bool && !ty.is_int() {
            from = ScalarType::I32;
        }
        Expr::new(Op::Cast(ty), vec![self.scalar(from, depth)])
    }

    pub(super) fn integer(&mut self) -> ScalarType {
        let all: Vec<ScalarType> = ScalarType::ALL.into_iter().filter(|t| t.is_int()).collect();
        self.random.pick(&all)
    }

    fn unary(&mut self, ty: ScalarType, depth: u32) -> Expr {
        let ops: &[UnOp] = match ty {
            ScalarType::Bool => &[UnOp::Not],
            _ if ty.is_float() => &[UnOp::Neg, UnOp::Abs, UnOp::Sqrt, UnOp::Floor, UnOp::Ceil, UnOp::Trunc],
            _ if ty.is_signed() => &[UnOp::Neg, UnOp::Not, UnOp::Abs, UnOp::ReverseBits],
            _ => &[UnOp::Not, UnOp::ReverseBits],
        };
        Expr::new(Op::Un(self.random.pick(ops)), vec![self.scalar(ty, depth)])
    }

    fn call(&mut self, ty: ScalarType, depth: u32) -> Expr {
        let arg = |g: &mut Gen| g.scalar(ty, depth.min(1));
        if ty == ScalarType::Bool {
            let float = self.random.pick(&[ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64]);
            return Expr::method("is_nan", vec![self.scalar(float, depth)]);
        }
        let a = arg(self);
        if self.random.one_in(3) {
            let (b, c) = (arg(self), arg(self));
            return Expr::method(self.random.pick(&["mul_add", "clamp"]), vec![a, b, c]);
        }
        if ty.is_float() {
            return Expr::method(self.random.pick(&["signum", "recip"]), vec![a]);
        }
        if self.random.one_in(3) {
            return Expr::method(if ty.is_signed() { "signum" } else { "swap_bytes" }, vec![a]);
        }
        if self.random.one_in(3) {
            return self.as_in_rust(ty, a, depth);
        }
        let count = self.scalar(ScalarType::U32, depth.min(1));
        let name = self.random.pick(&["rotate_left", "rotate_right", "wrapping_shl", "wrapping_shr"]);
        Expr::method(name, vec![a, count])
    }

    /// A method of Rust's integers that the library spells out.
    fn as_in_rust(&mut self, ty: ScalarType, a: Expr, depth: u32) -> Expr {
        let unsigned: &[&str] = if ty.is_signed() { &[] } else { &["abs_diff", "next_power_of_two"] };
        let names = [&["saturating_add", "saturating_sub", "isqrt", "pow"], unsigned].concat();
        match self.random.pick(&names) {
            name @ ("isqrt" | "next_power_of_two") => Expr::method(name, vec![a]),
            "pow" => {
                let few = Expr::constant(Const { ty: ScalarType::U32, bits: 7 });
                let n = Expr::bin(BinOp::And, self.scalar(ScalarType::U32, depth.min(1)), few);
                Expr::method("pow", vec![a, n])
            }
            name => Expr::method(name, vec![a, self.scalar(ty, depth.min(1))]),
        }
    }

    fn binary(&mut self, ty: ScalarType, depth: u32) -> Expr {
        use BinOp::*;
        if ty == ScalarType::Bool && self.random.below(3) > 0 {
            let of = self.scalar_type();
            let ops: &[BinOp] = if of == ScalarType::Bool { &[Eq, Ne] } else { &[Eq, Ne, Lt, Le, Gt, Ge] };
            let op = self.random.pick(ops);
            return Expr::bin(op, self.scalar(of, depth), self.scalar(of, depth));
        }
        let ops: &[BinOp] = match ty {
            ScalarType::Bool => &[And, Or, Xor],
            _ if ty.is_float() => &[Add, Sub, Mul, Div, Rem, Min, Max],
            _ => &[Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Min, Max, MulHigh],
        };
        let op = self.random.pick(ops);
        let (a, mut b) = (self.scalar(ty, depth), self.scalar(ty, depth));
        if matches!(op, Div | Rem) && ty.is_int() {
            // Division by zero is not specified.
            b = Expr::bin(Or, b, Expr::constant(Const { ty, bits: 1 }));
        }
        Expr::bin(op, a, b)
    }
}

/// Whether a variable of type `seen` contains a value of type `ty`.
fn holds(seen: &Ty, ty: &Ty) -> bool {
    match seen {
        seen if seen == ty => true,
        Ty::Tuple(fields) => fields.iter().any(|f| holds(f, ty)),
        Ty::Record(fields) => fields.iter().any(|f| Ty::Scalar(*f) == *ty),
        Ty::Pull(elem, n, crate::ast::Known::Static) => *n > 0 && holds(elem, ty),
        _ => false,
    }
}
