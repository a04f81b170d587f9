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
        abi::cost::Access {
            array: #array, elem: #elem, memory: abi::cost::Memory::#memory, action: abi::cost::Action::#action, step: #step,
            place: #place, elements: #elements, pattern: abi::cost::Pattern::#pattern,
            certainty: abi::cost::Certainty::#certainty
        }
    }
}

fn known(r: &Requests) -> TokenStream {
    let Requests { count, transactions, least, worst, excess, wanted, alignments } = r;
    quote! {
        abi::cost::Requests {
            count: #count, transactions: #transactions, least: #least, worst: #worst, excess: #excess, wanted: #wanted,
            alignments: #alignments
        }
    }
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
