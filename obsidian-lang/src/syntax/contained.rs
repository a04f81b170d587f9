//! `matches!(x, 1..=3 | 7)` and `(a..b).contains(&x)`: a `match` that gives `true` or `false`. In: the macro's tokens, or the range and
//! what it is asked about. Out: an expression.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;

use super::ast::Expr;
use super::expr::Lower;
use super::made::truth;
use super::matching::{Arm, Test, chosen};
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::BinOp;

impl Lower<'_> {
    /// `matches!(value, pattern if guard)`.
    ///
    /// # Errors
    /// `OB001` where the tokens are something else.
    pub(super) fn is_matched(&mut self, tokens: &TokenStream, span: Span) -> Result<Expr> {
        let (value, pat, guard) = tested.parse2(tokens.clone()).map_err(|e| {
            let message = format!("this is not a value and a pattern: {e}");
            let help = "write `matches!(x, 0 | 3..=5)`";
            Box::new(Diagnostic::new("OB001", self.spans.add(e.span()), message).help(help))
        })?;
        let value = self.expr(&value)?;
        let test = self.test(&pat)?;
        let guard = guard.map(|guard| self.expr(&guard)).transpose()?;
        Ok(one_of(value, test, guard, span))
    }

    /// `range.contains(&x)`; `None` where the call is another.
    pub(super) fn is_contained(&mut self, call: &syn::ExprMethodCall) -> Option<Result<Expr>> {
        let range = range(&call.receiver).filter(|_| call.method == "contains")?;
        let mut args = call.args.iter();
        let (Some(syn::Expr::Reference(x)), None) = (args.next(), args.next()) else { return None };
        let span = self.spans.add(call.method.span());
        Some(self.expr(&x.expr).and_then(|value| Ok(one_of(value, self.within(range)?, None, span))))
    }

    /// The test that a value lies in a range.
    fn within(&mut self, range: &syn::ExprRange) -> Result<Test> {
        let span = self.spans.add(range.span());
        let below = if matches!(range.limits, syn::RangeLimits::HalfOpen(_)) { BinOp::Lt } else { BinOp::Le };
        let start = range.start.as_ref().map(|start| self.expr(start)).transpose()?;
        let end = range.end.as_ref().map(|end| self.expr(end)).transpose()?;
        Ok(Test::Range(start, end.map(|end| (below, end)), span))
    }
}

fn range(e: &syn::Expr) -> Option<&syn::ExprRange> {
    match e {
        syn::Expr::Paren(inner) => range(&inner.expr),
        syn::Expr::Range(range) => Some(range),
        _ => None,
    }
}

fn one_of(value: Expr, test: Test, guard: Option<Expr>, span: Span) -> Expr {
    let yes = Arm { test, guard, body: truth(true, span), span };
    let no = Arm { test: Test::Any, guard: None, body: truth(false, span), span };
    chosen(value, vec![yes, no], span)
}

/// What `matches!` is given.
fn tested(input: ParseStream<'_>) -> syn::Result<(syn::Expr, syn::Pat, Option<syn::Expr>)> {
    let value = input.parse()?;
    input.parse::<syn::Token![,]>()?;
    let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
    let guard = if input.peek(syn::Token![if]) {
        input.parse::<syn::Token![if]>()?;
        Some(input.parse()?)
    } else {
        None
    };
    input.parse::<Option<syn::Token![,]>>()?;
    Ok((value, pat, guard))
}
