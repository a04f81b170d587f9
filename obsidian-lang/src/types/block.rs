//! Blocks, their statements, and closures.

use std::rc::Rc;

use super::arena::{Ambient, Ty, TyId};
use super::check::Checker;
use super::errors;
use super::scope::Home;
use super::typed::{Closure, TExpr, TKind, TStmt};
use crate::syntax::ast::{Bound, Expr, Mutability, Pat, Stmt};
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::ScalarType;

impl Checker<'_> {
    pub(super) fn block(&mut self, stmts: &[Stmt], value: Option<&Expr>, span: Span) -> Result<TExpr> {
        self.cx.scopes.open();
        let result = self.block_inner(stmts, value, span);
        self.cx.scopes.close();
        result
    }

    fn block_inner(&mut self, stmts: &[Stmt], value: Option<&Expr>, span: Span) -> Result<TExpr> {
        let mut out = Vec::new();
        for s in stmts {
            match self.stmt(s) {
                Ok(s) => out.push(s),
                // What follows is checked too, so that independent mistakes are reported together.
                Err(e) => {
                    self.errors.push(*e);
                    if let Stmt::Let(pat, _) = s {
                        let error = self.types.ty(Ty::Error);
                        self.bind_error(pat, error);
                    }
                }
            }
        }
        let value = value.map(|v| self.expr(v)).transpose()?;
        let ty = match &value {
            Some(v) => v.ty,
            None => self.types.unit(),
        };
        Ok(TExpr { kind: TKind::Block(out, value.map(Box::new)), span, ty })
    }

    fn bind_error(&mut self, pat: &Pat, error: TyId) {
        match pat {
            Pat::Var { name, mutable } => {
                self.cx.scopes.bind(&name.text, error, *mutable);
            }
            Pat::Tuple(_, pats) => pats.iter().for_each(|p| self.bind_error(p, error)),
            Pat::Struct(_, fields, _) => fields.iter().for_each(|(_, p)| self.bind_error(p, error)),
            Pat::Typed(inner, _) => self.bind_error(inner, error),
            Pat::Wild(_) => {}
        }
    }

    fn stmt(&mut self, s: &Stmt) -> Result<TStmt> {
        match s {
            Stmt::Let(pat, e) => {
                let e = self.expr(e)?;
                Ok(TStmt::Let(self.bind(pat, e.ty)?, e))
            }
            Stmt::Assign(name, e) => {
                let e = self.expr(e)?;
                let Some(local) = self.cx.scopes.find(&name.text) else { return Err(self.unknown_name(name)) };
                if local.mutable == Mutability::Fixed || local.home == Home::Captured {
                    let help = match local.home {
                        Home::Captured => {
                            "a closure gives a value instead: `seq_fold(n, init, |acc, i| ..)` carries one along".into()
                        }
                        Home::Here => format!("declare it `let mut {}`", name.text),
                    };
                    return Err(Box::new(
                        Diagnostic::new("OB029", name.span, format!("`{}` cannot be assigned here", name.text))
                            .note("only a `let mut` variable of the same function or closure can")
                            .help(help),
                    ));
                }
                self.unify(local.ty, e.ty, e.span.or(name.span), "this assignment")?;
                Ok(TStmt::Assign(local.slot, e))
            }
            Stmt::AssignElement { span, base, index, op, value } => {
                self.assign_element((base, index), *op, value, *span)
            }
            Stmt::For { span, pat, start, end, inclusive, body } => {
                let (start, end) = (self.expr(start)?, self.expr(end)?);
                self.unify(start.ty, end.ty, end.span.or(*span), "this range")?;
                self.require(start.ty, Bound::Int, start.span.or(*span), "this range")?;
                self.cx.scopes.open();
                let body = self.bind(pat, start.ty).and_then(|p| Ok((p, self.expr(body)?)));
                self.cx.scopes.close();
                let (pat, body) = body?;
                Ok(TStmt::For { span: *span, pat, start, end, inclusive: *inclusive, body })
            }
            Stmt::While(span, c, body) => {
                let c = self.expr(c)?;
                let bool_ty = self.types.scalar(ScalarType::Bool);
                self.unify(bool_ty, c.ty, c.span.or(*span), "the condition of `while`")?;
                Ok(TStmt::While(*span, c, self.expr(body)?))
            }
            Stmt::Expr(e) => Ok(TStmt::Expr(self.expr(e)?)),
        }
    }

    /// A closure that is bound to a name: pure if nothing in it needs a level, else called at the level where it is made.
    pub(super) fn free_closure(&mut self, pats: &[Pat], body: &Expr, span: Span) -> Result<TExpr> {
        let params: Vec<TyId> = pats.iter().map(|_| self.types.fresh()).collect();
        let here = self.cx.ambient.map_or(Ambient::Pure, Ambient::At);
        let before = std::mem::replace(&mut self.cx.uses_ambient, false);
        let closure = self.closure(pats, body, &params, None, here, span);
        let used = std::mem::replace(&mut self.cx.uses_ambient, before);
        let mut closure = closure?;
        if !used && let Ty::Fn(args, ret, _) = self.types.find(closure.ty).1.clone() {
            closure.ty = self.types.ty(Ty::Fn(args, ret, Ambient::Pure));
        }
        Ok(closure)
    }

    /// A closure whose parameters' types are known, called under `ambient`.
    pub(super) fn closure(
        &mut self,
        pats: &[Pat],
        body: &Expr,
        params: &[TyId],
        ret: Option<TyId>,
        ambient: Ambient,
        span: Span,
    ) -> Result<TExpr> {
        let level = match self.types.ambient(ambient) {
            Ambient::At(l) => Some(l),
            _ => None,
        };
        self.distinct(pats.iter())?;
        self.cx.scopes.open_frame();
        let inner = self.under(level, |c| {
            let pats = pats.iter().zip(params).map(|(p, &t)| c.bind(p, t)).collect::<Result<Vec<_>>>()?;
            let body = c.expr(body)?;
            Ok((pats, body))
        });
        let (captures, frame) = self.cx.scopes.close_frame();
        let (pats, body) = inner?;
        if let Some(want) = ret {
            let unified = self.unify(want, body.ty, body_span(&body).or(span), "the closure's result");
            unified.map_err(|told| if level.is_none() { errors::of_pure_closure(told) } else { told })?;
        }
        let ty = self.types.ty(Ty::Fn(params.to_vec(), body.ty, ambient));
        let closure = Closure { params: pats, captures, frame, body, claim: self.cx.claim };
        Ok(TExpr { kind: TKind::Closure(Rc::new(closure)), span, ty })
    }
}

fn body_span(e: &TExpr) -> Span {
    match &e.kind {
        TKind::Block(_, Some(tail)) => body_span(tail),
        _ => e.span,
    }
}
