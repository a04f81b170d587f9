//! Expressions as C. Every operation has the meaning of `program::arith`: what C leaves undefined (signed overflow, wide
//! shifts, division by zero) or free (contraction) is spelt out, unless the operands' ranges rule it out.

use super::Printer;
use super::dialect::{Dialect, Extreme, Function, Logic, OfIntegers, no_function};
use super::spelling::{Prec, Text, is_narrow, literal, unsigned};
use crate::program::{BinClass, BinOp, Const, Expr, ExprId, Math, Range, Reciprocal, ScalarType, UnClass, UnOp};

impl Printer<'_> {
    /// An expression, for a place that needs no parentheses.
    pub(crate) fn code(&mut self, id: ExprId) -> String {
        self.expr(id).code
    }

    pub(super) fn expr(&mut self, id: ExprId) -> Text {
        let exprs = &self.p.exprs;
        let ty = exprs.ty(id);
        match exprs.expr(id) {
            Expr::Const(c) => literal(self.dialect, c),
            Expr::Var(v) if self.declared_wide(v) => Text::primary(self.names.var(v)).cast(self.dialect, ty),
            Expr::Var(v) => Text::primary(self.names.var(v)),
            Expr::Scalar(param) => Text::primary(self.names.scalar(param)),
            Expr::Len(param) => Text::primary(self.len(param)),
            Expr::Special(s) => (self.dialect.special)(s),
            // Code for GPUs is all that C is printed for.
            Expr::OnGpu => literal(self.dialect, Const::bool(true)),
            Expr::Load(array, index) => {
                let index = self.subscript(array, index);
                let code = format!("{}[{index}]", self.names.array(array));
                Text::primary(self.load_of(exprs.origin(id), code))
            }
            Expr::Un(op, a) => self.complement(id).unwrap_or_else(|| self.unary(op, ty, a)),
            Expr::Bin(op, a, b) => self.complement(id).unwrap_or_else(|| self.binary(id, op, a, b)),
            Expr::Select(c, a, b) => {
                let (c, a, b) = (self.expr(c), self.expr(a), self.expr(b));
                let code = format!("{} ? {} : {}", c.at(Prec::Or), a.at(Prec::Or), b.at(Prec::Ternary));
                Text::new(code, Prec::Ternary)
            }
            Expr::Cast(a) => self.cast(a, ty),
            Expr::Bits(a) => self.reinterpreted(a, ty),
            Expr::MulAdd(a, b, c) => self.function(Function::MulAdd, ty, &[a, b, c]),
        }
    }

    fn unary(&mut self, op: UnOp, ty: ScalarType, a: ExprId) -> Text {
        match op {
            UnOp::Not if ty == ScalarType::Bool => Text::new(format!("!{}", self.expr(a).unary()), Prec::Unary),
            UnOp::Not => cut(self.dialect, ty, Text::new(format!("~{}", self.expr(a).unary()), Prec::Unary)),
            UnOp::Neg if ty.is_float() || is_narrow(ty) => {
                cut(self.dialect, ty, Text::new(format!("-{}", self.expr(a).unary()), Prec::Unary))
            }
            UnOp::Neg => {
                let minus = self.negated(ty, a);
                if ty.is_signed() { minus.cast(self.dialect, ty) } else { minus }
            }
            UnOp::Abs if ty.is_signed() => {
                let name = self.helpers.abs(ty);
                self.call(&name, &[a])
            }
            _ if ty.is_int() && matches!(op.class(), UnClass::Count | UnClass::Bits) => {
                let name = self.helpers.count(op, ty);
                self.call(&name, &[a])
            }
            _ if !ty.is_float() => self.expr(a),
            UnOp::Sqrt if self.approximates(ty) => {
                let name = self.helpers.fast("fast_sqrt", self.dialect.fast_sqrt);
                self.call(&name, &[a])
            }
            UnOp::Exp2 | UnOp::Log2 | UnOp::Sin | UnOp::Cos | UnOp::Tanh => {
                let (name, body) = (self.dialect.fast_function)(op);
                let name = self.helpers.fast(name, body);
                self.call(&name, &[a])
            }
            UnOp::Sqrt => self.function(Function::Sqrt, ty, &[a]),
            UnOp::Abs => self.function(Function::Abs, ty, &[a]),
            UnOp::Floor => self.rounded(Function::Floor, ty, a),
            UnOp::Ceil => self.rounded(Function::Ceil, ty, a),
            UnOp::Trunc => self.rounded(Function::Trunc, ty, a),
            // Floats have none.
            UnOp::CountOnes | UnOp::LeadingZeros | UnOp::TrailingZeros | UnOp::ReverseBits => self.expr(a),
        }
    }

    fn binary(&mut self, id: ExprId, op: BinOp, a: ExprId, b: ExprId) -> Text {
        let ty = self.p.exprs.ty(a);
        match op {
            _ if op.is_comparison() => {
                let prec = if matches!(op, BinOp::Eq | BinOp::Ne) { Prec::Equal } else { Prec::Compare };
                let (a, b) = (self.expr(a), self.expr(b));
                Text::new(format!("{} {} {}", a.at(Prec::Sum), op.symbol(), b.at(Prec::Sum)), prec)
            }
            _ if ty == ScalarType::Bool => self.logic(op, a, b),
            BinOp::Add | BinOp::Sub | BinOp::Mul if ty.is_float() => self.float_sum(op, ty, a, b),
            BinOp::Add | BinOp::Sub | BinOp::Mul => self.sum(id, op, ty, a, b),
            BinOp::Div if self.approximates(ty) => match Reciprocal::of(&self.p.exprs, op, a, b) {
                Some(Reciprocal::Of(x)) => {
                    let name = self.helpers.fast("fast_recip", self.dialect.fast_recip);
                    self.call(&name, &[x])
                }
                Some(Reciprocal::Root(x)) => {
                    let name = self.helpers.fast("fast_rsqrt", self.dialect.fast_rsqrt);
                    self.call(&name, &[x])
                }
                None => {
                    let name = self.helpers.fast_divide(self.dialect.fast_divide);
                    self.call(&name, &[a, b])
                }
            },
            BinOp::Div if ty.is_float() => infix(op, self.expr(a), self.expr(b)),
            BinOp::Rem if ty.is_float() => self.function(Function::Rem, ty, &[a, b]),
            BinOp::Div | BinOp::Rem => self.divide(op, ty, a, b),
            BinOp::Min | BinOp::Max if ty.is_float() => {
                let name = self.helpers.float_extreme(op, ty);
                self.call(&name, &[a, b])
            }
            BinOp::Min | BinOp::Max if self.dialect.extreme == Extreme::Helper => {
                let name = self.helpers.extreme(op, ty);
                self.call(&name, &[a, b])
            }
            BinOp::Min | BinOp::Max => {
                let (a, b) = (self.exact(a), self.exact(b));
                Text::primary(format!("{}({a}, {b})", op.symbol()))
            }
            BinOp::Shl | BinOp::Shr => self.shift(op, ty, a, b),
            BinOp::MulHigh if is_narrow(ty) => self.narrow_mul_high(ty, a, b),
            _ if op.class() == BinClass::Growing => self.of_integers(op, ty, a, b),
            _ => infix(op, self.expr(a), self.expr(b)),
        }
    }

    /// A function of two integers, as the dialect spells it.
    fn of_integers(&mut self, op: BinOp, ty: ScalarType, a: ExprId, b: ExprId) -> Text {
        match (self.dialect.of_integers)(op, ty) {
            OfIntegers::Own(name) => {
                let (a, b) = (self.exact(a), self.exact(b));
                Text::primary(format!("{name}({a}, {b})"))
            }
            OfIntegers::Helper(body) => {
                let name = self.helpers.of_integers(op, ty, &body);
                self.call(&name, &[a, b])
            }
        }
    }

    /// The upper half of a product all of which fits into 32 bits.
    fn narrow_mul_high(&mut self, ty: ScalarType, a: ExprId, b: ExprId) -> Text {
        let wide = if ty.is_signed() { ScalarType::I32 } else { ScalarType::U32 };
        let [a, b] = [a, b].map(|x| self.expr(x).cast(self.dialect, wide));
        let bits = Text::primary(ty.bits().to_string());
        cut(self.dialect, ty, infix(BinOp::Shr, infix(BinOp::Mul, a, b), bits))
    }

    /// An argument of a function whose overloads differ by type only: what C computed in `int` is cut to its own type.
    fn exact(&mut self, id: ExprId) -> String {
        let (expr, ty) = (self.p.exprs.expr(id), self.p.exprs.ty(id));
        let text = self.expr(id);
        let own = matches!(expr, Expr::Var(_) | Expr::Scalar(_) | Expr::Load(..) | Expr::Cast(_));
        cut_if(self.dialect, is_narrow(ty) && !own, ty, text).code
    }

    /// Both sides are pure, so it makes no difference whether an operator may skip one.
    fn logic(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Text {
        let Logic { both, either, operands } = self.dialect.logic;
        let (a, b) = (self.expr(a), self.expr(b));
        let join = |sign: &str, prec: Prec| {
            let side = |t: &Text| if t.prec == prec { t.code.clone() } else { t.at(operands) };
            Text::new(format!("{} {sign} {}", side(&a), side(&b)), prec)
        };
        match op {
            BinOp::And | BinOp::Min | BinOp::Mul => join(both, Prec::And),
            BinOp::Or | BinOp::Max => join(either, Prec::Or),
            _ => Text::new(format!("{} != {}", a.at(Prec::Sum), b.at(Prec::Sum)), Prec::Equal),
        }
    }

    /// Whether operations on `ty` are printed in their approximate form, if they have one.
    fn approximates(&self, ty: ScalarType) -> bool {
        self.p.options.math == Math::Fast && ty == ScalarType::F32
    }

    /// Where a compiler could contract a product with a sum, the dialect has a function for it; under `fast_math` it may.
    fn float_sum(&mut self, op: BinOp, ty: ScalarType, a: ExprId, b: ExprId) -> Text {
        match (op, (self.dialect.function)(Function::Mul, ty)) {
            (BinOp::Mul, Some(name)) if self.p.options.math == Math::Exact => self.call(&name, &[a, b]),
            _ => infix(op, self.expr(a), self.expr(b)),
        }
    }

    fn sum(&mut self, id: ExprId, op: BinOp, ty: ScalarType, a: ExprId, b: ExprId) -> Text {
        if !self.may_wrap(id) || matches!(ty, ScalarType::U32 | ScalarType::U64) {
            return infix(op, self.expr(a), self.expr(b));
        }
        // `unsigned short` would be multiplied as `int`, which overflows.
        let first = self.expr(a);
        let first =
            if ty == ScalarType::U16 && op == BinOp::Mul { first.cast(self.dialect, ScalarType::U32) } else { first };
        if is_narrow(ty) {
            return cut(self.dialect, ty, infix(op, first, self.expr(b)));
        }
        self.wrapping(op, a, b).cast(self.dialect, ty)
    }

    /// Whether the operation may leave its type's range (`Node::range` says so).
    fn may_wrap(&self, id: ExprId) -> bool {
        let full = Range::full(self.p.exprs.ty(id));
        full.within(self.p.exprs.range(id))
    }

    fn wrapping(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Text {
        infix(op, self.as_unsigned(a), self.as_unsigned(b))
    }

    /// The value of a 32- or 64-bit signed expression as the unsigned type; a chain of sums stays unsigned.
    fn as_unsigned(&mut self, id: ExprId) -> Text {
        let exprs = &self.p.exprs;
        let ty = exprs.ty(id);
        let u = unsigned(ty);
        match exprs.expr(id) {
            Expr::Const(c) => {
                literal(self.dialect, Const { ty: u, bits: if u.bits() == 32 { c.bits & 0xffff_ffff } else { c.bits } })
            }
            Expr::Bin(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) if self.may_wrap(id) => {
                self.wrapping(op, a, b)
            }
            Expr::Un(UnOp::Neg, a) => self.negated(ty, a),
            Expr::Cast(a) if exprs.ty(a) == u => self.expr(a),
            _ => self.expr(id).cast(self.dialect, u),
        }
    }

    /// `0 - a` in the unsigned type.
    fn negated(&mut self, ty: ScalarType, a: ExprId) -> Text {
        let zero = literal(self.dialect, Const { ty: unsigned(ty), bits: 0 });
        let a = if ty.is_signed() { self.as_unsigned(a) } else { self.expr(a) };
        infix(BinOp::Sub, zero, a)
    }

    fn divide(&mut self, op: BinOp, ty: ScalarType, a: ExprId, b: ExprId) -> Text {
        let r = self.p.exprs.range(b);
        let nonzero = r.lo > 0 || r.hi < 0;
        let no_minus_one = !ty.is_signed() || r.lo > -1 || r.hi < -1;
        if nonzero && (no_minus_one || is_narrow(ty)) {
            return cut_if(self.dialect, !no_minus_one, ty, infix(op, self.expr(a), self.expr(b)));
        }
        let name = self.helpers.divide(op, ty);
        self.call(&name, &[a, b])
    }

    fn shift(&mut self, op: BinOp, ty: ScalarType, a: ExprId, b: ExprId) -> Text {
        let last = i128::from(ty.bits() - 1);
        let count = match self.p.exprs.as_const(b) {
            Some(c) => Text::primary(format!("{}", c.int() & last)),
            None if self.p.exprs.range(b).within(Range::new(0, last)) => self.expr(b),
            None => Text::new(format!("{} & {last}", self.expr(b).at(Prec::Unary)), Prec::Bit),
        };
        if op == BinOp::Shr {
            return infix(op, self.expr(a), count);
        }
        // A negative value must not be shifted left before C++20.
        let value = match ty {
            _ if is_narrow(ty) && ty.is_signed() => self.expr(a).cast(self.dialect, ScalarType::U32),
            _ if ty.is_signed() => self.as_unsigned(a),
            _ => self.expr(a),
        };
        let shifted = infix(op, value, count);
        cut_if(self.dialect, ty.is_signed() || is_narrow(ty), ty, shifted)
    }

    /// The bits of `a` as a type of the same width, one of them a float.
    fn reinterpreted(&mut self, a: ExprId, to: ScalarType) -> Text {
        let (from, text) = (self.p.exprs.ty(a), self.expr(a));
        // 16-bit floats are their bits.
        if to.bytes() == 2 { text.cast(self.dialect, to) } else { (self.dialect.reinterpret)(from, to, text) }
    }

    fn cast(&mut self, a: ExprId, to: ScalarType) -> Text {
        let from = self.p.exprs.ty(a);
        if from.is_half() || to.is_half() {
            let name = self.helpers.half(from, to);
            return self.call(&name, &[a]);
        }
        if from.is_float() && to.is_int() {
            let name = self.helpers.float_to_int(from, to);
            return self.call(&name, &[a]);
        }
        if to == ScalarType::Bool {
            return Text::new(format!("{} != 0", self.expr(a).at(Prec::Sum)), Prec::Equal);
        }
        self.expr(a).cast(self.dialect, to)
    }

    pub(super) fn call(&mut self, name: &str, args: &[ExprId]) -> Text {
        let args: Vec<String> = args.iter().map(|&a| self.code(a)).collect();
        Text::primary(format!("{name}({})", args.join(", ")))
    }

    /// Rounding to an integer keeps the sign, of zeros too.
    fn rounded(&mut self, function: Function, ty: ScalarType, a: ExprId) -> Text {
        match self.dialect.copy_sign {
            None => self.function(function, ty, &[a]),
            Some(copy_sign) => {
                let name = self.helpers.rounded(function, ty, copy_sign);
                self.call(&name, &[a])
            }
        }
    }

    fn function(&mut self, function: Function, ty: ScalarType, args: &[ExprId]) -> Text {
        let name = (self.dialect.function)(function, ty).unwrap_or_else(no_function);
        self.call(&name, args)
    }
}

/// `a op b` with the parentheses that C needs, and with those that make mixed bit operations readable.
pub(super) fn infix(op: BinOp, a: Text, b: Text) -> Text {
    let (prec, left, right) = match op {
        BinOp::Mul | BinOp::Div | BinOp::Rem => (Prec::Product, Prec::Product, Prec::Unary),
        BinOp::Add | BinOp::Sub => (Prec::Sum, Prec::Sum, Prec::Product),
        BinOp::Shl | BinOp::Shr => (Prec::Shift, Prec::Unary, Prec::Unary),
        _ => (Prec::Bit, Prec::Unary, Prec::Unary),
    };
    Text::new(format!("{} {} {}", a.at(left), op.symbol(), b.at(right)), prec)
}

/// Cuts a result that C computed in `int` back to a narrow type.
fn cut(d: &Dialect, ty: ScalarType, text: Text) -> Text {
    cut_if(d, is_narrow(ty), ty, text)
}

fn cut_if(d: &Dialect, needed: bool, ty: ScalarType, text: Text) -> Text {
    if needed { text.cast(d, ty) } else { text }
}
