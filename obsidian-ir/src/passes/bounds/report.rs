//! What is said of an access that is not proved: the user's name of the array, the index, how the library came there.

use std::sync::Arc;

use super::Access;
use super::ask::{Along, Doubt, Question};
use super::tried::Stray;
use crate::diag::{Diagnostic, Span};
use crate::passes::walk::{operands, reachable};
use crate::program::{BinOp, Expr, ExprId, Program, Side, Space, in_words, words_and_counters};

/// Calls inside the library that are shown, at most.
const MAX_CALLS: usize = 5;
/// Length of a printed index, in characters.
const SHOWN: usize = 80;

/// How an index and its length are spoken of.
struct Words {
    index: &'static str,
    len: &'static str,
    /// How a read is tested.
    test: &'static str,
}

fn words(along: Option<Along>) -> Words {
    match along.map(|along| along.side) {
        None => {
            Words { index: "the index is", len: "the length", test: "test it: `if i < xs.len() { xs[i] } else { .. }`" }
        }
        Some(Side::Rows) => Words {
            index: "the row is",
            len: "the number of rows",
            test: "test it: `if r < m.rows() { m[(r, c)] } else { .. }`",
        },
        Some(Side::Columns) => Words {
            index: "the column is",
            len: "the number of columns",
            test: "test it: `if c < m.cols() { m[(r, c)] } else { .. }`",
        },
    }
}

/// The error for an access that is not proved.
pub(super) fn refuse(p: &Program, question: Question, span: Span) -> Box<Diagnostic> {
    let Question { access, index, len, along, .. } = question;
    let (array, said) = (p.array(question.array), words(along));
    let name = match array.space {
        Space::Global(param) => format!("`{}`", p.param(param).name),
        Space::Shared(_) | Space::Local | Space::Lanes | Space::Registers => "a computed array".to_string(),
    };
    let (what, help) = match access {
        Access::Read(_) => ("read of", said.test),
        Access::Write | Access::Update => (
            "write to",
            "write at an index that is visibly below the length, such as `i` or `len - 1 - i`; by data, use an atomic",
        ),
    };
    let inside = p.exprs.inside(if let Access::Read(load) = access { load } else { index });
    let d = match inside {
        Some(inside) => {
            let message = format!("a {what} {name} in the library's `{}` may be out of range", inside.names[0]);
            Diagnostic::new("OB050", inside.span.or(span), message).note(chain(&inside.names))
        }
        None => Diagnostic::new("OB050", span, format!("this {what} {name} may be out of range")),
    };
    let d = d.note(the_index(p, said.index, index)).note(format!("{} is `{}`", said.len, shown(p, len))).help(help);
    Box::new(d)
}

/// The error with a small launch in which the access strays.
pub(super) fn with_example(p: &Program, doubt: Doubt, stray: &Stray) -> Box<Diagnostic> {
    let Words { index, len, .. } = words(doubt.question.along);
    let values: Vec<String> = stray.launch.iter().map(|&(e, n)| format!("`{}` = {n}", shown(p, e))).collect();
    let launch = if values.is_empty() { String::new() } else { format!("with {} ", values.join(", ")) };
    Box::new(doubt.refusal.note(format!("for example, {launch}{index} {}, and {len} {}", stray.index, stray.len)))
}

/// The calls inside the library that lead to an access, innermost first.
fn chain(names: &[Arc<str>]) -> String {
    match names {
        [first, .., last] if names.len() > MAX_CALLS => {
            format!("in `{first}`, for {} others, for `{last}`, called here", names.len() - 2)
        }
        _ => format!("in {}, called here", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", for ")),
    }
}

/// An expression in at most [`SHOWN`] characters. A shared one may be exponentially long when printed: it is measured
/// first.
pub(crate) fn shown(p: &Program, e: ExprId) -> String {
    let mut left = 500;
    if !is_short(p, e, &mut left) {
        return "a long expression".to_string();
    }
    shortened(in_words(p, e))
}

/// What an index is, with the numbers in it that the author has no name for.
fn the_index(p: &Program, said: &str, index: ExprId) -> String {
    let mut left = 500;
    if !is_short(p, index, &mut left) {
        return format!("{said} a long expression");
    }
    let (text, counters) = words_and_counters(p, index);
    let whose = if counters.is_empty() { String::new() } else { format!(", of {}", counters.join(", ")) };
    format!("{said} `{}`{whose}", shortened(text))
}

fn shortened(text: String) -> String {
    if text.chars().count() <= SHOWN {
        return text;
    }
    text.chars().take(SHOWN - 2).chain("..".chars()).collect()
}

fn is_short(p: &Program, e: ExprId, left: &mut u32) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    operands(p.exprs.expr(e)).all(|o| is_short(p, o, left))
}

/// Why the proof of an index was given up, from its form and the number of conditions that are known.
pub(super) fn what_grew(p: &Program, index: ExprId, conditions: usize) -> String {
    let parts = reachable(&p.exprs, [index], |_| false);
    let choice = |e: &&ExprId| match p.exprs.expr(**e) {
        Expr::Select(..) => true,
        Expr::Bin(op, ..) => matches!(op, BinOp::Min | BinOp::Max | BinOp::Div | BinOp::Rem),
        _ => false,
    };
    format!(
        "the proof was given up: the index is made of {} parts, {} of them `if`, `min`, `max`, `/` or `%`, and \
         {conditions} conditions are known there",
        parts.len(),
        parts.iter().filter(choice).count()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_way_through_the_library_is_told_by_its_ends() {
        let names: Vec<Arc<str>> = ["a", "b", "c", "d", "e", "f"].map(Arc::from).into();
        assert_eq!(chain(&names[..1]), "in `a`, called here");
        assert_eq!(chain(&names[..5]), "in `a`, for `b`, for `c`, for `d`, for `e`, called here");
        assert_eq!(chain(&names), "in `a`, for 4 others, for `f`, called here");
    }
}
