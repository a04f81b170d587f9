//! The costs of a variant as a constant.

use std::fmt::Write;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::info::dtype;
use obsidian_abi::cost::{Access, Cost, Occupancy, Pattern, Place, Requests, SharedArray, Vectors};

/// The constant, which names `abi`.
pub(super) fn constant(cost: &Cost) -> TokenStream {
    let Cost { threads, shared_bytes, shared_limit, barriers, operations, cut_short, .. } = cost;
    let name = text(&cost.name);
    let (block, warp) = (barriers.block, barriers.warp);
    let (total, elements, certainty) = (operations.total, operations.elements, variant(operations.certainty));
    let arrays = list(&cost.arrays, array);
    let guards = list(&cost.guards, |g| place(*g));
    let accesses = accesses(&cost.accesses);
    let vectors = list(&cost.vectors, vectors);
    let approximated = list(&cost.approximated, |name| quote!(#name));
    let occupancy = list(&cost.occupancy, occupancy);
    quote! {
        abi::cost::Cost {
            name: #name,
            threads: #threads,
            shared_bytes: #shared_bytes,
            shared_limit: #shared_limit,
            arrays: #arrays,
            barriers: abi::cost::Barriers { block: #block, warp: #warp },
            guards: #guards,
            accesses: #accesses,
            vectors: #vectors,
            operations: abi::cost::Operations {
                total: #total, elements: #elements, certainty: abi::cost::Certainty::#certainty
            },
            approximated: #approximated,
            occupancy: #occupancy,
            cut_short: #cut_short,
        }
    }
}

fn list<T: Clone>(items: &[T], each: impl Fn(&T) -> TokenStream) -> TokenStream {
    let items = items.iter().map(each);
    quote!(::std::borrow::Cow::Borrowed(&[#(#items),*]))
}

fn text(text: &str) -> TokenStream {
    quote!(::std::borrow::Cow::Borrowed(#text))
}

/// The name of a variant of one of the enumerations without data.
fn variant(value: impl std::fmt::Debug) -> Ident {
    Ident::new(&format!("{value:?}"), Span::call_site())
}

fn place(place: Option<Place>) -> TokenStream {
    match place {
        None => quote!(::core::option::Option::None),
        Some(Place { line, column }) => {
            quote!(::core::option::Option::Some(abi::cost::Place { line: #line, column: #column }))
        }
    }
}

fn array(a: &SharedArray) -> TokenStream {
    let SharedArray { len, copies, offset, bytes, first, last, .. } = a;
    let (name, elem) = (text(&a.name), dtype(a.elem));
    quote! {
        abi::cost::SharedArray {
            name: #name, elem: #elem, len: #len, copies: #copies, offset: #offset, bytes: #bytes, first: #first, last: #last
        }
    }
}

/// A kernel may have hundreds of accesses, so they are written as text and read at once: token by token they take several times
/// as long where the macro is not optimised.
fn accesses(all: &[Access]) -> TokenStream {
    let mut text = String::from("::std::borrow::Cow::Borrowed(&[");
    for a in all {
        let _ = write!(
            text,
            "abi::cost::Access {{ array: ::std::borrow::Cow::Borrowed({:?}), elem: {}, memory: abi::cost::Memory::{:?}, \
             action: abi::cost::Action::{:?}, step: {}u32, place: {}, elements: {}u64, pattern: abi::cost::Pattern::{}, \
             certainty: abi::cost::Certainty::{:?} }}, ",
            a.array,
            dtype(a.elem),
            a.memory,
            a.action,
            a.step,
            place(a.place),
            a.elements,
            pattern(a.pattern),
            a.certainty
        );
    }
    text += "])";
    // It is what this function has written, so it can be read.
    text.parse().unwrap_or_default()
}

fn pattern(pattern: Pattern) -> String {
    let Pattern::Known(r) = pattern else { return format!("{pattern:?}") };
    let Requests { count, transactions, least, worst, excess, wanted, alignments } = r;
    format!(
        "Known(abi::cost::Requests {{ count: {count}u64, transactions: {transactions:?}f64, least: {least}u64, worst: {worst}u32, \
         excess: {excess}u32, wanted: {wanted}u64, alignments: {alignments}u32 }})"
    )
}

fn vectors(v: &Vectors) -> TokenStream {
    let Vectors { width, count, .. } = v;
    let (array, elem, action) = (text(&v.array), dtype(v.elem), variant(v.action));
    quote! {
        abi::cost::Vectors {
            array: #array, elem: #elem, action: abi::cost::Action::#action, width: #width, count: #count
        }
    }
}

fn occupancy(o: &Occupancy) -> TokenStream {
    let Occupancy { blocks, percent, .. } = o;
    let (device, limit) = (text(&o.device), variant(o.limit));
    quote! {
        abi::cost::Occupancy {
            device: #device, blocks: #blocks, percent: #percent, limit: abi::cost::Limit::#limit
        }
    }
}
