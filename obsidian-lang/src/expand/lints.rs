//! Warnings. A macro cannot give any, but rustc warns of the items that a macro makes: here a function that has the author's unread
//! names as its own, at the author's tokens, and a deprecated constant in place of a `pub fn` that is no kernel. So each is silenced as
//! in Rust: by a `_` before the name, or by `#[allow(..)]`.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::Parser;

use super::reference::ident;
use crate::linking::{FnPiece, Piece, Reach, Text, pieces};
use crate::syntax::ast::{FnDecl, FnForm};
use crate::syntax::{NamesOf, SpanTable, names_of};

/// The attributes that say what rustc warns of.
const LEVELS: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];

/// Where functions stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// In a `kernel!`: only its entries are seen from outside.
    Kernels,
    /// In a library: kernels elsewhere see what is `pub`.
    Library,
}

/// Items of which rustc says what the author is to be warned of.
pub fn lints(text: &Text, fns: &[FnDecl], spans: &SpanTable, home: Home) -> TokenStream {
    let functions: Vec<FnPiece> = pieces(text.items.clone()).into_iter().filter_map(function).collect();
    let heads: HashMap<String, &FnPiece> = functions.iter().map(|f| (f.name.to_string(), f)).collect();
    let names: Vec<(&FnDecl, &FnPiece, NamesOf<'_>)> =
        fns.iter().filter_map(|f| Some((f, *heads.get(&f.name.text)?, names_of(f)))).collect();
    let seen = |f: &FnDecl, piece: &FnPiece| f.entry.is_some() || home == Home::Library && piece.reach == Reach::Public;
    let roots = names.iter().filter(|(f, piece, _)| seen(f, piece)).map(|(f, ..)| f.name.text.as_str());
    let used = reached(roots.collect(), &names);
    let items: TokenStream = names
        .iter()
        .map(|(f, piece, names)| {
            let unread: Vec<Ident> = names.unread.iter().map(|name| ident(&name.text, spans.get(name.span))).collect();
            let levels = levels(piece);
            let no_kernel = home == Home::Kernels && f.entry.is_none() && piece.reach == Reach::Public;
            let is_used = used.contains(f.name.text.as_str()) || no_kernel;
            let hint = (no_kernel && !f.name.text.starts_with('_')).then(|| no_kernel_hint(&piece.name, &levels));
            let function = (!is_used || !unread.is_empty()).then(|| like_it(&piece.name, &levels, &unread, is_used));
            quote!(#hint #function)
        })
        .collect();
    if items.is_empty() { items } else { quote!(const _: () = { #items };) }
}

fn function(piece: Piece) -> Option<FnPiece> {
    match piece {
        Piece::Fn(f) if f.form == FnForm::Function => Some(f),
        // A constant is an item of Rust's, too.
        Piece::Fn(_) | Piece::Use(_) | Piece::Other(_) => None,
    }
}

/// The functions that lead from the roots to what they name, and so on.
fn reached<'a>(roots: Vec<&'a str>, names: &[(&'a FnDecl, &FnPiece, NamesOf<'a>)]) -> HashSet<&'a str> {
    let (mut open, mut found) = (roots, HashSet::new());
    while let Some(name) = open.pop() {
        if found.insert(name) {
            let named =
                names.iter().filter(|(f, ..)| f.name.text == name).flat_map(|(.., names)| names.free.iter().copied());
            open.extend(named);
        }
    }
    found
}

/// What the author says above a function of warnings.
fn levels(piece: &FnPiece) -> TokenStream {
    let head = |input: syn::parse::ParseStream<'_>| {
        let attrs = input.call(syn::Attribute::parse_outer)?;
        input.parse::<TokenStream>()?;
        Ok(attrs)
    };
    let attrs = head.parse2(piece.tokens.clone()).unwrap_or_default();
    let levels = attrs.iter().filter(|a| LEVELS.iter().any(|level| a.path().is_ident(level)));
    levels.map(ToTokens::to_token_stream).collect()
}

/// A function of that name that binds what the author's binds and nobody reads.
fn like_it(name: &Ident, levels: &TokenStream, unread: &[Ident], is_used: bool) -> TokenStream {
    let used = is_used.then(|| quote!(#[allow(dead_code)]));
    // At the author's token up to the last brace: rustc says nothing of an unused function of which any part is a macro's.
    let function = quote_spanned!(name.span()=> fn #name() { #(let #unread = 0u8;)* });
    quote! {
        #[allow(nonstandard_style, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        #levels
        #used
        #function
    }
}

/// A constant of that name, of whose use rustc warns.
fn no_kernel_hint(name: &Ident, levels: &TokenStream) -> TokenStream {
    let note = format!(
        "without `#[kernel(threads = ..)]` above it `{name}` is a helper, which only the kernels beside it can call; a helper needs no `pub`"
    );
    quote! {
        #[deprecated(note = #note)]
        #[allow(nonstandard_style, dead_code)]
        const #name: () = ();
        #levels
        const _: () = #name;
    }
}
