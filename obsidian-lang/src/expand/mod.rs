//! What a macro call expands to: the item of each entry (`host`), items for rustdoc and rust-analyzer
//! ([`mod@reference`]), and items that rustc warns of ([`lints`]). In: compiled entries. Out: tokens that name nothing but `core`, `std` and the runtime.

mod host;
pub mod lints;
pub mod reference;
pub mod texts;

use proc_macro2::TokenStream;
use quote::quote;

use crate::driver::{Compiled, Entries, ModuleVariant, Variant};
use crate::linking::{Piece, Text, pieces};
use crate::syntax::ast::FnForm;
pub use host::guarded;
use host::{HostEntry, HostModule, HostVariant};
use obsidian_abi::ParamValue;
use obsidian_ir::backend::module_report;
use obsidian_ir::{backend, module, passes, program};

/// The constants and the structures of a text, which are the host's, too, as they are written. `root` is the path of the facade.
pub fn of_both(text: &Text, root: &TokenStream) -> TokenStream {
    let item = |piece| match piece {
        Piece::Fn(f) if f.form == FnForm::Constant => {
            let tokens = f.tokens;
            Some(quote!(#[allow(dead_code)] #tokens))
        }
        Piece::Other(tokens) => syn::parse2(tokens).ok().map(|item| structure(item, &quote!(#root::__private))),
        Piece::Fn(_) | Piece::Use(_) => None,
    };
    pieces(text.items.clone()).into_iter().filter_map(item).collect()
}

/// A structure of the author's, and that buffers hold it.
fn structure(mut item: syn::ItemStruct, root: &TokenStream) -> TokenStream {
    item.attrs.iter_mut().for_each(leave_to_us);
    let name = &item.ident;
    let (names, types): (Vec<_>, Vec<_>) = item.fields.iter().map(|f| (&f.ident, &f.ty)).unzip();
    let places = 0..names.len();
    let bound: Vec<_> = places.clone().map(|i| quote::format_ident!("field{i}")).collect();
    quote! {
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        #[allow(dead_code)]
        #item
        const _: () = {
            use #root::{Element, abi};
            impl abi::Fields for #name {
                const FIELDS: &'static [abi::ScalarType] = <(#(#types,)*) as abi::Fields>::FIELDS;
                fn store(values: &[Self], field: usize, to: &mut abi::HostBytes) {
                    match field {
                        #(#places => abi::store_field(values, to, |value| value.#names),)*
                        _ => {}
                    }
                }
                fn load(
                    fields: &[&abi::HostBytes],
                ) -> ::core::result::Result<abi::std::vec::Vec<Self>, abi::std::collections::TryReserveError> {
                    let tuples = <(#(#types,)*) as abi::Fields>::load(fields)?;
                    ::core::result::Result::Ok(
                        tuples.into_iter().map(|(#(#bound,)*)| #name { #(#names: #bound),* }).collect(),
                    )
                }
                fn seen<'a>(_fields: &[&'a abi::HostBytes]) -> ::core::option::Option<&'a [Self]> {
                    ::core::option::Option::None
                }
                fn bytes(_values: &[Self]) -> ::core::option::Option<&[u8]> {
                    ::core::option::Option::None
                }
                fn bytes_mut(_values: &mut [Self]) -> ::core::option::Option<&mut [u8]> {
                    ::core::option::Option::None
                }
            }
            impl Element for #name {}
        };
    }
}

/// Takes out of a `derive` what a structure of kernels has by itself.
fn leave_to_us(attr: &mut syn::Attribute) {
    let paths = syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated;
    if let syn::Meta::List(list) = &mut attr.meta
        && list.path.is_ident("derive")
        && let Ok(found) = list.parse_args_with(paths)
    {
        let ours = |path: &syn::Path| {
            path.segments.last().is_some_and(|last| ["Clone", "Copy", "Element"].iter().any(|name| last.ident == name))
        };
        let others = found.into_iter().filter(|path| !ours(path));
        list.tokens = quote!(#(#others),*);
    }
}

/// What is wanted of the CPU's version of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuCode {
    /// The code.
    Printed,
    /// Its type alone: who only checks a program need not check what the compiler has made, which is most of an expansion.
    Declared,
}

impl CpuCode {
    /// The function of a kernel.
    fn function(self, of: &passes::Native) -> TokenStream {
        match self {
            CpuCode::Printed => backend::rust::native(of),
            CpuCode::Declared => backend::rust::native_declared(),
        }
    }
}

/// The Rust item of a compiled entry, with all its texts. It names the runtime through `::obsidian::__private`.
pub fn item(entry: &Compiled) -> TokenStream {
    item_under(entry, &quote!(::obsidian), CpuCode::Printed)
}

/// [`item`], where `root` is the path of the facade crate.
pub fn item_under(entry: &Compiled, root: &TokenStream, native: CpuCode) -> TokenStream {
    let variants = entry.variants.iter().map(|v| kernel(v, &v.values)).collect();
    host::entry(&host_entry(entry, variants, native), &quote!(#root::__private))
}

/// The Rust item of a compiled entry at `Device`, as [`item_under`].
pub fn module_under(entry: &Compiled<ModuleVariant>, root: &TokenStream, native: CpuCode) -> TokenStream {
    let variants = entry.variants.iter().map(|v| {
        let kernels: Vec<_> = v.kernels.iter().map(|k| kernel(k, &[])).collect();
        let whole = module_report(&v.module, &v.kernels.iter().map(|kernel| &kernel.report).collect::<Vec<_>>());
        let reports = kernels.iter().map(|k| k.report.clone());
        HostModule {
            module: &v.module,
            values: &v.values,
            ir: module::print(&v.module),
            report: std::iter::once(whole).chain(reports).collect::<Vec<_>>().join("\n"),
            kernels,
        }
    });
    host::module_entry(&host_entry(entry, variants.collect(), native), &quote!(#root::__private))
}

/// The item of each compiled entry.
pub fn items_under(entries: &Entries, root: &TokenStream, native: CpuCode) -> impl Iterator<Item = TokenStream> {
    let kernels = entries.kernels.iter().map(move |e| item_under(e, root, native));
    kernels.chain(entries.modules.iter().map(move |e| module_under(e, root, native)))
}

fn kernel<'a>(v: &'a Variant, values: &'a [(String, ParamValue)]) -> HostVariant<'a> {
    let (ir, report, cost) = (program::print(&v.native), v.report.to_string(), v.report.data());
    HostVariant { native: &v.native, values, ir, report, cost, texts: texts::of(v) }
}

fn host_entry<V, W>(entry: &Compiled<V>, variants: Vec<W>, native: CpuCode) -> HostEntry<'_, W> {
    let (ident, vis, attrs) = (entry.ident.clone(), entry.vis.clone(), entry.attrs.clone());
    HostEntry { ident, vis, attrs, variants, generics: &entry.generics, fields: &entry.host, native }
}
