//! What a macro call expands to: the item of each entry (`host`), and items for rustdoc and rust-analyzer
//! ([`mod@reference`]). In: compiled entries. Out: tokens that name nothing but `core`, `std` and the runtime.

mod host;
pub mod reference;
pub mod texts;

use proc_macro2::TokenStream;
use quote::quote;

use crate::driver::{Compiled, Source};
use host::{HostEntry, HostVariant};
use obsidian_ir::program;

/// The Rust item of a compiled entry, with all its texts. It names the runtime through `::obsidian::__private`.
pub fn item(entry: &Compiled) -> TokenStream {
    item_under(entry, &quote!(::obsidian), None)
}

/// [`item`], where `root` is the path of the facade crate, with the text that it was compiled from if that is given.
pub fn item_under(entry: &Compiled, root: &TokenStream, source: Option<&Source>) -> TokenStream {
    let variants = entry.variants.iter().map(|v| HostVariant {
        native: &v.native,
        values: &v.values,
        ir: program::print(&v.native),
        report: v.report.to_string(),
        cost: v.report.data(),
        texts: texts::of(v),
    });
    let host = HostEntry {
        ident: entry.ident.clone(),
        vis: entry.vis.clone(),
        attrs: entry.attrs.clone(),
        variants: variants.collect(),
        generics: &entry.generics,
        fields: &entry.host,
        source,
    };
    host::entry(&host, &quote!(#root::__private))
}
