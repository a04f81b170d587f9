//! `assert!`, `print!` and `println!` in kernels: a text that may show values. In: the macro's tokens. Out: an expression.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Token;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::ast::{Expr, ExprKind, Message};
use super::expr::Lower;
use obsidian_ir::diag::{Diagnostic, Result, Span};

/// A text and what it shows, as they stand in the parentheses.
struct Text {
    text: syn::LitStr,
    values: Vec<syn::Expr>,
}

impl Parse for Text {
    fn parse(input: ParseStream<'_>) -> syn::Result<Text> {
        let (text, mut values) = (input.parse()?, Vec::new());
        if input.parse::<Option<Token![,]>>()?.is_some() {
            values = Punctuated::<syn::Expr, Token![,]>::parse_terminated(input)?.into_iter().collect();
        }
        Ok(Text { text, values })
    }
}

/// A condition, and a text if there is one.
fn condition(input: ParseStream<'_>) -> syn::Result<(syn::Expr, Option<Text>)> {
    let cond = input.parse()?;
    let more = input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty();
    Ok((cond, if more { Some(input.parse()?) } else { None }))
}

/// A macro that tells something, and what it is good for.
struct Macro {
    name: &'static str,
    /// Values that its text may show.
    most: usize,
    example: &'static str,
}

const ASSERT: Macro = Macro { name: "assert!", most: 1, example: "assert!(x < 10, \"x is {}\", x)" };
const PRINT: Macro = Macro { name: "print!", most: 16, example: "print!(\"x is {}, y is {}\", x, y)" };

/// What is to be shown between two parts of a text.
enum Shown {
    /// The next value after the text.
    Given,
    /// A variable.
    Named(String),
}

impl Lower<'_> {
    /// `assert!(cond, "text {}", value)`.
    pub(super) fn assertion(&mut self, tokens: &TokenStream, span: Span) -> Result<Expr> {
        let wrong = |e| self.not_a_text(&ASSERT, "a condition and a text", e);
        let (cond, text) = condition.parse2(tokens.clone()).map_err(wrong)?;
        let message = match &text {
            Some(text) => self.message(&ASSERT, text, span)?,
            None => self.without_values(unsaid(&cond), span),
        };
        Ok(Expr { kind: ExprKind::Assert(Box::new(self.expr(&cond)?), message), span })
    }

    /// `print!("text {}", value)`, and whatever `end` is behind it.
    pub(super) fn print(&mut self, tokens: &TokenStream, end: &str, span: Span) -> Result<Expr> {
        let mut message = if tokens.is_empty() {
            self.without_values(String::new(), span)
        } else {
            let text = syn::parse2(tokens.clone()).map_err(|e| self.not_a_text(&PRINT, "a text", e))?;
            self.message(&PRINT, &text, span)?
        };
        message.parts.last_mut().into_iter().for_each(|last| last.push_str(end));
        Ok(Expr { kind: ExprKind::Print(message), span })
    }

    fn not_a_text(&mut self, of: &Macro, what: &str, e: syn::Error) -> Box<Diagnostic> {
        let at = self.spans.add(e.span());
        let message = format!("this is not {what}: {e}");
        Box::new(Diagnostic::new("OB001", at, message).help(format!("write `{}`", of.example)))
    }

    fn message(&mut self, of: &Macro, Text { text, values }: &Text, span: Span) -> Result<Message<Expr>> {
        let at = self.spans.add(text.span());
        let wrong = |message: String| {
            let help = "write `{}` or `{name}` for a value; the braces themselves are `{{` and `}}`";
            Box::new(Diagnostic::new("OB022", at, message).help(help))
        };
        let (parts, shown) = parts(&text.value())
            .ok_or_else(|| wrong("this text shows a value in a way that a kernel cannot".into()))?;
        if shown.len() > of.most {
            let (n, most) = (shown.len(), of.most);
            return Err(wrong(format!("this text shows {n} values, and that of `{}` at most {most}", of.name)));
        }
        let given = shown.iter().filter(|shown| matches!(shown, Shown::Given)).count();
        if given != values.len() {
            let at = values.get(given).map_or(span, |v| self.spans.add(v.span()));
            return Err(Box::new(
                Diagnostic::new(
                    "OB022",
                    at,
                    format!("the text and the values of this `{}` do not fit together", of.name),
                )
                .note(format!("places `{{}}` in the text: {given}, values behind it: {}", values.len()))
                .help(format!("write `{}`", of.example)),
            ));
        }
        let mut given = values.iter();
        let mut all = Vec::new();
        for shown in shown {
            all.push(match (shown, given.as_slice()) {
                (Shown::Given, [value, ..]) => {
                    given.next();
                    self.expr(value)?
                }
                (Shown::Named(text), _) => Expr { kind: ExprKind::Name(text), span: at },
                (Shown::Given, []) => continue,
            });
        }
        Ok(Message { parts, values: all, place: self.spans.told(span) })
    }

    fn without_values(&self, text: String, span: Span) -> Message<Expr> {
        Message { parts: vec![text], values: Vec::new(), place: self.spans.told(span) }
    }
}

/// The parts of a text around what is shown; `None` if it shows something in another way than `{}` or `{name}`.
fn parts(text: &str) -> Option<(Vec<String>, Vec<Shown>)> {
    let (mut parts, mut last, mut shown) = (Vec::new(), String::new(), Vec::new());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '{' | '}' if rest.peek() == Some(&c) => last.extend(rest.next()),
            '{' => {
                let mut name = String::new();
                loop {
                    match rest.next()? {
                        '}' => break,
                        c if c.is_alphanumeric() || c == '_' => name.push(c),
                        _ => return None,
                    }
                }
                shown.push(if name.is_empty() { Shown::Given } else { Shown::Named(name) });
                parts.push(std::mem::take(&mut last));
            }
            '}' => return None,
            c => last.push(c),
        }
    }
    parts.push(last);
    Some((parts, shown))
}

/// What is said where the author says nothing.
fn unsaid(cond: &syn::Expr) -> String {
    format!("`{}` does not hold", cond.to_token_stream())
}
