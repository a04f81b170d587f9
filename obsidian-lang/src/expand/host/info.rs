//! The constants of an entry: what the runtime and the host's generated code know of its variants.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::{HostEntry, HostVariant, cost, plain_name};
use crate::expand::texts::Text;
use obsidian_abi::ParamValue;
use obsidian_ir::backend::rust::{geometry, params};
use obsidian_ir::passes::verify;
use obsidian_ir::program::{Array, ArrayId, Param, ParamKind, Program, ScalarType, Space, StandsFor};

/// The kernel's constants and the functions that they point to.
pub(super) fn info(e: &HostEntry<'_>) -> TokenStream {
    let name = plain_name(&e.ident);
    let (mut modules, mut variants) = (TokenStream::new(), TokenStream::new());
    // Variants that differ in their threads alone are one and the same on the CPU: rustc compiles them once.
    let mut printed: Vec<(usize, String, TokenStream)> = Vec::new();
    for (i, v) in e.variants.iter().enumerate() {
        let (native, geometry) = (e.native.function(v.native), geometry(v.native));
        // Only where there is another to compare it with: laying tokens out as text takes as long as making them.
        let text = if e.variants.len() > 1 { format!("{native} {geometry}") } else { String::new() };
        let same = printed.iter().find(|(k, t, _)| e.variants[*k].values == v.values && *t == text);
        let module = format_ident!("variant{}", same.map_or(i, |(k, ..)| *k));
        let parts = same.map_or_else(|| parts(v.native), |(_, _, parts)| parts.clone());
        if same.is_none() {
            modules.extend(quote! {
                mod #module {
                    use super::abi;
                    pub(super) #native
                    pub(super) #geometry
                }
            });
            printed.push((i, text, parts.clone()));
        }
        variants.extend(variant(v, &module, &parts));
    }
    quote! {
        #modules
        static INFO: abi::KernelInfo = abi::KernelInfo { name: #name, variants: &[#variants] };
    }
}

/// A variant as a constant, with a comma; its functions are in `module`.
pub(super) fn variant(v: &HostVariant<'_>, module: &Ident, parts: &TokenStream) -> TokenStream {
    let threads = v.native.threads;
    let guarded = guarded(v.native);
    let (ir, report, cost) = (&v.ir, &v.report, cost::constant(&v.cost));
    let texts = v.texts.iter().map(constant);
    let (params, values) = (declared(v.native, v.native.params.len()), values(v.values));
    quote! {
        abi::Variant {
            values: #values,
            params: #params,
            threads: #threads,
            ir: #ir,
            report: #report,
            cost: &#cost,
            texts: &[#(#texts),*],
            guarded: &[#(#guarded),*],
            parts: #parts,
            geometry: #module::geometry,
            native: #module::native,
        },
    }
}

/// The parameters that the host knows, as a constant.
pub(super) fn declared(p: &Program, count: usize) -> TokenStream {
    let declared = params(p).take(count).filter(|(_, param)| !matches!(param.kind, ParamKind::Fault(_)));
    let params = declared.map(|(_, param)| param_info(p, param));
    quote!(&[#(#params),*])
}

/// What the generics stand for, as a constant.
pub(super) fn values(values: &[(String, ParamValue)]) -> TokenStream {
    let values = values.iter().map(|(name, value)| {
        let value = match value {
            ParamValue::Int(n) => quote!(abi::ParamValue::Int(#n)),
            ParamValue::Bool(b) => quote!(abi::ParamValue::Bool(#b)),
            ParamValue::Type(t) => {
                let t = dtype(*t);
                quote!(abi::ParamValue::Type(#t))
            }
        };
        quote!((#name, #value))
    });
    quote!(&[#(#values),*])
}

/// A text as a constant.
fn constant(text: &Text) -> TokenStream {
    let Text { language, source, symbol, shared_bytes, rounds, needs } = text;
    let named = |name: String| Ident::new(&name, Span::call_site());
    let language = named(format!("{language:?}"));
    let needs = needs.iter().map(|need| named(format!("{need:?}")));
    quote! {
        abi::Text {
            language: abi::Language::#language,
            source: #source,
            symbol: #symbol,
            shared_bytes: #shared_bytes,
            rounds: #rounds,
            needs: &[#(abi::Need::#needs),*],
        }
    }
}

/// A parameter, as the runtime knows it. The record of faults is not declared: each variant says whether it has one.
fn param_info(p: &Program, param: &Param) -> TokenStream {
    let name = &param.name;
    let (kind, fields) = match &param.kind {
        ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => {
            let len = len.map_or(quote!(::core::option::Option::None), |n| quote!(::core::option::Option::Some(#n)));
            let kind = match param.kind {
                ParamKind::InOut { .. } => quote!(abi::ParamKind::InOut(#len)),
                _ => quote!(abi::ParamKind::Input(#len)),
            };
            (kind, element_types(p, arrays))
        }
        ParamKind::Scalar(t) => (quote!(abi::ParamKind::Scalar), vec![*t]),
        ParamKind::Output { arrays, .. } => (quote!(abi::ParamKind::Output), element_types(p, arrays)),
        ParamKind::Fault(_) => return TokenStream::new(),
    };
    let fields = fields.into_iter().map(dtype);
    quote!(abi::ParamInfo { name: #name, kind: #kind, fields: &[#(#fields),*] })
}

/// The names that a fault's number stands for; none where nothing is guarded.
pub fn guarded(p: &Program) -> Vec<String> {
    if !p.params.iter().any(|param| matches!(param.kind, ParamKind::Fault(_))) {
        return Vec::new();
    }
    p.arrays.iter().map(|array| guarded_as(p, array)).collect()
}

/// What a message calls an array, or what stands in its place.
fn guarded_as(p: &Program, array: &Array) -> String {
    match (&array.stands_for, array.space) {
        (Some(StandsFor::Assertion(assertion)), _) => assertion.entry(),
        (Some(StandsFor::Side(side, of)), _) => side.of(&guarded_as(p, p.array(*of))),
        (None, Space::Global(param)) => format!("`{}`", p.param(param).name),
        (None, _) => "a computed array".to_string(),
    }
}

/// What each block writes of each output.
pub(super) fn parts(p: &Program) -> TokenStream {
    let parts = verify::parts(p).into_iter().map(|part| match part {
        Some(n) => quote!(::core::option::Option::Some(#n)),
        None => quote!(::core::option::Option::None),
    });
    quote!(&[#(#parts),*])
}

/// Element types of arrays.
pub(super) fn element_types(p: &Program, arrays: &[ArrayId]) -> Vec<ScalarType> {
    arrays.iter().map(|&a| p.array(a).elem).collect()
}

pub(super) fn dtype(t: ScalarType) -> TokenStream {
    let mut name = t.name().to_ascii_uppercase();
    if t == ScalarType::Bool {
        name = "Bool".to_owned();
    }
    let name = Ident::new(&name, Span::call_site());
    quote!(abi::ScalarType::#name)
}
