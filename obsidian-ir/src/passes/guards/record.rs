//! Records: a thread notes its first access out of range in one register, and one block at the end of the kernel writes the
//! record from it, so that a guard on the way costs a comparison and a move. The note is one word, array and index together,
//! since two are set by conditional moves on the way of every access, where a compiler for processors has the choice.
//!
//! Needs: code for machines, after `virtualise`, before `schedule`, with the records that `guards` wrote. Ensures: the same
//! record, since the first of each thread is what it may write; nothing where there are no guards.
//!
//! ```text
//! if at[i] >= len(xs)                     local stray = 0
//!   let before = compare-exchange(record[0], 0, ..)   =>  if at[i] >= len(xs) & stray is 0 { stray = .. }
//!   if before == 0 { record[1] = len(xs) }  .. and at the end of the kernel
//!                                         if stray is not 0 { let before = compare-exchange(record[0], 0, stray); .. }
//! ```

use crate::diag::Span;
use crate::program::{
    ArrayId, AtomicOp, BinOp, Block, Const, Expr, ExprId, ParamKind, Program, Range, ScalarType, Stmt, StmtKind, VarId,
};

use std::collections::BTreeSet;

/// The buffer of the record, if the kernel has guards.
fn record_of(program: &Program) -> Option<ArrayId> {
    program.params.iter().find_map(|param| match param.kind {
        ParamKind::Fault(array) => Some(array),
        _ => None,
    })
}

/// The register in which a thread notes its first access out of range, in a program that [`run`] has gone through: its first
/// statement declares it.
pub(super) fn note(program: &Program) -> Option<VarId> {
    record_of(program)?;
    match program.body.first()?.kind {
        StmtKind::Local { var, .. } if program.var(var).ty == ScalarType::U64 => Some(var),
        _ => None,
    }
}

/// Whether a list begins with a note in that register.
pub(super) fn is_note(note: VarId, list: &Block) -> bool {
    matches!(list.first().map(|s| &s.kind), Some(StmtKind::Set { var, .. }) if *var == note)
}

/// Gathers what guards record.
pub fn run(program: &mut Program) {
    let Some(record) = record_of(program) else { return };
    let note = program.new_var("stray", ScalarType::U64, true, Range::full(ScalarType::U64));
    let body = std::mem::take(&mut program.body);
    let mut gather = Gather { p: program, record, note, arrays: BTreeSet::new() };
    let body = gather.list(body);
    gather.p.body = if gather.arrays.is_empty() { body } else { gather.whole(body) };
}

struct Gather<'p> {
    p: &'p mut Program,
    record: ArrayId,
    /// What the record will hold of the thread's first stray access; 0 while there is none.
    note: VarId,
    /// The arrays that are guarded.
    arrays: BTreeSet<ArrayId>,
}

fn at(span: Span, kind: StmtKind) -> Stmt {
    Stmt::new(kind, span)
}

impl Gather<'_> {
    fn list(&mut self, list: Block) -> Block {
        let mut out: Block = Vec::with_capacity(list.len());
        let mut rest = list.into_iter();
        while let Some(mut stmt) = rest.next() {
            if let Some((array, value)) = self.recorded(&stmt.kind) {
                // The test behind the exchange, which writes the length.
                rest.next();
                self.arrays.insert(array);
                let noted = self.noted(value, stmt.span);
                out.push(noted);
                continue;
            }
            for inner in crate::passes::walk::nested_mut(&mut stmt.kind) {
                *inner = self.list(std::mem::take(inner));
            }
            out.push(self.joined(stmt));
        }
        out
    }

    /// What a statement tries to put into the record, and the array in it.
    fn recorded(&self, kind: &StmtKind) -> Option<(ArrayId, ExprId)> {
        match *kind {
            StmtKind::Atomic { op: AtomicOp::CompareExchange, array, value, .. } if array == self.record => {
                Some((self.array_of(value)?, value))
            }
            _ => None,
        }
    }

    /// `if nothing is noted yet { note it }`.
    fn noted(&mut self, value: ExprId, span: Span) -> Stmt {
        let cond = self.compared(BinOp::Eq);
        let then = vec![at(span, StmtKind::Set { var: self.note, value })];
        at(span, StmtKind::If { cond, then, els: Vec::new() })
    }

    /// Compares the note's array with 0, none: a GPU has the two halves of a word in two registers, and looks at one.
    fn compared(&mut self, op: BinOp) -> ExprId {
        let (number, none) = (self.number(), self.p.exprs.u32(0));
        self.p.exprs.bin(op, number, none)
    }

    /// One more than the number of the array in the note; 0 while there is none.
    fn number(&mut self) -> ExprId {
        let (note, half) = (self.p.exprs.var(self.note), self.wide(32));
        let number = self.p.exprs.bin(BinOp::Shr, note, half);
        self.p.exprs.cast(number, ScalarType::U32)
    }

    fn wide(&mut self, bits: u64) -> ExprId {
        self.p.exprs.constant(Const { ty: ScalarType::U64, bits })
    }

    /// A test that only leads to another becomes one with it.
    fn joined(&mut self, stmt: Stmt) -> Stmt {
        let Stmt { kind, span, claim } = stmt;
        let StmtKind::If { cond, mut then, els } = kind else { return Stmt { kind, span, claim } };
        let alone = then.len() == 1 && els.is_empty();
        let kind = match then.pop().map(|inner| inner.kind) {
            Some(StmtKind::If { cond: inner, then: noted, els: other })
                if alone && other.is_empty() && is_note(self.note, &noted) =>
            {
                let cond = self.p.exprs.bin(BinOp::And, cond, inner);
                StmtKind::If { cond, then: noted, els }
            }
            Some(kind) => {
                then.push(at(span, kind));
                StmtKind::If { cond, then, els }
            }
            None => StmtKind::If { cond, then, els },
        };
        Stmt { kind, span, claim }
    }

    /// The array of `(array + 1) << 32 | index`.
    fn array_of(&self, value: ExprId) -> Option<ArrayId> {
        let e = &self.p.exprs;
        let high = match e.expr(value) {
            Expr::Bin(BinOp::Or, a, b) => e.as_const(a).or_else(|| e.as_const(b))?,
            Expr::Const(both) => both,
            _ => return None,
        };
        Some(ArrayId(((high.bits >> 32) as u32).checked_sub(1)?))
    }

    /// The register in front of the program, the record behind it.
    fn whole(&mut self, body: Block) -> Block {
        let none = self.wide(0);
        let mut whole = vec![at(Span::NONE, StmtKind::Local { var: self.note, init: Some(none) })];
        whole.extend(body);
        let cond = self.compared(BinOp::Ne);
        let then = self.written();
        whole.push(at(Span::NONE, StmtKind::If { cond, then, els: Vec::new() }));
        whole
    }

    /// Writes the record, if this thread is the first: who changes element 0 from zero writes element 1.
    fn written(&mut self) -> Block {
        let old = self.p.new_var("before", ScalarType::U64, false, Range::full(ScalarType::U64));
        let (value, none, number) = (self.p.exprs.var(self.note), self.wide(0), self.number());
        let len = self.len(number);
        let e = &mut self.p.exprs;
        let (zero, one, len) = (e.u32(0), e.u32(1), e.cast(len, ScalarType::U64));
        let before = e.var(old);
        let cond = e.bin(BinOp::Eq, before, none);
        let (op, array) = (AtomicOp::CompareExchange, self.record);
        let swap = StmtKind::Atomic { op, array, index: zero, value, expected: Some(none), old: Some(old) };
        let then = vec![at(Span::NONE, StmtKind::Assign { array, index: one, value: len })];
        vec![at(Span::NONE, swap), at(Span::NONE, StmtKind::If { cond, then, els: Vec::new() })]
    }

    /// The length of the array of that number.
    fn len(&mut self, number: ExprId) -> ExprId {
        let mut arrays = self.arrays.iter().copied().collect::<Vec<_>>().into_iter();
        let Some(first) = arrays.next() else { return self.p.exprs.u32(0) };
        let mut len = self.p.array(first).len;
        for array in arrays {
            let own = self.p.exprs.u32(array.0 + 1);
            let cond = self.p.exprs.bin(BinOp::Eq, number, own);
            len = self.p.exprs.select(cond, self.p.array(array).len, len);
        }
        len
    }
}
