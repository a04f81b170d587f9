//! Expressions as they are written, before names and types are known.

use super::lex::{Line, Place, Token};
use super::print;
use super::read::ReadError;
use crate::program::{BinOp, ScalarType, Special, UnOp};

/// Expressions are nested at most this deep.
const MAX_DEPTH: usize = 300;

/// The registers.
const REGISTERS: [Special; 5] = [Special::Tid, Special::WarpId, Special::Lane, Special::BlockIdx, Special::GridDim];

/// An expression and where it begins.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    pub kind: Kind,
    pub at: Place,
}

/// What an expression is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A variable or a scalar parameter.
    Name(String),
    /// `arg(name)`: a scalar parameter, whatever else has its name.
    Arg(String),
    Len(String),
    /// Without its type; a minus is part of it.
    Number(String, Option<ScalarType>),
    /// `$7`: what a line before has named so.
    Short(usize),
    Bool(bool),
    OnGpu,
    Register(Special),
    Load(ArrayName, Box<Tree>, Option<Box<[Within; 2]>>),
    Un(UnOp, Box<Tree>),
    Bin(BinOp, Box<Tree>, Box<Tree>),
    Select(Box<[Tree; 3]>),
    Cast(Box<Tree>, ScalarType),
    Bits(Box<Tree>, ScalarType),
    MulAdd(Box<[Tree; 3]>),
}

/// `3 of 8`: a row or a column, and how many there are.
#[derive(Debug, Clone)]
pub(super) struct Within {
    pub at: Tree,
    pub len: Tree,
}

/// An array as it is mentioned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArrayName {
    pub name: String,
    pub number: Option<u32>,
}

/// Goes through the tokens of a line.
pub(super) struct Tokens<'l> {
    line: &'l Line,
    next: usize,
    depth: usize,
}

impl<'l> Tokens<'l> {
    pub(super) fn new(line: &'l Line) -> Tokens<'l> {
        Tokens { line, next: 0, depth: 0 }
    }

    pub(super) fn place(&self) -> Place {
        self.line.tokens.get(self.next).map_or(self.line.end, |(_, at)| *at)
    }

    fn peek_at(&self, ahead: usize) -> Option<&'l Token> {
        self.line.tokens.get(self.next + ahead).map(|(token, _)| token)
    }

    /// Whether that sign stands at this distance ahead, in tokens.
    pub(super) fn sign_at(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.peek_at(ahead), Some(Token::Sign(s)) if *s == sign)
    }

    /// Whether that word stands at this distance ahead, in tokens.
    pub(super) fn word_at(&self, ahead: usize, word: &str) -> bool {
        matches!(self.peek_at(ahead), Some(Token::Word(w)) if w == word)
    }

    /// The next word, which stays.
    pub(super) fn peek_word(&self) -> Option<&'l str> {
        match self.peek_at(0) {
            Some(Token::Word(w)) => Some(w),
            _ => None,
        }
    }

    /// Takes the next token, whatever it is.
    pub(super) fn skip(&mut self) {
        self.next += 1;
    }

    /// Whether the sign is next; then it is taken.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let found = self.sign_at(0, sign);
        self.next += usize::from(found);
        found
    }

    /// Whether the word is next; then it is taken.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.word_at(0, word);
        self.next += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), ReadError> {
        if self.take(sign) { Ok(()) } else { self.place().error(format!("expected `{sign}`")) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), ReadError> {
        if self.take_word(word) { Ok(()) } else { self.place().error(format!("expected `{word}`")) }
    }

    pub(super) fn end(&self) -> Result<(), ReadError> {
        if self.next == self.line.tokens.len() { Ok(()) } else { self.place().error("expected the end of the line") }
    }

    pub(super) fn word(&mut self, what: &str) -> Result<&'l str, ReadError> {
        match self.peek_word() {
            Some(word) => {
                self.next += 1;
                Ok(word)
            }
            None => self.place().error(format!("expected {what}")),
        }
    }

    /// A text between quotation marks.
    pub(super) fn text(&mut self) -> Result<&'l str, ReadError> {
        match self.peek_at(0) {
            Some(Token::Text(text)) => {
                self.next += 1;
                Ok(text)
            }
            _ => self.place().error("expected a text"),
        }
    }

    pub(super) fn scalar_type(&mut self) -> Result<ScalarType, ReadError> {
        let at = self.place();
        let name = self.word("a type")?;
        ScalarType::from_name(name).map_or_else(|| at.error(format!("`{name}` is no scalar type")), Ok)
    }

    /// A number that fits, without a type.
    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Result<T, ReadError> {
        let at = self.place();
        if let Some(Token::Number(text)) = self.peek_at(0)
            && let Ok(value) = text.parse()
        {
            self.next += 1;
            return Ok(value);
        }
        at.error("expected a number that fits")
    }

    /// `-7` or `7`, as the bounds of a range.
    pub(super) fn signed(&mut self) -> Result<i128, ReadError> {
        let negative = self.take("-");
        let value: i128 = self.number()?;
        Ok(if negative { -value } else { value })
    }

    /// `@7` after the name of an array.
    pub(super) fn array_number(&mut self) -> Result<Option<u32>, ReadError> {
        if !self.take("@") {
            return Ok(None);
        }
        let at = self.place();
        let number = self.number()?;
        if number > super::names::MAX_NUMBER { at.error("this number is too large") } else { Ok(Some(number)) }
    }

    pub(super) fn array(&mut self) -> Result<ArrayName, ReadError> {
        let name = self.word("an array")?.to_string();
        Ok(ArrayName { name, number: self.array_number()? })
    }

    /// An expression: an operand, or one operation of two operands.
    pub(super) fn expr(&mut self) -> Result<Tree, ReadError> {
        let at = self.place();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return at.error("this is nested too deeply");
        }
        let first = self.operand()?;
        let kind = if self.take_word("as") {
            Kind::Cast(Box::new(first), self.scalar_type()?)
        } else if let Some(op) = self.binary() {
            self.next += 1;
            Kind::Bin(op, Box::new(first), Box::new(self.operand()?))
        } else {
            self.depth -= 1;
            return Ok(first);
        };
        self.depth -= 1;
        Ok(Tree { kind, at })
    }

    pub(super) fn binary(&self) -> Option<BinOp> {
        let Some(Token::Sign(sign)) = self.peek_at(0) else { return None };
        BinOp::ALL.iter().copied().find(|op| op.symbol() == *sign)
    }

    fn operand(&mut self) -> Result<Tree, ReadError> {
        let at = self.place();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return at.error("this is nested too deeply");
        }
        let kind = self.operand_kind()?;
        self.depth -= 1;
        Ok(Tree { kind, at })
    }

    fn operand_kind(&mut self) -> Result<Kind, ReadError> {
        let at = self.place();
        if self.take("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner.kind);
        }
        if self.take("$") {
            return Ok(Kind::Short(self.number()?));
        }
        if self.take("!") {
            return Ok(Kind::Un(UnOp::Not, Box::new(self.operand()?)));
        }
        if self.take("-") {
            // A minus before a number is the number's own.
            let literal = matches!(self.peek_at(0), Some(Token::Number(_))) || self.word_at(0, "inf");
            let inner = self.operand()?;
            return Ok(match inner.kind {
                Kind::Number(text, ty) if literal => Kind::Number(format!("-{text}"), ty),
                _ => Kind::Un(UnOp::Neg, Box::new(inner)),
            });
        }
        if let Some(Token::Number(text)) = self.peek_at(0) {
            self.next += 1;
            let (number, ty) = suffix(text);
            return Ok(Kind::Number(number.to_string(), ty));
        }
        let word = self.word("an expression")?;
        if word != "if" && self.sign_at(0, "(") {
            return self.call(word, at);
        }
        if self.sign_at(0, "[") || self.sign_at(0, "@") {
            self.next -= 1;
            let array = self.array()?;
            self.expect("[")?;
            let index = self.expr()?;
            let sides = if self.take_word("at") { Some(Box::new(self.sides()?)) } else { None };
            self.expect("]")?;
            return Ok(Kind::Load(array, Box::new(index), sides));
        }
        self.named(word)
    }

    /// `(row of rows, column of columns)`.
    fn sides(&mut self) -> Result<[Within; 2], ReadError> {
        self.expect("(")?;
        let row = self.within()?;
        self.expect(",")?;
        let column = self.within()?;
        self.expect(")").map(|()| [row, column])
    }

    fn within(&mut self) -> Result<Within, ReadError> {
        let at = self.expr()?;
        self.expect_word("of")?;
        Ok(Within { at, len: self.expr()? })
    }

    /// A word that calls nothing and loads nothing.
    fn named(&mut self, word: &str) -> Result<Kind, ReadError> {
        Ok(match word {
            "if" => {
                let cond = self.expr()?;
                let mut side = |word: Option<&str>| {
                    word.map_or(Ok(()), |word| self.expect_word(word))?;
                    self.expect("{")?;
                    let side = self.expr()?;
                    self.expect("}").map(|()| side)
                };
                let (then, els) = (side(None)?, side(Some("else"))?);
                Kind::Select(Box::new([cond, then, els]))
            }
            "bits" if self.sign_at(0, "::") => {
                self.expect("::")?;
                self.expect("<")?;
                let ty = self.scalar_type()?;
                self.expect(">")?;
                self.expect("(")?;
                let inner = self.expr()?;
                self.expect(")")?;
                Kind::Bits(Box::new(inner), ty)
            }
            "true" | "false" => Kind::Bool(word == "true"),
            "on_gpu" => Kind::OnGpu,
            "inf" | "NaN" => Kind::Number(word.to_string(), None),
            _ => match REGISTERS.into_iter().find(|r| print::special(*r) == word) {
                Some(register) => Kind::Register(register),
                None => Kind::Name(word.to_string()),
            },
        })
    }

    fn call(&mut self, function: &str, at: Place) -> Result<Kind, ReadError> {
        self.expect("(")?;
        if matches!(function, "len" | "arg") {
            let name = self.word("a parameter")?.to_string();
            self.expect(")")?;
            return Ok(if function == "len" { Kind::Len(name) } else { Kind::Arg(name) });
        }
        let mut args = vec![self.expr()?];
        while self.take(",") {
            args.push(self.expr()?);
        }
        self.expect(")")?;
        // The others are written as signs.
        let functions = UnOp::ALL.iter().filter(|op| !matches!(op, UnOp::Neg | UnOp::Not));
        let unary = functions.copied().find(|op| op.name() == function);
        let binary = BinOp::ALL.iter().copied().find(|op| op.symbol() == function);
        match (unary, binary, <[Tree; 1]>::try_from(args)) {
            (Some(op), _, Ok([a])) => Ok(Kind::Un(op, Box::new(a))),
            (_, Some(op), Err(args)) => match <[Tree; 2]>::try_from(args) {
                Ok([a, b]) => Ok(Kind::Bin(op, Box::new(a), Box::new(b))),
                Err(_) => at.error(format!("`{function}` takes two operands")),
            },
            (_, _, Err(args)) if function == "mul_add" => match <[Tree; 3]>::try_from(args) {
                Ok(args) => Ok(Kind::MulAdd(Box::new(args))),
                Err(_) => at.error("`mul_add` takes three operands"),
            },
            (Some(_), ..) => at.error(format!("`{function}` takes one operand")),
            _ => at.error(format!("`{function}` is no function of these operands")),
        }
    }
}

/// A number and the type at its end.
fn suffix(text: &str) -> (&str, Option<ScalarType>) {
    let mut types = ScalarType::ALL.to_vec();
    // `bf16` ends in `f16`.
    types.sort_by_key(|ty| std::cmp::Reverse(ty.name().len()));
    let found = types.into_iter().find_map(|ty| Some((text.strip_suffix(ty.name())?, Some(ty))));
    found.filter(|(number, _)| !number.is_empty()).unwrap_or((text, None))
}
