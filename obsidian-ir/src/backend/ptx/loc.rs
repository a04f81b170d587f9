//! `.file` and `.loc`: with them a profiler or a sanitizer shows the author's own line for each instruction (PTX ISA, debugging
//! directives). They change no instruction; ptxas makes a table of them under `-lineinfo`, the driver where it is asked to.

use std::fmt::Write;

use crate::diag::Span;
use crate::program::{Places, Writer};

/// The author's files, for the head of a module.
pub(super) fn files(places: &Places) -> String {
    let mut out = String::new();
    for (number, name) in (1..).zip(places.quoted_files()) {
        let _ = writeln!(out, ".file {number} {name}");
    }
    out + "\n"
}

/// The instructions with the place of each, said where it changes.
pub(super) fn with_places(body: Writer<Span>, places: &Places) -> Writer<Span> {
    let (text, spans) = body.into_parts();
    let (mut out, mut said) = (Writer::new(Span::NONE), None);
    for (line, span) in text.split_inclusive('\n').zip(spans) {
        out.write_for(span);
        let place = places.of(span);
        // A label and a directive are no instructions.
        if line.starts_with("    ") && !line.trim_start().starts_with('.') && said.replace(place) != Some(place) {
            let _ = writeln!(out, "    .loc {} {} {}", place.file + 1, place.line, place.column);
        }
        out.push_str(line);
    }
    out
}
