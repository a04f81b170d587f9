//! Arrays that a loop at run time carries from round to round: each has a mutable array of its own, which a round reads, and which is
//! overwritten when all that the round computes has been stored.

use std::rc::Rc;

use super::eval::Frame;
use super::value::{Mut, Pull, Value, Writer};
use super::{Extend, Stage};
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::program::{Expr, Range, ScalarType};

impl Stage {
    /// A place for an array between the rounds, with what it is before the first.
    pub(super) fn array_between_rounds(&mut self, value: Value) -> Result<Mut> {
        match (&value, self.ambient) {
            (Value::Pull(a), Some(level)) if self.p.exprs.as_u32(a.len).is_some_and(|n| n > 0) => {
                self.new_mut(value, level)?.mutable(self)
            }
            _ => Err(self.not_carried(&value)),
        }
    }

    /// What a round has made of the arrays, stored where it does not lie in the arrays of the loop.
    pub(super) fn arrays_after_round(&mut self, arrays: &[(usize, Mut)], f: &Frame) -> Result<Vec<Pull>> {
        let level = self.ambient.unwrap_or(Level::Thread);
        let mut out = Vec::with_capacity(arrays.len());
        for (slot, m) in arrays {
            let value = f.slots.get(*slot).cloned().flatten().unwrap_or_else(Value::unit);
            let Value::Pull(a) = &value else { return Err(self.not_carried(&value)) };
            match (self.p.exprs.as_u32(a.len), self.p.exprs.as_u32(m.len)) {
                (Some(now), Some(before)) if now == before => {}
                (Some(now), Some(before)) => {
                    return Err(self
                        .error(
                            "OB031",
                            format!("a loop at run time carries an array of {before} elements, which now has {now}"),
                        )
                        .map_help("let the bounds of the loop be known, so that it unrolls, or keep the length"));
                }
                _ => return Err(self.not_carried(&value)),
            }
            out.push(if self.lies_by_itself(a)? { a.clone() } else { self.compute(value, level)?.pull(self)? });
        }
        Ok(out)
    }

    /// Whether an array is stored, and not in one that changes.
    fn lies_by_itself(&mut self, a: &Pull) -> Result<bool> {
        let var = self.p.new_var("i", ScalarType::U32, false, Range::new(0, i128::from(u32::MAX)));
        let i = self.p.exprs.var(var);
        let (code, value) = self.capture(|s| s.under(Level::Thread, |s| (a.get)(s, i)))?;
        if !code.is_empty() || !value.is_scalars() {
            return Ok(false);
        }
        let leaves = value.leaves(self)?;
        Ok(leaves.into_iter().all(|leaf| match self.p.exprs.expr(leaf) {
            Expr::Load(array, at) => at == i && !self.mutable.contains(&array),
            _ => false,
        }))
    }

    /// Overwrites the array of the loop.
    pub(super) fn copy_to(&mut self, m: &Mut, array: &Pull) -> Result<()> {
        let level = self.ambient.unwrap_or(Level::Thread);
        let push = self.push_of(array.clone(), level);
        let (m, opened) = (m.clone(), (push.open)(self)?);
        let writer: Writer = Rc::new(move |s, v, i| s.write_element(&m, &v, i));
        (opened.write)(self, &writer)
    }

    pub(super) fn not_carried(&self, value: &Value) -> Box<Diagnostic> {
        self.error("OB038", format!("a loop at run time cannot carry {} from round to round", value.kind()))
            .map_note(
                "it carries scalars, tuples of scalars, and pull arrays of these whose length is known".to_string(),
            )
            .map_help("keep such values between the rounds, or let the bounds of the loop be known, so that it unrolls")
    }
}
