//! Tokens of the author's, placed where rust-analyzer finds what they mean: imports that import nothing, and helpers that
//! nobody calls. Each token keeps its place in the source.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::{Fidelity, TYPES, render};
use crate::driver::Output;
use crate::linking::{Piece, Text, What, pieces};
use crate::syntax::SpanTable;
use crate::types::Referent;

/// The items beside those of a `kernel!`: its helpers, and imports that its tokens lead to. `root` is the facade's
/// path.
pub fn beside_kernels(text: &Text, output: &Output, spans: &SpanTable, root: &TokenStream) -> TokenStream {
    let helpers = functions(text, root, Visibility::Inside);
    let references = references(text, output, spans, root, &helpers);
    let helpers = helpers.values();
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use #root::library::types::*;
            #references
            #(#helpers)*
        };
    }
}

/// The contents of a library's module: its functions, documented, and what its tokens lead to.
pub fn in_library(text: &Text, output: &Output, spans: &SpanTable, root: &TokenStream) -> TokenStream {
    let functions = functions(text, root, Visibility::AsWritten);
    let references = references(text, output, spans, root, &functions);
    let functions = functions.values();
    let shown = text.uses.imports.iter().filter(|i| i.reach == crate::linking::Reach::Public).map(|i| {
        let path = &text.uses.libraries[i.library].tokens;
        match &i.what {
            What::All => quote!(pub use #path::*;),
            What::One { token, name, .. } => {
                let name = ident(&name.text, spans.get(name.span));
                quote!(pub use #path::#token as #name;)
            }
        }
    });
    quote! {
        #[allow(unused_imports)]
        use #root::library::types::*;
        #(#[allow(unused_imports)] #shown)*
        #(#functions)*
        const _: () = { #references };
    }
}

/// A function without its body, which is not parsed again.
struct Head {
    attrs: Vec<syn::Attribute>,
    vis: syn::Visibility,
    sig: syn::Signature,
}

impl syn::parse::Parse for Head {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Head> {
        let (attrs, vis, sig) = (input.call(syn::Attribute::parse_outer)?, input.parse()?, input.parse()?);
        input.parse::<TokenStream>()?;
        Ok(Head { attrs, vis, sig })
    }
}

/// Who may name a rendered function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visibility {
    /// The block that it stands in.
    Inside,
    /// Whom the author lets.
    AsWritten,
}

/// The author's functions by name, without entries.
fn functions(text: &Text, root: &TokenStream, visibility: Visibility) -> BTreeMap<String, TokenStream> {
    let mut out = BTreeMap::new();
    for piece in pieces(text.items.clone()) {
        let Piece::Fn(f) = piece else { continue };
        let Ok(item) = syn::parse2::<Head>(f.tokens) else { continue };
        if item.attrs.iter().any(|a| a.path().is_ident("kernel")) {
            continue;
        }
        let rendered = render(&item.sig);
        let docs = item.attrs.iter().filter(|a| a.path().is_ident("doc"));
        let original = (rendered.fidelity != Fidelity::Exact).then(|| {
            let text = format!("\n\nIn the language: `{}`.", item.sig.to_token_stream());
            quote!(#[doc = #text])
        });
        let (vis, guard) = match visibility {
            Visibility::Inside => (None, None),
            Visibility::AsWritten => (Some(&item.vis), Some(rendered.guard)),
        };
        let sig = rendered.tokens;
        let tokens = quote! {
            #(#docs)*
            #original
            #[allow(unused, nonstandard_style, private_bounds, private_interfaces, clippy::all, clippy::pedantic,
                clippy::nursery, clippy::restriction)]
            #vis #sig #guard { #root::library::in_kernels_only() }
        };
        out.insert(f.name.to_string(), tokens);
    }
    out
}

/// `use path::{name as _, ..};` for each token that names a function or a type.
fn references(
    text: &Text,
    output: &Output,
    spans: &SpanTable,
    root: &TokenStream,
    own: &BTreeMap<String, TokenStream>,
) -> TokenStream {
    let (mut standard, mut beside) = (Vec::new(), Vec::new());
    let mut imported: Vec<Vec<Ident>> = text.uses.libraries.iter().map(|_| Vec::new()).collect();
    for m in &output.mentions {
        let at = spans.get(m.span);
        match m.referent {
            Referent::Standard => standard.push(ident(&m.name, at)),
            Referent::Own if own.contains_key(&m.name) => beside.push(ident(&m.name, at)),
            Referent::Own => {}
            Referent::Imported => {
                if let Some((library, item)) = output.origins.get(&m.name) {
                    imported[*library].push(ident(item, at));
                }
            }
        }
    }
    for import in &text.uses.imports {
        if let What::One { token, .. } = &import.what {
            imported[import.library].push(token.clone());
        }
    }
    let mut types = Vec::new();
    type_tokens(text.items.clone(), &mut types);
    let paths = text.uses.libraries.iter().zip(&imported).filter(|(_, names)| !names.is_empty());
    let paths = paths.map(|(l, names)| {
        let path = &l.tokens;
        quote!(#[allow(unused_imports)] use #path::{#(#names as _),*};)
    });
    quote! {
        #[allow(unused_imports)]
        use #root::library::names::{#(#standard as _),*};
        #[allow(unused_imports)]
        use #root::library::types::{#(#types as _),*};
        #(#paths)*
        #(#[allow(unused_imports)] use #beside as _;)*
    }
}

/// The name as a token, raw names too.
pub(in crate::expand) fn ident(name: &str, at: proc_macro2::Span) -> Ident {
    name.strip_prefix("r#").map_or_else(|| Ident::new(name, at), |plain| Ident::new_raw(plain, at))
}

/// The tokens that name types and bounds of the language.
fn type_tokens(tokens: TokenStream, out: &mut Vec<Ident>) {
    for token in tokens {
        match token {
            TokenTree::Group(g) => type_tokens(g.stream(), out),
            TokenTree::Ident(i) if TYPES.iter().any(|t| i == t) => out.push(i),
            _ => {}
        }
    }
}
