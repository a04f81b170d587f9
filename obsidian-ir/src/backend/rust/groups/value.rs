//! Values of a group: numbers as vectors, truth values as masks.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::Group;
use super::shape::Shape;
use crate::backend::rust::tokens;
use crate::program::{BinOp, Expr, ExprId, ScalarType, UnOp, VarId};

impl Group<'_, '_> {
    /// A `u32`, `i32` or `f32` of each lane.
    pub(super) fn vector(&mut self, e: ExprId) -> Option<TokenStream> {
        let (node, w) = (*self.printer.p.exprs.node(e), self.ty.clone());
        let t = word(node.ty)?;
        match self.shapes.shape(e) {
            Shape::Uniform => {
                if let Some(one) = self.one_of_held(e) {
                    return Some(one);
                }
                let bits = self.scalar_bits(e)?;
                return Some(quote!(<#w>::splat(#bits)));
            }
            Shape::Steps(affine) => {
                let (first, steps) = (self.printer.value(e), self.words(&affine.steps()));
                return Some(quote!((<#w>::splat(#first)).add(<#w>::load((&#steps).as_ptr()))));
            }
            Shape::Known(_) => return None,
            Shape::Varying => {}
        }
        match node.expr {
            Expr::Var(v) => {
                let name = lane_name(v);
                Some(quote!(#name))
            }
            Expr::Load(array, index) => self.load(array, index),
            Expr::Un(op, a) => self.unary(op, t, a),
            Expr::Bin(op, a, b) => self.binary(op, t, a, b),
            Expr::Select(c, a, b) => {
                let (a, b) = (self.vector(a)?, self.vector(b)?);
                if self.shapes.shape(c) == Shape::Uniform {
                    let c = self.printer.value(c);
                    return Some(quote!((if #c { #a } else { #b })));
                }
                self.gains = true;
                let c = self.mask(c)?;
                Some(quote!(<#w>::select(#c, #a, #b)))
            }
            Expr::Cast(a) => self.cast(t, a),
            Expr::Bits(a) => self.vector(a),
            Expr::MulAdd(a, b, c) => {
                let (a, b, c) = (self.vector(a)?, self.vector(b)?, self.vector(c)?);
                Some(quote!((#a).mul_add_f32(#b, #c)))
            }
            _ => None,
        }
    }

    /// The bits of a number that all lanes share.
    fn scalar_bits(&self, e: ExprId) -> Option<TokenStream> {
        let value = self.printer.value(e);
        Some(match word(self.printer.p.exprs.ty(e))? {
            ScalarType::F32 => quote!((#value).to_bits()),
            ScalarType::U32 => value,
            _ => quote!((#value as u32)),
        })
    }

    /// An array of words, one for each lane.
    pub(super) fn words(&self, words: &[i64]) -> TokenStream {
        let words = words.iter().map(|word| Literal::u32_suffixed(*word as u32));
        quote!([#(#words),*])
    }

    fn unary(&mut self, op: UnOp, t: ScalarType, a: ExprId) -> Option<TokenStream> {
        let w = self.ty.clone();
        let x = self.vector(a)?;
        Some(match op {
            UnOp::Not => quote!((#x).xor(<#w>::splat(u32::MAX))),
            UnOp::Neg if t.is_float() => quote!((#x).xor(<#w>::splat(0x8000_0000u32))),
            UnOp::Neg => quote!((<#w>::splat(0u32)).sub(#x)),
            UnOp::Abs if t.is_float() => quote!((#x).and(<#w>::splat(0x7fff_ffffu32))),
            UnOp::Sqrt if t.is_float() => quote!((#x).sqrt_f32()),
            UnOp::Floor if t.is_float() => quote!((#x).floor_f32()),
            UnOp::Ceil if t.is_float() => quote!((#x).ceil_f32()),
            UnOp::Trunc if t.is_float() => quote!((#x).trunc_f32()),
            _ => return None,
        })
    }

    fn binary(&mut self, op: BinOp, t: ScalarType, a: ExprId, b: ExprId) -> Option<TokenStream> {
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            return self.shift(op, t, a, b);
        }
        let (a, b) = (self.vector(a)?, self.vector(b)?);
        let name = match op {
            BinOp::And | BinOp::Or | BinOp::Xor => operation(op)?.to_owned(),
            BinOp::Add | BinOp::Sub | BinOp::Mul if t.is_int() => operation(op)?.to_owned(),
            BinOp::Div if t.is_int() => return None,
            _ => format!("{}_{}", operation(op)?, t.name()),
        };
        let name = tokens(&name);
        Some(quote!((#a).#name(#b)))
    }

    /// All lanes by the same count, modulo the width.
    fn shift(&mut self, op: BinOp, t: ScalarType, a: ExprId, b: ExprId) -> Option<TokenStream> {
        if self.shapes.shape(b) != Shape::Uniform {
            return None;
        }
        let (a, count) = (self.vector(a)?, self.printer.value(b));
        let name = match (op, t) {
            (BinOp::Shl, _) => quote!(shl),
            (_, ScalarType::U32) => quote!(shr_u32),
            _ => quote!(shr_i32),
        };
        Some(quote!((#a).#name(#count as u32 & 31)))
    }

    fn cast(&mut self, to: ScalarType, a: ExprId) -> Option<TokenStream> {
        let (from, w) = (self.printer.p.exprs.ty(a), self.ty.clone());
        if from == ScalarType::Bool {
            let one = if to == ScalarType::F32 { quote!(1f32.to_bits()) } else { quote!(1u32) };
            let m = self.mask(a)?;
            return Some(quote!(<#w>::select(#m, <#w>::splat(#one), <#w>::splat(0u32))));
        }
        let x = self.vector(a)?;
        Some(match (from, to) {
            (ScalarType::U32, ScalarType::F32) => quote!((#x).u32_to_f32()),
            (ScalarType::I32, ScalarType::F32) => quote!((#x).i32_to_f32()),
            (ScalarType::F32, ScalarType::U32) => quote!((#x).f32_to_u32()),
            (ScalarType::F32, ScalarType::I32) => quote!((#x).f32_to_i32()),
            _ => x,
        })
    }

    /// Where a `bool` holds.
    pub(super) fn mask(&mut self, e: ExprId) -> Option<TokenStream> {
        let (expr, w) = (self.printer.p.exprs.expr(e), self.ty.clone());
        match self.shapes.shape(e) {
            Shape::Uniform => {
                let value = self.printer.value(e);
                return Some(quote!(<#w>::mask(if #value { u64::MAX } else { 0u64 })));
            }
            Shape::Known(bits) => {
                let bits = Literal::u64_suffixed(bits);
                return Some(quote!(<#w>::mask(#bits)));
            }
            Shape::Steps(_) => return None,
            Shape::Varying => {}
        }
        match expr {
            Expr::Var(v) => {
                let name = lane_name(v);
                Some(quote!(#name))
            }
            Expr::Un(UnOp::Not, a) => {
                let a = self.mask(a)?;
                Some(quote!(<#w>::not(#a)))
            }
            Expr::Bin(op, a, b) if self.printer.p.exprs.ty(a) == ScalarType::Bool => {
                let (a, b) = (self.mask(a)?, self.mask(b)?);
                match op {
                    BinOp::And | BinOp::Min => Some(quote!(<#w>::both(#a, #b))),
                    BinOp::Or | BinOp::Max => Some(quote!(<#w>::either(#a, #b))),
                    BinOp::Xor | BinOp::Ne => Some(quote!(<#w>::differ(#a, #b))),
                    BinOp::Eq => Some(quote!(<#w>::not(<#w>::differ(#a, #b)))),
                    _ => None,
                }
            }
            Expr::Bin(op, a, b) => self.comparison(op, a, b),
            Expr::Select(c, a, b) => {
                let (c, a, b) = (self.mask(c)?, self.mask(a)?, self.mask(b)?);
                Some(quote!(<#w>::either(<#w>::both(#c, #a), <#w>::both(<#w>::not(#c), #b))))
            }
            Expr::Cast(a) => {
                let test = tokens(if self.printer.p.exprs.ty(a).is_float() { "eq_f32" } else { "eq" });
                let a = self.vector(a)?;
                Some(quote!(<#w>::not((#a).#test(<#w>::splat(0u32)))))
            }
            _ => None,
        }
    }

    fn comparison(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<TokenStream> {
        let (t, w) = (word(self.printer.p.exprs.ty(a))?, self.ty.clone());
        let (a, b) = (self.vector(a)?, self.vector(b)?);
        let equal = tokens(if t.is_float() { "eq_f32" } else { "eq" });
        let (less, most) = (format_ident!("lt_{}", t.name()), format_ident!("le_{}", t.name()));
        Some(match op {
            BinOp::Eq => quote!((#a).#equal(#b)),
            BinOp::Ne => quote!(<#w>::not((#a).#equal(#b))),
            BinOp::Lt => quote!((#a).#less(#b)),
            BinOp::Le => quote!((#a).#most(#b)),
            BinOp::Gt => quote!((#b).#less(#a)),
            BinOp::Ge => quote!((#b).#most(#a)),
            _ => return None,
        })
    }
}

/// The name of a variable that differs between lanes.
pub(super) fn lane_name(v: VarId) -> proc_macro2::Ident {
    super::super::local("w", v.0)
}

/// The type, if it is one of a lane's.
pub(super) fn word(t: ScalarType) -> Option<ScalarType> {
    matches!(t, ScalarType::U32 | ScalarType::I32 | ScalarType::F32).then_some(t)
}

fn operation(op: BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add => "add",
        BinOp::Sub => "sub",
        BinOp::Mul => "mul",
        BinOp::Div => "div",
        BinOp::Min => "min",
        BinOp::Max => "max",
        BinOp::And => "and",
        BinOp::Or => "or",
        BinOp::Xor => "xor",
        _ => return None,
    })
}
