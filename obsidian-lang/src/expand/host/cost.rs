//! The costs of a variant as a constant.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use obsidian_abi::cost::{Access, Cost, Occupancy, Pattern, Place, Requests, SharedArray, Vectors};

/// The constant, which names `abi`: rows of [`obsidian_abi::cost::rows`].
pub(super) fn constant(cost: &Cost) -> TokenStream {
    let Cost { name, threads, shared_bytes, shared_limit, barriers, operations, cut_short, .. } = cost;
    let (block, warp) = (barriers.block, barriers.warp);
    let (total, elements, certainty) = (operations.total, operations.elements, named(operations.certainty));
    let arrays = list(&cost.arrays, array);
    let guards = list(&cost.guards, |g| place(*g));
    let local = list(&cost.local, |a| {
        let (at, bytes) = (place(a.at), a.bytes);
        quote!(local(#at, #bytes))
    });
    let accesses = list(&cost.accesses, access);
    let vectors = list(&cost.vectors, vectors);
    let approximated = list(&cost.approximated, |name| quote!(#name));
    let occupancy = list(&cost.occupancy, occupancy);
    quote! {{
        use abi::cost::rows::*;
        Cost {
            name: Borrowed(#name),
            threads: #threads,
            shared_bytes: #shared_bytes,
            shared_limit: #shared_limit,
            arrays: #arrays,
            barriers: Barriers { block: #block, warp: #warp },
            guards: #guards,
            local: #local,
            accesses: #accesses,
            vectors: #vectors,
            operations: Operations { total: #total, elements: #elements, certainty: #certainty },
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

/// The name of a variant of one of the enumerations without data.
fn named(value: impl std::fmt::Debug) -> Ident {
    Ident::new(&format!("{value:?}"), Span::call_site())
}

fn place(place: Option<Place>) -> TokenStream {
    match place {
        None => quote!(NOWHERE),
        Some(Place { line, column }) => quote!(at(#line, #column)),
    }
}

fn array(a: &SharedArray) -> TokenStream {
    let SharedArray { name, len, copies, offset, bytes, first, last, .. } = a;
    let elem = named(a.elem);
    quote!(shared((#name, #elem), (#len, #copies), (#offset, #bytes), (#first, #last)))
}

fn access(a: &Access) -> TokenStream {
    let Access { array, step, elements, .. } = a;
    let (elem, memory, action, certainty) = (named(a.elem), named(a.memory), named(a.action), named(a.certainty));
    let (place, pattern) = (place(a.place), pattern(a.pattern));
    quote!(access((#array, #elem, #memory), (#action, #step, #place), (#elements, #pattern, #certainty)))
}

fn pattern(pattern: Pattern) -> TokenStream {
    let Pattern::Known(requests) = pattern else { return named(pattern).into_token_stream() };
    let Requests { count, transactions, least, worst, excess, wanted, alignments } = requests;
    quote!(known((#count, #transactions, #least), (#worst, #excess), (#wanted, #alignments)))
}

fn vectors(v: &Vectors) -> TokenStream {
    let Vectors { array, width, count, .. } = v;
    let (elem, action) = (named(v.elem), named(v.action));
    quote!(vectors((#array, #elem), (#action, #width, #count)))
}

fn occupancy(o: &Occupancy) -> TokenStream {
    let Occupancy { device, blocks, percent, .. } = o;
    let limit = named(o.limit);
    quote!(occupancy(#device, #blocks, #percent, #limit))
}
