//! What the methods are made of, found parameter by parameter.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Methods, Planned, Received};
use crate::expand::host::call::{Array, Call};
use crate::expand::host::info::element_types;
use crate::expand::host::types::TypeParams;
use crate::types::HostType;
use obsidian_ir::backend::rust::{arguments, identifier};
use obsidian_ir::program::{ElementShape, Matrix, Param, ParamKind, Program};

/// Of the arguments, which is a matrix whose rows or columns argument `i` is, and the method that gives them.
fn extent(arguments: &[(Ident, &Param)], i: usize) -> Option<(usize, TokenStream)> {
    let given = |at: usize| arguments[at].1.matrix == Some(Matrix::Given);
    match i {
        1.. if given(i - 1) => Some((i - 1, quote!(rows))),
        2.. if given(i - 2) => Some((i - 2, quote!(cols))),
        _ => None,
    }
}

impl<'a> Methods<'a> {
    pub fn new(
        (p, declared): (&Program, usize),
        fields: &[HostType],
        types: &'a TypeParams,
        root: &'a TokenStream,
        planned: Planned,
    ) -> Methods<'a> {
        let mut names = Names::default();
        let arguments = arguments(p).filter(|(id, _)| (id.0 as usize) < declared);
        let arguments: Vec<_> = arguments.map(|(_, param)| (names.fresh(&param.name), param)).collect();
        let mut m = Methods {
            root,
            types,
            planned,
            elements: Vec::new(),
            device: names.fresh("dev"),
            declared: Vec::new(),
            sizes: Vec::new(),
            values: Vec::new(),
            size_values: Vec::new(),
            args: Vec::new(),
            slices: Vec::new(),
            slice_values: Vec::new(),
            inputs: Vec::new(),
            call: Call::default(),
            updates: false,
            outs: Vec::new(),
            out_types: Vec::new(),
            received: Vec::new(),
            takes_matrix: false,
        };
        let unnamed = HostType::default();
        let generic = |i: usize| fields.get(i).unwrap_or(&unnamed);
        for (i, (name, param)) in arguments.iter().enumerate() {
            if let Some((matrix, what)) = extent(&arguments, i) {
                let value = {
                    let matrix = &arguments[matrix].0;
                    quote!(#root::Matrix::#what(#matrix) as u64)
                };
                m.args.push(quote!(abi::Arg::Scalar(#value)));
                m.values.push(value);
                m.sizes.push(quote!(#name: usize));
                m.size_values.push(quote!(::core::cmp::min(#name as u64, u32::MAX as u64)));
                continue;
            }
            match &param.kind {
                ParamKind::Scalar(t) => {
                    let t = types.element(&[*t], generic(i), ElementShape::Scalar);
                    let bits = quote!(abi::ScalarArg::bits(#name));
                    m.call.scalar(name, &t);
                    m.declared.push(quote!(#name: #t));
                    m.sizes.push(quote!(#name: #t));
                    m.slices.push(quote!(#name: #t));
                    m.slice_values.push(bits.clone());
                    m.args.push(quote!(abi::Arg::Scalar(#bits)));
                    m.values.push(bits.clone());
                    m.size_values.push(bits);
                }
                ParamKind::Fault(_) => {}
                ParamKind::Input { arrays, .. } if param.matrix.is_some() => {
                    let t = types.element(&element_types(p, arrays), generic(i), param.shape);
                    m.elements.push(t.clone());
                    m.takes_matrix = true;
                    m.call.array((name, &m.device), &quote!(#root::Matrix<#t>), &Array::Read);
                    m.declared.push(quote!(#name: &#root::Matrix<#t>));
                    m.args.push(quote!(abi::Arg::Buffer(#root::Buffer::raw(#root::Matrix::buffer(#name)))));
                    m.values.push(quote!(#root::Buffer::len(#root::Matrix::buffer(#name)) as u64));
                    let (rows, cols) = (&arguments[i + 1].0, &arguments[i + 2].0);
                    m.size_values.push(quote!(u64::saturating_mul(#rows as u64, #cols as u64)));
                }
                ParamKind::Input { arrays, .. }
                | ParamKind::InOut { arrays, .. }
                | ParamKind::Output { arrays, .. } => {
                    let updated = matches!(param.kind, ParamKind::InOut { .. });
                    let t = types.element(&element_types(p, arrays), generic(i), param.shape);
                    m.elements.push(t.clone());
                    let array = if updated { Array::Updated } else { Array::Read };
                    m.call.array((name, &m.device), &quote!(#root::Buffer<#t>), &array);
                    let len = names.fresh(&format!("{}_len", param.name.trim_start_matches("r#")));
                    m.sizes.push(quote!(#len: usize));
                    m.slices.push(quote!(#name: &[#t]));
                    m.slice_values.push(quote!(<[#t]>::len(#name) as u64));
                    m.inputs.push(name.clone());
                    m.updates |= updated;
                    if updated {
                        m.declared.push(quote!(#name: &mut #root::Buffer<#t>));
                        m.args.push(quote!(abi::Arg::Update(#root::Buffer::raw_mut(#name))));
                    } else {
                        m.declared.push(quote!(#name: &#root::Buffer<#t>));
                        m.args.push(quote!(abi::Arg::Buffer(#root::Buffer::raw(#name))));
                    }
                    m.values.push(quote!(#root::Buffer::len(#name) as u64));
                    m.size_values.push(quote!(#len as u64));
                }
            }
        }
        for (i, param) in p.params.iter().enumerate() {
            if let ParamKind::Output { arrays, .. } = &param.kind {
                m.outs.push(names.fresh(&param.name));
                let t = types.element(&element_types(p, arrays), generic(i), param.shape);
                m.elements.push(t.clone());
                m.out_types.push(t);
                m.received.push(if param.matrix.is_some() { Received::Matrix } else { Received::Buffer });
            }
        }
        m
    }
}

/// Names of parameters, each given once: the user's own first.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    /// `wanted`, with `_` after it while it is taken. What is no identifier is called `arg`.
    fn fresh(&mut self, wanted: &str) -> Ident {
        let plain = wanted.trim_start_matches("r#");
        let valid = syn::parse_str::<Ident>(plain).is_ok() || syn::parse_str::<Ident>(&format!("r#{plain}")).is_ok();
        let mut name = if valid { plain.to_owned() } else { "arg".to_owned() };
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        identifier(&name)
    }
}
