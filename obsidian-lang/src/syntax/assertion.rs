//! `assert!` in kernels: a condition, and a text that may show one value. In: the macro's tokens. Out: an expression.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Token;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::ast::{Expr, ExprKind, Told};
use super::expr::Lower;
use obsidian_ir::diag::{Diagnostic, Result, Span};

/// What stands in the parentheses.
struct Arguments {
    cond: syn::Expr,
    text: Option<syn::LitStr>,
    values: Vec<syn::Expr>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Arguments> {
        let cond = input.parse()?;
        let (mut text, mut values) = (None, Vec::new());
        if input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            text = Some(input.parse()?);
            if input.parse::<Option<Token![,]>>()?.is_some() {
                values = Punctuated::<syn::Expr, Token![,]>::parse_terminated(input)?.into_iter().collect();
            }
        }
        Ok(Arguments { cond, text, values })
    }
}

impl Lower<'_> {
    /// `assert!(cond, "text {}", value)`.
    pub(super) fn assertion(&mut self, tokens: &TokenStream, span: Span) -> Result<Expr> {
        let Arguments { cond, text, values } = syn::parse2(tokens.clone()).map_err(|e| {
            let at = self.spans.add(e.span());
            let message = format!("this is not a condition and a text: {e}");
            Box::new(Diagnostic::new("OB001", at, message).help("write `assert!(x < 10, \"x is {}\", x)`"))
        })?;
        let (told, named) = match &text {
            Some(text) => {
                let at = self.spans.add(text.span());
                self.told(&text.value(), at)?
            }
            None => (Told { before: unsaid(&cond), after: String::new() }, Shown::Nothing),
        };
        let value = match (named, values.as_slice()) {
            (Shown::Nothing, []) => None,
            (Shown::Given, [value]) => Some(Box::new(self.expr(value)?)),
            (Shown::Named(name), []) => Some(Box::new(Expr { kind: ExprKind::Name(name), span })),
            _ => {
                let at = values.first().map_or(span, |v| self.spans.add(v.span()));
                return Err(Box::new(
                    Diagnostic::new("OB022", at, "the text and the values of this `assert!` do not fit together")
                        .note("a text shows at most one value, where it has `{}` or `{name}`")
                        .help("write `assert!(x < 10, \"x is {}\", x)`"),
                ));
            }
        };
        Ok(Expr { kind: ExprKind::Assert(Box::new(self.expr(&cond)?), told, value), span })
    }

    /// The parts of a text around its `{}`.
    fn told(&mut self, text: &str, at: Span) -> Result<(Told, Shown)> {
        let (mut parts, mut shown) = (vec![String::new()], Shown::Nothing);
        let mut rest = text.chars().peekable();
        let wrong = || {
            Box::new(
                Diagnostic::new("OB022", at, "this text shows more than one value, or not as a kernel can")
                    .help("write `{}` or `{name}` once; the braces themselves are `{{` and `}}`"),
            )
        };
        while let Some(c) = rest.next() {
            let part = parts.last_mut().ok_or_else(wrong)?;
            match c {
                '{' | '}' if rest.peek() == Some(&c) => part.extend(rest.next()),
                '{' => {
                    let name: String = rest.by_ref().take_while(|c| *c != '}').collect();
                    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
                    if !plain || shown != Shown::Nothing {
                        return Err(wrong());
                    }
                    shown = if name.is_empty() { Shown::Given } else { Shown::Named(name) };
                    parts.push(String::new());
                }
                '}' => return Err(wrong()),
                c => part.push(c),
            }
        }
        let after = if parts.len() > 1 { parts.swap_remove(1) } else { String::new() };
        Ok((Told { before: parts.swap_remove(0), after }, shown))
    }
}

/// What a text shows.
#[derive(Debug, PartialEq, Eq)]
enum Shown {
    Nothing,
    /// The value after the text.
    Given,
    /// A variable.
    Named(String),
}

/// What is said where the author says nothing.
fn unsaid(cond: &syn::Expr) -> String {
    format!("`{}` does not hold", cond.to_token_stream())
}
