//! Examples with libraries: text that may hold `kernel_lib! { .. }` before the kernels.

use obsidian_ir::diag::Diagnostic;
use obsidian_lang::driver::{Compilation, Entries, Libraries, Output};
use obsidian_lang::linking;
use obsidian_lang::syntax::SpanTable;
use proc_macro2::{Group, TokenStream, TokenTree};

/// Checks the libraries and compiles the kernels.
pub fn compile_text(text: &str) -> Result<Entries, Vec<Diagnostic>> {
    let tokens: TokenStream = text.parse().unwrap_or_else(|e| panic!("{e}:\n{text}"));
    let mut spans = SpanTable::default();
    let mut libraries = Libraries::default();
    let mut kernels: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match (kernels.as_slice(), token) {
            ([.., TokenTree::Ident(name), TokenTree::Punct(_)], TokenTree::Group(g)) if name == "kernel_lib" => {
                kernels.truncate(kernels.len() - 2);
                define(&g, &mut libraries, &mut spans)?;
            }
            (_, token) => kernels.push(token),
        }
    }
    let text = linking::read(kernels.into_iter().collect(), &mut spans)?;
    let used = libraries.behind(&text, &mut spans)?;
    Compilation::whole(&text, &used).run(&mut spans).map(Output::into_compiled)
}

fn define(group: &Group, libraries: &mut Libraries, spans: &mut SpanTable) -> Result<(), Vec<Diagnostic>> {
    let modules = linking::modules(group.stream(), spans).map_err(|e| vec![*e])?;
    modules.iter().try_for_each(|module| libraries.define(module, spans))
}
