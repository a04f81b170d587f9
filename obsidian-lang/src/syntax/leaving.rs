//! `break`, `continue` and `loop`, spelled out with `if`, `while` and variables: what follows a `continue` is the other side of its `if`,
//! and a `break` sets a variable that the loop tests. In: loops whose bodies are lowered. Out: loops without them.

use super::ast::{Expr, ExprKind, Leave, Pat, RangeEnd, Stmt};
use super::made::{assign, binary, bind, block, choice, logic, name, not, truth, unset};
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::BinOp;

/// Whether the loop is to be left. The names contain spaces, so that no name in the source can be the same.
const LEFT: &str = "the loop is left";
/// Whether the round is over.
const OVER: &str = "the round is over";
/// The index of a `for` that may be left, and its end.
const INDEX: &str = "the index of the loop";
const END: &str = "the end of the loop";

/// A `while`.
pub(super) fn while_loop(span: Span, cond: Expr, body: Expr) -> Stmt {
    let (body, breaks) = round(body);
    if breaks == Breaks::No {
        return Stmt::While(span, cond, body);
    }
    let go_on = logic(BinOp::And, not(name(LEFT, span)), cond);
    Stmt::Expr(block(vec![unset(LEFT, span), Stmt::While(span, go_on, body)], span))
}

/// A `loop`.
///
/// # Errors
/// `OB002` where nothing ends it.
pub(super) fn endless(span: Span, body: Expr) -> Result<Stmt> {
    let (body, breaks) = round(body);
    if breaks == Breaks::No {
        return Err(Box::new(
            Diagnostic::new("OB002", span, "this `loop` never ends: there is no `break` in its body")
                .help("write `if done { break; }` in it, or a `while`"),
        ));
    }
    let go_on = not(name(LEFT, span));
    Ok(Stmt::Expr(block(vec![unset(LEFT, span), Stmt::While(span, go_on, body)], span)))
}

/// A `for`. One that may be left is a `while` over its index, which stops before the index could wrap.
pub(super) fn for_loop(span: Span, pat: Pat, (start, end): (Expr, Expr), inclusive: RangeEnd, body: Expr) -> Stmt {
    let (body, breaks) = round(body);
    if breaks == Breaks::No {
        return Stmt::For { span, pat, start, end, inclusive, body };
    }
    let (index, last) = (|| name(INDEX, span), || name(END, span));
    let one = Expr { kind: ExprKind::Int(1, None), span };
    let next = assign(INDEX, binary(BinOp::Add, index(), one), span);
    let (test, next) = match inclusive {
        RangeEnd::Exclusive => (BinOp::Lt, next),
        RangeEnd::Inclusive => {
            let at_end = binary(BinOp::Eq, index(), last());
            let (then, els) = (block(vec![assign(LEFT, truth(true, span), span)], span), block(vec![next], span));
            (BinOp::Le, Stmt::Expr(choice(at_end, then, Some(els), span)))
        }
    };
    let go_on = logic(BinOp::And, binary(test, index(), last()), not(name(LEFT, span)));
    let round = block(vec![Stmt::Let(pat, index()), Stmt::Expr(body), next], span);
    let loop_from_start =
        vec![bind(END, end, span), bind(INDEX, start, span), unset(LEFT, span), Stmt::While(span, go_on, round)];
    Stmt::Expr(block(loop_from_start, span))
}

/// Whether a loop may be left before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Breaks {
    No,
    Yes,
}

/// The body of a loop without `break` and `continue`.
fn round(body: Expr) -> (Expr, Breaks) {
    if !leaves(&body) {
        return (body, Breaks::No);
    }
    let span = body.span;
    let mut rewriting = Rewriting { breaks: Breaks::No, asks: false };
    let plain = rewriting.statements(inside(body.clone()));
    if !rewriting.asks {
        return (block(plain, span), rewriting.breaks);
    }
    // Something stands after an `if` that ends the round on some of its ways only: it asks whether it did.
    let mut stmts = vec![unset(OVER, span)];
    stmts.extend(rewriting.statements(inside(body)));
    (block(stmts, span), rewriting.breaks)
}

struct Rewriting {
    breaks: Breaks,
    /// Whether a statement asks if the round is over; from then on whatever ends the round notes it.
    asks: bool,
}

impl Rewriting {
    fn statements(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut rest = stmts.into_iter();
        while let Some(stmt) = rest.next() {
            let Stmt::Expr(e) = stmt else {
                out.push(stmt);
                continue;
            };
            if !leaves(&e) {
                out.push(Stmt::Expr(e));
                continue;
            }
            let span = e.span;
            match e.kind {
                ExprKind::Leave(how) => {
                    // What follows is never reached.
                    self.leave(how, span, &mut out);
                    return out;
                }
                ExprKind::If(cond, then, els) if ends(&then) => {
                    let other = els.map(|e| Stmt::Expr(*e)).into_iter().chain(rest).collect();
                    let (then, other) = (self.side(*then), self.statements(other));
                    out.push(Stmt::Expr(choice(*cond, then, Some(block(other, span)), span)));
                    return out;
                }
                ExprKind::If(cond, then, Some(els)) if ends(&els) => {
                    let then = std::iter::once(Stmt::Expr(*then)).chain(rest).collect();
                    let (then, els) = (self.statements(then), self.side(*els));
                    out.push(Stmt::Expr(choice(*cond, block(then, span), Some(els), span)));
                    return out;
                }
                ExprKind::If(cond, then, els) => {
                    let (then, els) = (self.side(*then), els.map(|e| self.side(*e)));
                    out.push(Stmt::Expr(choice(*cond, then, els, span)));
                }
                ExprKind::Unsafe(body) => {
                    let body = Box::new(self.side(*body));
                    out.push(Stmt::Expr(Expr { kind: ExprKind::Unsafe(body), span }));
                }
                ExprKind::Block(..) => out.push(Stmt::Expr(self.side(e))),
                // It stands inside of another expression, where it is a mistake.
                kind => {
                    out.push(Stmt::Expr(Expr { kind, span }));
                    continue;
                }
            }
            let rest: Vec<Stmt> = rest.collect();
            if !rest.is_empty() {
                self.asks = true;
                let rest = block(self.statements(rest), span);
                out.push(Stmt::Expr(choice(not(name(OVER, span)), rest, None, span)));
            }
            return out;
        }
        out
    }

    fn side(&mut self, side: Expr) -> Expr {
        let span = side.span;
        block(self.statements(inside(side)), span)
    }

    fn leave(&mut self, how: Leave, span: Span, out: &mut Vec<Stmt>) {
        if how == Leave::Break {
            self.breaks = Breaks::Yes;
            out.push(assign(LEFT, truth(true, span), span));
        }
        if self.asks {
            out.push(assign(OVER, truth(true, span), span));
        }
    }
}

/// The statements of a block; an expression is one.
fn inside(e: Expr) -> Vec<Stmt> {
    match e.kind {
        ExprKind::Block(stmts, value) => stmts.into_iter().chain(value.map(|v| Stmt::Expr(*v))).collect(),
        _ => vec![Stmt::Expr(e)],
    }
}

/// Whether a statement may end the round: loops inside have had theirs taken out.
fn leaves(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Leave(_) => true,
        ExprKind::If(_, then, els) => leaves(then) || els.as_deref().is_some_and(leaves),
        ExprKind::Unsafe(body) => leaves(body),
        ExprKind::Block(stmts, value) => {
            stmts.iter().any(|s| matches!(s, Stmt::Expr(e) if leaves(e))) || value.as_deref().is_some_and(leaves)
        }
        _ => false,
    }
}

/// Whether its last statement ends the round.
fn ends(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Leave(_) => true,
        ExprKind::Block(_, Some(value)) => ends(value),
        ExprKind::Block(stmts, None) => matches!(stmts.last(), Some(Stmt::Expr(e)) if ends(e)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::{SpanTable, parse_module, print_fn};

    /// The body of a loop in a function, spelled out, on one line.
    fn spelled_out(body: &str) -> String {
        let text = format!("fn f(a: bool, b: bool) {{ {body} }}");
        let module = parse_module(text.parse().unwrap(), &mut SpanTable::default()).unwrap();
        let printed = print_fn(&module.fns[0]);
        printed.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_follows_is_the_other_side() {
        let text = spelled_out("while a { if b { continue; } g(); }");
        assert!(text.contains("while a { if b { } else { g(); }; }"), "{text}");
    }

    #[test]
    fn a_loop_that_is_left_tests_it() {
        let text = spelled_out("while a { g(); if b { break; } }");
        assert!(text.contains("let mut the loop is left = false; while (!the loop is left) && a {"), "{text}");
        assert!(text.contains("if b { the loop is left = true; } else { };"), "{text}");
    }

    #[test]
    fn what_follows_an_if_that_may_leave_asks() {
        let text = spelled_out("while a { if b { if a { continue; } g(); } h(); }");
        assert!(text.contains("the round is over = true"), "{text}");
        assert!(text.contains("if !the round is over { h(); }"), "{text}");
    }

    #[test]
    fn a_loop_inside_keeps_its_own() {
        let text = spelled_out("while a { while b { break; } g(); }");
        assert!(text.contains("while a {") && !text.contains("the round"), "{text}");
    }
}
