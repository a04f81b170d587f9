//! The names of one module, by Rust's rules: its own functions and what it names hide what a `*` brings in, and two
//! functions that a `*` brings in under one name are an error only where the name is used.

use std::collections::{HashMap, HashSet};

use super::carried::Carried;
use super::pieces::{FnPiece, Reach};
use super::uses::{Import, Uses, What};
use super::{Piece, pieces};
use crate::syntax::SpanTable;
use crate::syntax::ast::Name;
use obsidian_ir::diag::Diagnostic;

/// A function of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FnRef {
    pub(super) library: usize,
    pub(super) index: usize,
}

/// What a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    Fn(FnRef),
    /// The libraries that have it.
    Ambiguous(Vec<String>),
}

impl Found {
    pub(super) fn function(&self) -> Option<FnRef> {
        match self {
            Found::Fn(f) => Some(*f),
            Found::Ambiguous(_) => None,
        }
    }
}

/// A name of a module.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) found: Found,
    pub(super) reach: Reach,
    /// The library path that brought it in, and its name there.
    pub(super) origin: Option<(usize, String)>,
}

pub(super) type Scope = HashMap<String, Entry>;

/// A library whose names are resolved.
pub(super) struct Library {
    pub(super) name: String,
    pub(super) fns: Vec<FnPiece>,
    pub(super) scope: Scope,
}

type Errors = Vec<Diagnostic>;

impl Library {
    /// Resolves the names of the library `carried`, which will be number `index`; it uses `targets` among `before`.
    pub(super) fn read(
        carried: &Carried,
        index: usize,
        targets: &[usize],
        before: &[Library],
    ) -> Result<Library, Errors> {
        let mut uses = Uses::default();
        let mut fns = Vec::new();
        for piece in pieces(carried.items.clone()) {
            match piece {
                Piece::Use(tokens) => uses.add(tokens, &mut SpanTable::for_library()).map_err(|e| vec![*e])?,
                Piece::Fn(f) => fns.push(f),
                Piece::Other(_) => {}
            }
        }
        let own = fns.iter().enumerate().map(|(i, f)| {
            let found = Found::Fn(FnRef { library: index, index: i });
            (f.name.to_string(), Entry { found, reach: f.reach, origin: None })
        });
        let own: Scope = own.collect();
        let names = own.keys().cloned().collect();
        let mut scope = imported(&uses, targets, before, &names)?;
        scope.extend(own);
        Ok(Library { name: carried.name.to_string(), fns, scope })
    }

    fn shown(&self, name: &str) -> Option<&Entry> {
        self.scope.get(name).filter(|e| e.reach == Reach::Public)
    }
}

/// The names that a module's `use`s bring in, whose paths lead to `targets`; `own` are its own functions' names.
pub(super) fn imported(
    uses: &Uses,
    targets: &[usize],
    libraries: &[Library],
    own: &HashSet<String>,
) -> Result<Scope, Errors> {
    let mut named = Scope::new();
    let mut globs = Scope::new();
    let mut errors = Vec::new();
    for import in &uses.imports {
        let Some(library) = targets.get(import.library).and_then(|&t| libraries.get(t)) else { continue };
        match &import.what {
            What::All => glob(&mut globs, import, library, libraries),
            What::One { item, name, .. } => match one(import, item, library) {
                Ok(entry) => {
                    let other = named.insert(name.text.clone(), entry.clone());
                    if own.contains(&name.text) || other.is_some_and(|o| o.found != entry.found) {
                        errors.push(twice(name));
                    }
                }
                Err(e) => errors.push(e),
            },
        }
    }
    globs.extend(named);
    globs.retain(|name, _| !own.contains(name));
    if errors.is_empty() { Ok(globs) } else { Err(errors) }
}

fn one(import: &Import, item: &Name, library: &Library) -> Result<Entry, Diagnostic> {
    match library.scope.get(&item.text) {
        Some(e) if e.reach == Reach::Public => {
            Ok(Entry { found: e.found.clone(), reach: import.reach, origin: Some((import.library, item.text.clone())) })
        }
        Some(_) => Err(Diagnostic::new(
            "OB072",
            item.span,
            format!("`{}` is private to the library `{}`", item.text, library.name),
        )
        .help(format!("write `pub fn {}` in the library", item.text))),
        None => Err(missing(item, library)),
    }
}

fn missing(item: &Name, library: &Library) -> Diagnostic {
    let d =
        Diagnostic::new("OB071", item.span, format!("the library `{}` has no function `{}`", library.name, item.text));
    let mut shown: Vec<&str> =
        library.scope.keys().filter(|n| library.shown(n).is_some()).map(String::as_str).collect();
    shown.sort_unstable();
    let distance = |n: &str| crate::syntax::edit_distance(n, &item.text);
    match shown.iter().map(|n| (distance(n), *n)).min() {
        Some((d_min, n)) if d_min <= 1 + item.text.len() / 4 => d.help(format!("did you mean `{n}`?")),
        Some((_, n)) => d
            .note(format!("it has {}", shown.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")))
            .help(format!("bring in what you need by its name: `use {}::{n};`", library.name)),
        None => d.note("it has no public function").help("write `pub fn` before those that others may use"),
    }
}

fn twice(name: &Name) -> Diagnostic {
    Diagnostic::new("OB007", name.span, format!("two functions are called `{}`", name.text))
        .help(format!("bring one of them in under another name: `use nets::{} as ..;`", name.text))
}

fn glob(into: &mut Scope, import: &Import, library: &Library, libraries: &[Library]) {
    for (name, e) in library.scope.iter().filter(|(_, e)| e.reach == Reach::Public) {
        let origin = Some((import.library, name.clone()));
        let new = Entry { found: e.found.clone(), reach: import.reach, origin };
        let merged = match into.remove(name) {
            None => new,
            Some(old) if old.found == new.found => {
                Entry { reach: if old.reach == Reach::Public { old.reach } else { new.reach }, ..old }
            }
            Some(old) => {
                let mut homes = homes(&old.found, libraries);
                homes.extend(self::homes(&new.found, libraries));
                homes.sort();
                homes.dedup();
                Entry { found: Found::Ambiguous(homes), origin: None, ..old }
            }
        };
        into.insert(name.clone(), merged);
    }
}

fn homes(found: &Found, libraries: &[Library]) -> Vec<String> {
    match found {
        Found::Fn(f) => vec![libraries.get(f.library).map_or(String::new(), |l| l.name.clone())],
        Found::Ambiguous(names) => names.clone(),
    }
}
