//! Modules of a `kernel_lib!`: compiled like kernels, though nothing of them is launched; and libraries that are at hand as
//! text, where no macro follows the paths to them.

use std::collections::BTreeMap;

use proc_macro2::Ident;

use super::{Compilation, Found, Output};
use crate::linking::{self, Carried, LibraryModule, LibraryPath, Text};
use crate::syntax::SpanTable;
use crate::syntax::ast::StructDecl;
use obsidian_ir::diag::{Diagnostic, Span};

/// Checks a module of a `kernel_lib!`: its functions are helpers, and none is an entry.
///
/// # Errors
/// Every independent mistake of the author's.
pub fn check_library(text: &Text, libraries: &[Vec<Carried>], spans: &mut SpanTable) -> Found<Output> {
    let output = Compilation::whole(text, libraries).run(spans)?;
    let kernels = output.entries.iter().map(|entry| &entry.ident);
    let names = kernels.chain(output.modules.iter().map(|entry| &entry.ident));
    let errors: Vec<Diagnostic> = names.map(|name| entry_in_library(name, spans)).collect();
    let errors: Vec<Diagnostic> = errors.into_iter().chain(output.structs.iter().map(structure_in_library)).collect();
    if errors.is_empty() { Ok(output) } else { Err(errors) }
}

fn structure_in_library(decl: &StructDecl) -> Diagnostic {
    let message = format!("`{}` is a structure, and a library has none", decl.name.text);
    Diagnostic::new("OB002", decl.name.span, message)
        .note("what a library passes on are functions and constants")
        .help("take and give tuples, and write the structure in `kernel! { .. }`")
}

fn entry_in_library(name: &Ident, spans: &mut SpanTable) -> Diagnostic {
    Diagnostic::new("OB074", spans.add(name.span()), format!("`{name}` is an entry, and a library has none"))
        .note("a library's functions are compiled where a kernel uses them; nothing of it is launched")
        .help("leave `#[kernel]` out, and write the entry in `kernel! { use ..; .. }`")
}

/// Libraries by name. Only rustc can follow a path, so here a path leads to the library that its last segment names.
#[derive(Debug, Default)]
pub struct Libraries {
    /// Each with the libraries that it uses, itself last.
    closures: BTreeMap<String, Vec<Carried>>,
}

impl Libraries {
    /// Checks a module and adds it. What it uses was added before.
    ///
    /// # Errors
    /// Every independent mistake of the author's.
    pub fn define(&mut self, module: &LibraryModule, spans: &mut SpanTable) -> Found<()> {
        let text = linking::read(module.body.clone(), spans)?;
        let used = self.behind(&text, spans)?;
        check_library(&text, &used, spans)?;
        let name = module.name.to_string();
        let uses = used.iter().filter_map(|closure| closure.last().map(|library| library.id.clone())).collect();
        let own = Carried { id: name.clone(), name: module.name.clone(), uses, items: module.body.clone() };
        let closure = linking::merge(&used).into_iter().chain([&own]).cloned().collect();
        self.closures.insert(name, closure);
        Ok(())
    }

    /// What the paths of a text lead to, in order.
    ///
    /// # Errors
    /// `OB075` at a path whose last segment names none of the libraries.
    pub fn behind(&self, text: &Text, spans: &mut SpanTable) -> Found<Vec<Vec<Carried>>> {
        let (mut found, mut errors) = (Vec::new(), Vec::new());
        for path in &text.uses.libraries {
            match self.closures.get(path.last_segment()) {
                Some(closure) => found.push(closure.clone()),
                None => errors.push(self.unknown(path, spans)),
            }
        }
        if errors.is_empty() { Ok(found) } else { Err(errors) }
    }

    fn unknown(&self, path: &LibraryPath, spans: &mut SpanTable) -> Diagnostic {
        let at = path.tokens.clone().into_iter().last().map_or(Span::NONE, |token| spans.add(token.span()));
        let names: Vec<String> = self.closures.keys().map(|name| format!("`{name}`")).collect();
        let known = if names.is_empty() { "none is".to_string() } else { format!("there are: {}", names.join(", ")) };
        Diagnostic::new("OB075", at, format!("the library `{}` is not at hand", path.text))
            .note(known)
            .note("outside of a macro nobody can follow a path; its last segment names the library")
            .help("name the library's file, `.libraries(\"kernels/libs/*.rs\")`, or write the helper beside the kernel")
    }
}
