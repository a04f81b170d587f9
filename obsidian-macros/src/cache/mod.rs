//! Expansions that are kept: a call whose tokens, libraries and compiler are those of an earlier one is not compiled again.
//! What was kept is taken only where all of that agrees, word for word and line for line, since reports name lines. A call
//! with mistakes is never kept.
//!
//! `OBSIDIAN_EXPANSIONS=off` switches it off; so does `OBSIDIAN_VALIDATE`, which asks the compiler to look at itself.

mod folder;
mod key;
mod record;

use obsidian_ir::passes::Watch;
use proc_macro2::TokenStream;

use crate::state::State;
use folder::Folder;
use key::Key;

/// Names the variable that switches it off.
const SWITCH: &str = "OBSIDIAN_EXPANSIONS";

/// What a call expands to: as it is kept, or as `compile` makes it. `None` from that is what cannot be kept.
pub fn kept_or(state: &State, compile: impl FnOnce() -> Expansion) -> TokenStream {
    let off = std::env::var_os(SWITCH).is_some_and(|value| value == "off") || Watch::is_asked();
    let Some(folder) = (!off).then(Folder::find).flatten() else { return compile().tokens };
    let key = Key::of(state, &file_of(state), folder.compiler());
    if let Some(tokens) = folder.read(&key).and_then(|record| record::read(&record, key.tokens())) {
        return tokens;
    }
    let Expansion { tokens, faultless } = compile();
    if faultless && let Some(record) = record::write(&tokens, key.tokens()) {
        folder.write(&key, &record);
    }
    tokens
}

/// The file of a call's first token: a call stands in one file.
fn file_of(state: &State) -> String {
    state.tokens.clone().into_iter().next().map_or_else(String::new, |token| token.span().file())
}

/// What a call expands to.
pub struct Expansion {
    /// The items, or errors.
    pub tokens: TokenStream,
    /// Whether there are no errors.
    pub faultless: bool,
}
