//! Shapes to SVG text. Colours follow the reader's light or dark scheme.

use std::fmt::Write;

/// A picture in the making.
#[derive(Debug, Default)]
pub(super) struct Svg {
    shapes: String,
}

/// A point, in pixels from the upper left.
pub(super) type Point = (u32, u32);

/// The side of its point on which a text stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// A line; `about` is shown when the reader points at it.
    pub(super) fn line(&mut self, (x1, y1): Point, (x2, y2): Point, about: &str) {
        let about = escaped(about);
        let _ = writeln!(self.shapes, r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"><title>{about}</title></line>"#);
    }

    /// A dot: something is computed here.
    pub(super) fn dot(&mut self, (x, y): Point, about: &str) {
        let about = escaped(about);
        let _ = writeln!(self.shapes, r#"<circle cx="{x}" cy="{y}" r="3"><title>{about}</title></circle>"#);
    }

    /// A box with a text inside; `about` is shown when the reader points at it.
    pub(super) fn labelled(&mut self, (x, y): Point, (width, height): Point, [label, about]: [&str; 2]) {
        let about = escaped(about);
        let _ = writeln!(
            self.shapes,
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}"><title>{about}</title></rect>"#
        );
        self.text((x + 4, y + height.min(24) / 2 + 4), Anchor::Start, label);
    }

    /// A text.
    pub(super) fn text(&mut self, (x, y): Point, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(self.shapes, r#"<text x="{x}" y="{y}" text-anchor="{anchor}">{}</text>"#, escaped(text));
    }

    /// The picture.
    pub(super) fn finish(self, (width, height): Point, title: &str) -> String {
        let title = escaped(title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>{title}</title>\n<style>{STYLE}</style>\n{}</svg>\n",
            self.shapes
        )
    }
}

const STYLE: &str = "\
    line { stroke: #345; stroke-width: 1.2 } circle { fill: #345 } \
    rect { fill: #cde; stroke: #345 } text { font: 11px sans-serif; fill: #123 } \
    @media (prefers-color-scheme: dark) { \
    line { stroke: #9bd } circle { fill: #9bd } rect { fill: #245; stroke: #9bd } text { fill: #def } }";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
