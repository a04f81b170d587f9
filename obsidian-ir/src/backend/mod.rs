//! The printers: a program in, text out. A back end decides nothing that a pass could.

mod c;
pub mod cuda;
pub mod opencl;
pub mod ptx;
mod report;
pub mod rust;

use proc_macro2::TokenStream;
use quote::quote;

use crate::compiler::{Compiled, Source};
use crate::program;
use rust::host::{HostEntry, HostOpenCl, HostVariant};

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

/// The name of an entry's function in the texts: the user's own, unless C, CUDA or PTX do not allow it.
pub fn symbol(name: &str) -> String {
    cuda::symbol(name)
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
            opencl: opencl::print(v.group()),
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
            program: v.group(),
            sub_groups: t.sub_groups.as_deref().zip(v.sub_groups.as_ref()),
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
    rust::host::entry(&host, &quote!(#root::__private))
}
