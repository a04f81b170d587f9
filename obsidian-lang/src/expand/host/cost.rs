//! The costs of a variant as a constant.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

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
    let accesses = list(&cost.accesses, access);
    let vectors = list(&cost.vectors, vectors);
    let approximated = list(&cost.approximated, |name| quote!(#name));
    let occupancy = list(&cost.occupancy, occupancy);
    // Short names: of a kernel with many accesses, this constant is most of what is written.
    quote! {{
        use abi::cost::*;
        use abi::std::borrow::Cow::Borrowed;
        Cost {
            name: #name,
            threads: #threads,
            shared_bytes: #shared_bytes,
            shared_limit: #shared_limit,
            arrays: #arrays,
            barriers: Barriers { block: #block, warp: #warp },
            guards: #guards,
            accesses: #accesses,
            vectors: #vectors,
            operations: Operations {
                total: #total, elements: #elements, certainty: Certainty::#certainty
            },
            approximated: #approximated,
            occupancy: #occupancy,
            cut_short: #cut_short,
        }
    }}
}

fn list<T: Clone>(items: &[T], each: impl Fn(&T) -> TokenStream) -> TokenStream {
    let items = items.iter().map(each);
    quote!(Borrowed(&[#(#items),*]))
}

fn text(text: &str) -> TokenStream {
    quote!(Borrowed(#text))
}

/// The name of a variant of one of the enumerations without data.
fn variant(value: impl std::fmt::Debug) -> Ident {
    Ident::new(&format!("{value:?}"), Span::call_site())
}

fn place(place: Option<Place>) -> TokenStream {
    match place {
        None => quote!(::core::option::Option::None),
        Some(Place { line, column }) => {
            quote!(::core::option::Option::Some(Place { line: #line, column: #column }))
        }
    }
}

fn array(a: &SharedArray) -> TokenStream {
    let SharedArray { len, copies, offset, bytes, first, last, .. } = a;
    let (name, elem) = (text(&a.name), dtype(a.elem));
    quote! {
        SharedArray {
            name: #name, elem: #elem, len: #len, copies: #copies, offset: #offset, bytes: #bytes, first: #first, last: #last
        }
    }
}

fn access(a: &Access) -> TokenStream {
    let Access { step, elements, .. } = a;
    let (array, elem, place) = (text(&a.array), dtype(a.elem), place(a.place));
    let (memory, action, certainty) = (variant(a.memory), variant(a.action), variant(a.certainty));
    let pattern = match a.pattern {
        Pattern::Known(requests) => {
            let requests = known(&requests);
            quote!(Known(#requests))
        }
        other => variant(other).into_token_stream(),
    };
    quote! {
        Access {
            array: #array, elem: #elem, memory: Memory::#memory, action: Action::#action, step: #step,
            place: #place, elements: #elements, pattern: Pattern::#pattern,
            certainty: Certainty::#certainty
        }
    }
}

fn known(r: &Requests) -> TokenStream {
    let Requests { count, transactions, least, worst, excess, wanted, alignments } = r;
    quote! {
        Requests {
            count: #count, transactions: #transactions, least: #least, worst: #worst, excess: #excess, wanted: #wanted,
            alignments: #alignments
        }
    }
}

fn vectors(v: &Vectors) -> TokenStream {
    let Vectors { width, count, .. } = v;
    let (array, elem, action) = (text(&v.array), dtype(v.elem), variant(v.action));
    quote! {
        Vectors {
            array: #array, elem: #elem, action: Action::#action, width: #width, count: #count
        }
    }
}

fn occupancy(o: &Occupancy) -> TokenStream {
    let Occupancy { blocks, percent, .. } = o;
    let (device, limit) = (text(&o.device), variant(o.limit));
    quote! {
        Occupancy {
            device: #device, blocks: #blocks, percent: #percent, limit: Limit::#limit
        }
    }
}
