//! The standard library, in the language itself: one file per theme. A function is parsed when a kernel first uses it,
//! and checked for each kernel that does.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use crate::stage::BUILTINS;
use crate::syntax::ast::FnDecl;
use crate::syntax::{parse_library, parse_signature};
use crate::types::Provided;
use obsidian_ir::diag::Result;

/// The files: theme and text.
pub const FILES: [(&str, &str); 25] = [
    ("arrays", include_str!("arrays.obs")),
    ("levels", include_str!("levels.obs")),
    ("sequential", include_str!("sequential.obs")),
    ("programs", include_str!("programs.obs")),
    ("reductions", include_str!("reductions.obs")),
    ("totals", include_str!("totals.obs")),
    ("scans", include_str!("scans.obs")),
    ("votes", include_str!("votes.obs")),
    ("bits", include_str!("bits.obs")),
    ("networks", include_str!("networks.obs")),
    ("sorting", include_str!("sorting.obs")),
    ("merging", include_str!("merging.obs")),
    ("digits", include_str!("digits.obs")),
    ("selection", include_str!("selection.obs")),
    ("segments", include_str!("segments.obs")),
    ("chains", include_str!("chains.obs")),
    ("matrices", include_str!("matrices.obs")),
    ("stencils", include_str!("stencils.obs")),
    ("scalars", include_str!("scalars.obs")),
    ("integers", include_str!("integers.obs")),
    ("exponentials", include_str!("exponentials.obs")),
    ("logarithms", include_str!("logarithms.obs")),
    ("powers", include_str!("powers.obs")),
    ("trigonometry", include_str!("trigonometry.obs")),
    ("arcs", include_str!("arcs.obs")),
];

/// The text of a function, and its syntax if that was asked for.
struct Source {
    text: &'static str,
    /// The row, of a builtin.
    row: Option<u32>,
    parsed: OnceLock<Result<FnDecl>>,
    /// The names of the library in it.
    uses: OnceLock<Vec<&'static str>>,
}

/// Every name of the library, for suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    index().keys().copied()
}

fn all_names() -> Vec<&'static str> {
    names().collect()
}

/// The functions and builtins that `names` stand for, and all that these use. Parsing is most of the macro's work, so
/// only these are parsed.
///
/// # Errors
/// A mistake in the library's text. The library's tests see to it that there is none.
pub fn select(names: impl IntoIterator<Item = String>) -> Result<Provided> {
    let index = index();
    let mut library = Provided { fns: Vec::new(), builtins: Vec::new(), names: all_names };
    let mut wanted: Vec<&str> =
        names.into_iter().filter_map(|name| Some(*index.get_key_value(name.as_str())?.0)).collect();
    let mut seen = HashSet::new();
    while let Some(name) = wanted.pop() {
        if !seen.insert(name) {
            continue;
        }
        for source in index.get(name).into_iter().flatten() {
            let decl = source.decl()?;
            match source.row {
                Some(row) => library.builtins.push((row, decl)),
                None => library.fns.push(decl),
            }
            wanted.extend(source.uses());
        }
    }
    // The order of names in a kernel must not change what it compiles to.
    library.fns.sort_by(|a, b| a.name.text.cmp(&b.name.text));
    library.builtins.sort_by_key(|&(row, _)| row);
    Ok(library)
}

impl Source {
    fn decl(&'static self) -> Result<&'static FnDecl> {
        let parse = || match self.row {
            Some(_) => parse_signature(self.text),
            None => parse_library(self.text).map(|mut fns| fns.swap_remove(0)),
        };
        self.parsed.get_or_init(parse).as_ref().map_err(Clone::clone)
    }

    /// The names that this text may use: every word of it that is one, each once.
    fn uses(&'static self) -> &'static [&'static str] {
        self.uses.get_or_init(|| {
            let names: HashSet<&str> = words(self.text).filter(|word| index().contains_key(word)).collect();
            names.into_iter().collect()
        })
    }
}

fn index() -> &'static HashMap<&'static str, Vec<Source>> {
    static INDEX: OnceLock<HashMap<&'static str, Vec<Source>>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index: HashMap<&str, Vec<Source>> = HashMap::new();
        let functions = FILES.iter().flat_map(|(_, text)| functions(text)).map(|text| (text, None));
        let builtins = BUILTINS.iter().zip(0..).map(|(b, row)| (b.signature, Some(row)));
        for (text, row) in functions.chain(builtins) {
            let name = words(text).skip_while(|&w| w != "fn").nth(1).unwrap_or_default();
            index.entry(name).or_default().push(Source { text, row, parsed: OnceLock::new(), uses: OnceLock::new() });
        }
        index
    })
}

/// The functions of a file, without the comments before them. Each ends with a line that is a single brace.
fn functions(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split_inclusive("\n}\n").filter_map(|part| {
        part.find("fn ").and_then(|at| {
            let start = if part.starts_with("fn ") { 0 } else { part.find("\nfn ").map_or(at, |n| n + 1) };
            part.get(start..)
        })
    })
}

/// The identifiers and keywords of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_of_the_files_is_found_and_parses() {
        let written: usize = FILES.iter().map(|(_, text)| text.lines().filter(|l| l.starts_with("fn ")).count()).sum();
        let library = select(names().map(str::to_string)).unwrap();
        assert_eq!(library.fns.len(), written);
        assert_eq!(library.builtins.len(), BUILTINS.len());
    }

    #[test]
    fn only_what_is_used_is_taken() {
        let library = select(["halve".to_string()]).unwrap();
        let names: Vec<&str> = library.fns.iter().map(|f| f.name.text.as_str()).collect();
        assert_eq!(names, ["drop", "halve", "split_at", "take"]);
    }
}
