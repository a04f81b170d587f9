//! Tokens as bytes and back. Tokens that are at identifiers of the call have their places kept as numbers of these: read back, they are at
//! the tokens of the new call. So rustc warns of the same as of what was expanded first.

use std::collections::HashMap;
use std::str::FromStr;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// The place of an identifier that stands at no token of the call.
const CALL_SITE: u32 = u32::MAX;
/// Groups inside one another: no expansion has as many, but a damaged record could.
const MAX_DEPTH: u32 = 500;
const DELIMITERS: [Delimiter; 4] = [Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket, Delimiter::None];

/// The bytes of `tokens`, of a call with these identifiers; `None` where one of them stands at a place that is in no call.
pub fn write(tokens: &TokenStream, call: &[TokenTree]) -> Option<Vec<u8>> {
    let mut places = HashMap::from([(span_text(Span::call_site()), CALL_SITE)]);
    for (i, token) in call.iter().enumerate() {
        places.entry(span_text(token.span())).or_insert(u32::try_from(i).ok()?);
    }
    let mut writer = Writer { bytes: Vec::new(), call, places };
    writer.stream(tokens)?;
    Some(writer.bytes)
}

/// The tokens of a record, at the tokens of a call with these identifiers; `None` where it is damaged.
pub fn read(record: &[u8], call: &[TokenTree]) -> Option<TokenStream> {
    let mut reader = Reader { rest: record, call };
    let tokens = reader.stream(0)?;
    reader.rest.is_empty().then_some(tokens)
}

/// A span as text: the only thing that tells two apart.
fn span_text(span: Span) -> String {
    format!("{span:?}")
}

struct Writer<'c> {
    bytes: Vec<u8>,
    call: &'c [TokenTree],
    places: HashMap<String, u32>,
}

impl Writer<'_> {
    /// The tokens of a group, and an end.
    fn stream(&mut self, tokens: &TokenStream) -> Option<()> {
        for token in tokens.clone() {
            if !matches!(token, TokenTree::Ident(_)) {
                self.place(token.span());
            }
            match token {
                TokenTree::Group(group) => {
                    let delimiter = DELIMITERS.iter().position(|&d| d == group.delimiter())?;
                    self.bytes.extend([b'g', u8::try_from(delimiter).ok()?]);
                    self.stream(&group.stream())?;
                }
                TokenTree::Punct(punct) => {
                    let tag = if punct.spacing() == Spacing::Joint { b'j' } else { b'p' };
                    self.bytes.extend([tag, u8::try_from(punct.as_char()).ok()?]);
                }
                TokenTree::Literal(literal) => {
                    self.bytes.push(b'l');
                    self.text(&literal.to_string())?;
                }
                TokenTree::Ident(ident) => self.ident(&ident)?,
            }
        }
        self.bytes.push(b'e');
        Some(())
    }

    /// Where the next token stands, if that is at an identifier of the call; the most do not.
    fn place(&mut self, span: Span) {
        if let Some(&place) = self.places.get(&span_text(span)).filter(|&&place| place != CALL_SITE) {
            self.bytes.push(b'@');
            self.number(place);
        }
    }

    /// An identifier of the call is recognised by its number, since `$crate` has no other name.
    fn ident(&mut self, ident: &Ident) -> Option<()> {
        let place = *self.places.get(&span_text(ident.span()))?;
        let text = ident.to_string();
        let same = self.call.get(place as usize).is_some_and(|own| own.to_string() == text);
        self.bytes.push(if same { b'o' } else { b'i' });
        self.number(place);
        if same { Some(()) } else { self.text(&text) }
    }

    fn text(&mut self, text: &str) -> Option<()> {
        self.number(u32::try_from(text.len()).ok()?);
        self.bytes.extend(text.as_bytes());
        Some(())
    }

    fn number(&mut self, n: u32) {
        self.bytes.extend(n.to_le_bytes());
    }
}

struct Reader<'r> {
    rest: &'r [u8],
    call: &'r [TokenTree],
}

impl Reader<'_> {
    fn stream(&mut self, depth: u32) -> Option<TokenStream> {
        let mut tokens = Vec::new();
        loop {
            let (mut tag, mut place) = (self.byte()?, None);
            if tag == b'@' {
                place = Some(self.call.get(self.number()? as usize)?.span());
                tag = self.byte()?;
            }
            let mut token: TokenTree = match tag {
                b'e' => return Some(tokens.into_iter().collect()),
                b'g' if depth < MAX_DEPTH => {
                    let delimiter = *DELIMITERS.get(usize::from(self.byte()?))?;
                    Group::new(delimiter, self.stream(depth + 1)?).into()
                }
                tag @ (b'p' | b'j') => self.punct(if tag == b'j' { Spacing::Joint } else { Spacing::Alone })?,
                b'l' => Literal::from_str(self.text()?).ok()?.into(),
                b'o' => self.call.get(self.number()? as usize)?.clone(),
                b'i' => self.ident()?,
                _ => return None,
            };
            if let Some(span) = place {
                token.set_span(span);
            }
            tokens.push(token);
        }
    }

    fn punct(&mut self, spacing: Spacing) -> Option<TokenTree> {
        let c = char::from(self.byte()?);
        // Others than Rust's own are a panic.
        "=<>!~+-*/%^&|@.,;:#$?'".contains(c).then(|| Punct::new(c, spacing).into())
    }

    fn ident(&mut self) -> Option<TokenTree> {
        let place = self.number()?;
        let span = match place {
            CALL_SITE => Span::call_site(),
            _ => self.call.get(place as usize)?.span(),
        };
        let text = self.text()?;
        let plain = text.strip_prefix("r#");
        let word = plain.unwrap_or(text);
        // What is no word is a panic; so is `r#` before these.
        let start = word.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic());
        let raw_too = !["crate", "self", "super", "Self", "_"].contains(&word);
        if !start || !word.chars().all(|c| c == '_' || c.is_alphanumeric()) || plain.is_some() && !raw_too {
            return None;
        }
        Some(if plain.is_some() { Ident::new_raw(word, span) } else { Ident::new(word, span) }.into())
    }

    fn text(&mut self) -> Option<&str> {
        let n = self.number()? as usize;
        let (text, rest) = self.rest.split_at_checked(n)?;
        self.rest = rest;
        std::str::from_utf8(text).ok()
    }

    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idents(stream: TokenStream) -> Vec<TokenTree> {
        let of = |token: TokenTree| match token {
            TokenTree::Group(group) => idents(group.stream()),
            TokenTree::Ident(_) => vec![token],
            TokenTree::Punct(_) | TokenTree::Literal(_) => Vec::new(),
        };
        stream.into_iter().flat_map(of).collect()
    }

    /// A call and what it expands to: names of the call at its tokens, others at none.
    fn expansion() -> (Vec<TokenTree>, TokenStream) {
        let call = idents(TokenStream::from_str("pub fn doubled(r#in: u32) {}").expect("tokens"));
        let [_, _, name, raw, ..] = call.as_slice() else { panic!("five identifiers") };
        let beside = Ident::new("doubled_too", name.span());
        let helper = quote::quote_spanned!(name.span()=> fn #beside() { let [b, ..] = (1, "at the name"); });
        let tokens = quote::quote! {
            #helper
            /// Text with "quotes".
            pub const #name: &'static str = "a\nb\u{1}"; fn #beside<'a>(#raw: &'a [f32]) -> u8 { r#in >>= 0x1F_u8; b'c' }
        };
        (call, tokens)
    }

    /// Every token, with where it stands; outside of a compiler a literal that is read has a place of its own.
    fn placed(tokens: &TokenStream) -> (String, Vec<String>) {
        (tokens.to_string(), all(tokens.clone()).iter().map(|token| span_text(token.span())).collect())
    }

    fn all(stream: TokenStream) -> Vec<TokenTree> {
        let of = |token: TokenTree| match &token {
            TokenTree::Group(group) => [vec![token.clone()], all(group.stream())].concat(),
            TokenTree::Literal(_) => Vec::new(),
            _ => vec![token],
        };
        stream.into_iter().flat_map(of).collect()
    }

    #[test]
    fn tokens_come_back_at_their_places() {
        let (call, tokens) = expansion();
        let record = write(&tokens, &call).expect("all places are in the call");
        let back = read(&record, &call).expect("whole");
        assert_eq!(placed(&back), placed(&tokens));
    }

    #[test]
    fn a_later_call_gets_them_at_its_own_tokens() {
        let (call, tokens) = expansion();
        let record = write(&tokens, &call).expect("all places are in the call");
        let later = idents(TokenStream::from_str("   pub fn doubled(r#in: u32) {}").expect("tokens"));
        let (_, before) = placed(&tokens);
        let (text, after) = placed(&read(&record, &later).expect("whole"));
        assert_eq!(text, tokens.to_string());
        let moved: Vec<bool> = before.iter().zip(&after).map(|(before, after)| before != after).collect();
        // Three identifiers, and the 14 tokens of the function that is at the first of them.
        assert_eq!(moved.iter().filter(|moved| **moved).count(), 3 + 14, "{before:?} {after:?}");
    }

    #[test]
    fn a_place_that_is_in_no_call_is_not_kept() {
        let (call, tokens) = expansion();
        assert!(write(&tokens, &call[..2]).is_none());
    }

    #[test]
    fn what_is_cut_off_or_changed_is_no_panic() {
        let (call, tokens) = expansion();
        let record = write(&tokens, &call).expect("all places are in the call");
        for len in 0..record.len() {
            assert!(read(&record[..len], &call).is_none(), "the first {len} bytes");
        }
        for at in 0..record.len() {
            for change in [1, 0x20, 0x80, 0xFF] {
                let mut damaged = record.clone();
                damaged[at] ^= change;
                let _ = read(&damaged, &call);
            }
        }
        assert!(read(&vec![b'g'; 100_000], &call).is_none());
    }
}
