//! What an expansion depends on, as text: it is compared whole, so that no two calls are taken for one.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::state::State;
use crate::wanted;

/// What an expansion depends on, and the tokens that it may hold again.
pub struct Key {
    text: String,
    tokens: Vec<TokenTree>,
}

impl Key {
    /// The key of a call in `file` that this compiler expands; texts may tell the file's name.
    pub fn of(state: &State, file: &str, compiler: &str) -> Key {
        let native = wanted::native();
        let head = format!("{compiler}\n{native:?}\n{}\n{file}\n", state.kind);
        let mut key = Key { text: head, tokens: Vec::new() };
        key.add_placed(state.tokens.clone());
        for beside in [&state.root, &state.about, state.carried()] {
            key.text.push('\n');
            key.add(beside.clone());
        }
        key
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Identifiers of the call, in order.
    pub fn tokens(&self) -> &[TokenTree] {
        &self.tokens
    }

    /// Tokens whose lines and columns reports tell.
    fn add_placed(&mut self, stream: TokenStream) {
        for token in stream {
            let at = token.span().start();
            self.text.push_str(&format!("{}:{} ", at.line, at.column));
            self.token(token, Key::add_placed);
        }
    }

    fn add(&mut self, stream: TokenStream) {
        stream.into_iter().for_each(|token| self.token(token, Key::add));
    }

    fn token(&mut self, token: TokenTree, contents: fn(&mut Key, TokenStream)) {
        match token {
            TokenTree::Group(group) => {
                self.text.push(match group.delimiter() {
                    Delimiter::Parenthesis => '(',
                    Delimiter::Brace => '{',
                    Delimiter::Bracket => '[',
                    Delimiter::None => '<',
                });
                contents(self, group.stream());
                self.text.push_str(") ");
            }
            TokenTree::Punct(punct) => {
                // One joined to the next means another operator.
                self.text.push(punct.as_char());
                self.text.push(if punct.spacing() == proc_macro2::Spacing::Joint { '+' } else { ' ' });
            }
            TokenTree::Literal(literal) => self.text.push_str(&format!("{literal} ")),
            TokenTree::Ident(ident) => {
                self.text.push_str(&format!("{ident} "));
                self.tokens.push(TokenTree::Ident(ident));
            }
        }
    }
}
