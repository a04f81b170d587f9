//! What a macro call expands to: the item of each entry ([`host`]), and items for rustdoc and rust-analyzer
//! ([`mod@reference`]). In: compiled entries. Out: tokens that name nothing but `core`, `std` and the runtime.

mod host;
pub mod reference;

use proc_macro2::TokenStream;
use quote::quote;

use crate::driver::{Compiled, Source};
use host::{HostEntry, HostOpenCl, HostVariant};
use obsidian_ir::backend::{cuda, opencl, ptx};
use obsidian_ir::program;

/// The texts of one variant.
struct Texts {
    ir: String,
    report: String,
    ptx: String,
    cuda: String,
    header: String,
    opencl: String,
    sub_groups: Option<String>,
}

/// The Rust item of a compiled entry, with all its texts. It names the runtime through `::obsidian::__private`.
pub fn item(entry: &Compiled) -> TokenStream {
    item_under(entry, &quote!(::obsidian), None)
}

/// [`item`], where `root` is the path of the facade crate, with the text that it was compiled from if that is given.
pub fn item_under(entry: &Compiled, root: &TokenStream, source: Option<&Source>) -> TokenStream {
    let texts: Vec<Texts> = entry
        .variants
        .iter()
        .map(|v| Texts {
            ir: program::print(&v.native),
            report: v.report.to_string(),
            ptx: ptx::print(&v.machine),
            cuda: cuda::print(&v.machine),
            header: cuda::header(&v.machine),
            opencl: opencl::print(&v.group),
            sub_groups: v.sub_groups.as_ref().map(opencl::print_sub_groups),
        })
        .collect();
    let variants = entry.variants.iter().zip(&texts).map(|(v, t)| HostVariant {
        native: &v.native,
        values: &v.values,
        shared_bytes: v.machine.shared_bytes,
        ir: &t.ir,
        report: &t.report,
        ptx: &t.ptx,
        cuda: &t.cuda,
        header: &t.header,
        symbol: &v.machine.name,
        opencl: HostOpenCl {
            source: &t.opencl,
            program: &v.group,
            sub_groups: t.sub_groups.as_deref().zip(v.sub_groups.as_deref()),
        },
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
