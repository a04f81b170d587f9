//! `match` on integers, booleans and tuples of them, spelled out as a chain of `if`s over the matched value: as for any
//! `if`, a known value decides while compiling, and an unknown one becomes a choice. In: `syn`'s arms. Out: an
//! expression.

use syn::spanned::Spanned;

use super::ast::{Expr, ExprKind, Mutability, Name, Pat, Stmt};
use super::expr::Lower;
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::{BinOp, UnOp};

/// The variable that holds the matched value. It contains spaces, so that no name in the source can be the same.
const MATCHED: &str = "the matched value";
/// A `match` on more boolean fields than this needs a `_`: all their combinations are enumerated.
const MAX_BOOLS: usize = 10;

/// A pattern.
pub(super) enum Test {
    /// Matches all.
    Any,
    /// A name, and what else must hold.
    Bind(Name, Mutability, Box<Test>),
    /// A literal or a constant.
    Equal(Expr),
    /// From, to, and whether the end belongs to it.
    Range(Option<Expr>, Option<(BinOp, Expr)>, Span),
    /// One of several.
    Or(Vec<Test>, Span),
    /// Each field.
    Tuple(Vec<Test>, Span),
}

/// An arm.
pub(super) struct Arm {
    pub(super) test: Test,
    pub(super) guard: Option<Expr>,
    pub(super) body: Expr,
    pub(super) span: Span,
}

impl Lower<'_> {
    /// A `match`.
    pub(super) fn matching(&mut self, m: &syn::ExprMatch) -> Result<Expr> {
        let span = self.spans.add(m.match_token.span);
        let value = self.expr(&m.expr)?;
        let mut arms = m.arms.iter().map(|a| self.arm(a)).collect::<Result<Vec<_>>>()?;
        let last = exhaustive(&arms, span)?;
        arms.truncate(last + 1);
        Ok(chosen(value, arms, span))
    }

    fn arm(&mut self, arm: &syn::Arm) -> Result<Arm> {
        let span = self.spans.add(arm.pat.span());
        let test = self.test(&arm.pat)?;
        let guard = arm.guard.as_ref().map(|(_, guard)| self.expr(guard)).transpose()?;
        Ok(Arm { test, guard, body: self.expr(&arm.body)?, span })
    }

    pub(super) fn test(&mut self, pat: &syn::Pat) -> Result<Test> {
        let span = self.spans.add(pat.span());
        Ok(match pat {
            syn::Pat::Wild(_) => Test::Any,
            syn::Pat::Paren(p) => self.test(&p.pat)?,
            syn::Pat::Ident(p) if p.by_ref.is_none() => {
                let inner = p.subpat.as_ref().map_or(Ok(Test::Any), |(_, sub)| self.test(sub))?;
                let mutable = if p.mutability.is_some() { Mutability::Mutable } else { Mutability::Fixed };
                let name = self.name(&p.ident);
                // As in Rust, a name in capitals is a constant: here a `const` generic.
                if p.subpat.is_none() && !name.text.contains(char::is_lowercase) {
                    return Ok(Test::Equal(Expr { kind: ExprKind::Name(name.text), span }));
                }
                Test::Bind(name, mutable, Box::new(inner))
            }
            syn::Pat::Lit(l) => Test::Equal(self.constant(&syn::Expr::Lit(l.clone()))?),
            syn::Pat::Path(p) => Test::Equal(self.constant(&syn::Expr::Path(p.clone()))?),
            syn::Pat::Range(r) => {
                let start = r.start.as_ref().map(|e| self.constant(e)).transpose()?;
                let op = match r.limits {
                    syn::RangeLimits::HalfOpen(_) => BinOp::Lt,
                    syn::RangeLimits::Closed(_) => BinOp::Le,
                };
                let end = r.end.as_ref().map(|e| self.constant(e)).transpose()?.map(|e| (op, e));
                Test::Range(start, end, span)
            }
            syn::Pat::Or(o) => {
                let cases = o.cases.iter().map(|p| self.test(p)).collect::<Result<Vec<_>>>()?;
                if cases.iter().any(Test::binds) {
                    return Err(Box::new(
                        Diagnostic::new("OB002", span, "the sides of `|` cannot bind names")
                            .help("write an arm for each side, or bind the whole: `x @ (1 | 2) => ..`"),
                    ));
                }
                Test::Or(cases, span)
            }
            syn::Pat::Tuple(t) => Test::Tuple(t.elems.iter().map(|p| self.test(p)).collect::<Result<Vec<_>>>()?, span),
            _ => {
                return Err(Box::new(
                    Diagnostic::new("OB002", span, "this pattern is not part of the kernel language").help(
                        "literals, ranges `1..=3`, `a | b`, tuples, names and `_` are; conditions go into a guard",
                    ),
                ));
            }
        })
    }

    /// A constant in a pattern; `-1` is one literal there.
    fn constant(&mut self, e: &syn::Expr) -> Result<Expr> {
        if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(i), .. }) = e
            && let Some(digits) = i.base10_digits().strip_prefix('-')
        {
            let text = format!("{digits}{}", i.suffix());
            let positive = syn::Lit::Int(syn::LitInt::new(&text, i.span()));
            let inner = self.expr(&syn::Expr::Lit(syn::ExprLit { attrs: Vec::new(), lit: positive }))?;
            let span = inner.span;
            return Ok(Expr { kind: ExprKind::Unary(UnOp::Neg, Box::new(inner)), span });
        }
        self.expr(e)
    }
}

impl Test {
    /// Whether it matches every value.
    fn is_any(&self) -> bool {
        match self {
            Test::Any => true,
            Test::Bind(_, _, inner) => inner.is_any(),
            Test::Tuple(parts, _) => parts.iter().all(Test::is_any),
            Test::Or(cases, _) => cases.iter().any(Test::is_any),
            Test::Equal(_) => false,
            Test::Range(start, end, _) => start.is_none() && end.is_none(),
        }
    }

    fn binds(&self) -> bool {
        match self {
            Test::Bind(..) => true,
            Test::Or(parts, _) | Test::Tuple(parts, _) => parts.iter().any(Test::binds),
            _ => false,
        }
    }

    /// The condition under which `place` matches; `None`: always.
    fn condition(&self, place: &Expr) -> Option<Expr> {
        match self {
            Test::Any => None,
            Test::Bind(_, _, inner) => inner.condition(place),
            Test::Equal(value) => Some(binary(BinOp::Eq, place, value, value.span)),
            Test::Range(start, end, span) => {
                let from = start.as_ref().map(|s| binary(BinOp::Ge, place, s, *span));
                let to = end.as_ref().map(|(op, e)| binary(*op, place, e, *span));
                join(BinOp::And, from, to, *span)
            }
            Test::Or(cases, span) => {
                let mut all = cases.iter().map(|c| c.condition(place));
                let first = all.next()??;
                all.try_fold(first, |a, b| b.map(|b| logic(BinOp::Or, a, b, *span)))
            }
            Test::Tuple(parts, span) => {
                let parts = parts.iter().zip(0..).map(|(p, i)| p.condition(&field(place, i)));
                parts.fold(None, |a, b| join(BinOp::And, a, b, *span))
            }
        }
    }

    /// The names that it binds, as statements. A pattern of a tuple says that the value is one.
    fn bindings(&self, place: &Expr, out: &mut Vec<Stmt>) {
        match self {
            Test::Bind(name, mutable, inner) => {
                let pat = Pat::Var { name: name.clone(), mutable: *mutable };
                out.push(Stmt::Let(pat, place.clone()));
                inner.bindings(place, out);
            }
            Test::Tuple(parts, span) => {
                let shape = Pat::Tuple(*span, parts.iter().map(|_| Pat::Wild(*span)).collect());
                out.push(Stmt::Let(shape, place.clone()));
                parts.iter().zip(0..).for_each(|(p, i)| p.bindings(&field(place, i), out));
            }
            _ => {}
        }
    }

    /// Notes what the pattern says about the shape of the value; `false` if it tests anything but booleans.
    fn shape(&self, shape: &mut Shape) -> bool {
        match self {
            Test::Any => true,
            Test::Bind(_, _, inner) => inner.shape(shape),
            Test::Equal(Expr { kind: ExprKind::Bool(_), .. }) => true,
            Test::Or(cases, _) => cases.iter().all(|c| c.shape(shape)),
            Test::Tuple(parts, _) => {
                if let Shape::One = shape {
                    *shape = Shape::Tuple(parts.iter().map(|_| Shape::One).collect());
                }
                match shape {
                    Shape::Tuple(fields) if fields.len() == parts.len() => {
                        parts.iter().zip(fields).all(|(p, f)| p.shape(f))
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Whether the pattern matches a value of that shape whose booleans are `row`; takes them from the front of the
    /// row.
    fn accepts(&self, shape: &Shape, row: &mut &[bool]) -> bool {
        match (self, shape) {
            (Test::Bind(_, _, inner), _) => inner.accepts(shape, row),
            (Test::Equal(Expr { kind: ExprKind::Bool(b), .. }), Shape::One) => row.split_off_first() == Some(b),
            (Test::Tuple(parts, _), Shape::Tuple(fields)) => {
                // Every field takes its part of the row, even if one before it did not match.
                parts.iter().zip(fields).fold(true, |all, (p, f)| p.accepts(f, row) && all)
            }
            (Test::Or(cases, _), _) => {
                let before = *row;
                let any = cases.iter().any(|case| case.accepts(shape, &mut { before }));
                *row = before.get(shape.size()..).unwrap_or_default();
                any
            }
            _ => {
                *row = row.get(shape.size()..).unwrap_or_default();
                matches!(self, Test::Any)
            }
        }
    }
}

/// The shape of a value of which only booleans are tested.
enum Shape {
    /// A boolean, or a value that no pattern tests.
    One,
    /// A tuple.
    Tuple(Vec<Shape>),
}

impl Shape {
    fn size(&self) -> usize {
        match self {
            Shape::One => 1,
            Shape::Tuple(fields) => fields.iter().map(Shape::size).sum(),
        }
    }
}

/// The index of the arm after which every value has been matched.
fn exhaustive(arms: &[Arm], span: Span) -> Result<usize> {
    if let Some(last) = arms.iter().position(|a| a.guard.is_none() && a.test.is_any()) {
        return Ok(last);
    }
    let sure = || arms.iter().filter(|a| a.guard.is_none());
    let mut shape = Shape::One;
    if sure().all(|a| a.test.shape(&mut shape)) && shape.size() <= MAX_BOOLS {
        let n = shape.size();
        let row = |k: u32| (0..n).map(|bit| k >> bit & 1 == 1).collect::<Vec<bool>>();
        if (0..1u32 << n).all(|k| sure().any(|a| a.test.accepts(&shape, &mut row(k).as_slice())))
            && let Some(last) = arms.iter().rposition(|a| a.guard.is_none())
        {
            return Ok(last);
        }
    }
    let at = arms.last().map_or(span, |a| a.span);
    Err(Box::new(
        Diagnostic::new("OB009", at, "this `match` does not say what happens with every value")
            .note("only `_`, a name, or all of `true` and `false` are taken to cover what is left")
            .help("end it with an arm for the others: `_ => ..`"),
    ))
}

/// The value of the first arm that matches, of arms of which the last takes what is left.
pub(super) fn chosen(value: Expr, arms: Vec<Arm>, span: Span) -> Expr {
    let mut chain = None;
    for arm in arms.into_iter().rev() {
        chain = Some(step(arm, chain));
    }
    let name = Name { text: MATCHED.to_string(), span };
    let bound = Stmt::Let(Pat::Var { name, mutable: Mutability::Fixed }, value);
    Expr { kind: ExprKind::Block(vec![bound], chain.map(Box::new)), span }
}

/// An arm, before the rest of the chain. The last arm needs no test.
fn step(arm: Arm, rest: Option<Expr>) -> Expr {
    let place = Expr { kind: ExprKind::Name(MATCHED.to_string()), span: arm.span };
    let mut names = Vec::new();
    arm.test.bindings(&place, &mut names);
    let with_names = |e: Expr| {
        let span = e.span;
        if names.is_empty() { e } else { Expr { kind: ExprKind::Block(names.clone(), Some(Box::new(e))), span } }
    };
    let guard = arm.guard.map(&with_names);
    let body = with_names(arm.body);
    let Some(rest) = rest else { return body };
    match join(BinOp::And, arm.test.condition(&place), guard, arm.span) {
        Some(cond) => {
            let kind = ExprKind::If(Box::new(cond), Box::new(body), Some(Box::new(rest)));
            Expr { kind, span: arm.span }
        }
        None => body,
    }
}

fn field(place: &Expr, i: u32) -> Expr {
    Expr { kind: ExprKind::Field(Box::new(place.clone()), i), span: place.span }
}

fn binary(op: BinOp, a: &Expr, b: &Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(a.clone()), Box::new(b.clone())), span }
}

fn logic(op: BinOp, a: Expr, b: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::Logic(op, Box::new(a), Box::new(b)), span }
}

fn join(op: BinOp, a: Option<Expr>, b: Option<Expr>, span: Span) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(logic(op, a, b, span)),
        (a, b) => a.or(b),
    }
}
