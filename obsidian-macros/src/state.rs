//! One step of an expansion. Only rustc can follow a path, so a macro call with `use`s goes from library to library:
//! `nets! { [root::__private::expand] kernel [root] { tokens } { } }` makes the library `nets` append its tokens and hand the
//! whole back to `expand!`, until each path has been followed.

use obsidian_lang::linking::{self, Carried};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

/// `kind [root] { tokens } { about } (library)..`.
pub struct State {
    /// What is being expanded.
    pub kind: Ident,
    /// Path of the facade crate: `$crate`, or `::obsidian`.
    pub root: TokenStream,
    /// What the author wrote.
    pub tokens: TokenStream,
    /// What else the last step needs to know.
    pub about: TokenStream,
    /// The libraries of the paths that have been followed, in order.
    pub libraries: Vec<Vec<Carried>>,
    /// The same as tokens.
    carried: TokenStream,
}

impl State {
    /// The first step.
    pub fn new(kind: Ident, root: TokenStream, tokens: TokenStream, about: TokenStream) -> State {
        State { kind, root, tokens, about, libraries: Vec::new(), carried: TokenStream::new() }
    }

    /// A step as a library's macro passes it back; `None` if the tokens are something else.
    pub fn read(input: TokenStream) -> Option<State> {
        let tokens: Vec<TokenTree> = input.into_iter().collect();
        let [TokenTree::Ident(kind), rest @ ..] = tokens.as_slice() else { return None };
        let groups = rest.iter().map(|t| match t {
            TokenTree::Group(g) => Some(g),
            _ => None,
        });
        let groups = groups.collect::<Option<Vec<_>>>()?;
        let [root, body, about, libraries @ ..] = groups.as_slice() else { return None };
        let mut state = State::new(kind.clone(), root.stream(), body.stream(), about.stream());
        state.libraries = libraries.iter().map(|g| linking::decode(g)).collect::<Option<_>>()?;
        state.carried = libraries.iter().map(|g| TokenTree::Group((*g).clone())).collect();
        Some(state)
    }

    /// What was followed so far, as tokens.
    pub fn carried(&self) -> &TokenStream {
        &self.carried
    }

    /// The call that asks the library behind `path` for its tokens.
    pub fn ask(&self, path: &TokenStream) -> TokenStream {
        let State { kind, root, tokens, about, carried, .. } = self;
        quote!(#path ! { [#root::__private::expand] #kind [#root] { #tokens } { #about } #carried })
    }

    /// The call that goes on without asking anyone.
    pub fn go_on(&self) -> TokenStream {
        let State { kind, root, tokens, about, carried, .. } = self;
        quote!(#root::__private::expand! { #kind [#root] { #tokens } { #about } #carried })
    }
}
