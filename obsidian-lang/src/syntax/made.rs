//! Expressions and statements that stand for something else in the source: parts of Rust that are spelled out.

use super::ast::{Expr, ExprKind, Mutability, Name, Pat, Stmt};
use obsidian_ir::diag::Span;
use obsidian_ir::program::{BinOp, UnOp};

/// A name.
pub(super) fn name(text: &str, span: Span) -> Expr {
    Expr { kind: ExprKind::Name(text.to_string()), span }
}

/// `true` or `false`.
pub(super) fn truth(value: bool, span: Span) -> Expr {
    Expr { kind: ExprKind::Bool(value), span }
}

/// `let mut text = value`.
pub(super) fn bind(text: &str, value: Expr, span: Span) -> Stmt {
    let name = Name { text: text.to_string(), span };
    Stmt::Let(Pat::Var { name, mutable: Mutability::Mutable }, value)
}

/// `let mut text = false`.
pub(super) fn unset(text: &str, span: Span) -> Stmt {
    bind(text, truth(false, span), span)
}

/// `text = value`.
pub(super) fn assign(text: &str, value: Expr, span: Span) -> Stmt {
    Stmt::Assign(Name { text: text.to_string(), span }, value)
}

/// A block without a value.
pub(super) fn block(stmts: Vec<Stmt>, span: Span) -> Expr {
    Expr { kind: ExprKind::Block(stmts, None), span }
}

/// An `if`.
pub(super) fn choice(cond: Expr, then: Expr, els: Option<Expr>, span: Span) -> Expr {
    Expr { kind: ExprKind::If(Box::new(cond), Box::new(then), els.map(Box::new)), span }
}

/// `!e`.
pub(super) fn not(e: Expr) -> Expr {
    let span = e.span;
    Expr { kind: ExprKind::Unary(UnOp::Not, Box::new(e)), span }
}

/// An operator.
pub(super) fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span }
}

/// `&&` or `||`.
pub(super) fn logic(op: BinOp, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr { kind: ExprKind::Logic(op, Box::new(a), Box::new(b)), span }
}
