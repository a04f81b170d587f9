//! A text that knows, line by line, which of the user's tokens it comes from. The printers write into a [`Writer`]; what is noted
//! there never changes the text.

use std::fmt;

use super::{Expr, Exprs, Stmt, walk};
use crate::diag::Span;
use crate::tables::HashSet;

/// A text, and for each of its lines the user's tokens that it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lined {
    /// The text.
    pub text: String,
    /// One for each line; empty where no token is known.
    pub lines: Vec<Vec<Span>>,
}

impl Lined {
    /// A text with another one's lines in it, from the one that begins after `before`.
    pub(crate) fn within(text: String, before: &str, lines: Vec<Vec<Span>>) -> Lined {
        let start = before.matches('\n').count();
        let mut all = vec![Vec::new(); text.lines().count()];
        for (place, spans) in all.iter_mut().skip(start).zip(lines) {
            *place = spans;
        }
        Lined { text, lines: all }
    }

    /// The same after another one.
    #[must_use]
    pub fn after(self, first: Lined) -> Lined {
        let Lined { mut text, mut lines } = first;
        text.push_str(&self.text);
        lines.extend(self.lines);
        Lined { text, lines }
    }
}

/// A text that is being written. Each line that ends notes what it was written for.
pub(crate) struct Writer<T> {
    text: String,
    lines: Vec<T>,
    now: T,
}

impl<T: Copy> Writer<T> {
    pub(crate) fn new(now: T) -> Writer<T> {
        Writer { text: String::new(), lines: Vec::new(), now }
    }

    /// What follows is written for this; gives what the text before it was written for.
    pub(crate) fn write_for(&mut self, now: T) -> T {
        std::mem::replace(&mut self.now, now)
    }

    pub(crate) fn now(&self) -> T {
        self.now
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
        // Most of what is written is a part of a line.
        if text.contains('\n') {
            text.matches('\n').for_each(|_| self.lines.push(self.now));
        }
    }

    /// Puts a line before the one that begins at a place of the text.
    pub(crate) fn insert_line(&mut self, at: usize, line: &str) {
        let before = self.text[..at].matches('\n').count();
        self.text.insert_str(at, line);
        self.lines.insert(before, self.now);
    }

    pub(crate) fn into_parts(self) -> (String, Vec<T>) {
        (self.text, self.lines)
    }
}

impl<T: Copy> fmt::Write for Writer<T> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

/// The user's tokens that a statement comes from: its own, and those of the values that it computes; of what is read from
/// memory, not those of the places.
pub fn tokens_of(exprs: &Exprs, stmt: &Stmt) -> Vec<Span> {
    let (mut found, mut seen) = (vec![stmt.span], HashSet::default());
    let place = walk::touch(&stmt.kind).map(|touch| touch.index);
    let mut todo: Vec<_> = walk::direct(&stmt.kind).filter(|e| Some(*e) != place).collect();
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        found.push(exprs.origin(id));
        if !matches!(exprs.expr(id), Expr::Load(..)) {
            todo.extend(walk::operands(exprs.expr(id)));
        }
    }
    found.retain(|span| *span != Span::NONE);
    found.sort_unstable();
    found.dedup();
    found
}

/// The same of the statement of each line.
pub(crate) fn tokens_of_lines(exprs: &Exprs, lines: &[Option<&Stmt>]) -> Vec<Vec<Span>> {
    lines.iter().map(|stmt| stmt.map_or_else(Vec::new, |stmt| tokens_of(exprs, stmt))).collect()
}
