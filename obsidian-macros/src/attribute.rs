//! The attribute, rewritten as a call of `kernel!`. `use(path, ..)` becomes `use path::*;`, `crate = path` says where
//! the facade is.

use obsidian_ir::diag::Diagnostic;
use obsidian_lang::linking::attribute::{Arguments, arguments, with_attribute};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};

use crate::errors::report;
use crate::state::State;
use crate::step;

/// Expands `#[kernel(attr)] item`.
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let Arguments { root, libraries, rest } = arguments(attr);
    let kind = Ident::new("kernel", Span::call_site());
    let Some(Module { head, name, docs, body }) = inline_module(&item) else {
        let uses = libraries.iter().map(|path| quote!(use #path::*;));
        let entry = with_attribute(rest, item);
        return step(&State::new(kind, root, quote!(#(#uses)* #entry), TokenStream::new()));
    };
    if let Some(first) = rest.clone().into_iter().next() {
        let mut spans = SpanTable::default();
        let at = spans.add(first.span());
        let error = Diagnostic::new("OB004", at, "the attribute of a module takes `use(..)` only")
            .help("the others stand on the entries inside: `#[kernel(threads = 64)] pub fn ..`");
        return report(&[error], &spans, &item);
    }
    // A path in the attribute is seen from outside the module: an alias of its own carries it inside.
    let alias = |i: usize| format_ident!("__obsidian_{}_uses_{}", name, i);
    let outside = libraries.iter().enumerate().map(|(i, path)| {
        let alias = alias(i);
        quote!(#[allow(unused_imports)] use #path as #alias;)
    });
    let inside = (0..libraries.len()).map(|i| {
        let alias = alias(i);
        quote!(use super::#alias::*;)
    });
    let outside: TokenStream = outside.collect();
    let content = step(&State::new(kind, root, quote!(#(#inside)* #body), TokenStream::new()));
    quote!(#outside #head { #docs #content })
}

/// An inline module taken apart.
struct Module {
    /// Attributes, `vis mod name`.
    head: TokenStream,
    name: Ident,
    /// `//!` and other attributes in its braces.
    docs: TokenStream,
    /// What else is in its braces.
    body: TokenStream,
}

fn inline_module(item: &TokenStream) -> Option<Module> {
    let mut head: Vec<TokenTree> = item.clone().into_iter().collect();
    let TokenTree::Group(body) = head.pop()? else { return None };
    match head.as_slice() {
        [.., TokenTree::Ident(keyword), TokenTree::Ident(name)]
            if keyword == "mod" && body.delimiter() == Delimiter::Brace =>
        {
            let mut rest: Vec<TokenTree> = body.stream().into_iter().collect();
            let is_inner = |t: &[TokenTree]| {
                matches!(t, [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Group(_)]
                    if a.as_char() == '#' && b.as_char() == '!')
            };
            let docs = 3 * rest.chunks(3).take_while(|t| is_inner(t)).count();
            let docs = rest.drain(..docs).collect();
            let (name, body) = (name.clone(), rest.into_iter().collect());
            Some(Module { name, docs, body, head: head.into_iter().collect() })
        }
        _ => None,
    }
}
