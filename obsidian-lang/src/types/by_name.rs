//! Programs as arguments: taken by name, checked as closures without parameters, evaluated where the callee's own code has
//! the parameter's name. In: an argument's expression, or a parameter. Out: the closure, or the slot it is bound to.

use super::arena::{Ambient, LvlId, Ty, TyId};
use super::check::Checker;
use super::typed::{TExpr, TPat};
use crate::syntax::ast::{Expr, Mutability, Pat};
use obsidian_ir::diag::{Diagnostic, Result, Span};

impl Checker<'_> {
    /// Checks an expression whose value the caller takes by name, at a level.
    pub(super) fn by_name(&mut self, e: &Expr, level: LvlId) -> Result<TExpr> {
        self.closure(&[], e, &[], None, Ambient::At(level), e.span)
    }

    /// Binds a parameter that is a program: each use of its name evaluates it there.
    pub(super) fn bind_program(&mut self, pat: &Pat, level: LvlId, ty: TyId, span: Span) -> Result<TPat> {
        let Pat::Var { name, mutable: Mutability::Fixed } = pat else {
            return Err(Box::new(
                Diagnostic::new("OB005", span, "a parameter that is a `Program` is bound to a plain name")
                    .help("take its result apart where it is used: `let (a, b) = p;`"),
            ));
        };
        let program = self.types.ty(Ty::Fn(Vec::new(), ty, Ambient::At(level)));
        let slot = self.cx.scopes.bind_program(&name.text, program);
        Ok(TPat::Slot(slot, name.text.clone()))
    }
}
