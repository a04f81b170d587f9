//! `kernel_lib!`: each module becomes a Rust module of the same name and a macro of the same name, which hands the module's
//! tokens to the kernels that `use` it.

use std::hash::{DefaultHasher, Hash, Hasher};

use obsidian_lang::driver::check_library;
use obsidian_lang::expand::lints::{Home, lints};
use obsidian_lang::expand::of_both;
use obsidian_lang::expand::reference;
use obsidian_lang::linking::{self, Carried, LibraryModule};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use crate::errors::report;
use crate::state::State;

/// The modules of a `kernel_lib!`. Paths inside one are Rust's, seen from inside, so that is where it is expanded.
pub fn modules(state: &State) -> TokenStream {
    let mut spans = SpanTable::default();
    match linking::modules(state.tokens.clone(), &mut spans) {
        Ok(modules) => modules.iter().map(|m| module(m, state)).collect(),
        Err(error) => report(&[*error], &spans, &state.tokens),
    }
}

fn module(LibraryModule { attrs, vis, name, body }: &LibraryModule, state: &State) -> TokenStream {
    let macro_name = format_ident!("__obsidian_{}_{:016x}", name, place_of(name, body));
    let id = format!("{} {macro_name}", package());
    let inside = State::new(
        Ident::new("library", Span::call_site()),
        state.root.clone(),
        body.clone(),
        quote!(#name #macro_name #id),
    );
    let call = inside.go_on();
    let cfgs = attrs.iter().filter(|a| a.path().is_ident("cfg"));
    quote! {
        #(#attrs)*
        #vis mod #name { #call }
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use #name::__library as #name;
    }
}

/// Distinguishes libraries of one name in one crate, without revealing the path of the crate.
fn place_of(name: &Ident, body: &TokenStream) -> u64 {
    let mut hasher = DefaultHasher::new();
    // This is not `Option::unwrap`: it gives the compiler's own span, which exists whenever a macro runs.
    let at = name.span().unwrap();
    (at.line(), at.column(), body.to_string()).hash(&mut hasher);
    hasher.finish()
}

/// Distinguishes libraries of different crates.
fn package() -> String {
    let var = |name| std::env::var(name).unwrap_or_default();
    format!("{} {}", var("CARGO_CRATE_NAME"), var("CARGO_PKG_VERSION"))
}

/// The contents of a library's module, its `use`s followed.
pub fn contents(state: &State, text: &linking::Text, spans: &mut SpanTable) -> TokenStream {
    let about: Vec<TokenTree> = state.about.clone().into_iter().collect();
    let [TokenTree::Ident(name), TokenTree::Ident(macro_name), TokenTree::Literal(id)] = about.as_slice() else {
        return TokenStream::new();
    };
    let checked = check_library(text, &state.libraries, spans);
    let (closure, rest) = match &checked {
        Ok(output) => {
            let read = reference::in_library(text, output, spans, &state.root);
            let lints = lints(text, &output.fns, spans, Home::Library);
            let of_both = of_both(text, &state.root);
            (closure(state, text, name, id), quote!(#of_both #read #lints))
        }
        // The mistakes are reported here; kernels that use the library must not repeat them.
        Err(errors) => (quote!(()), report(errors, spans, &state.tokens)),
    };
    let export = export(macro_name, &closure);
    quote!(#export #rest)
}

/// The library and all that it uses, each after what it uses itself.
fn closure(state: &State, text: &linking::Text, name: &Ident, id: &Literal) -> TokenStream {
    let uses = text.uses.libraries.iter().zip(&state.libraries);
    let own = Carried {
        id: id.to_string().trim_matches('"').to_string(),
        name: name.clone(),
        uses: uses.filter_map(|(_, closure)| closure.last().map(|l| l.id.clone())).collect(),
        items: state.tokens.clone(),
    };
    linking::encode(linking::merge(&state.libraries).into_iter().chain([&own]))
}

/// The macro that appends `closure`. It is exported, and so lies at the crate's root, under a name that nobody else has;
/// the module's own visibility decides who can reach it by the library's path.
fn export(name: &Ident, closure: &TokenStream) -> TokenStream {
    let dollar = || TokenTree::Punct(proc_macro2::Punct::new('$', proc_macro2::Spacing::Alone)).into_token_stream();
    let [a, b, c, d] = [dollar(), dollar(), dollar(), dollar()];
    let [e, f, g, h] = [dollar(), dollar(), dollar(), dollar()];
    quote! {
        #[doc(hidden)]
        #[macro_export]
        #[allow(clippy::crate_in_macro_def)]
        macro_rules! #name {
            ([#a(#b next:tt)*] #c(#d state:tt)*) => { #e(#f next)* ! { #g(#h state)* #closure } };
        }
        #[doc(hidden)]
        #[allow(unused_imports, unreachable_pub)]
        pub use #name as __library;
    }
}
