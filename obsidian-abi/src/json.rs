//! The costs of a variant as JSON. By hand, for this crate depends on nothing.

use std::fmt::Write;

use crate::cost::{Access, Cost, LocalArray, Occupancy, Pattern, Place, SharedArray, Vectors};

impl Cost {
    /// As JSON. Names are those of the fields; numbers that are not known are `null`.
    pub fn json(&self) -> String {
        let mut o = Object::default();
        o.text("name", &self.name).number("threads", self.threads);
        o.number("shared_bytes", self.shared_bytes).number("shared_limit", self.shared_limit);
        o.put("arrays", &list(&self.arrays, array));
        let mut barriers = Object::default();
        barriers.number("block", self.barriers.block).number("warp", self.barriers.warp);
        o.put("barriers", &barriers.end());
        o.put("guards", &list(&self.guards, |g| place(*g)));
        o.put("local", &list(&self.local, local));
        o.put("bytes_moved", &known(self.bytes_moved())).put("bytes_wanted", &known(self.bytes_wanted()));
        o.put("conflicts", &known(self.conflicts()));
        o.put("accesses", &list(&self.accesses, access)).put("vectors", &list(&self.vectors, vectors));
        let mut operations = Object::default();
        operations.number("total", self.operations.total).number("elements", self.operations.elements);
        operations.text("certainty", self.operations.certainty.name());
        o.put("operations", &operations.end());
        o.put("approximated", &list(&self.approximated, |name| quoted(name)));
        o.put("occupancy", &list(&self.occupancy, occupancy)).put("cut_short", &self.cut_short.to_string());
        o.end()
    }
}

fn array(a: &SharedArray) -> String {
    let mut o = Object::default();
    o.text("name", &a.name).text("elem", a.elem.name()).number("len", a.len).number("copies", a.copies);
    o.number("offset", a.offset).number("bytes", a.bytes).number("first", a.first).number("last", a.last);
    o.end()
}

fn local(a: &LocalArray) -> String {
    let mut o = Object::default();
    o.put("at", &place(a.at)).number("bytes", a.bytes);
    o.end()
}

fn access(a: &Access) -> String {
    let mut o = Object::default();
    o.text("array", &a.array).text("elem", a.elem.name()).text("memory", a.memory.name());
    o.text("action", a.action.name()).number("step", a.step).put("place", &place(a.place));
    o.number("elements", a.elements).text("certainty", a.certainty.name());
    match a.pattern {
        Pattern::DataDependent => o.text("pattern", "data_dependent"),
        Pattern::Unknown => o.text("pattern", "unknown"),
        Pattern::Known(r) => {
            o.text("pattern", "known").number("requests", r.count).number("transactions", r.transactions);
            o.number("least", r.least).number("worst", r.worst).number("excess", r.excess);
            o.number("wanted", r.wanted).number("alignments", r.alignments)
        }
    };
    o.end()
}

fn vectors(v: &Vectors) -> String {
    let mut o = Object::default();
    o.text("array", &v.array).text("elem", v.elem.name()).text("action", v.action.name());
    o.number("width", v.width).number("count", v.count);
    o.end()
}

fn occupancy(of: &Occupancy) -> String {
    let mut o = Object::default();
    o.text("device", &of.device).number("blocks", of.blocks).number("percent", of.percent);
    o.text("limit", of.limit.name());
    o.end()
}

fn place(place: Option<Place>) -> String {
    let shown = |p: Place| {
        let mut o = Object::default();
        o.number("line", p.line).number("column", p.column);
        o.end()
    };
    place.map_or_else(|| "null".to_string(), shown)
}

fn known(number: Option<impl ToString>) -> String {
    number.map_or_else(|| "null".to_string(), |n| n.to_string())
}

fn list<T>(items: &[T], each: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(each).collect::<Vec<_>>().join(","))
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => drop(write!(out, "\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// An object that is being written.
#[derive(Default)]
struct Object(String);

impl Object {
    fn put(&mut self, key: &str, value: &str) -> &mut Object {
        let comma = if self.0.is_empty() { "" } else { "," };
        let _ = write!(self.0, "{comma}\"{key}\":{value}");
        self
    }

    fn text(&mut self, key: &str, value: &str) -> &mut Object {
        self.put(key, &quoted(value))
    }

    fn number(&mut self, key: &str, value: impl ToString) -> &mut Object {
        self.put(key, &value.to_string())
    }

    fn end(self) -> String {
        format!("{{{}}}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\u000ad\"");
    }
}
