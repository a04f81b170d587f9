//! How deeply text is nested, found from its tokens before anything looks at it: the parser and what follows it call
//! themselves for each level, and the macro runs on rustc's own stack.
//!
//! Each enclosing group counts by what the parser needs for it, and each operator or call of a chain before a place too:
//! `a + b + c` is as deep as `(a + b) + c`.

use obsidian_ir::diag::{Diagnostic, Result};
use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream};

use super::SpanTable;

/// What a place may weigh; a quarter of what the stack holds in an unoptimised compiler.
const MAX_WEIGHT: u32 = 600;
/// What a block weighs.
const BLOCK: u32 = 8;
/// What parentheses and brackets weigh.
const GROUP: u32 = 4;
/// What an operator, a field or a method of a chain weighs.
const LINK: u32 = 3;

/// A group that is being looked at.
struct Open {
    rest: token_stream::IntoIter,
    /// Of the place where the group begins.
    outer: u32,
    /// Of the chain since the last `;` or `,`.
    chain: u32,
    /// Whether the last token was a block: a statement may begin.
    after_block: bool,
}

/// Refuses text that is nested too deeply.
///
/// # Errors
/// `OB033` at the first token that lies too deep.
pub fn check(tokens: &TokenStream, spans: &mut SpanTable) -> Result<()> {
    let mut open = vec![Open { rest: tokens.clone().into_iter(), outer: 0, chain: 0, after_block: false }];
    while let Some(group) = open.last_mut() {
        let Some(token) = group.rest.next() else {
            open.pop();
            continue;
        };
        let begins = match &token {
            TokenTree::Ident(name) => *name != "else",
            TokenTree::Punct(p) => p.as_char() == '#',
            _ => false,
        };
        if std::mem::take(&mut group.after_block) && begins {
            group.chain = 0;
        }
        match &token {
            TokenTree::Punct(p) => match p.as_char() {
                ';' | ',' => group.chain = 0,
                // A path, a lifetime, an attribute.
                ':' | '\'' | '#' => {}
                _ => group.chain += LINK,
            },
            TokenTree::Ident(name) if *name == "as" => group.chain += LINK,
            TokenTree::Ident(name) if *name == "else" => group.chain += BLOCK,
            TokenTree::Group(inner) => {
                let outer = group.outer + group.chain;
                let own = if inner.delimiter() == Delimiter::Brace { BLOCK } else { GROUP };
                group.after_block = inner.delimiter() == Delimiter::Brace;
                let next = Open { rest: inner.stream().into_iter(), outer: outer + own, chain: 0, after_block: false };
                open.push(next);
            }
            _ => {}
        }
        let weight = open.last().map_or(0, |group| group.outer + group.chain);
        if weight > MAX_WEIGHT {
            let span = spans.add(token.span());
            return Err(Box::new(
                Diagnostic::new("OB033", span, "this is nested too deeply")
                    .note("the compiler follows some 200 operators of one expression, and some 75 blocks inside one another")
                    .help("name parts of it: `let part = ..;`; a long sum is a `for` loop or a `fold1`"),
            ));
        }
    }
    Ok(())
}
