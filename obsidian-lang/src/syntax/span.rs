//! The table behind [`Span`]: ids for the tokens of one compilation.

use std::path::{Component, Path, PathBuf};

use obsidian_ir::diag::Span;
use obsidian_ir::program::Place;

/// Source positions of one compilation, by [`Span`] id.
#[derive(Debug, Default)]
pub struct SpanTable {
    spans: Vec<proc_macro2::Span>,
    library: bool,
    names: FileNames,
}

/// What the files of the tokens are called.
#[derive(Debug, Default)]
enum FileNames {
    /// As rustc calls them.
    #[default]
    Rustc,
    /// As rustc does, those of the package in this folder by its name and their path in it.
    Package(PathBuf),
    /// There is one, of this name.
    One(String),
}

impl SpanTable {
    /// A table that gives every token `Span::NONE`: for the standard library, whose syntax outlives a compilation.
    pub fn for_library() -> SpanTable {
        SpanTable { library: true, ..SpanTable::default() }
    }

    /// A table for the tokens of one file, found by this path; of an absolute one only the last part is told.
    pub fn of_file(path: &Path) -> SpanTable {
        SpanTable { names: FileNames::One(everywhere(&path.to_string_lossy(), None)), ..SpanTable::default() }
    }

    /// A table for the tokens of a package in this folder, whose files rustc knows.
    pub fn of_package(folder: impl Into<PathBuf>) -> SpanTable {
        SpanTable { names: FileNames::Package(folder.into()), ..SpanTable::default() }
    }

    /// The id of a position.
    pub fn add(&mut self, span: proc_macro2::Span) -> Span {
        if self.library {
            return Span::NONE;
        }
        self.spans.push(span);
        Span(self.spans.len() as u32 - 1)
    }

    /// Line and column of an id, from 1; `None` where it has no token.
    pub fn place(&self, span: Span) -> Option<(u32, u32)> {
        let start = self.spans.get(span.0 as usize)?.start();
        Some((start.line as u32, start.column as u32 + 1))
    }

    /// The place of an id in its file, as `src/sums.rs:12:9`; `None` where it has no token.
    pub fn told(&self, span: Span) -> Option<String> {
        let (line, column) = self.place(span)?;
        let file = self.names.of(*self.spans.get(span.0 as usize)?);
        Some(format!("{file}:{line}:{column}"))
    }

    /// The names of the files, and the place of each id. No name depends on where a folder lies on this machine.
    pub fn places(&self) -> (Vec<String>, Vec<Place>) {
        let mut files: Vec<String> = Vec::new();
        let mut place = |span: &proc_macro2::Span| {
            let name = self.names.of(*span);
            let file = files.iter().position(|known| *known == name).unwrap_or_else(|| {
                files.push(name);
                files.len() - 1
            });
            let start = span.start();
            Place { file: file as u32, line: start.line as u32, column: start.column as u32 + 1 }
        };
        let places = self.spans.iter().map(&mut place).collect();
        (files, places)
    }

    /// The position of an id, or that of the macro call if the id has none.
    pub fn get(&self, span: Span) -> proc_macro2::Span {
        self.spans.get(span.0 as usize).copied().unwrap_or_else(proc_macro2::Span::call_site)
    }
}

impl FileNames {
    fn of(&self, span: proc_macro2::Span) -> String {
        match self {
            FileNames::Rustc => everywhere(&span.file(), None),
            FileNames::Package(folder) => everywhere(&span.file(), Some(folder)),
            FileNames::One(name) => name.clone(),
        }
    }
}

/// The name of a file on every machine: as it is, if it is relative, as those of a workspace are; in the package's folder, that
/// folder's own name and the path in it; else the last part.
fn everywhere(file: &str, package: Option<&Path>) -> String {
    let path = Path::new(file);
    let inside = package.filter(|_| path.is_absolute()).and_then(|package| {
        let name = package.file_name().map(PathBuf::from)?;
        path.strip_prefix(package).ok().map(|rest| name.join(rest))
    });
    let named = match (inside, path.is_absolute()) {
        (Some(inside), _) => inside,
        (None, false) => path.to_path_buf(),
        (None, true) => path.file_name().map(PathBuf::from).unwrap_or_default(),
    };
    let parts = named.components().filter(|part| !matches!(part, Component::CurDir));
    let name: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
    if name.is_empty() { "kernel.rs".to_string() } else { name.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_same_names_on_every_machine() {
        let package = Path::new("/home/me/.cargo/registry/src/index-1/nets-1.2.0");
        let names = |file| everywhere(file, Some(package));
        assert_eq!(names("programs/src/sums.rs"), "programs/src/sums.rs");
        assert_eq!(names("./src/./sums.rs"), "src/sums.rs");
        assert_eq!(names("/home/me/.cargo/registry/src/index-1/nets-1.2.0/src/sums.rs"), "nets-1.2.0/src/sums.rs");
        assert_eq!(names("/elsewhere/out/kernels.rs"), "kernels.rs");
        assert_eq!(everywhere("/elsewhere/out/kernels.rs", None), "kernels.rs");
        assert_eq!(names(""), "kernel.rs");
    }

    #[test]
    fn places_count_from_one_and_name_their_file() {
        let mut table = SpanTable::of_file(Path::new("kernels/sums.rs"));
        let tokens: proc_macro2::TokenStream = "a\n  b".parse().unwrap();
        let ids: Vec<Span> = tokens.into_iter().map(|token| table.add(token.span())).collect();
        let (files, places) = table.places();
        assert_eq!(files, ["kernels/sums.rs"]);
        let place = |id: Span| (places[id.0 as usize].line, places[id.0 as usize].column);
        assert_eq!([place(ids[0]), place(ids[1])], [(1, 1), (2, 3)]);
        assert_eq!(table.told(ids[1]).as_deref(), Some("kernels/sums.rs:2:3"));
        assert_eq!(table.told(Span::NONE), None);
    }
}
