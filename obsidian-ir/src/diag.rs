//! Errors as values: a code, a place, what is wrong, what to write instead. Rendering to compiler errors is the
//! macro's business; this module only knows source positions as opaque ids.

use std::fmt;

/// A position in the user's source: an index into the span table of the compilation. `Span::NONE` is a place that has
/// no user token (the standard library).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span(pub u32);

impl Default for Span {
    fn default() -> Span {
        Span::NONE
    }
}

impl Span {
    /// No position in the user's source.
    pub const NONE: Span = Span(u32::MAX);

    /// This span, or `other` where this one has no position.
    pub fn or(self, other: Span) -> Span {
        if self == Span::NONE { other } else { self }
    }
}

/// One mistake of a kernel's author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, `OB001` ..; the catalogue is `docs/src/errors.md`.
    pub code: &'static str,
    /// The offending token.
    pub span: Span,
    /// What is wrong, in the user's words.
    pub message: String,
    /// Further facts, a line each: what was expected and found, the chain of calls.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
    /// Mistakes that were found beside it and have nothing to do with it, which have none in turn.
    pub also: Vec<Diagnostic>,
}

impl Diagnostic {
    /// A new error at `span`.
    pub fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { code, span, message: message.into(), notes: Vec::new(), help: None, also: Vec::new() }
    }

    /// Adds a line of facts.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// This mistake and those found beside it, each by itself.
    pub fn each(mut self) -> impl Iterator<Item = Diagnostic> {
        let also = std::mem::take(&mut self.also);
        std::iter::once(self).chain(also)
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code, self.message)?;
        for note in &self.notes {
            write!(f, "\n  {}", note.replace('\n', "\n  "))?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n= help: {}", help.replace('\n', "\n        "))?;
        }
        Ok(())
    }
}

/// Mistakes that have nothing to do with one another, of one place only the first.
///
/// # Errors
/// The first, and those after it [beside](Diagnostic::also) it; none where there is no mistake.
pub fn all_of(mistakes: Vec<Diagnostic>) -> Result<()> {
    let mut told: Vec<Diagnostic> = Vec::new();
    for mistake in mistakes.into_iter().flat_map(Diagnostic::each) {
        if told.iter().all(|other| other.span != mistake.span) {
            told.push(mistake);
        }
    }
    let mut told = told.into_iter();
    match told.next() {
        None => Ok(()),
        Some(first) => Err(Box::new(Diagnostic { also: told.collect(), ..first })),
    }
}

/// The result of a step of the compiler that finds one mistake, or several that are told [together](all_of).
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;
