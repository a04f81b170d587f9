//! The table behind [`Span`]: ids for the tokens of one compilation.

use obsidian_ir::diag::Span;

/// Source positions of one compilation, by [`Span`] id.
#[derive(Debug, Default)]
pub struct SpanTable {
    spans: Vec<proc_macro2::Span>,
    library: bool,
}

impl SpanTable {
    /// A table that gives every token `Span::NONE`: for the standard library, whose syntax outlives a compilation.
    pub fn for_library() -> SpanTable {
        SpanTable { spans: Vec::new(), library: true }
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

    /// The position of an id, or that of the macro call if the id has none.
    pub fn get(&self, span: Span) -> proc_macro2::Span {
        self.spans.get(span.0 as usize).copied().unwrap_or_else(proc_macro2::Span::call_site)
    }
}
