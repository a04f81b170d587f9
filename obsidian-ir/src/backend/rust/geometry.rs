//! The launch contract as Rust: `fn geometry(&[u64]) -> Result<Geometry, Refusal>`, to be put where `abi` is in scope.
//!
//! Lengths of the outputs are computed without wrapping, and refused where they do not fit the index type: the kernel's
//! own 32-bit arithmetic is right only below.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::expr::Printer;
use super::native::from_bits;
use super::{arguments, len_name, scalar_name, ty};
use crate::program::{BinOp, Expr, ExprId, Matrix, ParamKind, Program, ScalarType};

/// The checks and the sizes of a launch of `p`, as a function `geometry`.
pub fn geometry(p: &Program) -> TokenStream {
    let printer = Printer::new(p);
    let unpack = arguments(p).enumerate().map(|(i, (id, param))| match &param.kind {
        ParamKind::Scalar(t) => {
            let (name, rust, value) = (scalar_name(id), ty(*t), from_bits(*t, quote!(__values[#i])));
            quote!(let #name: #rust = #value;)
        }
        _ => {
            let name = len_name(id);
            quote!(let #name: usize = __values[#i] as usize;)
        }
    });
    let checks = p.checks.iter().map(|check| {
        let (cond, message, found) = (printer.value(check.cond), &check.message, printer.value(check.found));
        refuse(cond, message, quote!(#found as u64))
    });
    let blocks = size(&printer, p.blocks);
    let outputs = p.params.iter().filter_map(|param| match &param.kind {
        ParamKind::Output { len, .. } => Some((&param.name, size(&printer, *len))),
        _ => None,
    });
    let (names, lens): (Vec<_>, Vec<_>) = outputs.unzip();
    let matrices = p.params.iter().enumerate().filter_map(|(i, param)| match param.matrix {
        Some(Matrix::Made { rows, cols }) => {
            let before = p.params[..i].iter().filter(|p| matches!(p.kind, ParamKind::Output { .. })).count();
            let (rows, cols) = (size(&printer, rows), size(&printer, cols));
            Some(quote!(abi::Shape { output: #before, rows: #rows, cols: #cols }))
        }
        _ => None,
    });
    let fits = names.iter().enumerate().map(|(i, name)| {
        let message = format!("the length of `{name}` must be less than 2^32");
        refuse(quote!(__outputs[#i] <= u32::MAX as u64), &message, quote!(__outputs[#i]))
    });
    let too_many =
        refuse(quote!(__blocks <= u32::MAX as u64), "the number of blocks must be less than 2^32", quote!(__blocks));
    quote! {
        fn geometry(__values: &[u64]) -> ::core::result::Result<abi::Geometry, abi::Refusal> {
            #(#unpack)*
            #(#checks)*
            let __blocks: u64 = #blocks;
            #too_many
            let __outputs: abi::std::vec::Vec<u64> = abi::std::vec![#(#lens),*];
            #(#fits)*
            ::core::result::Result::Ok(abi::Geometry {
                blocks: __blocks as u32,
                outputs: __outputs,
                matrices: abi::std::vec![#(#matrices),*],
            })
        }
    }
}

fn refuse(holds: TokenStream, condition: &str, found: TokenStream) -> TokenStream {
    quote! {
        if !(#holds) {
            return ::core::result::Result::Err(abi::Refusal { condition: #condition, found: #found });
        }
    }
}

/// A `u32` expression as `u64`, its sums and products not wrapped.
fn size(printer: &Printer<'_>, id: ExprId) -> TokenStream {
    match printer.p.exprs.expr(id) {
        Expr::Const(c) if c.ty == ScalarType::U32 => {
            let n = Literal::u64_suffixed(c.bits);
            quote!(#n)
        }
        Expr::Bin(op @ (BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max), a, b) => {
            let (a, b) = (size(printer, a), size(printer, b));
            match op {
                BinOp::Add => quote!(u64::saturating_add(#a, #b)),
                BinOp::Mul => quote!(u64::saturating_mul(#a, #b)),
                BinOp::Min => quote!(u64::min(#a, #b)),
                _ => quote!(u64::max(#a, #b)),
            }
        }
        _ => {
            let value = printer.wide(id);
            quote!((#value as u64))
        }
    }
}
