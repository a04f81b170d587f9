//! Compiling once more, from text, what was compiled from tokens: kernels that carry their source.

use proc_macro2::{TokenStream, TokenTree};

use super::{Compilation, Entries, Output};
use crate::linking::{self, Carried};
use crate::syntax::SpanTable;
use obsidian_ir::diag::Diagnostic;

/// What entries were compiled from, as text.
#[derive(Debug, Clone)]
pub struct Source {
    /// What stands inside `kernel! { .. }`.
    pub kernels: String,
    /// What each of its library paths leads to, as [`linking::encode`] writes it.
    pub libraries: Vec<String>,
}

/// Compiles from text what was compiled from tokens before.
///
/// # Errors
/// The text is not tokens, a library is not one, or the author's mistakes: messages, without their places.
pub fn compile_text(kernels: &str, libraries: &[&str]) -> Result<Entries, Vec<String>> {
    let tokens = |text: &str| text.parse::<TokenStream>().map_err(|e| vec![e.to_string()]);
    let library = |text: &&str| match tokens(text)?.into_iter().next() {
        Some(TokenTree::Group(group)) => linking::decode(&group).ok_or_else(|| vec!["not a library".to_string()]),
        _ => Err(vec!["not a library".to_string()]),
    };
    let libraries: Vec<Vec<Carried>> = libraries.iter().map(library).collect::<Result<_, _>>()?;
    let mut spans = SpanTable::default();
    let messages = |errors: Vec<Diagnostic>| errors.iter().map(Diagnostic::to_string).collect::<Vec<_>>();
    let text = linking::read(tokens(kernels)?, &mut spans).map_err(messages)?;
    Compilation::whole(&text, &libraries).run(&mut spans).map(Output::into_compiled).map_err(messages)
}
