//! What goes wrong in a build, as the text that is shown: mistakes in kernels as rustc shows them, with file, line and caret.

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

use obsidian_ir::diag::{Diagnostic, Span};
use obsidian_lang::syntax::SpanTable;

/// Why the kernels were not built: one or several messages.
///
/// `Debug` gives the same text as `Display`, so that a build script whose `main` returns it shows the text.
pub struct Error {
    messages: Vec<Message>,
}

/// One mistake, shown as rustc shows it.
#[derive(Debug)]
pub struct Message {
    code: Option<&'static str>,
    text: String,
    place: Option<Box<Place>>,
    notes: Vec<String>,
    help: Option<String>,
}

/// A place in a file.
#[derive(Debug)]
struct Place {
    file: PathBuf,
    /// From 1.
    line: usize,
    /// From 0, in characters.
    column: usize,
    /// The whole line.
    source: String,
    /// Characters to underline; at least 1.
    width: usize,
}

/// A file that was read, whose mistakes are shown.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// As it was found.
    pub path: &'a Path,
    /// What is in it.
    pub text: &'a str,
}

impl Message {
    /// Without a place.
    pub fn new(text: impl Into<String>) -> Message {
        Message { code: None, text: text.into(), place: None, notes: Vec::new(), help: None }
    }

    /// With a code of the guide's page of errors.
    pub fn coded(code: &'static str, text: String) -> Message {
        Message { code: Some(code), ..Message::new(text) }
    }

    /// With a note.
    pub fn note(mut self, note: impl Into<String>) -> Message {
        self.notes.push(note.into());
        self
    }

    /// With what to write instead.
    pub fn help(mut self, help: impl Into<String>) -> Message {
        self.help = Some(help.into());
        self
    }

    /// At a token of a file.
    pub fn at(mut self, source: &Source<'_>, span: proc_macro2::Span) -> Message {
        self.place = Some(Box::new(Place::of(source, span)));
        self
    }
}

impl Source<'_> {
    /// The compiler's errors about this file.
    pub fn messages(&self, errors: Vec<Diagnostic>, spans: &SpanTable) -> Vec<Message> {
        let message = |error: Diagnostic| {
            let place = (error.span != Span::NONE).then(|| Box::new(Place::of(self, spans.get(error.span))));
            let message =
                Message { code: Some(error.code), text: error.message, place, notes: error.notes, help: error.help };
            if message.place.is_some() { message } else { message.note(format!("in {}", self.path.display())) }
        };
        errors.into_iter().map(message).collect()
    }
}

impl Place {
    fn of(source: &Source<'_>, span: proc_macro2::Span) -> Place {
        let (start, end) = (span.start(), span.end());
        let line = source.text.lines().nth(start.line.saturating_sub(1)).unwrap_or_default();
        let rest = line.chars().count().saturating_sub(start.column);
        let width = if end.line == start.line { end.column.saturating_sub(start.column) } else { rest };
        let (file, source) = (source.path.to_path_buf(), line.to_string());
        Place { file, line: start.line, column: start.column, source, width: width.clamp(1, rest.max(1)) }
    }

    fn print(&self, margin: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column, source, width } = self;
        writeln!(f, "{margin}--> {}:{line}:{}", file.display(), column + 1)?;
        // Tabs stay, so that the caret stands below its character however wide they are.
        let before: String = source.chars().take(*column).map(|c| if c == '\t' { c } else { ' ' }).collect();
        writeln!(f, "{margin} |\n{line} | {source}\n{margin} | {before}{}", "^".repeat(*width))
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.map_or_else(String::new, |code| format!("[{code}]"));
        writeln!(f, "error{code}: {}", self.text)?;
        let margin = self.place.as_ref().map_or_else(String::new, |place| " ".repeat(place.line.to_string().len()));
        if let Some(place) = &self.place {
            place.print(&margin, f)?;
        }
        let notes = self.notes.iter().map(|note| ("note", note)).chain(self.help.iter().map(|help| ("help", help)));
        for (kind, text) in notes {
            let indented = text.replace('\n', &format!("\n{margin}         "));
            writeln!(f, "{margin} = {kind}: {indented}")?;
        }
        Ok(())
    }
}

impl Error {
    /// Of these messages.
    pub(crate) fn new(messages: Vec<Message>) -> Error {
        Error { messages }
    }
}

impl From<Message> for Error {
    fn from(message: Message) -> Error {
        Error::new(vec![message])
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, message) in self.messages.iter().enumerate() {
            if i > 0 {
                f.write_char('\n')?;
            }
            write!(f, "{message}")?;
        }
        Ok(())
    }
}

/// As [`Display`](fmt::Display), on lines of its own below the `Error:` of a build script that ends with it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Error {}
