//! Marks between the statements of a printed program, `__at!(3);`: tokens know nothing of lines, and a program that lays them out as
//! lines keeps the marks among them. Taken out again, they say which of the user's tokens each line comes from.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::expr::Printer;
use crate::diag::Span;
use crate::program::{Lined, Stmt, tokens_of};

/// What a mark begins with, as it is laid out.
const MARK: &str = "__at!(";

/// A program with its marks.
#[derive(Debug)]
pub struct Marked {
    /// The tokens, marks among them.
    pub tokens: TokenStream,
    /// By mark: the user's tokens that the statement behind it comes from.
    pub(super) places: Vec<Vec<Span>>,
}

impl Marked {
    /// The text of these tokens, laid out with a line for each mark, without the marks.
    pub fn lines(&self, text: &str) -> Lined {
        let (mut out, mut open) = (Lined::default(), Vec::<(usize, usize)>::new());
        for line in text.lines() {
            let depth = line.len() - line.trim_start().len();
            if let Some(number) = mark(line) {
                open.retain(|(at, _)| *at < depth);
                open.push((depth, number));
                continue;
            }
            if !line.trim().is_empty() {
                open.retain(|(at, _)| *at <= depth);
            }
            out.text.push_str(line);
            out.text.push('\n');
            let places = open.last().and_then(|(_, number)| self.places.get(*number));
            out.lines.push(places.cloned().unwrap_or_default());
        }
        out
    }
}

fn mark(line: &str) -> Option<usize> {
    line.trim_start().strip_prefix(MARK)?.strip_suffix(");")?.parse().ok()
}

impl Printer<'_> {
    /// What was printed for a statement, behind its mark where marks are wanted. What is empty stays so.
    pub(super) fn marked(&mut self, stmt: &Stmt, printed: TokenStream) -> TokenStream {
        let Some(marks) = self.marks.as_mut().filter(|_| !printed.is_empty()) else { return printed };
        let number = Literal::usize_unsuffixed(marks.len());
        marks.push(tokens_of(&self.p.exprs, stmt));
        quote!(__at!(#number); #printed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_the_mark_before_them_or_around_them() {
        let places = vec![vec![Span(7)], vec![Span(8)], vec![Span(9)]];
        let marked = Marked { tokens: TokenStream::new(), places };
        let text = "fn f() {\n    __at!(0);\n    for i in 0..4 {\n        __at!(1);\n        g(\n            i,\n        );\n    }\n    __at!(2);\n    h();\n}\n";
        let lined = marked.lines(text);
        assert_eq!(
            lined.text,
            "fn f() {\n    for i in 0..4 {\n        g(\n            i,\n        );\n    }\n    h();\n}\n"
        );
        let numbers: Vec<Vec<u32>> =
            lined.lines.iter().map(|spans| spans.iter().map(|span| span.0).collect()).collect();
        let expected: [&[u32]; 8] = [&[], &[7], &[8], &[8], &[8], &[7], &[9], &[]];
        assert_eq!(numbers, expected);
    }
}
