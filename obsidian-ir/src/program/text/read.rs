//! Reads a program as [`print`](super::print) prints it. Bad text is an error at its place; whether the program makes sense is
//! not asked here but in `validate`.

mod head;
mod stmt;

use std::fmt;

use super::lex::{Line, Place, lines};
use super::names::{self, final_number};
use super::tree::Tokens;
use crate::program::{ExprId, Exprs, Options, Program, Range, ScalarType, Var, VarId};
use crate::tables::HashMap;

/// What is wrong with a text, and where; lines and columns begin at 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {}

/// Reads a program.
///
/// # Errors
/// The first place where the text is not that of a program.
pub fn read(text: &str) -> Result<Program, ReadError> {
    let lines = lines(text)?;
    let Some((first, rest)) = lines.split_first() else {
        return Place { line: 1, column: 1 }.error("expected `kernel`");
    };
    let mut exprs = Exprs::default();
    let blocks = exprs.u32(0);
    let program = Program {
        name: String::new(),
        threads: 1,
        shared_limit: super::defaults::SHARED_LIMIT,
        shared_bytes: 0,
        rounds: 1,
        options: Options::default(),
        places: None,
        params: Vec::new(),
        arrays: Vec::new(),
        vars: Vec::new(),
        exprs,
        body: Vec::new(),
        blocks,
        checks: Vec::new(),
    };
    let numbers = rest.iter().flat_map(|line| &line.tokens).filter_map(|(token, _)| match token {
        super::lex::Token::Word(word) => final_number(word),
        _ => None,
    });
    let unnamed = numbers.max().map_or(0, |n| n + 1);
    let (vars, arrays, short) = (HashMap::default(), HashMap::default(), HashMap::default());
    let mut reader = Reader { p: program, vars, arrays, short, unnamed };
    reader.kernel(first)?;
    let body = rest.iter().position(|line| !head::is_head(line)).unwrap_or(rest.len());
    let (head, body) = rest.split_at(body);
    reader.declare(head, body)?;
    let mut at = 0;
    reader.p.body = reader.block(body, &mut at, 1)?;
    if let Some(line) = body.get(at) {
        return Tokens::new(line).place().error("this line is indented less than a statement");
    }
    reader.finish(head)?;
    Ok(reader.p)
}

/// What has been read so far.
pub(super) struct Reader {
    pub(super) p: Program,
    /// The variables that are bound.
    pub(super) vars: HashMap<String, VarId>,
    /// The numbers of the arrays of a name.
    pub(super) arrays: HashMap<String, Vec<u32>>,
    /// The expressions that the text has named.
    pub(super) short: HashMap<usize, ExprId>,
    /// The next number for a variable whose name has none, or one that is taken: above all that the text mentions.
    unnamed: u32,
}

/// A variable where it is bound.
struct Binder<'l> {
    name: &'l str,
    /// What it lies in, if that is written.
    range: Option<Range>,
    at: Place,
}

impl Reader {
    fn binder<'l>(&self, tokens: &mut Tokens<'l>) -> Result<Binder<'l>, ReadError> {
        let at = tokens.place();
        let name = tokens.word("a variable")?;
        if names::RESERVED.contains(&name) {
            return at.error(format!("`{name}` is no name for a variable"));
        }
        let mut range = None;
        if tokens.take("(") {
            let lo = tokens.signed()?;
            tokens.expect("..=")?;
            range = Some(Range::new(lo, tokens.signed()?));
            tokens.expect(")")?;
        }
        Ok(Binder { name, range, at })
    }

    /// Binds a variable; `suggested` is its range where none is written. Another binding of a name is the same variable.
    fn bind(
        &mut self,
        binder: &Binder<'_>,
        ty: ScalarType,
        mutable: bool,
        suggested: Range,
    ) -> Result<VarId, ReadError> {
        if let Some(&id) = self.vars.get(binder.name) {
            let var = self.p.var(id);
            if (var.ty, var.mutable) != (ty, mutable) {
                return binder.at.error(format!("`{}` is already a variable of another type", binder.name));
            }
            return Ok(id);
        }
        let range = binder.range.unwrap_or(suggested);
        if range.lo > range.hi || !range.within(Range::full(ty)) {
            return binder.at.error(format!("{}..={} is no range of {}", range.lo, range.hi, ty.name()));
        }
        let free = |n: &u32| self.p.vars.get(*n as usize).is_none_or(|v| v.name.is_empty());
        let number = final_number(binder.name).filter(free).unwrap_or_else(|| {
            self.unnamed += 1;
            self.unnamed - 1
        });
        let id = VarId(number);
        let unused = || Var { name: String::new(), ty: ScalarType::U32, mutable: false };
        let end = self.p.vars.len().max(number as usize + 1);
        self.p.vars.resize_with(end, unused);
        self.p.vars[number as usize] = Var { name: binder.name.to_string(), ty, mutable };
        self.p.exprs.declare_at(id, ty, range);
        self.vars.insert(binder.name.to_string(), id);
        Ok(id)
    }

    /// The lines nested in the one before.
    fn nested(&mut self, lines: &[Line], at: &mut usize, depth: usize) -> Result<crate::program::Block, ReadError> {
        self.block(lines, at, depth + 1)
    }
}
