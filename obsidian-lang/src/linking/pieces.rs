//! A module's text, cut into its items without parsing them: `use` declarations apart, functions by name. Parsing is
//! most of the macro's work, so a library's function is parsed only if a kernel needs it.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

use crate::syntax::ast::FnForm;

/// One item.
#[derive(Debug, Clone)]
pub enum Piece {
    /// `use ..;`
    Use(TokenStream),
    /// A function or a constant.
    Fn(FnPiece),
    /// Anything else; the parser reports what is wrong with it.
    Other(TokenStream),
}

/// A function's tokens, or a constant's.
#[derive(Debug, Clone)]
pub struct FnPiece {
    /// Which of them.
    pub form: FnForm,
    /// Its name.
    pub name: Ident,
    /// Who sees it.
    pub reach: Reach,
    /// All of it, attributes included.
    pub tokens: TokenStream,
}

/// Who sees an item of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Everyone: `pub`.
    Public,
    /// Its own library.
    Private,
}

/// What an item can begin with.
const STARTS: [&str; 16] = [
    "pub",
    "fn",
    "use",
    "const",
    "unsafe",
    "async",
    "extern",
    "mod",
    "struct",
    "enum",
    "static",
    "type",
    "trait",
    "impl",
    "union",
    "macro_rules",
];

/// The items of a module's text, in order.
pub fn pieces(tokens: TokenStream) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut item: Vec<TokenTree> = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        let ends = match &token {
            TokenTree::Punct(p) => p.as_char() == ';',
            // A brace may also stand inside a type, as in `Pull<T, { 2 * N }>`.
            TokenTree::Group(g) if g.delimiter() == Delimiter::Brace && word(&item) != Some("use") => {
                rest.peek().is_none_or(starts_item)
            }
            _ => false,
        };
        item.push(token);
        if ends {
            out.push(piece(std::mem::take(&mut item)));
        }
    }
    if !item.is_empty() {
        out.push(piece(item));
    }
    out
}

fn starts_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(p) => p.as_char() == '#',
        TokenTree::Ident(i) => STARTS.iter().any(|s| i == s),
        _ => false,
    }
}

/// The tokens after attributes and visibility, and whether there is a plain `pub`.
fn head(item: &[TokenTree]) -> (&[TokenTree], Reach) {
    let mut at = item;
    while let [TokenTree::Punct(p), TokenTree::Group(_), rest @ ..] = at
        && p.as_char() == '#'
    {
        at = rest;
    }
    match at {
        [TokenTree::Ident(i), TokenTree::Group(g), rest @ ..]
            if i == "pub" && g.delimiter() == Delimiter::Parenthesis =>
        {
            (rest, Reach::Private)
        }
        [TokenTree::Ident(i), rest @ ..] if i == "pub" => (rest, Reach::Public),
        _ => (at, Reach::Private),
    }
}

fn word(item: &[TokenTree]) -> Option<&'static str> {
    match head(item).0 {
        [TokenTree::Ident(i), ..] => STARTS.into_iter().find(|s| i == s),
        _ => None,
    }
}

fn piece(item: Vec<TokenTree>) -> Piece {
    let (after, reach) = head(&item);
    match after {
        [TokenTree::Ident(i), ..] if i == "use" => Piece::Use(item.into_iter().collect()),
        [TokenTree::Ident(i), TokenTree::Ident(name), ..] if i == "fn" => {
            let (form, name) = (FnForm::Function, name.clone());
            Piece::Fn(FnPiece { form, name, reach, tokens: item.into_iter().collect() })
        }
        [TokenTree::Ident(i), TokenTree::Ident(name), TokenTree::Punct(colon), ..]
            if i == "const" && colon.as_char() == ':' =>
        {
            let (form, name) = (FnForm::Constant, name.clone());
            Piece::Fn(FnPiece { form, name, reach, tokens: item.into_iter().collect() })
        }
        _ => Piece::Other(item.into_iter().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let kind = |p: Piece| match p {
            Piece::Use(_) => "use".to_string(),
            Piece::Fn(f) if f.form == FnForm::Constant => format!("{:?} const {}", f.reach, f.name),
            Piece::Fn(f) => format!("{:?} {}", f.reach, f.name),
            Piece::Other(t) => format!("other {t}"),
        };
        pieces(text.parse().unwrap()).into_iter().map(kind).collect()
    }

    #[test]
    fn items_are_told_apart() {
        let text = "
            use a::{b, c as d}; pub use x::*;
            /// Doc.
            #[kernel(threads = 64)] pub fn f(xs: Pull<T, { 2 * N }>) -> Pull<T> { { xs } }
            fn g() -> u32 { if a { 1 } else { 2 } }
            pub const W: [f32; 2] = [0.5; 2]; const _: () = ();
            pub(crate) fn h() {}";
        let found = ["use", "use", "Public f", "Private g", "Public const W", "Private const _", "Private h"];
        assert_eq!(shown(text), found);
    }

    #[test]
    fn what_is_no_function_is_left_to_the_parser() {
        assert_eq!(shown("struct S; fn f() {} fn"), ["other struct S ;", "Private f", "other fn"]);
    }
}
