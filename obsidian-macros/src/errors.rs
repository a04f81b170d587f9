//! Diagnostics as `compile_error!`s at the author's tokens.

use obsidian_ir::diag::{self, Diagnostic};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Reports all errors; one without a place is reported at the first of `tokens`.
pub fn report(errors: &[Diagnostic], spans: &SpanTable, tokens: &TokenStream) -> TokenStream {
    let first = tokens.clone().into_iter().next().map_or_else(Span::call_site, |t| t.span());
    let at = |e: &Diagnostic| if e.span == diag::Span::NONE { first } else { spans.get(e.span) };
    errors.iter().map(|e| compile_error(e, at(e))).collect()
}

/// `::core::compile_error! { "message" }`, every token at `span`.
fn compile_error(error: &Diagnostic, span: Span) -> TokenStream {
    let mut message = Literal::string(&error.to_string());
    message.set_span(span);
    let body = TokenTree::Literal(message);
    let mut group = Group::new(Delimiter::Brace, [body].into_iter().collect());
    group.set_span(span);
    let punct = |c, spacing| {
        let mut p = Punct::new(c, spacing);
        p.set_span(span);
        TokenTree::Punct(p)
    };
    [
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        TokenTree::Ident(Ident::new("core", span)),
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        TokenTree::Ident(Ident::new("compile_error", span)),
        punct('!', Spacing::Alone),
        TokenTree::Group(group),
    ]
    .into_iter()
    .collect()
}
