//! The programs of `programs` once more, from their text: what the macros have made into items, compiled here to
//! the IR that the interpreter takes. It does not link that crate, so that the compiler's own tests can use it.

pub mod entries;

use obsidian_ir::program::{ParamKind, Program, StmtKind};
use obsidian_lang::driver::{Compiled, compile};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;

#[path = "../../../../programs/src/texts.rs"]
mod texts;

/// The files of the crate `programs` that are wanted, by name.
fn texts(wanted: impl Fn(&str) -> bool) -> Vec<&'static str> {
    texts::TEXTS.iter().filter(|(name, _)| wanted(name)).map(|(_, text)| *text).collect()
}

/// What each macro of the files that are wanted was given.
pub fn kernels(wanted: impl Fn(&str) -> bool) -> Vec<TokenStream> {
    let items = texts(wanted).into_iter().flat_map(|text| syn::parse_file(text).expect("valid Rust").items);
    items.filter_map(kernel_source).collect()
}

/// Every kernel of the files that are wanted.
pub fn compiled(wanted: impl Fn(&str) -> bool) -> Vec<Compiled> {
    let sources = kernels(wanted).into_iter();
    sources.flat_map(|tokens| compile(tokens, &mut SpanTable::default()).expect("compiles, as it did above")).collect()
}

/// Every kernel of the files in which a function has that name.
pub fn compiled_with(function: &str) -> Vec<Compiled> {
    let defined = format!("fn {function}");
    let files = texts::TEXTS.iter().filter(|(_, text)| text.contains(&defined)).map(|(name, _)| *name);
    let files: Vec<&str> = files.collect();
    compiled(|file| files.contains(&file))
}

/// An entry's name, without the `r#` of `r#type`.
pub fn plain_name(entry: &Compiled) -> String {
    entry.ident.to_string().trim_start_matches("r#").to_string()
}

/// The native forms of a kernel's variants, in order.
pub fn natives(entries: &[Compiled], name: &str) -> Vec<Program> {
    let entry = entries.iter().find(|entry| plain_name(entry) == name).unwrap_or_else(|| panic!("no kernel {name}"));
    entry.variants.iter().map(|variant| variant.native.clone().into_program()).collect()
}

/// Cuts a program, native or for the machine, down to its first `blocks` blocks, and its outputs to what these write.
pub fn first_blocks(program: &mut Program, blocks: u32) {
    let known = |program: &Program, id| program.exprs.as_u32(id).expect("a length that is known");
    let (before, all) = (program.blocks, known(program, program.blocks));
    program.blocks = program.exprs.u32(blocks);
    for stmt in &mut program.body {
        match &mut stmt.kind {
            StmtKind::DistrPar { n, .. } | StmtKind::SeqFor { end: n, .. } if *n == before => *n = program.blocks,
            _ => {}
        }
    }
    for i in 0..program.params.len() {
        if let ParamKind::Output { arrays, len } = program.params[i].kind.clone() {
            let len = known(program, len) / all * blocks;
            let len = program.exprs.u32(len);
            arrays.iter().for_each(|array| program.arrays[array.0 as usize].len = len);
            program.params[i].kind = ParamKind::Output { arrays, len };
        }
    }
}

/// What `kernel!` or `#[kernel]` was given, in the form that `kernel!` is given it.
fn kernel_source(item: syn::Item) -> Option<TokenStream> {
    match item {
        syn::Item::Macro(item) if item.mac.path.is_ident("kernel") => Some(item.mac.tokens),
        syn::Item::Fn(mut item) => {
            let attr = item.attrs.iter_mut().find(|attr| is_kernel(attr))?;
            let name = syn::Path::from(Ident::new("kernel", Span::call_site()));
            match &mut attr.meta {
                syn::Meta::List(list) => list.path = name,
                other => *other = syn::Meta::Path(name),
            }
            Some(item.into_token_stream())
        }
        syn::Item::Mod(item) if item.attrs.iter().any(is_kernel) => {
            let (_, items) = item.content?;
            Some(items.iter().map(ToTokens::to_token_stream).collect())
        }
        _ => None,
    }
}

/// Whether an attribute makes an entry, or a module of kernels.
pub fn is_kernel(attr: &syn::Attribute) -> bool {
    attr.path().segments.last().is_some_and(|segment| segment.ident == "kernel")
}
