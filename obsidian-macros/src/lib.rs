//! `kernel!` and `#[kernel]`: tokens in, tokens out, errors at the author's tokens. All compiling is `obsidian-ir`'s.

use obsidian_ir::compiler::{Compiled, compile};
use obsidian_ir::diag::Diagnostic;
use obsidian_ir::syntax::SpanTable;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Functions of the kernel language that see one another. Each `#[kernel(..)] fn` among them becomes an item that the
/// host can launch; the others are helpers and vanish.
///
/// The language, its types and its library are described in the guide. The macro checks levels and types, evaluates each
/// entry, and embeds PTX, CUDA C and a native CPU version.
#[proc_macro]
pub fn kernel(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input.into()).into()
}

/// One entry in attribute form, `#[kernel(threads = 256)] fn`, or `kernel!` around the contents of an inline module.
#[proc_macro_attribute]
pub fn kernel_attribute(attr: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let item: TokenStream = item.into();
    match inline_module(&item) {
        Some((head, body)) => {
            let mut out = head;
            out.extend([TokenTree::Group(Group::new(Delimiter::Brace, expand(body)))]);
            out.into()
        }
        None => expand(with_attribute(attr.into(), item)).into(),
    }
}

fn expand(tokens: TokenStream) -> TokenStream {
    let mut spans = SpanTable::default();
    match compile(tokens, &mut spans) {
        Ok(entries) => entries.iter().map(item).collect(),
        Err(errors) => errors.iter().map(|e| compile_error(e, spans.get(e.span))).collect(),
    }
}

fn item(entry: &Compiled) -> TokenStream {
    obsidian_ir::backend::item(entry)
}

/// `vis mod name` and the contents of its braces, if the item is an inline module.
fn inline_module(item: &TokenStream) -> Option<(TokenStream, TokenStream)> {
    let mut head: Vec<TokenTree> = item.clone().into_iter().collect();
    let is_module = head.iter().rev().nth(2).is_some_and(|t| matches!(t, TokenTree::Ident(i) if i == "mod"));
    match head.pop() {
        Some(TokenTree::Group(g)) if is_module && g.delimiter() == Delimiter::Brace => {
            Some((head.into_iter().collect(), g.stream()))
        }
        _ => None,
    }
}

/// The attribute as `kernel!` would see it in front of the function.
fn with_attribute(attr: TokenStream, item: TokenStream) -> TokenStream {
    let name = TokenTree::Ident(Ident::new("kernel", Span::call_site()));
    let args = TokenTree::Group(Group::new(Delimiter::Parenthesis, attr));
    let group = Group::new(Delimiter::Bracket, [name, args].into_iter().collect());
    let mut out: TokenStream =
        [TokenTree::Punct(Punct::new('#', Spacing::Alone)), TokenTree::Group(group)].into_iter().collect();
    out.extend(item);
    out
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
