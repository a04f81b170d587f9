//! Examples with libraries: text that may hold `kernel_lib! { .. }` before the kernels. Paths are followed by their last
//! segment, as all libraries stand in the same text.

use std::collections::HashMap;

use obsidian_ir::diag::Diagnostic;
use obsidian_lang::driver::{Compilation, Compiled, Output, check_library};
use obsidian_lang::linking::{self, Carried, Text};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

type Closures = HashMap<String, Vec<Carried>>;

/// Checks the libraries and compiles the kernels.
pub fn compile_text(text: &str) -> Result<Vec<Compiled>, Vec<Diagnostic>> {
    let tokens: TokenStream = text.parse().unwrap_or_else(|e| panic!("{e}:\n{text}"));
    let mut spans = SpanTable::default();
    let mut known = Closures::new();
    let mut kernels: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match (kernels.as_slice(), token) {
            ([.., TokenTree::Ident(name), TokenTree::Punct(_)], TokenTree::Group(g)) if name == "kernel_lib" => {
                kernels.truncate(kernels.len() - 2);
                define(&g, &mut known, &mut spans)?;
            }
            (_, token) => kernels.push(token),
        }
    }
    let text = linking::read(kernels.into_iter().collect(), &mut spans)?;
    Compilation::whole(&text, &closures(&text, &known)).run(&mut spans).map(Output::into_compiled)
}

fn define(group: &Group, known: &mut Closures, spans: &mut SpanTable) -> Result<(), Vec<Diagnostic>> {
    let mut name = None;
    for token in group.stream() {
        match token {
            TokenTree::Ident(i) => name = Some(i),
            TokenTree::Group(g) if g.delimiter() == Delimiter::Brace => {
                let name = name.take().unwrap_or_else(|| panic!("a library without a name"));
                let text = linking::read(g.stream(), spans)?;
                let used = closures(&text, known);
                check_library(&text, &used, spans)?;
                let uses = used.iter().filter_map(|c| c.last().map(|l| l.id.clone())).collect();
                let own = Carried { id: name.to_string(), name, uses, items: g.stream() };
                let closure: Vec<Carried> = linking::merge(&used).into_iter().chain([&own]).cloned().collect();
                known.insert(own.id.clone(), closure);
            }
            _ => {}
        }
    }
    Ok(())
}

fn closures(text: &Text, known: &Closures) -> Vec<Vec<Carried>> {
    let last = |path: &str| path.rsplit("::").next().and_then(|name| known.get(name)).cloned();
    text.uses.libraries.iter().map_while(|l| last(&l.text)).collect()
}
