//! Words of a line.

use super::Type;

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// An integer, with the type where that is written.
    Int(i128, Option<Type>),
    /// A float: only that it is one, and how it is written, counts.
    Real(String, Option<Type>),
    Name(String),
    Sign(&'static str),
    /// A text between quotation marks, whatever it says.
    Text,
}

/// Longer signs before their beginnings.
const SIGNS: [&str; 32] = [
    "..=", "::<", "..", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "(", ")", "{", "}", "[", "]", ",", ":", "+",
    "-", "*", "/", "%", "&", "|", "^", "<", ">", "=", "!", ";",
];

/// Cuts a line into words; `None` where it holds what no printed program does.
pub(super) fn words(line: &str) -> Option<Vec<Word>> {
    let mut rest = line.trim_start();
    let mut words = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (word, len) = if first.is_ascii_digit() {
            number(rest)?
        } else if first.is_alphabetic() || matches!(first, '_' | '$') {
            let len =
                rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '#' | '@' | '$'))).unwrap_or(rest.len());
            (Word::Name(rest[..len].to_string()), len)
        } else if first == '"' {
            (Word::Text, text_len(rest)?)
        } else {
            let sign = SIGNS.iter().find(|s| rest.starts_with(**s))?;
            (Word::Sign(sign), sign.len())
        };
        words.push(word);
        rest = rest[len..].trim_start();
    }
    Some(words)
}

/// How long a text is, with its quotation marks.
fn text_len(rest: &str) -> Option<usize> {
    let mut escaped = false;
    let end = rest.char_indices().skip(1).find(|&(_, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map(|(at, _)| at + 1)
}

/// `12`, `0x1f`, `1.5`, `1e-10`; not `0..4`, which is a number and a sign.
fn number(text: &str) -> Option<(Word, usize)> {
    if let Some(hex) = text.strip_prefix("0x") {
        let len = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        let (ty, suffix) = suffix(&hex[len..])?;
        return Some((Word::Int(i128::from_str_radix(&hex[..len], 16).ok()?, ty), len + 2 + suffix));
    }
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if bytes.get(end) == Some(&b'e') {
        let sign = usize::from(bytes.get(end + 1) == Some(&b'-'));
        end = digits(end + 1 + sign);
    }
    let written = &text[..end];
    let (ty, suffix) = suffix(&text[end..])?;
    let whole = end == whole && !matches!(ty, Some(Type::Float(_)));
    let word = if whole { Word::Int(written.parse().ok()?, ty) } else { Word::Real(written.to_string(), ty) };
    Some((word, end + suffix))
}

/// The type behind a number, and how long its name is; `None` where it is none.
fn suffix(rest: &str) -> Option<(Option<Type>, usize)> {
    let len = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    if len == 0 { Some((None, 0)) } else { Some((Some(Type::named(&rest[..len])?), len)) }
}
