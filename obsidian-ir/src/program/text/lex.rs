//! Lines of text as tokens, each with its place.

use super::read::ReadError;

/// A place in the text, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    /// What is wrong here.
    pub(super) fn error<T>(self, message: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError { line: self.line, column: self.column, message: message.into() })
    }
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a word.
    Word(String),
    /// A number with its type, if that is written.
    Number(String),
    /// A sign.
    Sign(&'static str),
    /// A text between quotation marks, as it is meant.
    Text(String),
}

/// A line that holds something.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// How deep it is nested: half its leading spaces.
    pub depth: usize,
    /// Its tokens.
    pub tokens: Vec<(Token, Place)>,
    /// What stands behind `//`, if anything.
    pub comment: String,
    /// The place after its last token.
    pub end: Place,
}

/// The signs, longer ones before their beginnings.
const SIGNS: [&str; 31] = [
    "..=", "..", "::", "==", "!=", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "%", "&", "|", "^", "!", "<", ">", "=",
    "(", ")", "[", "]", "{", "}", ",", ":", "@", "$",
];

/// The lines of a text that hold tokens.
pub(super) fn lines(text: &str) -> Result<Vec<Line>, ReadError> {
    let mut out = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = self::line(line, number + 1)?;
        if !line.tokens.is_empty() {
            out.push(line);
        }
    }
    Ok(out)
}

fn line(text: &str, number: usize) -> Result<Line, ReadError> {
    let indent = text.len() - text.trim_start_matches(' ').len();
    let at = |column: usize| Place { line: number, column: column + 1 };
    let (mut tokens, mut comment) = (Vec::new(), String::new());
    let chars: Vec<char> = text.chars().collect();
    let (mut i, mut end) = (0, 0);
    while i < chars.len() {
        let rest = &chars[i..];
        if chars[i].is_whitespace() {
            i += 1;
            continue;
        }
        if rest.starts_with(&['/', '/']) {
            comment = rest[2..].iter().collect::<String>().trim().to_string();
            break;
        }
        let (token, length) = match token(rest) {
            Some(found) => found,
            None => return at(i).error(format!("`{}` means nothing here", chars[i])),
        };
        tokens.push((token, at(i)));
        i += length;
        end = i;
    }
    if !tokens.is_empty() && !indent.is_multiple_of(2) {
        return at(indent).error("a line is indented by two spaces for each level");
    }
    Ok(Line { depth: indent / 2, tokens, comment, end: at(end) })
}

/// The token that the characters begin with, and how many it takes.
fn token(rest: &[char]) -> Option<(Token, usize)> {
    let first = rest[0];
    if first.is_ascii_digit() {
        let length = number(rest);
        return Some((Token::Number(rest[..length].iter().collect()), length));
    }
    if first == '"' {
        return text(rest);
    }
    if in_word(first) {
        let length = rest.iter().take_while(|c| in_word(**c)).count();
        return Some((Token::Word(rest[..length].iter().collect()), length));
    }
    let sign = SIGNS.iter().find(|sign| rest.len() >= sign.len() && sign.chars().zip(rest).all(|(a, b)| a == *b))?;
    Some((Token::Sign(sign), sign.len()))
}

/// A text as Rust would write it, and how many characters that takes.
fn text(rest: &[char]) -> Option<(Token, usize)> {
    let (mut i, mut meant) = (1, String::new());
    while *rest.get(i)? != '"' {
        let escaped = rest[i] == '\\';
        i += usize::from(escaped);
        meant.push(match (escaped, *rest.get(i)?) {
            (true, 'n') => '\n',
            (true, 't') => '\t',
            (true, 'r') => '\r',
            (true, '0') => '\0',
            (true, 'u') => {
                let digits: String = rest[i..].iter().skip(2).take_while(|c| **c != '}').collect();
                i += digits.len() + 2;
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            (_, c) => c,
        });
        i += 1;
    }
    Some((Token::Text(meant), i + 1))
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '#'
}

/// How many characters a number takes: `7`, `0xffu32`, `1.5`, `1e-7f32`; the dots of `0..8` are none of its.
fn number(rest: &[char]) -> usize {
    let hex = rest.starts_with(&['0', 'x']);
    let mut i = 0;
    while let Some(&c) = rest.get(i) {
        let next = rest.get(i + 1).copied().unwrap_or(' ');
        let fraction = c == '.' && next.is_ascii_digit();
        let exponent = matches!(c, '-' | '+') && i > 0 && rest[i - 1] == 'e' && next.is_ascii_digit() && !hex;
        if !(c.is_ascii_alphanumeric() || fraction || exponent) {
            break;
        }
        i += 1;
    }
    i
}
