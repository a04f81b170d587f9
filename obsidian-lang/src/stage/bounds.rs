//! The most that a length can be: of whoever stores all elements of an array whose length is not known. In: lengths, and what types
//! say of them (`BPull<T, 256>`). Out: numbers that are known while compiling.

use std::collections::HashMap;

use super::{Extend, Stage};
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::program::walk::reachable;
use obsidian_ir::program::{BinOp, Const, Expr, ExprId};

/// The greatest bound of a length that is looped over with one round per possible element, each with a test.
const MAX_BOUND: u32 = 1 << 20;

impl Stage {
    /// The most that a length can be, where that is known while compiling and few enough to be looked at one by one.
    pub(super) fn bound(&self, len: ExprId) -> Option<u32> {
        self.p.exprs.as_u32(len).or_else(|| u32::try_from(self.at_most(len)).ok().filter(|&most| most <= MAX_BOUND))
    }

    /// The most that a number can be, by its range and by what the launch is asked about.
    pub(super) fn at_most(&self, n: ExprId) -> i128 {
        let exprs = &self.p.exprs;
        let mut found: HashMap<ExprId, i128> = HashMap::new();
        // Operands come first, each once, however often it is used.
        for e in reachable(exprs, [n], |_| false) {
            let most = self.most_of(e, |part| found[&part]);
            found.insert(e, most);
        }
        found[&n]
    }

    /// The most that a number can be, of the most that its parts can be.
    fn most_of(&self, n: ExprId, at_most: impl Fn(ExprId) -> i128) -> i128 {
        let range = self.p.exprs.range(n);
        let most = match self.p.exprs.expr(n) {
            Expr::Bin(BinOp::Min, a, b) => at_most(a).min(at_most(b)),
            Expr::Bin(BinOp::Max, a, b) | Expr::Select(_, a, b) => at_most(a).max(at_most(b)),
            Expr::Bin(BinOp::Add, a, b) => at_most(a) + at_most(b),
            Expr::Bin(BinOp::Mul, a, b) if [a, b].iter().all(|&e| self.p.exprs.range(e).lo >= 0) => {
                at_most(a).saturating_mul(at_most(b))
            }
            Expr::Bin(BinOp::Div, a, b) if self.p.exprs.range(b).lo > 0 => at_most(a) / self.p.exprs.range(b).lo,
            _ => range.hi,
        };
        let told = self.bounds.get(&n).map_or(range.hi, |&most| most.into());
        most.min(told).min(range.hi)
    }

    /// The most that a length can be, for whoever stores all elements.
    pub(super) fn most(&mut self, len: ExprId) -> Result<ExprId> {
        match self.bound(len) {
            Some(most) => Ok(self.u32(most)),
            None => Err(self
                .no_bound(len, "this stores all elements, so it needs the most that there can be")
                .map_help(
                    "`.chunks(1024)` cuts the array into parts that have one; `let xs: BPull<T, 1024> = xs;` asks the launch for one; without `.compute()` elements are computed where they are read, and `scan(xs, f).push()` stores none",
                )),
        }
    }

    /// The error where an array that may have any number of elements would have to be stored.
    pub(super) fn no_bound(&self, len: ExprId, message: &str) -> Box<Diagnostic> {
        self.error("OB030", message)
            .map_note(format!("{} is only known at launch, and has no bound", self.describe(len)))
    }

    /// A length of which a type says the most: the launch is asked for it, where that is not seen.
    pub(super) fn assert_at_most(&mut self, len: ExprId, most: Const) -> Result<()> {
        let most = self.p.exprs.constant(most);
        let Some(stated) = self.p.exprs.as_u32(most).filter(|&most| self.at_most(len) > most.into()) else {
            return Ok(());
        };
        let cond = self.bin(BinOp::Le, len, most);
        let message = format!("{} must be at most {stated}, as the type says", self.describe(len));
        self.demand(
            cond,
            len,
            message,
            "`BPull<T, 256>` says how many elements there can be; `take(n)` and `chunks(n)` cut",
        )?;
        self.bounds.insert(len, stated);
        Ok(())
    }
}
