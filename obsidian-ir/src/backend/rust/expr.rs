//! Expressions as Rust. In: a scheduled expression (a tree). Out: tokens, bracketed where they need it.
//!
//! A `u32` is printed in one of two forms: `narrow`, a `u32`, or `wide`, a `usize` of equal value. Indices are wide:
//! LLVM sees through `b * 512 + t` in `usize`, and through a 32-bit sum that may wrap it does not.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::parts::Parts;
use super::prefetch::Streams;
use super::{array_name, len_name, scalar_name, tokens, ty, var_name};
use crate::diag::Span;
use crate::passes::access::Loads;
use crate::passes::index::Facts;
use crate::program::{
    ArrayId, BinOp, Const, Expr, ExprId, Exprs, ParamKind, Program, Range, ScalarType, Space, UnClass, UnOp,
};

/// Prints the expressions of one program.
pub(super) struct Printer<'a> {
    /// The program.
    pub p: &'a Program,
    /// By variable: whether it is kept as `usize`.
    pub wide_vars: Vec<bool>,
    /// Of the loop over blocks that is being printed.
    pub streams: Streams,
    /// Long ones of these that were read one by one, so that no lanes fetch them.
    pub bare: BTreeSet<ArrayId>,
    /// Outputs that go past the caches, of that loop.
    pub parts: Parts,
    /// Whether a phase was printed in lanes.
    pub in_lanes: bool,
    /// What the marks stand for, where marks are wanted.
    pub marks: Option<Vec<Vec<Span>>>,
    /// What the program's expressions load, when it was asked for first.
    pub loads: OnceCell<Loads>,
    /// What is known of its indices, when it was asked for first.
    pub facts: Option<Facts>,
}

impl<'a> Printer<'a> {
    pub fn new(p: &'a Program) -> Printer<'a> {
        Printer {
            p,
            wide_vars: vec![false; p.vars.len()],
            streams: Streams::default(),
            bare: BTreeSet::new(),
            parts: Parts::default(),
            in_lanes: false,
            marks: None,
            loads: OnceCell::new(),
            facts: None,
        }
    }

    /// The value, in its own type.
    pub fn value(&self, id: ExprId) -> TokenStream {
        let node = self.p.exprs.node(id);
        match node.expr {
            Expr::Const(c) => constant(c),
            Expr::Var(v) => {
                let name = var_name(v);
                if self.wide_vars[v.0 as usize] { quote!((#name as u32)) } else { quote!(#name) }
            }
            Expr::Scalar(k) => {
                let name = scalar_name(k);
                quote!(#name)
            }
            Expr::Len(n) => {
                let name = len_name(n);
                quote!((#name as u32))
            }
            // Only `passes::virtualise` makes these, and native code does not go through it. Their value is that of one
            // thread of one block.
            Expr::Special(_) => quote!(0u32),
            Expr::OnGpu => quote!(false),
            Expr::Load(a, i) => self.load(a, i),
            Expr::Un(op, a) => unary(op, self.p.exprs.ty(a), self.value(a)),
            Expr::Bin(op, a, b) => self.vote(id).unwrap_or_else(|| self.binary(op, a, b)),
            Expr::Select(c, a, b) => {
                let (c, a, b) = (self.value(c), self.value(a), self.value(b));
                quote!((if #c { #a } else { #b }))
            }
            Expr::Cast(a) => cast(self.p.exprs.ty(a), node.ty, self.value(a)),
            Expr::Bits(a) => reinterpreted(self.p.exprs.ty(a), node.ty, self.value(a)),
            Expr::MulAdd(a, b, c) => {
                let (a, b, c) = (self.value(a), self.value(b), self.value(c));
                quote!((#a).mul_add(#b, #c))
            }
        }
    }

    /// A `u32` expression as `usize`.
    pub fn wide(&self, id: ExprId) -> TokenStream {
        let exprs = &self.p.exprs;
        match exprs.expr(id) {
            Expr::Const(c) => {
                let n = Literal::usize_suffixed(c.bits as usize);
                quote!(#n)
            }
            Expr::Var(v) if self.wide_vars[v.0 as usize] => {
                let name = var_name(v);
                quote!(#name)
            }
            Expr::Len(n) => {
                let name = len_name(n);
                quote!(#name)
            }
            Expr::Bin(op, a, b) if is_exact(exprs, id) => match op {
                BinOp::Shl | BinOp::Shr => {
                    let (a, op, count) = (self.wide(a), tokens(op.symbol()), self.value(b));
                    quote!((#a #op #count))
                }
                BinOp::Min | BinOp::Max => extreme(op, (&self.wide(a), &self.wide(b)), &quote!(usize)),
                _ => {
                    let (a, op, b) = (self.wide(a), tokens(op.symbol()), self.wide(b));
                    quote!((#a #op #b))
                }
            },
            Expr::Select(c, a, b) => {
                let (c, a, b) = (self.value(c), self.wide(a), self.wide(b));
                quote!((if #c { #a } else { #b }))
            }
            _ => {
                let value = self.value(id);
                quote!((#value as usize))
            }
        }
    }

    /// The place of an element, as a pointer.
    pub fn place(&self, array: ArrayId, index: ExprId) -> TokenStream {
        let (name, index, offset) = (array_name(array), self.wide(index), self.parts.offset(array));
        quote!(#name.add(#index #offset))
    }

    /// Whether the array is an input: a slice, not a pointer.
    pub fn is_input(&self, array: ArrayId) -> bool {
        match self.p.array(array).space {
            Space::Global(param) => matches!(self.p.param(param).kind, ParamKind::Input { .. }),
            _ => false,
        }
    }

    fn load(&self, array: ArrayId, index: ExprId) -> TokenStream {
        let read = if self.is_input(array) {
            let (name, index) = (array_name(array), self.wide(index));
            quote!((*#name.get_unchecked(#index)))
        } else {
            let place = self.place(array, index);
            quote!((*#place))
        };
        if self.p.array(array).elem == ScalarType::Bool { quote!((#read != 0)) } else { read }
    }

    fn binary(&self, op: BinOp, a: ExprId, b: ExprId) -> TokenStream {
        let t = self.p.exprs.ty(a);
        if op.is_comparison() {
            // A `u32` is compared wide, so that a loop's index is not truncated first.
            let print = |id| if t == ScalarType::U32 { self.wide(id) } else { self.value(id) };
            let (a, op, b) = (print(a), tokens(op.symbol()), print(b));
            return quote!((#a #op #b));
        }
        if matches!(op, BinOp::Div | BinOp::Rem) && t.is_int() {
            return self.divide(op, a, b);
        }
        let (a, b) = (self.value(a), self.value(b));
        match op {
            BinOp::Add if t.is_int() => quote!((#a).wrapping_add(#b)),
            BinOp::Sub if t.is_int() => quote!((#a).wrapping_sub(#b)),
            BinOp::Mul if t.is_int() => quote!((#a).wrapping_mul(#b)),
            BinOp::Shl => quote!((#a).wrapping_shl(#b as u32)),
            BinOp::Shr => quote!((#a).wrapping_shr(#b as u32)),
            BinOp::Min if t == ScalarType::Bool => quote!((#a & #b)),
            BinOp::Max if t == ScalarType::Bool => quote!((#a | #b)),
            BinOp::Min | BinOp::Max if t.is_float() => {
                let name = tokens(&format!("{}_{}", op.symbol(), t.name()));
                quote!(abi::#name(#a, #b))
            }
            BinOp::Min | BinOp::Max => extreme(op, (&a, &b), &ty(t)),
            BinOp::MulHigh => {
                let sign = if t.is_signed() { "i" } else { "u" };
                let (own, wide) = (ty(t), tokens(&format!("{sign}{}", 2 * t.bits().max(32))));
                let bits = Literal::u32_suffixed(t.bits());
                quote!(((((#a) as #wide * (#b) as #wide) >> #bits) as #own))
            }
            _ => {
                let op = tokens(op.symbol());
                quote!((#a #op #b))
            }
        }
    }

    /// Integer `/` and `%`: never a trap, whatever the divisor.
    fn divide(&self, op: BinOp, a: ExprId, b: ExprId) -> TokenStream {
        let zero_free = {
            let r = self.p.exprs.range(b);
            r.lo > 0 || r.hi < 0
        };
        let method = tokens(if op == BinOp::Div { "wrapping_div" } else { "wrapping_rem" });
        let t = ty(self.p.exprs.ty(a));
        let (a, b) = (self.value(a), self.value(b));
        if zero_free {
            return quote!((#a).#method(#b));
        }
        quote!({
            let (__x, __y): (#t, #t) = (#a, #b);
            if __y == 0 { 0 } else { __x.#method(__y) }
        })
    }
}

/// The smaller or the larger of two integers, without a call: a build that does not optimise would make several for each.
fn extreme(op: BinOp, (a, b): (&TokenStream, &TokenStream), ty: &TokenStream) -> TokenStream {
    let beats = tokens(if op == BinOp::Min { "<" } else { ">" });
    quote!(({
        let (__x, __y): (#ty, #ty) = (#a, #b);
        if __x #beats __y { __x } else { __y }
    }))
}

/// Whether the `u32` operation gives the same value when it is done on `usize` operands: it does not wrap, and
/// nothing in it depends on the width.
pub(super) fn is_exact(exprs: &Exprs, id: ExprId) -> bool {
    let Expr::Bin(op, a, b) = exprs.expr(id) else { return false };
    let full = Range::full(ScalarType::U32);
    let (x, y) = (exprs.range(a), exprs.range(b));
    let known = exprs.range(id) != full;
    exprs.ty(a) == ScalarType::U32
        && match op {
            BinOp::Add => known || x.hi + y.hi <= full.hi,
            BinOp::Sub => known || x.lo >= y.hi,
            BinOp::Mul => known || x.hi * y.hi <= full.hi,
            BinOp::Div | BinOp::Rem => y.lo > 0,
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Min | BinOp::Max => true,
            BinOp::Shr => y.hi < 32,
            BinOp::Shl => y.hi < 32 && (x.hi << y.hi) <= full.hi,
            _ => false,
        }
}

/// A constant of its type.
fn constant(c: Const) -> TokenStream {
    match c.ty {
        ScalarType::Bool => tokens(if c.bits != 0 { "true" } else { "false" }),
        // By bits: exact, and there are literals for neither infinity nor NaN.
        ScalarType::F16 | ScalarType::BF16 => tokens(&format!("{:#x}u16", c.bits as u16)),
        ScalarType::F32 => tokens(&format!("f32::from_bits({:#x}u32)", c.bits as u32)),
        ScalarType::F64 => tokens(&format!("f64::from_bits({:#x}u64)", c.bits)),
        t => tokens(&format!("({}{})", c.int(), t.name())),
    }
}

fn unary(op: UnOp, t: ScalarType, a: TokenStream) -> TokenStream {
    match op {
        UnOp::Neg if t.is_float() => quote!((-#a)),
        UnOp::Neg if t.is_int() => quote!((#a).wrapping_neg()),
        UnOp::Neg => a,
        UnOp::Not => quote!((!#a)),
        UnOp::Abs if t.is_signed() => quote!((#a).wrapping_abs()),
        _ => function(op, t, a),
    }
}

/// An operation that is named as Rust's method.
fn function(op: UnOp, t: ScalarType, a: TokenStream) -> TokenStream {
    let method = format_ident!("{}", op.name());
    match op.class() {
        // Of an approximation native code has the exact function.
        UnClass::Sign | UnClass::Float | UnClass::Approximation if t.is_float() => quote!((#a).#method()),
        UnClass::Count if t.is_int() => {
            let t = ty(t);
            quote!(((#a).#method() as #t))
        }
        UnClass::Bits if t.is_int() => quote!((#a).#method()),
        _ => a,
    }
}

fn cast(from: ScalarType, to: ScalarType, a: TokenStream) -> TokenStream {
    let t = ty(to);
    match (from, to) {
        // Between 16-bit floats and `f32`, the only casts that they have.
        (h, _) if h.is_half() => call(&format!("{}_to_f32", h.name()), a),
        (_, h) if h.is_half() => call(&format!("f32_to_{}", h.name()), a),
        (ScalarType::Bool, ScalarType::F32 | ScalarType::F64) => quote!((#a as u8 as #t)),
        (f, ScalarType::Bool) if f.is_float() => quote!((#a != 0.0)),
        (_, ScalarType::Bool) => quote!((#a != 0)),
        _ => quote!((#a as #t)),
    }
}

/// A function of the runtime, of one value.
fn call(name: &str, a: TokenStream) -> TokenStream {
    let name = tokens(name);
    quote!(abi::#name(#a))
}

/// The bits of a value as a type of the same width, one of them a float.
fn reinterpreted(from: ScalarType, to: ScalarType, a: TokenStream) -> TokenStream {
    let (u, t) = (ty(from.unsigned()), ty(to));
    match (from.is_float(), from.is_half() || to.is_half()) {
        (_, true) => quote!((#a as #t)),
        (true, _) => quote!(((#a).to_bits() as #t)),
        (false, _) => quote!(#t::from_bits(#a as #u)),
    }
}
