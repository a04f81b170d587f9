//! Where the tokens of a kernel stand in its author's files, for texts that tell it: to profilers and sanitizers a line of such a
//! text is a line of the kernel's own source. Knows only opaque [`Span`]s and what the driver says of them.

use std::sync::Arc;

use crate::diag::Span;

/// A place in one of the author's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as an index of [`Places::files`].
    pub file: u32,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
}

/// The places of a kernel's tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    files: Vec<String>,
    tokens: Arc<Vec<Place>>,
    entry: Place,
}

impl Places {
    /// The place of each span in the order of their ids, in files of these names; `None` if the entry's own span has none.
    pub fn new(files: Vec<String>, tokens: Arc<Vec<Place>>, entry: Span) -> Option<Places> {
        let entry = *tokens.get(entry.0 as usize)?;
        Some(Places { files, tokens, entry })
    }

    /// The names of the files.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The place of a token. What has none, such as what the compiler itself adds, is of the entry as a whole: its name.
    pub fn of(&self, span: Span) -> Place {
        self.tokens.get(span.0 as usize).copied().unwrap_or(self.entry)
    }

    /// The name of a place's file, in quotation marks as C and PTX read it.
    pub(crate) fn quoted(&self, place: Place) -> String {
        self.files.get(place.file as usize).map_or_else(|| quoted(""), |name| quoted(name))
    }

    /// The names of all files, in quotation marks.
    pub(crate) fn quoted_files(&self) -> impl Iterator<Item = String> {
        self.files.iter().map(|name| quoted(name))
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "/").replace(['"', '\n'], "_"))
}
