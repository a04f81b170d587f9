//! Reads statements: a line each, what they nest indented by two more spaces.

use super::super::defaults;
use super::super::lex::Line;
use super::super::print;
use super::super::tree::Tokens;
use super::head::{allocation, is_allocation, level};
use super::{Binder, ReadError, Reader};
use crate::diag::Span;
use crate::program::{ArrayId, AtomicOp, Block, Claim, ExprId, Range, ScalarType, ShuffleKind, Stmt, StmtKind, VarId};

/// Statements are nested at most this deep.
const MAX_NESTED: usize = 200;

/// The atomic updates, to be found by their names.
const ATOMICS: [AtomicOp; 8] = [
    AtomicOp::Add,
    AtomicOp::Min,
    AtomicOp::Max,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exchange,
    AtomicOp::CompareExchange,
];

impl Reader {
    /// The lines from `at` on that are nested as deep.
    pub(super) fn block(&mut self, lines: &[Line], at: &mut usize, depth: usize) -> Result<Block, ReadError> {
        let mut out = Vec::new();
        while let Some(line) = lines.get(*at).filter(|line| line.depth >= depth) {
            let mut t = Tokens::new(line);
            if line.depth > depth || depth > MAX_NESTED {
                return t.place().error("this line is nested too deeply");
            }
            *at += 1;
            if t.take("$") {
                self.short(&mut t)?;
                continue;
            }
            let claim = match () {
                () if t.sign_at(1, "[") || t.sign_at(1, "@") || t.sign_at(1, "=") => Claim::ByConstruction,
                () if t.take_word("prove") => Claim::MustProve,
                () if t.take_word("unsafe") => Claim::Author,
                () => Claim::ByConstruction,
            };
            let kind = self.stmt(&mut t, (lines, at, depth))?;
            t.end()?;
            out.push(Stmt { kind, span: Span::NONE, claim });
        }
        Ok(out)
    }

    /// `$7 = ..`: a name for an expression in this text, and no statement.
    fn short(&mut self, t: &mut Tokens<'_>) -> Result<(), ReadError> {
        let at = t.place();
        let number = t.number()?;
        t.expect("=")?;
        let tree = t.expr()?;
        let id = self.build(&tree, None)?;
        t.end()?;
        match self.short.insert(number, id) {
            None => Ok(()),
            Some(_) => at.error(format!("there are two `${number}`")),
        }
    }

    fn stmt<'l>(
        &mut self,
        t: &mut Tokens<'l>,
        (lines, at, depth): (&'l [Line], &mut usize, usize),
    ) -> Result<StmtKind, ReadError> {
        let place = t.place();
        if t.sign_at(1, "[") || t.sign_at(1, "@") || t.sign_at(1, "=") {
            return self.write(t);
        }
        if is_allocation(t) {
            let name = allocation(t)?.name;
            return Ok(StmtKind::Allocate { array: self.array(&name, place)? });
        }
        match t.peek_word() {
            Some(name) if name.starts_with("atomic_") => self.atomic(t, None),
            Some("let") => self.binding(t),
            Some("local") => self.local(t),
            Some("if") => {
                t.take_word("if");
                let cond = self.expr(t, ScalarType::Bool)?;
                let then = self.nested(lines, at, depth)?;
                let mut els = Vec::new();
                if let Some(line) = lines.get(*at).filter(|l| l.depth == depth) {
                    let mut t = Tokens::new(line);
                    if t.take_word("else") {
                        t.end()?;
                        *at += 1;
                        els = self.nested(lines, at, depth)?;
                    }
                }
                Ok(StmtKind::If { cond, then, els })
            }
            Some("loop") => {
                t.take_word("loop");
                t.end()?;
                let head = self.nested(lines, at, depth)?;
                loop {
                    let Some(line) = lines.get(*at).filter(|l| l.depth == depth) else {
                        return place.error("a `loop` has its `while` after it");
                    };
                    *at += 1;
                    *t = Tokens::new(line);
                    if !t.take("$") {
                        break;
                    }
                    self.short(t)?;
                }
                self.seq_while(t, head, (lines, at, depth))
            }
            Some("while") => self.seq_while(t, Vec::new(), (lines, at, depth)),
            Some("seq" | "forall" | "distribute") => self.counted(t, (lines, at, depth)),
            Some("sync") => {
                t.take_word("sync");
                Ok(StmtKind::Sync { scope: level(t)? })
            }
            Some("copy") => self.copy(t),
            Some("commit") => {
                t.take_word("commit");
                Ok(StmtKind::Commit)
            }
            Some("await") => {
                t.take_word("await");
                Ok(StmtKind::Await { pending: t.number()? })
            }
            Some("print") => {
                t.take_word("print");
                let (mut text, mut values) = (vec![t.text()?.to_string()], Vec::new());
                while t.take(",") {
                    let tree = t.expr()?;
                    values.push(self.build(&tree, None)?);
                    t.expect(",")?;
                    text.push(t.text()?.to_string());
                }
                Ok(StmtKind::Print { text, values })
            }
            _ => place.error("expected a statement"),
        }
    }

    fn expr(&mut self, t: &mut Tokens<'_>, ty: ScalarType) -> Result<ExprId, ReadError> {
        let tree = t.expr()?;
        self.build(&tree, Some(ty))
    }

    fn u32(&mut self, t: &mut Tokens<'_>) -> Result<ExprId, ReadError> {
        self.expr(t, ScalarType::U32)
    }

    fn seq_while(
        &mut self,
        t: &mut Tokens<'_>,
        head: Block,
        (lines, at, depth): (&[Line], &mut usize, usize),
    ) -> Result<StmtKind, ReadError> {
        t.expect_word("while")?;
        let cond = self.expr(t, ScalarType::Bool)?;
        Ok(StmtKind::SeqWhile { head, cond, body: self.nested(lines, at, depth)? })
    }

    /// `seq i in 0..n by 2`, `forall Block i < n`, `distribute Warp w < n`.
    fn counted(
        &mut self,
        t: &mut Tokens<'_>,
        (lines, at, depth): (&[Line], &mut usize, usize),
    ) -> Result<StmtKind, ReadError> {
        let word = t.word("a loop")?;
        let of = if word == "seq" { None } else { Some(level(t)?) };
        let binder = self.binder(t)?;
        let (unbound, none) = (VarId(0), Vec::new());
        let mut kind = match of {
            None => {
                t.expect_word("in")?;
                let start = self.u32(t)?;
                t.expect("..")?;
                let end = self.u32(t)?;
                let step = if t.take_word("by") { self.u32(t)? } else { self.p.exprs.u32(1) };
                StmtKind::SeqFor { var: unbound, start, end, step, body: none }
            }
            Some(level) => {
                t.expect("<")?;
                let n = self.u32(t)?;
                let all = word == "forall";
                if all {
                    StmtKind::ForAll { level, var: unbound, n, body: none }
                } else {
                    StmtKind::DistrPar { level, var: unbound, n, body: none }
                }
            }
        };
        t.end()?;
        let ty = ScalarType::U32;
        let bound = self.bind(&binder, ty, false, defaults::range(&self.p, &kind, ty))?;
        if let StmtKind::SeqFor { var, body, .. }
        | StmtKind::ForAll { var, body, .. }
        | StmtKind::DistrPar { var, body, .. } = &mut kind
        {
            *var = bound;
            *body = self.nested(lines, at, depth)?;
        }
        Ok(kind)
    }

    /// `local x: u32 = 0`.
    fn local(&mut self, t: &mut Tokens<'_>) -> Result<StmtKind, ReadError> {
        t.take_word("local");
        let binder = self.binder(t)?;
        t.expect(":")?;
        let ty = t.scalar_type()?;
        let init = if t.take("=") { Some(self.expr(t, ty)?) } else { None };
        let kind = StmtKind::Local { var: VarId(0), init };
        let var = self.bind(&binder, ty, true, defaults::range(&self.p, &kind, ty))?;
        Ok(StmtKind::Local { var, init })
    }

    /// `let x = ..`: a value, another lane's, what an atomic update found, or neighbours in memory.
    fn binding(&mut self, t: &mut Tokens<'_>) -> Result<StmtKind, ReadError> {
        t.take_word("let");
        let binder = self.binder(t)?;
        if t.take(",") {
            return self.load_vector(t, binder);
        }
        t.expect("=")?;
        if t.sign_at(1, "(") && t.peek_word().is_some_and(|word| word.starts_with("atomic_")) {
            return self.atomic(t, Some(&binder));
        }
        let tree = t.expr()?;
        let value = self.build(&tree, None)?;
        let ty = self.p.exprs.ty(value);
        if t.take_word("of") {
            t.expect_word("lane")?;
            let (kind, lane) = self.lane(t)?;
            let ty = kind.gives(ty);
            let var = self.bind(&binder, ty, false, Range::full(ty))?;
            return Ok(StmtKind::Shuffle { var, value, kind, lane });
        }
        let kind = StmtKind::Let { var: VarId(0), value };
        let var = self.bind(&binder, ty, false, defaults::range(&self.p, &kind, ty))?;
        Ok(StmtKind::Let { var, value })
    }

    fn lane(&mut self, t: &mut Tokens<'_>) -> Result<(ShuffleKind, ExprId), ReadError> {
        if t.word_at(0, "all") && t.sign_at(1, ",") {
            t.take_word("all");
            t.take(",");
            let place = t.place();
            let vote = match t.peek_word() {
                Some("ballot") => Some(ShuffleKind::Ballot),
                Some("same") => Some(ShuffleKind::Same),
                _ => None,
            };
            if let Some(vote) = vote {
                t.skip();
                return Ok((vote, self.p.exprs.u32(0)));
            }
            let op = match t.peek_word() {
                Some("min") => Some(crate::program::BinOp::Min),
                Some("max") => Some(crate::program::BinOp::Max),
                _ => t.binary(),
            };
            let Some(op) = op else { return place.error("expected an operation of two operands") };
            t.skip();
            return Ok((ShuffleKind::All(op), self.p.exprs.u32(0)));
        }
        let relative = [("^", ShuffleKind::Xor), ("-", ShuffleKind::Up), ("+", ShuffleKind::Down)];
        let found = relative.into_iter().find(|(sign, _)| t.word_at(0, "lane") && t.sign_at(1, sign));
        let Some((_, kind)) = found else { return Ok((ShuffleKind::Index, self.u32(t)?)) };
        t.skip();
        t.skip();
        Ok((kind, self.u32(t)?))
    }

    fn load_vector(&mut self, t: &mut Tokens<'_>, first: Binder<'_>) -> Result<StmtKind, ReadError> {
        let mut binders = vec![first];
        binders.push(self.binder(t)?);
        while t.take(",") {
            binders.push(self.binder(t)?);
        }
        t.expect("=")?;
        let (array, index, ty) = self.place(t)?;
        t.expect("..")?;
        t.expect("]")?;
        let bound = binders.iter().map(|b| self.bind(b, ty, false, Range::full(ty)));
        Ok(StmtKind::LoadVector { vars: bound.collect::<Result<_, _>>()?, array, index })
    }

    /// `array[index`, and the type of the elements.
    fn place(&mut self, t: &mut Tokens<'_>) -> Result<(ArrayId, ExprId, ScalarType), ReadError> {
        let at = t.place();
        let name = t.array()?;
        let array = self.array(&name, at)?;
        t.expect("[")?;
        Ok((array, self.u32(t)?, self.p.array(array).elem))
    }

    /// `x = ..`, `a[i] = ..`, `a[i ..] = .., ..`.
    fn write(&mut self, t: &mut Tokens<'_>) -> Result<StmtKind, ReadError> {
        let at = t.place();
        if t.sign_at(1, "=") {
            let name = t.word("a variable")?;
            t.take("=");
            let Some(&var) = self.vars.get(name) else { return at.error(format!("there is no variable `{name}`")) };
            return Ok(StmtKind::Set { var, value: self.expr(t, self.p.var(var).ty)? });
        }
        let (array, index, ty) = self.place(t)?;
        let several = t.take("..");
        t.expect("]")?;
        t.expect("=")?;
        let first = self.expr(t, ty)?;
        if !several {
            return Ok(StmtKind::Assign { array, index, value: first });
        }
        let mut values = vec![first];
        while t.take(",") {
            values.push(self.expr(t, ty)?);
        }
        Ok(StmtKind::StoreVector { array, index, values })
    }

    /// `copy a[i] = b[j]`, `copy 4 a[i] = b[j]`.
    fn copy(&mut self, t: &mut Tokens<'_>) -> Result<StmtKind, ReadError> {
        t.take_word("copy");
        let count = if t.peek_word().is_some() { 1 } else { t.number()? };
        let (array, index, ty) = self.place(t)?;
        t.expect("]")?;
        t.expect("=")?;
        Ok(StmtKind::Copy { array, index, value: self.expr(t, ty)?, count })
    }

    /// `atomic_add(a[i], x)`.
    fn atomic(&mut self, t: &mut Tokens<'_>, old: Option<&Binder<'_>>) -> Result<StmtKind, ReadError> {
        let at = t.place();
        let word = t.word("an atomic update")?;
        let op = ATOMICS.into_iter().find(|op| print::atomic(*op) == word);
        let Some(op) = op else { return at.error(format!("`{word}` is no atomic update")) };
        t.expect("(")?;
        let (array, index, ty) = self.place(t)?;
        t.expect("]")?;
        t.expect(",")?;
        let mut value = self.expr(t, ty)?;
        let mut expected = None;
        if t.take(",") {
            expected = Some(value);
            value = self.expr(t, ty)?;
        }
        t.expect(")")?;
        let old = old.map(|binder| self.bind(binder, ty, false, Range::full(ty))).transpose()?;
        Ok(StmtKind::Atomic { op, array, index, value, expected, old })
    }
}
