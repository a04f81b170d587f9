//! `#line`: with it a profiler or a sanitizer shows the author's own lines of a kernel that was compiled from C. A statement has
//! its own place; a load inside it has that of the expression that asks for it, and stands on a line of its own where the two differ.

use std::fmt::Write;

use super::Printer;
use crate::diag::Span;
use crate::program::{Place, Places, Stmt, Writer};

/// Around a load in the text of a line: the number of its span stands between the first two. No C text has these characters.
const LOAD: char = '\u{1}';
const TEXT: char = '\u{2}';
const END: char = '\u{3}';

impl Printer<'_> {
    /// The code of a load, marked with the token that asks for it where the text tells places.
    pub(super) fn load_of(&self, origin: Span, code: String) -> String {
        match self.places {
            Some(_) => format!("{LOAD}{}{TEXT}{code}{END}", origin.0),
            None => code,
        }
    }
}

/// The statements of a kernel with `#line` before each that would otherwise seem to be elsewhere, and before its end.
pub(super) fn with_places<'a>(
    (text, stmts): (String, Vec<Option<&'a Stmt>>),
    places: &Places,
) -> (String, Vec<Option<&'a Stmt>>) {
    let mut lines = Lines { out: Writer::new(None), places, next: None };
    for (line, stmt) in text.split_inclusive('\n').zip(stmts) {
        lines.out.write_for(stmt);
        lines.line(line, stmt);
    }
    lines.out.write_for(None);
    lines.go_to(places.of(Span::NONE));
    lines.out.into_parts()
}

/// The `#line` before a kernel's declaration. Without it the declaration is of a line of the text itself, and where a statement's line in the
/// author's file has the same number, ptxas leaves that statement in the text.
pub(super) fn of_kernel(places: &Places) -> String {
    let place = places.of(Span::NONE);
    line_at(places, place) + "\n"
}

fn line_at(places: &Places, place: Place) -> String {
    format!("#line {} {}", place.line, places.quoted(place))
}

/// What follows a kernel of so many lines, whose text is `name`.cu: from here on lines are the text's own again.
pub(super) fn own_again(lines: usize, name: &str) -> String {
    format!("#line {} \"{name}.cu\"\n", lines + 2)
}

struct Lines<'a, 'p> {
    out: Writer<Option<&'a Stmt>>,
    places: &'p Places,
    /// The file and line that a compiler takes the next line for.
    next: Option<(u32, u32)>,
}

impl Lines<'_, '_> {
    /// A line of the text, and what it takes for its loads to have their own places.
    fn line(&mut self, line: &str, stmt: Option<&Stmt>) {
        if line.trim_matches([' ', '\n', '}']).is_empty() {
            self.out.push_str(line);
            self.next = self.next.map(|(file, line)| (file, line + 1));
            return;
        }
        let mut around = vec![self.places.of(stmt.map_or(Span::NONE, |stmt| stmt.span))];
        let mut rest = line;
        self.go_to(around[0]);
        while let Some(at) = rest.find([LOAD, END]) {
            self.out.push_str(&rest[..at]);
            let ended = rest[at..].starts_with(END);
            rest = &rest[at + 1..];
            let before = around.last().copied();
            if ended {
                around.pop();
            } else if let Some((number, after)) = rest.split_once(TEXT) {
                around.push(self.places.of(number.parse().map_or(Span::NONE, Span)));
                rest = after;
            }
            let (before, now) = (before.unwrap_or(around[0]), around.last().copied().unwrap_or(around[0]));
            if (before.file, before.line) != (now.file, now.line) {
                self.out.push_str("\n");
                self.next = None;
                self.go_to(now);
            }
        }
        self.out.push_str(rest);
        self.next = self.next.map(|(file, line)| (file, line + 1));
    }

    /// Has the next line taken for one at a place.
    fn go_to(&mut self, place: Place) {
        if self.next != Some((place.file, place.line)) {
            let _ = writeln!(self.out, "{}", line_at(self.places, place));
            self.next = Some((place.file, place.line));
        }
    }
}
