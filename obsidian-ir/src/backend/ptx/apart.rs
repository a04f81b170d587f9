//! Loops over chunks: a test tells the last round, which does something else, from those before it. The loop is printed without that
//! test, and the last round behind it, so that a thread of a whole chunk asks once, when it is done.
//!
//! ```text
//! seq b in block..w + min(r, 1) by blocks         seq b in block..w by blocks
//!   if b < w                                        A
//!     A                                     =>    if b == w                  (its next number)
//!   else                                            if b < w + min(r, 1)
//!     B                                               B
//! ```

use super::emit::Emitter;
use super::regs::{Class, Operand};
use crate::passes::walk;
use crate::program::{BinOp, Expr, ExprId, Program, Stmt, StmtKind, VarId};

/// A loop whose last round is printed apart.
pub(super) struct Apart<'a> {
    var: VarId,
    start: ExprId,
    step: ExprId,
    /// Rounds below it do `then`; the one that is equal, if there is one, does `els`.
    whole: ExprId,
    /// Where the loop ends: `whole`, or one more.
    end: ExprId,
    /// Barriers around the test.
    before: &'a [Stmt],
    then: &'a [Stmt],
    els: &'a [Stmt],
    after: &'a [Stmt],
}

impl<'a> Apart<'a> {
    /// The parts of a statement, if it is such a loop; `value_of` says what a variable stands for.
    pub(super) fn of(p: &Program, stmt: &'a Stmt, value_of: impl Fn(VarId) -> Option<ExprId>) -> Option<Apart<'a>> {
        let StmtKind::SeqFor { var, start, end, step, body } = &stmt.kind else { return None };
        let at = body.iter().position(|s| !matches!(s.kind, StmtKind::Sync { .. }))?;
        let (before, rest) = body.split_at(at);
        let (Stmt { kind: StmtKind::If { cond, then, els }, .. }, after) = rest.split_first()? else { return None };
        let only_barriers = after.iter().all(|s| matches!(s.kind, StmtKind::Sync { .. }));
        let Expr::Bin(BinOp::Lt, counter, whole) = p.exprs.expr(*cond) else { return None };
        let named = |id| if let Expr::Var(var) = p.exprs.expr(id) { value_of(var).unwrap_or(id) } else { id };
        let (whole, end) = (named(whole), named(*end));
        let Expr::Bin(BinOp::Add, a, b) = p.exprs.expr(end) else { return None };
        let one_more = |w: ExprId, more: ExprId| named(w) == whole && p.exprs.range(more).hi <= 1;
        let ends = one_more(a, b) || one_more(b, a);
        // Neither `whole + 1` nor the counter passes 2^32, and what the loop does cannot change `whole`.
        let exact = p.exprs.range(whole).hi - 1 + p.exprs.range(*step).hi < u32::MAX.into();
        let fits = only_barriers && p.exprs.expr(counter) == Expr::Var(*var) && ends && exact && is_fixed(p, end, *var);
        let both = !then.is_empty() && !els.is_empty();
        (fits && both).then_some(Apart { var: *var, start: *start, step: *step, whole, end, before, then, els, after })
    }
}

/// Whether an expression is the same in all rounds, wherever it is computed.
fn is_fixed(p: &Program, id: ExprId, counter: VarId) -> bool {
    match p.exprs.expr(id) {
        Expr::Load(..) => false,
        Expr::Var(var) => var != counter && !p.var(var).mutable,
        e => walk::operands(e).all(|operand| is_fixed(p, operand, counter)),
    }
}

impl Emitter<'_> {
    /// A loop as [`Apart`], if it is one.
    pub(super) fn apart<'a>(&self, stmt: &'a Stmt) -> Option<Apart<'a>> {
        Apart::of(self.p, stmt, |var| self.lets.get(&var).copied())
    }

    /// Whether a statement only names where the loop behind it ends, and the last round is all that asks.
    pub(super) fn names_an_end(&mut self, stmt: &Stmt, next: Option<&Stmt>) -> bool {
        let (StmtKind::Let { var, value }, Some(next)) = (&stmt.kind, next) else { return false };
        let StmtKind::SeqFor { end, .. } = next.kind else { return false };
        if self.p.exprs.expr(end) != Expr::Var(*var) {
            return false;
        }
        let named = |asked| if asked == *var { Some(*value) } else { self.lets.get(&asked).copied() };
        let found = Apart::of(self.p, next, named).is_some();
        if found {
            // What reads it elsewhere computes it there.
            self.lets.insert(*var, *value);
        }
        found
    }

    /// Prints it. Where nothing comes after it, a thread returns at once.
    pub(super) fn rounds_and_last(&mut self, a: &Apart<'_>, stmt: &Stmt) {
        let counter = self.seq_for(a.var, [a.start, a.whole, a.step], &[a.before, a.then, a.after]);
        let nothing_after = self.p.body.last().is_some_and(|last| std::ptr::eq(last, stmt));
        let done = (!nothing_after).then(|| self.fresh_label());
        let leave = done.as_ref().map_or("ret;".to_string(), |label| format!("bra {label};"));
        let whole = self.value(a.whole);
        let other = self.compute("setp.ne.u32", Class::Pred, &[&counter, &whole]);
        self.ins(&format!("@{other} {leave}"));
        self.scope(|e| {
            e.bind(a.var, Operand::temp(counter.clone()));
            let end = e.value(a.end);
            let none = e.compute("setp.ge.u32", Class::Pred, &[&counter, &end]);
            e.ins(&format!("@{none} {leave}"));
            [a.before, a.els, a.after].into_iter().for_each(|part| e.block(part));
        });
        done.into_iter().for_each(|label| self.label(&label));
    }
}
