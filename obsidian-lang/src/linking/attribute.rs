//! The attribute `#[kernel(..)]` as it stands on an item of Rust, in two parts: what names paths, and the rest, which belongs to the
//! entry.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// The arguments of the attribute, those that name paths apart from the others.
#[derive(Debug)]
pub struct Arguments {
    /// Where the facade is.
    pub root: TokenStream,
    /// The paths in `use(..)`.
    pub libraries: Vec<TokenStream>,
    /// The other arguments.
    pub rest: TokenStream,
}

/// Reads them.
pub fn arguments(attr: TokenStream) -> Arguments {
    let mut found = Arguments { root: quote!(::obsidian), libraries: Vec::new(), rest: TokenStream::new() };
    for argument in split(attr) {
        match argument.as_slice() {
            [TokenTree::Ident(key), TokenTree::Group(g)] if key == "use" => {
                let paths = split(g.stream()).into_iter().map(|p| p.into_iter().collect());
                found.libraries.extend(paths);
            }
            [TokenTree::Ident(key), TokenTree::Punct(p), path @ ..] if key == "crate" && p.as_char() == '=' => {
                found.root = path.iter().cloned().collect();
            }
            other => {
                if !found.rest.is_empty() {
                    Punct::new(',', Spacing::Alone).to_tokens(&mut found.rest);
                }
                found.rest.extend(other.iter().cloned());
            }
        }
    }
    found
}

/// The parts between commas.
fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    for token in tokens {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(p), _) if p.as_char() == ',' => parts.push(Vec::new()),
            (_, Some(part)) => part.push(token),
            _ => {}
        }
    }
    parts.retain(|p| !p.is_empty());
    parts
}

/// The attribute as `kernel!` would see it in front of the function.
pub fn with_attribute(attr: TokenStream, item: TokenStream) -> TokenStream {
    let name = TokenTree::Ident(Ident::new("kernel", Span::call_site()));
    let args = TokenTree::Group(Group::new(Delimiter::Parenthesis, attr));
    let group = Group::new(Delimiter::Bracket, [name, args].into_iter().collect());
    let mut out: TokenStream =
        [TokenTree::Punct(Punct::new('#', Spacing::Alone)), TokenTree::Group(group)].into_iter().collect();
    out.extend(item);
    out
}
