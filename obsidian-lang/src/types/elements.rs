//! Elements of mutable arrays: read and assigned by a thread, in the order of its statements.

use super::arena::{Lvl, Ty};
use super::check::Checker;
use super::errors;
use super::typed::{TExpr, TStmt};
use crate::syntax::ast::{Bound, Expr};
use obsidian_ir::Level;
use obsidian_ir::diag::{Result, Span};
use obsidian_ir::program::{BinOp, ScalarType};

impl Checker<'_> {
    /// Demands that an index is a `u32`.
    pub(super) fn index_type(&mut self, i: &TExpr, span: Span) -> Result<()> {
        let u32_ty = self.types.scalar(ScalarType::U32);
        self.unify(u32_ty, i.ty, i.span.or(span), "an index")
            .map_err(|d| Box::new(d.help("indices are `u32`; convert with `as u32`")))
    }

    /// Demands `Thread` code, for an access to an element of a mutable array.
    pub(super) fn in_thread(&mut self, what: &str, span: Span) -> Result<()> {
        self.cx.uses_ambient = true;
        let thread = self.types.lvl(Lvl::Known(Level::Thread));
        match self.cx.ambient {
            Some(ambient) if self.types.unify_lvl(thread, ambient).is_ok() => Ok(()),
            ambient => Err(Box::new(errors::element_access(&self.types, what, span, ambient))),
        }
    }

    /// `base[index] = value`, or with an operator `base[index] += value`.
    pub(super) fn assign_element(
        &mut self,
        (base, index): (&Expr, &Expr),
        op: Option<BinOp>,
        value: &Expr,
        span: Span,
    ) -> Result<TStmt> {
        let (base, index, value) = (self.expr(base)?, self.expr(index)?, self.expr(value)?);
        let elem = match self.types.find(base.ty).1 {
            Ty::Mut(elem, _) => *elem,
            Ty::Error => base.ty,
            _ => return Err(Box::new(errors::not_assignable(&self.types, base.span.or(span), base.ty))),
        };
        self.in_thread("assigned", base.span.or(span))?;
        self.index_type(&index, span)?;
        self.unify(elem, value.ty, value.span.or(span), "this assignment")?;
        if let Some(op) = op {
            let bits = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
            let bound = if bits || matches!(op, BinOp::Shl | BinOp::Shr) { Bound::Int } else { Bound::Num };
            if !(bits && self.types.as_scalar(elem) == Some(ScalarType::Bool)) {
                self.require(elem, bound, span, &format!("`{}=`", op.symbol()))?;
            }
        }
        Ok(TStmt::AssignElement { span, base, index, op, value })
    }
}
