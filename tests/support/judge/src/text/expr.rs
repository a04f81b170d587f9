//! Expressions of a line.

use super::Type;
use super::lex::{self, Word};

/// An expression as it is printed: names are not resolved, numbers have no type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Raw {
    /// A number, with its type where that is written.
    Int(i128, Option<Type>),
    Real(String, Option<Type>),
    Bool(bool),
    Name(String),
    Len(String),
    Load(String, Box<Raw>),
    /// A load of a row and a column, each with how many there are.
    Within(Box<Raw>, Box<[(Raw, Raw); 2]>),
    Neg(Box<Raw>),
    Not(Box<Raw>),
    Bin(Op, Box<(Raw, Raw)>),
    Select(Box<(Raw, Raw, Raw)>),
    Cast(Box<Raw>, Type),
    /// The same bits as another type.
    Bits(Box<Raw>, Type),
    Call(String, Vec<Raw>),
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Op {
    fn of(sign: &str) -> Option<Op> {
        Some(match sign {
            "+" => Op::Add,
            "-" => Op::Sub,
            "*" => Op::Mul,
            "/" => Op::Div,
            "%" => Op::Rem,
            "&" => Op::And,
            "|" => Op::Or,
            "^" => Op::Xor,
            "<<" => Op::Shl,
            ">>" => Op::Shr,
            "==" => Op::Eq,
            "!=" => Op::Ne,
            "<" => Op::Lt,
            "<=" => Op::Le,
            ">" => Op::Gt,
            ">=" => Op::Ge,
            _ => return None,
        })
    }

    /// Whether it gives a `bool` whatever its operands are.
    pub(crate) fn compares(self) -> bool {
        matches!(self, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
    }
}

/// Reads along the words of a line.
pub(super) struct Reader {
    words: Vec<Word>,
    at: usize,
}

/// What is wrong with a line.
pub(super) type Read<T> = Result<T, String>;

impl Reader {
    pub(super) fn new(text: &str) -> Read<Reader> {
        Ok(Reader { words: lex::words(text).ok_or("a sign that is not known")?, at: 0 })
    }

    /// Everything as one expression.
    pub(super) fn only(text: &str) -> Read<Raw> {
        let mut reader = Reader::new(text)?;
        let expr = reader.expr()?;
        reader.end()?;
        Ok(expr)
    }

    pub(super) fn end(&self) -> Read<()> {
        if self.at == self.words.len() { Ok(()) } else { Err(format!("{:?} was not expected", self.words[self.at])) }
    }

    fn next(&mut self) -> Read<Word> {
        let word = self.words.get(self.at).cloned().ok_or("the line ends early")?;
        self.at += 1;
        Ok(word)
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self.words.get(self.at), Some(Word::Sign(s)) if *s == sign)
    }

    pub(super) fn is_word(&self, name: &str) -> bool {
        matches!(self.words.get(self.at), Some(Word::Name(n)) if n == name)
    }

    /// Whether the next word is this sign, which is then read.
    pub(super) fn accept(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    /// Whether the next word is this name, which is then read.
    pub(super) fn accept_word(&mut self, name: &str) -> bool {
        let found = self.is_word(name);
        self.at += usize::from(found);
        found
    }

    pub(super) fn eat(&mut self, sign: &str) -> Read<()> {
        if self.accept(sign) { Ok(()) } else { Err(format!("`{sign}` is missing")) }
    }

    pub(super) fn text(&mut self) -> Read<()> {
        match self.next()? {
            Word::Text => Ok(()),
            other => Err(format!("{other:?} is no text")),
        }
    }

    pub(super) fn name(&mut self) -> Read<String> {
        match self.next()? {
            Word::Name(name) => Ok(name),
            other => Err(format!("{other:?} is no name")),
        }
    }

    /// A name where it is bound. The range that may stand behind it is what the compiler believes, and nothing to the judge.
    pub(super) fn binder(&mut self) -> Read<String> {
        let name = self.name()?;
        if self.accept("(") {
            self.unary()?;
            self.eat("..=")?;
            self.unary()?;
            self.eat(")")?;
        }
        Ok(name)
    }

    pub(super) fn ty(&mut self) -> Read<Type> {
        let name = self.name()?;
        Type::named(&name).ok_or_else(|| format!("`{name}` is no type"))
    }

    /// Operands are in parentheses where they are not single, so there is no precedence: from left to right.
    pub(super) fn expr(&mut self) -> Read<Raw> {
        let mut left = self.unary()?;
        loop {
            let op = match self.words.get(self.at) {
                Some(Word::Sign(sign)) => Op::of(sign),
                _ => None,
            };
            if let Some(op) = op {
                self.at += 1;
                let right = self.unary()?;
                left = Raw::Bin(op, Box::new((left, right)));
            } else if self.accept_word("as") {
                left = Raw::Cast(Box::new(left), self.ty()?);
            } else {
                return Ok(left);
            }
        }
    }

    fn unary(&mut self) -> Read<Raw> {
        if self.accept("!") {
            return Ok(Raw::Not(Box::new(self.unary()?)));
        }
        if self.accept("-") {
            return Ok(match self.unary()? {
                Raw::Int(n, ty) => Raw::Int(-n, ty),
                other => Raw::Neg(Box::new(other)),
            });
        }
        self.atom()
    }

    pub(super) fn atom(&mut self) -> Read<Raw> {
        match self.next()? {
            Word::Int(n, ty) => Ok(Raw::Int(n, ty)),
            Word::Real(text, ty) => Ok(Raw::Real(text, ty)),
            Word::Sign("(") => {
                let inner = self.expr()?;
                self.eat(")")?;
                Ok(inner)
            }
            Word::Name(name) => self.named(name),
            other => Err(format!("{other:?} begins no expression")),
        }
    }

    fn named(&mut self, name: String) -> Read<Raw> {
        match name.as_str() {
            "if" => self.select(),
            "true" => Ok(Raw::Bool(true)),
            "false" => Ok(Raw::Bool(false)),
            // Whose functions are taken makes no difference but to floats, which are read as anything.
            "on_gpu" => Ok(Raw::Bool(false)),
            "inf" | "NaN" => Ok(Raw::Real(name, None)),
            "bits" if self.accept("::<") => {
                let ty = self.ty()?;
                self.eat(">")?;
                self.eat("(")?;
                let inner = self.expr()?;
                self.eat(")")?;
                Ok(Raw::Bits(Box::new(inner), ty))
            }
            "len" if self.accept("(") => {
                let array = self.name()?;
                self.eat(")")?;
                Ok(Raw::Len(array))
            }
            // A scalar that is called like something else.
            "arg" if self.accept("(") => {
                let scalar = self.name()?;
                self.eat(")")?;
                Ok(Raw::Name(super::argument(&scalar)))
            }
            _ if self.accept("(") => Ok(call(name, self.list(")")?)),
            _ if self.accept("[") => {
                let index = self.expr()?;
                let sides = if self.accept_word("at") { Some(Box::new(self.sides()?)) } else { None };
                self.eat("]")?;
                let load = Raw::Load(name, Box::new(index));
                Ok(sides.map_or(load.clone(), |sides| Raw::Within(Box::new(load), sides)))
            }
            _ => Ok(Raw::Name(name)),
        }
    }

    /// `(row of rows, column of columns)`.
    fn sides(&mut self) -> Read<[(Raw, Raw); 2]> {
        self.eat("(")?;
        let row = self.side()?;
        self.eat(",")?;
        let column = self.side()?;
        self.eat(")")?;
        Ok([row, column])
    }

    fn side(&mut self) -> Read<(Raw, Raw)> {
        let at = self.expr()?;
        if !self.accept_word("of") {
            return Err("`of` is missing".into());
        }
        Ok((at, self.expr()?))
    }

    fn select(&mut self) -> Read<Raw> {
        let cond = self.expr()?;
        self.eat("{")?;
        let then = self.expr()?;
        self.eat("}")?;
        if !self.accept_word("else") {
            return Err("`else` is missing".into());
        }
        self.eat("{")?;
        let els = self.expr()?;
        self.eat("}")?;
        Ok(Raw::Select(Box::new((cond, then, els))))
    }

    /// Expressions up to `end`, which is read too.
    pub(super) fn list(&mut self, end: &str) -> Read<Vec<Raw>> {
        let mut found = vec![self.expr()?];
        while self.accept(",") {
            found.push(self.expr()?);
        }
        self.eat(end)?;
        Ok(found)
    }
}

fn call(name: String, mut args: Vec<Raw>) -> Raw {
    let op = match (name.as_str(), args.len()) {
        ("min", 2) => Op::Min,
        ("max", 2) => Op::Max,
        _ => return Raw::Call(name, args),
    };
    let (b, a) = (args.remove(1), args.remove(0));
    Raw::Bin(op, Box::new((a, b)))
}
