//! Modules of a `kernel_lib!`: compiled like kernels, though nothing of them is launched.

use proc_macro2::Ident;

use super::{Compilation, Found, Output};
use crate::linking::{Carried, Text};
use crate::syntax::SpanTable;
use obsidian_ir::diag::Diagnostic;

/// Checks a module of a `kernel_lib!`: its functions are helpers, and none is an entry.
///
/// # Errors
/// Every independent mistake of the author's.
pub fn check_library(text: &Text, libraries: &[Vec<Carried>], spans: &mut SpanTable) -> Found<Output> {
    let output = Compilation::whole(text, libraries).run(spans)?;
    let errors: Vec<Diagnostic> = output.entries.iter().map(|e| entry_in_library(&e.ident, spans)).collect();
    if errors.is_empty() { Ok(output) } else { Err(errors) }
}

fn entry_in_library(name: &Ident, spans: &mut SpanTable) -> Diagnostic {
    Diagnostic::new("OB074", spans.add(name.span()), format!("`{name}` is an entry, and a library has none"))
        .note("a library's functions are compiled where a kernel uses them; nothing of it is launched")
        .help("leave `#[kernel]` out, and write the entry in `kernel! { use ..; .. }`")
}
