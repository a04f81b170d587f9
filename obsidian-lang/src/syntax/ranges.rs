//! Ranges that go backwards or by steps, `(a..b).rev()` and `(a..b).step_by(k)`, spelled out over ranges that go up by one. In: the expression
//! that a `for` goes over. Out: a range, and what of its index the pattern is bound to.

use super::ast::{Expr, ExprKind, Mutability, Name, Pat, RangeEnd, Stmt};
use super::expr::Lower;
use super::leaving;
use super::made::{binary, bind, block, choice, name};
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::BinOp;
use syn::spanned::Spanned;

/// The ends of the range, the step, and the index of the loop that goes up by one. The names contain spaces, so that no name in the source
/// can be the same.
const START: &str = "the start of the range";
const END: &str = "the end of the range";
const STEP: &str = "the step of the range";
const INDEX: &str = "the index in the range";
/// The elements of the range but the last one's, and the round, of a loop by steps.
const LENGTH: &str = "the length of the range";
const ROUND: &str = "the round in the range";

/// How a range is gone over.
struct Turned<'e> {
    range: &'e syn::ExprRange,
    backwards: bool,
    step: Option<&'e syn::Expr>,
}

/// A `for`.
///
/// # Errors
/// `OB002` where it goes over something else.
pub(super) fn for_loop(lower: &mut Lower<'_>, f: &syn::ExprForLoop, span: Span) -> Result<Stmt> {
    let turned = turned(lower, &f.expr)?;
    let (start, end, inclusive) = ends(lower, turned.range)?;
    let pat = lower.pat(&f.pat)?;
    let (start, end) = (lower.expr(start)?, lower.expr(end)?);
    let step = turned.step.map(|step| lower.expr(step)).transpose()?;
    let body = lower.block(&f.body)?;
    if !turned.backwards && step.is_none() {
        return Ok(leaving::for_loop(span, pat, (start, end), inclusive, body));
    }
    let mut stmts = vec![bind(START, start, span), bind(END, end, span)];
    stmts.extend(step.clone().map(|step| bind(STEP, step, span)));
    let index = if turned.backwards { backwards(inclusive, span) } else { name(INDEX, span) };
    let body = with(pat, index, body);
    stmts.push(match step {
        None => leaving::for_loop(span, fixed(INDEX, span), (name(START, span), name(END, span)), inclusive, body),
        Some(_) => by_steps(span, inclusive, body),
    });
    Ok(Stmt::Expr(block(stmts, span)))
}

/// The range, and what is called on it.
fn turned<'e>(lower: &mut Lower<'_>, e: &'e syn::Expr) -> Result<Turned<'e>> {
    match e {
        syn::Expr::Range(range) => Ok(Turned { range, backwards: false, step: None }),
        syn::Expr::Paren(inner) => turned(lower, &inner.expr),
        syn::Expr::MethodCall(call) => {
            let inner = turned(lower, &call.receiver)?;
            let args: Vec<&syn::Expr> = call.args.iter().collect();
            match (call.method.to_string().as_str(), args.as_slice(), &inner) {
                ("rev", [], Turned { backwards: false, step: None, .. }) => Ok(Turned { backwards: true, ..inner }),
                ("step_by", [step], Turned { step: None, .. }) => Ok(Turned { step: Some(step), ..inner }),
                _ => Err(no_range(lower, call.method.span())),
            }
        }
        _ => Err(no_range(lower, e.span())),
    }
}

fn no_range(lower: &mut Lower<'_>, at: proc_macro2::Span) -> Box<Diagnostic> {
    let help =
        "write `for i in 0..n { .. xs[i] .. }`, or over `(0..n).rev()`, `(0..n).step_by(k)`, `(0..n).rev().step_by(k)`";
    Box::new(Diagnostic::new("OB002", lower.spans.add(at), "`for` goes over a range").help(help))
}

/// Both ends.
fn ends<'e>(lower: &mut Lower<'_>, range: &'e syn::ExprRange) -> Result<(&'e syn::Expr, &'e syn::Expr, RangeEnd)> {
    let (Some(start), Some(end)) = (&range.start, &range.end) else {
        let at = lower.spans.add(range.span());
        return Err(Box::new(
            Diagnostic::new("OB002", at, "this range has no start or no end").help("write `a..b` or `a..=b`"),
        ));
    };
    let inclusive = match range.limits {
        syn::RangeLimits::HalfOpen(_) => RangeEnd::Exclusive,
        syn::RangeLimits::Closed(_) => RangeEnd::Inclusive,
    };
    Ok((start, end, inclusive))
}

/// A loop over every `STEP`th index: round by round, where nothing wraps, and with a test that the index is in the range.
fn by_steps(span: Span, inclusive: RangeEnd, body: Expr) -> Stmt {
    let of = |text| name(text, span);
    let is_some = binary(BinOp::Gt, of(END), of(START));
    let length = choice(is_some, value(binary(BinOp::Sub, of(END), of(START))), Some(value(int(0, span))), span);
    let (below, first) = (if inclusive == RangeEnd::Inclusive { BinOp::Le } else { BinOp::Lt }, int(0, span));
    let last = binary(BinOp::Div, of(LENGTH), of(STEP));
    let index = binary(BinOp::Add, of(START), binary(BinOp::Mul, of(ROUND), of(STEP)));
    let round = vec![
        Stmt::Let(fixed(INDEX, span), index),
        Stmt::Expr(choice(binary(below, of(INDEX), of(END)), body, None, span)),
    ];
    let rounds = leaving::for_loop(span, fixed(ROUND, span), (first, last), RangeEnd::Inclusive, block(round, span));
    Stmt::Expr(block(vec![bind(LENGTH, length, span), rounds], span))
}

fn fixed(text: &str, span: Span) -> Pat {
    Pat::Var { name: Name { text: text.to_string(), span }, mutable: Mutability::Fixed }
}

/// A block that has the value.
fn value(e: Expr) -> Expr {
    let span = e.span;
    Expr { kind: ExprKind::Block(Vec::new(), Some(Box::new(e))), span }
}

/// The body, with the pattern bound to that.
fn with(pat: Pat, value: Expr, body: Expr) -> Expr {
    let span = body.span;
    block(vec![Stmt::Let(pat, value), Stmt::Expr(body)], span)
}

/// The number that stands as far from the end of the range as the index from its start.
fn backwards(inclusive: RangeEnd, span: Span) -> Expr {
    let last = match inclusive {
        RangeEnd::Inclusive => name(END, span),
        RangeEnd::Exclusive => binary(BinOp::Sub, name(END, span), int(1, span)),
    };
    binary(BinOp::Sub, last, binary(BinOp::Sub, name(INDEX, span), name(START, span)))
}

fn int(n: u64, span: Span) -> Expr {
    Expr { kind: ExprKind::Int(n, None), span }
}
