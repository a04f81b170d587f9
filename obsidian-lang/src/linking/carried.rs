//! How a library is passed from macro to macro: its tokens, with those of every library that it uses, as one group that
//! its macro appends to the kernel's. `( { "id" name [ "id" .. ] { items } } .. )`: each library after those that it
//! uses, the library itself last; empty where the library has mistakes, which are reported where it is defined.

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};
use quote::quote;

/// One library, with the libraries that it uses by name.
#[derive(Debug, Clone)]
pub struct Carried {
    /// Distinguishes it from all other libraries.
    pub id: String,
    /// Its module's name.
    pub name: Ident,
    /// The ids behind its paths, in the order of its `use`s.
    pub uses: Vec<String>,
    /// What is written in it.
    pub items: TokenStream,
}

/// The group of a library: `closure` ends with the library.
pub fn encode<'a>(closure: impl IntoIterator<Item = &'a Carried>) -> TokenStream {
    let libraries = closure.into_iter().map(|c| {
        let (id, name, items) = (Literal::string(&c.id), &c.name, &c.items);
        let uses = c.uses.iter().map(|u| Literal::string(u));
        quote!({ #id #name [ #(#uses)* ] { #items } })
    });
    quote!((#(#libraries)*))
}

/// The libraries in a group; `None` where it is not one.
pub fn decode(group: &Group) -> Option<Vec<Carried>> {
    group.stream().into_iter().map(|t| braced(&t).and_then(library)).collect()
}

fn library(tokens: TokenStream) -> Option<Carried> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let [TokenTree::Literal(id), TokenTree::Ident(name), TokenTree::Group(uses), items] = tokens.as_slice() else {
        return None;
    };
    let uses = uses.stream().into_iter().map(|t| match t {
        TokenTree::Literal(l) => Some(text(&l)),
        _ => None,
    });
    Some(Carried { id: text(id), name: name.clone(), uses: uses.collect::<Option<_>>()?, items: braced(items)? })
}

fn braced(token: &TokenTree) -> Option<TokenStream> {
    match token {
        TokenTree::Group(g) if g.delimiter() == Delimiter::Brace => Some(g.stream()),
        _ => None,
    }
}

/// Ids contain no character that a literal would escape.
fn text(l: &Literal) -> String {
    l.to_string().trim_matches('"').to_string()
}
