//! Libraries of kernels: what a module's `use`s bring in, and the functions of libraries that it needs.
//!
//! In: the tokens of a `kernel!` or of one module of a `kernel_lib!`, and the libraries that its paths led to (the
//! macros follow the paths, since only rustc can resolve them). Out: the module's own tokens, the library functions
//! that are used, and a table of names for each module, so that a library's names mean what they mean where it is
//! written. Knows no types.

pub mod attribute;
mod carried;
mod modules;
mod pieces;
mod scope;
mod uses;

use std::collections::{BTreeSet, HashMap, HashSet};

use proc_macro2::{Ident, TokenStream, TokenTree};

pub use carried::{Carried, decode, encode};
pub use modules::{LibraryModule, modules};
pub use pieces::{FnPiece, Piece, Reach, pieces};
pub use uses::{Import, LibraryPath, Uses, What};

use crate::syntax::ast::FnDecl;
use crate::syntax::{SpanTable, check_depth, parse_module};
use obsidian_ir::diag::{Diagnostic, Result, Span};
use scope::{FnRef, Found, Library, Scope};

/// A module's text.
#[derive(Debug, Default)]
pub struct Text {
    /// Its `use`s.
    pub uses: Uses,
    /// Everything else.
    pub items: TokenStream,
    /// The names of its functions.
    pub names: Vec<Ident>,
}

/// What a module means by a name that is not its own function's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// A function: index in [`Linked::fns`].
    Fn(usize),
    /// Functions of the same name in several libraries.
    Ambiguous(Vec<String>),
    /// A function that nothing uses.
    Unused,
}

/// A function of a library.
#[derive(Debug)]
pub struct LinkedFn {
    /// Its syntax; its tokens have no place in the author's source.
    pub decl: FnDecl,
    /// The module whose names it sees: index in [`Linked::scopes`].
    pub home: usize,
    /// `nets::sort2`.
    pub title: String,
}

/// What a module needs of its libraries.
#[derive(Debug, Default)]
pub struct Linked {
    /// The functions that are used.
    pub fns: Vec<LinkedFn>,
    /// The names of each module: the author's first, without the author's own functions.
    pub scopes: Vec<HashMap<String, Meaning>>,
    /// Every word of the module but the names of its own functions, and of the library functions that it uses. Those that
    /// name functions of the standard library say which of these are needed.
    pub words: HashSet<String>,
    /// Where the author's names come from: the library path and the name there.
    pub origins: HashMap<String, (usize, String)>,
}

/// Takes the `use`s out of a module's text.
///
/// # Errors
/// Every `use` that names no function of a library.
pub fn read(tokens: TokenStream, spans: &mut SpanTable) -> std::result::Result<Text, Vec<Diagnostic>> {
    check_depth(&tokens, spans).map_err(|e| vec![*e])?;
    let mut text = Text::default();
    let mut errors = Vec::new();
    for piece in pieces(tokens) {
        match piece {
            Piece::Use(tokens) => errors.extend(text.uses.add(tokens, spans).err().map(|e| *e)),
            Piece::Fn(f) => {
                text.names.push(f.name);
                text.items.extend(f.tokens);
            }
            Piece::Other(tokens) => text.items.extend(tokens),
        }
    }
    if errors.is_empty() { Ok(text) } else { Err(errors) }
}

/// The libraries of several closures, each once, each after those that it uses.
pub fn merge(closures: &[Vec<Carried>]) -> Vec<&Carried> {
    let mut seen = HashSet::new();
    closures.iter().flatten().filter(|c| seen.insert(c.id.as_str())).collect()
}

/// Finds what a module needs of the libraries behind its paths: `closures[k]` belongs to `text.uses.libraries[k]`.
///
/// # Errors
/// A name that its library does not have or does not show, two imports of one name.
pub fn link(text: &Text, closures: &[Vec<Carried>]) -> std::result::Result<Linked, Vec<Diagnostic>> {
    if closures.len() < text.uses.libraries.len() {
        return Err(vec![unresolved(text)]);
    }
    let all = merge(closures);
    let place: HashMap<&str, usize> = all.iter().enumerate().map(|(i, c)| (c.id.as_str(), i)).collect();
    let mut libraries: Vec<Library> = Vec::new();
    for carried in &all {
        let targets = carried.uses.iter().filter_map(|id| place.get(id.as_str()).copied()).collect::<Vec<_>>();
        let library = Library::read(carried, libraries.len(), &targets, &libraries)?;
        libraries.push(library);
    }
    let last = |c: &Vec<Carried>| c.last().and_then(|l| place.get(l.id.as_str()).copied());
    let Some(targets) = closures.iter().map(last).collect::<Option<Vec<usize>>>() else {
        return Err(vec![unresolved(text)]);
    };
    let own = text.names.iter().map(ToString::to_string).collect();
    let scope = scope::imported(&text.uses, &targets, &libraries, &own)?;
    chosen(text, &scope, &libraries).map_err(|e| vec![*e])
}

fn unresolved(text: &Text) -> Diagnostic {
    let at = text.uses.imports.iter().find_map(|i| match &i.what {
        What::One { item, .. } => Some(item.span),
        What::All => None,
    });
    Diagnostic::new("OB075", at.unwrap_or(Span::NONE), "the libraries of this `use` are not at hand")
        .note("only rustc can follow a path, so `use` stands only in `kernel!`, `#[kernel]` and `kernel_lib!`")
        .help("put the kernel into the Rust program, or write the helper beside it")
}

/// Every word of some tokens.
pub fn words(tokens: TokenStream, out: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(g) => words(g.stream(), out),
            TokenTree::Ident(i) => {
                out.insert(i.to_string());
            }
            _ => {}
        }
    }
}

/// The functions that the author's words lead to, through the names of each module on the way.
fn chosen(text: &Text, scope: &Scope, libraries: &[Library]) -> Result<Linked> {
    let mut linked = Linked::default();
    words(text.items.clone(), &mut linked.words);
    let mut used: BTreeSet<FnRef> = BTreeSet::new();
    let found_in = |scope: &Scope, words: &HashSet<String>| -> Vec<FnRef> {
        words.iter().filter_map(|w| scope.get(w)).filter_map(|e| e.found.function()).collect()
    };
    let mut open = found_in(scope, &linked.words);
    // The author's own function hides the standard library's of that name from the author's text, not from a library's.
    text.names.iter().for_each(|own| _ = linked.words.remove(&own.to_string()));
    while let Some(f) = open.pop() {
        if !used.insert(f) {
            continue;
        }
        let library = &libraries[f.library];
        let mut inside = HashSet::new();
        words(library.fns[f.index].tokens.clone(), &mut inside);
        open.extend(found_in(&library.scope, &inside));
        linked.words.extend(inside);
    }
    let place: HashMap<FnRef, usize> = used.iter().zip(0..).map(|(&f, i)| (f, i)).collect();
    let table = |scope: &Scope| scope.iter().map(|(name, e)| (name.clone(), meaning(&e.found, &place))).collect();
    linked.scopes = std::iter::once(scope).chain(libraries.iter().map(|l| &l.scope)).map(table).collect();
    linked.origins = scope.iter().filter_map(|(name, e)| Some((name.clone(), e.origin.clone()?))).collect();
    for f in used {
        let library = &libraries[f.library];
        let mut spans = SpanTable::for_library();
        let mut module =
            parse_module(library.fns[f.index].tokens.clone(), &mut spans).map_err(|mut e| e.swap_remove(0))?;
        let decl = module.fns.swap_remove(0);
        let title = format!("{}::{}", library.name, decl.name.text);
        linked.fns.push(LinkedFn { decl, home: f.library + 1, title });
    }
    Ok(linked)
}

fn meaning(found: &Found, place: &HashMap<FnRef, usize>) -> Meaning {
    match found {
        Found::Fn(f) => place.get(f).map_or(Meaning::Unused, |&i| Meaning::Fn(i)),
        Found::Ambiguous(libraries) => Meaning::Ambiguous(libraries.clone()),
    }
}

#[cfg(test)]
mod tests;
