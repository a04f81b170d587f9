//! A thread's own arrays: what is read of one has been written before by the same thread, on every path.
//!
//! Walks thread code in order, with what is certain to have been written at each place; loops of known length are lanes,
//! as everywhere in this pass. What a loop or a branch that may not be taken writes is forgotten behind it.

mod written;

use super::report::{Fault, Verdict};
use crate::diag::Span;
use crate::passes::access::{Effects, Loads, Sites};
use crate::passes::index::Table;
use crate::passes::walk;
use crate::program::{ArrayId, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};
use crate::tables::HashSet;
use written::{Missing, Written};

/// Rounds of loops that are gone through one after another in one leaf, at most.
const MAX_ROUNDS: u32 = 512;

/// Whether a program has such arrays.
pub(super) fn any(p: &Program) -> bool {
    p.arrays.iter().any(|array| array.space == Space::Local)
}

/// What is wrong with a read.
pub(super) struct Unwritten {
    pub(super) array: ArrayId,
    pub(super) span: Span,
    pub(super) verdict: Verdict,
}

/// The reads of a `ForAll` that are not proved to see a value. Around it are the loops that `sites` has entered.
pub(super) fn unwritten(p: &Program, loads: &Loads, stmt: &Stmt, sites: &mut Sites<'_>) -> Vec<Unwritten> {
    let StmtKind::ForAll { var, n, body, .. } = &stmt.kind else { return Vec::new() };
    let entered = sites.enter_all(*var, *n).is_some();
    if !entered {
        sites.unknown(*var);
    }
    let mut walker = Walker {
        p,
        loads,
        sites,
        written: Written::default(),
        mask: Table::uniform(1),
        sure: entered,
        found: Vec::new(),
        left: MAX_ROUNDS,
    };
    walker.block(body);
    let found = walker.found;
    if entered {
        sites.leave();
    }
    found
}

struct Walker<'w, 'p> {
    p: &'w Program,
    loads: &'w Loads,
    sites: &'w mut Sites<'p>,
    written: Written,
    /// The lanes that come by.
    mask: Table,
    /// Whether all lanes of the mask do.
    sure: bool,
    found: Vec<Unwritten>,
    /// Rounds that may still be gone through one after another.
    left: u32,
}

impl Walker<'_, '_> {
    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if !matches!(stmt.kind, StmtKind::SeqWhile { .. }) {
            self.reads(stmt);
        }
        match &stmt.kind {
            StmtKind::Allocate { array } => self.allocate(*array),
            StmtKind::Assign { array, index, .. } => self.write(*array, *index),
            StmtKind::Let { var, value } => self.sites.name(*var, *value),
            StmtKind::If { cond, then, els } => self.branch(*cond, then, els),
            StmtKind::SeqFor { var, start, end, step, body } if self.feeds_itself(body) => {
                match self.rounds((*start, *end, *step)) {
                    Some(rounds) => rounds.for_each(|at| {
                        self.sites.enter_round(*var, at);
                        self.block(body);
                        self.sites.leave();
                        self.written.close(self.sites.extents().len());
                    }),
                    None => self.side_by_side(*var, (*start, *end, *step), body),
                }
            }
            StmtKind::SeqFor { var, start, end, step, body } => {
                self.side_by_side(*var, (*start, *end, *step), body);
            }
            StmtKind::SeqWhile { head, body, .. } => {
                self.block(head);
                self.reads(stmt);
                let before = self.written.clone();
                self.perhaps(body);
                self.written = before.doubting(&self.written);
            }
            _ => {}
        }
    }

    /// A loop whose rounds are lanes: none sees what another writes.
    fn side_by_side(&mut self, var: VarId, (start, end, step): (ExprId, ExprId, ExprId), body: &Block) {
        let before = self.written.clone();
        let Some(rounds) = self.sites.enter(var, start, end, step) else {
            self.sites.unknown(var);
            self.perhaps(body);
            self.written = before.doubting(&self.written);
            return;
        };
        self.block(body);
        self.sites.leave();
        if rounds == 0 {
            self.written = before;
        } else {
            self.written.close(self.sites.extents().len());
        }
    }

    /// Whether a loop reads and writes one of the arrays: then its rounds are gone through one after another, as far as there are few.
    fn feeds_itself(&self, body: &Block) -> bool {
        let effects = Effects::of_block(body, self.loads);
        effects.reads.intersection(&effects.writes).any(|&array| self.written.is_open(array))
    }

    /// What the counter of a loop with few rounds goes through.
    fn rounds(&mut self, (start, end, step): (ExprId, ExprId, ExprId)) -> Option<impl Iterator<Item = u32> + use<>> {
        let number = |e| self.p.exprs.as_u32(e);
        let (start, end, step) = (number(start)?, number(end)?, number(step).filter(|&step| step > 0)?);
        let rounds = end.saturating_sub(start).div_ceil(step);
        self.left = self.left.checked_sub(rounds)?;
        Some((0..rounds).map(move |k| start + k * step))
    }

    fn allocate(&mut self, array: ArrayId) {
        let array_of = self.p.array(array);
        if let (Space::Local, Some(len)) = (array_of.space, self.p.exprs.as_u32(array_of.len)) {
            self.written.allocate(array, len);
        }
    }

    fn write(&mut self, array: ArrayId, index: ExprId) {
        if !self.written.is_open(array) {
            return;
        }
        let index = self.sites.value(index);
        match index.as_ref().and_then(|i| i.as_known()) {
            Some(index) => self.written.write(array, index, &self.mask, self.sites.extents()),
            None => self.written.doubt(array),
        }
    }

    /// Code that some lanes may not come to.
    fn perhaps(&mut self, block: &Block) {
        let outer = std::mem::replace(&mut self.sure, false);
        self.block(block);
        self.sure = outer;
    }

    fn branch(&mut self, cond: ExprId, then: &Block, els: &Block) {
        let known = self.sides(cond);
        if let Some(sides) = known {
            for (block, mask) in [then, els].into_iter().zip(sides) {
                if mask.as_uniform() != Some(0) {
                    let outer = std::mem::replace(&mut self.mask, mask);
                    self.block(block);
                    self.mask = outer;
                }
            }
            return;
        }
        let before = self.written.clone();
        self.perhaps(then);
        let one = std::mem::replace(&mut self.written, before);
        self.perhaps(els);
        self.written.both(&one);
    }

    /// The lanes that come by and in which a condition holds, and the others; `None` where it is not known while compiling.
    fn sides(&mut self, cond: ExprId) -> Option<[Table; 2]> {
        let value = self.sites.value(cond)?;
        let cond = value.as_known()?;
        let extents = self.sites.extents().to_vec();
        let narrowed = |yes: u32| match (cond.as_uniform(), self.mask.as_uniform()) {
            (Some(c), _) if c == yes => self.mask.clone(),
            (Some(_), _) => Table::uniform(0),
            (None, Some(1)) if yes == 1 => cond.clone(),
            _ => self.mask.map2(cond, &extents, |m, c| m & u32::from(c == yes)),
        };
        Some([narrowed(1), narrowed(0)])
    }

    /// What a statement itself reads.
    fn reads(&mut self, stmt: &Stmt) {
        let roots: Vec<ExprId> = walk::direct(&stmt.kind).filter(|&e| self.asks(e)).collect();
        let mut seen = HashSet::default();
        for root in roots {
            self.read(root, (0, stmt.span), &mut seen);
        }
    }

    /// Whether an expression reads an array that may hold what nobody wrote.
    fn asks(&self, e: ExprId) -> bool {
        self.loads.of(e).iter().any(|&array| self.written.is_open(array))
    }

    /// The loads of an expression; `side` numbers the choices that it lies in.
    fn read(&mut self, e: ExprId, (side, span): (u64, Span), seen: &mut HashSet<(ExprId, u64)>) {
        if !self.asks(e) || !seen.insert((e, side)) {
            return;
        }
        match self.p.exprs.expr(e) {
            Expr::Select(c, a, b) => {
                self.read(c, (side, span), seen);
                let sides = self.sides(c);
                for (k, x) in [a, b].into_iter().enumerate() {
                    let Some(mask) = sides.as_ref().map(|sides| sides[k].clone()) else {
                        let outer = std::mem::replace(&mut self.sure, false);
                        self.read(x, (side, span), seen);
                        self.sure = outer;
                        continue;
                    };
                    let outer = std::mem::replace(&mut self.mask, mask);
                    let inner = (u64::from(c.0) << 1 | k as u64).wrapping_add(side.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    self.read(x, (inner, span), seen);
                    self.mask = outer;
                }
            }
            expr => {
                walk::operands(expr).for_each(|x| self.read(x, (side, span), seen));
                if let Expr::Load(array, index) = expr {
                    let place = self.p.exprs.place(e).or(span);
                    self.element(array, index, place);
                }
            }
        }
    }

    fn element(&mut self, array: ArrayId, index: ExprId, span: Span) {
        if !self.written.is_open(array) || self.mask.as_uniform() == Some(0) {
            return;
        }
        let value = self.sites.value(index);
        let index = value.as_ref().and_then(|i| i.as_known());
        let extents = self.sites.extents().to_vec();
        let verdict = match self.written.missing(array, (index, &self.mask), &extents, self.sites.budget()) {
            Missing::Nothing => return,
            Missing::TooMuch => Verdict::Unproved("there are too many elements to look at".to_string()),
            Missing::Element(e) => {
                let element = e.to_string();
                if index.is_none() {
                    let needed = "it may be read: that index is not known while compiling".to_string();
                    Verdict::Doubtful(Fault::Missing { element, needed })
                } else if self.sure && !self.written.is_doubtful(array) {
                    Verdict::Refuted(Fault::Missing { element, needed: "and it is read".to_string() })
                } else {
                    let needed =
                        "it is read, and may be written only where a condition holds that is not known".to_string();
                    Verdict::Doubtful(Fault::Missing { element, needed })
                }
            }
        };
        self.found.push(Unwritten { array, span, verdict });
    }
}
