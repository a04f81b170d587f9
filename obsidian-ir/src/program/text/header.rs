//! The lines before the statements: the kernel, its parameters, what the launch must fulfil. Printed here; `read` reads them.

use std::fmt::Write;

use super::defaults;
use super::names::Names;
use super::print::{Expressions, declaration};
use crate::program::{ArrayId, ElementShape, ExprId, Math, ParamKind, Program, Target};

pub(super) fn print(p: &Program, names: &Names) -> String {
    let mut out = format!("kernel {} (threads = {}, shared = {} B{})\n", p.name, p.threads, p.shared_bytes, options(p));
    for param in &p.params {
        let len_of = |len: &Option<u32>| len.map_or(format!("len({})", param.name), |n| n.to_string());
        let buffer = |way: &str, arrays: &[ArrayId], len: String| {
            format!("  {way} {}: {}[{len}]", param.name, elems(p, names, arrays, param.shape))
        };
        let line = match &param.kind {
            ParamKind::Input { arrays, len } => buffer("in ", arrays, len_of(len)),
            ParamKind::InOut { arrays, len } => buffer("mut", arrays, len_of(len)),
            ParamKind::Output { arrays, len } => buffer("out", arrays, known(p, names, *len)),
            ParamKind::Fault(array) => format!("  fault {}{}", p.array(*array).name, names.number(*array)),
            ParamKind::Scalar(ty) => format!("  in  {}: {}", param.name, ty.name()),
        };
        let _ = writeln!(out, "{line}");
    }
    for &array in &names.unallocated {
        let _ = writeln!(out, "  with {}", declaration(p, names, array));
    }
    if defaults::blocks(p) != Some(p.blocks) {
        let _ = writeln!(out, "  blocks: {}", known(p, names, p.blocks));
    }
    for check in &p.checks {
        let expected = defaults::found(p, check.cond) == Some(check.found);
        let found = if expected { String::new() } else { format!(", found {}", known(p, names, check.found)) };
        let _ = writeln!(out, "  where {}{found}   // {}", known(p, names, check.cond), one_line(&check.message));
    }
    out
}

/// A message on one line, whatever its author wrote.
pub(super) fn one_line(message: &str) -> String {
    message.replace('\\', "\\\\").replace('\n', "\\n")
}

/// The message that [`one_line`] made a line of.
pub(super) fn of_one_line(line: &str) -> String {
    let mut message = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => message.extend(rest.next().map(|c| if c == 'n' { '\n' } else { c })),
            c => message.push(c),
        }
    }
    message
}

/// What is not as usual.
fn options(p: &Program) -> String {
    let limit =
        if p.shared_limit == defaults::SHARED_LIMIT { String::new() } else { format!(" of {}", p.shared_limit) };
    let usual = p.options.target == Target::default();
    let target = if usual { String::new() } else { format!(", target = {}", p.options.target.name()) };
    let math = if p.options.math == Math::Exact { "" } else { ", math = fast" };
    let rounds = if p.rounds == 1 { String::new() } else { format!(", rounds = {}", p.rounds) };
    format!("{limit}{target}{math}{rounds}")
}

fn elems(p: &Program, names: &Names, arrays: &[ArrayId], shape: ElementShape) -> String {
    let all: Vec<_> = arrays.iter().map(|&a| format!("{}{}", p.array(a).elem.name(), names.number(a))).collect();
    match (shape, all.as_slice()) {
        (ElementShape::Scalar, [one]) => one.clone(),
        (_, [one]) => format!("({one},)"),
        _ => format!("({})", all.join(", ")),
    }
}

/// An expression whose type is known where it stands.
pub(super) fn known(p: &Program, names: &Names, id: ExprId) -> String {
    Expressions { p, names: Some(names), short: None, words: None }.expr(id, true)
}
