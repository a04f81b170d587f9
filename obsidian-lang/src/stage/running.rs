//! Whose code is being evaluated. A message about the inside of a library function needs it.

use std::rc::Rc;
use std::sync::Arc;

use super::value::Value;
use super::{Extend, Stage};
use crate::types::TPat;

use obsidian_ir::diag::{Result, Span};
use obsidian_ir::program::{Claim, ExprId, Inside, Owner};

/// A function whose code is being evaluated: called, or a closure of it applied.
pub struct Running {
    /// Its name.
    pub name: Arc<str>,
    /// Whose it is.
    pub owner: Owner,
    /// The user's token that called it.
    pub span: Span,
    /// Whether it is the user's own `a[i]`.
    pub what: What,
}

/// What is being evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A function's code.
    Code,
    /// `a[i]` in the user's code: library functions that only pass its value on are not to blame.
    Index,
}

impl Stage {
    /// Evaluates code of a function.
    pub(super) fn running<R>(&mut self, f: Rc<Running>, work: impl FnOnce(&mut Stage) -> Result<R>) -> Result<R> {
        self.running.push(f);
        let result = work(self);
        self.running.pop();
        result
    }

    /// Evaluates an `a[i]`; `span` is its token, of the library's code none.
    pub(super) fn indexing<R>(&mut self, span: Span, work: impl FnOnce(&mut Stage) -> Result<R>) -> Result<R> {
        if span == Span::NONE {
            return work(self);
        }
        let index = Running { name: "".into(), owner: Owner::User, span, what: What::Index };
        self.running(Rc::new(index), work)
    }

    /// Refuses places that the author chose where the standard library answers for writes: it answers for its own.
    pub(super) fn placed_by_construction(&self) -> Result<()> {
        let is_library = self.running.last().is_some_and(|running| running.owner == Owner::Library);
        if !is_library || self.claim != Claim::MustProve {
            return Ok(());
        }
        Err(self
            .error("OB056", "these places are not known to be written once each")
            .map_note(
                "what a round makes is stored over what an earlier one made, and its author chose the places".into(),
            )
            .map_help("let the round end with `.compute().push()`: the places are proved there"))
    }

    /// Whether the code that is being evaluated is the author's.
    pub(super) fn is_authors(&self) -> bool {
        self.running.iter().rev().find(|r| r.what == What::Code).is_none_or(|r| r.owner == Owner::User)
    }

    /// Notes what the author's code calls scalars. The library's names say nothing to the author.
    pub(super) fn name_scalars(&mut self, pat: &TPat, v: &Value) {
        match (pat, v) {
            (TPat::Slot(_, name), Value::Scalar(e)) => self.p.exprs.note_name(*e, name),
            (TPat::Tuple(pats), Value::Tuple(parts)) => {
                pats.iter().zip(parts.iter()).for_each(|(pat, part)| self.name_scalars(pat, part));
            }
            (TPat::Sized(inner, _), v) => self.name_scalars(inner, v),
            _ => {}
        }
    }

    /// Notes what the author's code calls the counter of a loop.
    pub(super) fn name_counter(&mut self, pat: &TPat, counter: ExprId) {
        if self.is_authors() {
            self.name_scalars(pat, &Value::Scalar(counter));
        }
    }

    /// Notes where an expression comes from.
    pub(super) fn note_place(&mut self, e: ExprId) {
        let running = &self.running;
        self.p.exprs.note_place(e, self.span, || inside(running));
    }
}

/// The library functions whose code is being evaluated, unless they only pass on an element that the user's code asks
/// for.
fn inside(running: &[Rc<Running>]) -> Option<Inside> {
    let library = running.iter().rev().take_while(|r| r.owner == Owner::Library).count();
    let (users, library) = running.split_at(running.len() - library);
    let outermost = library.first()?;
    if users.last().is_some_and(|u| u.what == What::Index) {
        return None;
    }
    let mut names: Vec<Arc<str>> = library.iter().rev().map(|r| r.name.clone()).collect();
    names.dedup();
    Some(Inside { names, span: outermost.span })
}
