//! How deeply a file of Rust is nested, found from its tokens before syn looks at it: syn calls itself for each level, and what it builds
//! of a long expression is as deep as that is long.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// Groups inside one another.
const MAX_GROUPS: usize = 400;
/// Tokens that no `;`, `,` or block parts: a sum of 5,000 terms.
const MAX_CHAIN: usize = 10_000;
/// Both, for the author.
pub const LIMITS: &str =
    "a file is read up to 400 brackets inside one another, and up to 10,000 tokens of one expression";
/// What a thread needs for a file that is as deep as it may be, in bytes, also where syn is not optimised.
pub const STACK: usize = 256 << 20;

/// The first token that lies too deep.
pub fn too_deep(tokens: &TokenStream) -> Option<Span> {
    let mut open = vec![(tokens.clone().into_iter(), 0)];
    while let Some((rest, chain)) = open.last_mut() {
        let Some(token) = rest.next() else {
            open.pop();
            continue;
        };
        *chain += 1;
        let is_too_long = *chain > MAX_CHAIN;
        match &token {
            TokenTree::Punct(p) if matches!(p.as_char(), ';' | ',') => *chain = 0,
            TokenTree::Group(inner) => {
                // What follows a block is another statement, but for `else`.
                if inner.delimiter() == Delimiter::Brace && !is_else(rest.clone().next().as_ref()) {
                    *chain = 0;
                }
                open.push((inner.stream().into_iter(), 0));
            }
            _ => {}
        }
        if is_too_long || open.len() > MAX_GROUPS {
            return Some(token.span());
        }
    }
    None
}

fn is_else(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Ident(name)) if *name == "else")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_deep(text: &str) -> bool {
        too_deep(&text.parse().expect("tokens")).is_some()
    }

    #[test]
    fn depth_and_length_end() {
        let parens = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
        assert!(!is_deep(&parens(MAX_GROUPS - 1)) && is_deep(&parens(MAX_GROUPS)));
        let sum = |terms: usize, plus: &str| vec!["1"; terms].join(plus);
        assert!(!is_deep(&sum(5000, "+")) && is_deep(&sum(5001, "+")));
        assert!(!is_deep(&sum(50_000, ";")) && !is_deep(&sum(50_000, ",")) && !is_deep(&"fn f() {}".repeat(5000)));
        assert!(is_deep(&format!("if a {{}} {}", "else if a {} ".repeat(5000))));
    }
}
