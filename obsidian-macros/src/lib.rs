//! `kernel!`, `kernel_lib!` and `#[kernel]`: tokens in, tokens out, errors at the author's tokens. All compiling is
//! done in `obsidian-ir`.

mod attribute;
mod cache;
mod errors;
mod library;
mod state;
mod wanted;

use obsidian_lang::driver::Compilation;
use obsidian_lang::expand;
use obsidian_lang::expand::lints::{Home, lints};
use obsidian_lang::expand::reference;
use obsidian_lang::linking::{self, Text};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::TokenStream;

use cache::Expansion;
use state::State;

/// What the facade's `kernel!` and `kernel_lib!` call, with the path of the facade: `kernel [$crate] { tokens } { }`.
#[proc_macro]
pub fn expand(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    State::read(input.into()).map_or_else(TokenStream::new, |state| step(&state)).into()
}

/// One entry in attribute form, `#[kernel(threads = 256)] fn`, or `kernel!` around the contents of an inline module.
#[proc_macro_attribute]
pub fn kernel_attribute(attr: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    attribute::expand(attr.into(), item.into()).into()
}

/// Follows the next path, or compiles when all have been followed.
fn step(state: &State) -> TokenStream {
    if state.kind == "libraries" {
        return library::modules(state);
    }
    let mut spans = SpanTable::of_package(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let text = match linking::read(state.tokens.clone(), &mut spans) {
        Ok(text) => text,
        Err(errors) => return errors::report(&errors, &spans, &state.tokens),
    };
    if let Some(next) = text.uses.libraries.get(state.libraries.len()) {
        return state.ask(&next.tokens);
    }
    if state.kind == "library" {
        return library::contents(state, &text, &mut spans);
    }
    // A library with mistakes passes nothing on; they are reported where it is defined.
    if state.libraries.iter().any(Vec::is_empty) {
        return TokenStream::new();
    }
    cache::kept_or(state, || compiled(state, &text, &mut spans))
}

/// The entries of a call, or the author's mistakes.
fn compiled(state: &State, text: &Text, spans: &mut SpanTable) -> Expansion {
    match Compilation::whole(text, &state.libraries).run(spans) {
        Ok(output) => {
            let beside = reference::beside_kernels(text, &output, spans, &state.root);
            let lints = lints(text, &output.fns, spans, Home::Kernels);
            let entries = output.into_compiled();
            let of_both = expand::of_both(text, &state.root);
            let items = expand::items_under(&entries, &state.root, wanted::native());
            Expansion { tokens: items.chain([of_both, beside, lints]).collect(), faultless: true }
        }
        Err(errors) => Expansion { tokens: errors::report(&errors, spans, &state.tokens), faultless: false },
    }
}
