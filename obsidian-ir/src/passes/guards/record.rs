//! Records: a thread notes its first access out of range in two registers, and one block at the end of the kernel writes the
//! record from them, so that a guard on the way costs a comparison and two moves.
//!
//! Needs: code for machines, after `virtualise`, before `schedule`, with the records that `guards` wrote. Ensures: the same
//! record, since the first of each thread is what it may write; nothing where there are no guards.

use crate::diag::Span;
use crate::program::{
    ArrayId, AtomicOp, BinOp, Block, Const, Expr, ExprId, ParamKind, Program, Range, ScalarType, Stmt, StmtKind, VarId,
};

use std::collections::BTreeSet;

/// Gathers what guards record.
pub fn run(program: &mut Program) {
    let record = program.params.iter().find_map(|param| match param.kind {
        ParamKind::Fault(array) => Some(array),
        _ => None,
    });
    let Some(record) = record else { return };
    let mut register = |name| program.new_var(name, ScalarType::U32, true, Range::full(ScalarType::U32));
    let (number, index) = (register("fault_in"), register("fault_at"));
    let body = std::mem::take(&mut program.body);
    let mut gather = Gather { p: program, record, number, index, arrays: BTreeSet::new() };
    let body = gather.list(body);
    gather.p.body = if gather.arrays.is_empty() { body } else { gather.whole(body) };
}

struct Gather<'p> {
    p: &'p mut Program,
    record: ArrayId,
    /// The number of the array that the thread's first stray access is to; 0 while there is none.
    number: VarId,
    index: VarId,
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
            if let Some((array, index)) = self.recorded(&stmt.kind) {
                // The test behind the exchange, which writes the length.
                rest.next();
                let noted = self.noted((array, index), stmt.span);
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

    /// The array and the index that a statement tries to put into the record.
    fn recorded(&mut self, kind: &StmtKind) -> Option<(ArrayId, ExprId)> {
        match *kind {
            StmtKind::Atomic { op: AtomicOp::CompareExchange, array, value, .. } if array == self.record => {
                self.halves(value)
            }
            _ => None,
        }
    }

    /// `if nothing is noted yet { note it }`.
    fn noted(&mut self, (array, index): (ArrayId, ExprId), span: Span) -> Stmt {
        self.arrays.insert(array);
        let number = self.p.exprs.u32(array.0 + 1);
        let cond = self.none_yet();
        let then = vec![
            at(span, StmtKind::Set { var: self.number, value: number }),
            at(span, StmtKind::Set { var: self.index, value: index }),
        ];
        at(span, StmtKind::If { cond, then, els: Vec::new() })
    }

    fn none_yet(&mut self) -> ExprId {
        let (number, zero) = (self.p.exprs.var(self.number), self.p.exprs.u32(0));
        self.p.exprs.bin(BinOp::Eq, number, zero)
    }

    /// A test that only leads to another becomes one with it.
    fn joined(&mut self, stmt: Stmt) -> Stmt {
        let Stmt { kind, span, claim } = stmt;
        let StmtKind::If { cond, mut then, els } = kind else { return Stmt { kind, span, claim } };
        let alone = then.len() == 1 && els.is_empty();
        let kind = match then.pop().map(|inner| inner.kind) {
            Some(StmtKind::If { cond: inner, then: noted, els: other })
                if alone && other.is_empty() && self.is_note(&noted) =>
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

    fn is_note(&self, list: &Block) -> bool {
        matches!(list.first().map(|s| &s.kind), Some(StmtKind::Set { var, .. }) if *var == self.number)
    }

    /// The array and the index of `(array + 1) << 32 | index`.
    fn halves(&mut self, value: ExprId) -> Option<(ArrayId, ExprId)> {
        let e = &mut self.p.exprs;
        let (high, low) = match e.expr(value) {
            Expr::Bin(BinOp::Or, a, b) => match (e.as_const(a), e.as_const(b)) {
                (Some(high), _) => (high, b),
                (_, Some(high)) => (high, a),
                (None, None) => return None,
            },
            Expr::Const(both) => (both, value),
            _ => return None,
        };
        let index = match e.expr(low) {
            Expr::Cast(index) if e.ty(index) == ScalarType::U32 => index,
            Expr::Const(c) => e.u32(c.bits as u32),
            _ => e.cast(low, ScalarType::U32),
        };
        let array = ((high.bits >> 32) as u32).checked_sub(1)?;
        Some((ArrayId(array), index))
    }

    /// The registers in front of the program, the record behind it.
    fn whole(&mut self, body: Block) -> Block {
        let zero = self.p.exprs.u32(0);
        let local = |var| at(Span::NONE, StmtKind::Local { var, init: Some(zero) });
        let mut whole = vec![local(self.number), local(self.index)];
        whole.extend(body);
        let number = self.p.exprs.var(self.number);
        let cond = self.p.exprs.bin(BinOp::Ne, number, zero);
        let then = self.written();
        whole.push(at(Span::NONE, StmtKind::If { cond, then, els: Vec::new() }));
        whole
    }

    /// Writes the record, if this thread is the first: who changes element 0 from zero writes element 1.
    fn written(&mut self) -> Block {
        let old = self.p.new_var("before", ScalarType::U64, false, Range::full(ScalarType::U64));
        let (number, index) = (self.p.exprs.var(self.number), self.p.exprs.var(self.index));
        let len = self.len(number);
        let e = &mut self.p.exprs;
        let wide = |bits| Const { ty: ScalarType::U64, bits };
        let (zero, one, none, half) = (e.u32(0), e.u32(1), e.constant(wide(0)), e.constant(wide(32)));
        let [number, index, len] = [number, index, len].map(|x| e.cast(x, ScalarType::U64));
        let high = e.bin(BinOp::Shl, number, half);
        let value = e.bin(BinOp::Or, high, index);
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
