//! Values in types: the lengths that `Pull<T, 512>` asserts, and the values of `const` generics in `f::<8, _>(..)`. Each
//! becomes code that the evaluator runs once the generics around it are known.

use std::rc::Rc;

use super::arena::Ty;
use super::check::Checker;
use super::convert::Gen;
use super::scope::Scopes;
use super::typed::{Closure, Lengths, TPat};
use crate::syntax::ast::{Expr, ExprKind, TypeExpr, TypeKind};
use obsidian_ir::diag::Result;
use obsidian_ir::program::ScalarType;

impl Checker<'_> {
    /// The lengths that a written type asserts.
    pub(super) fn lengths(&mut self, t: &TypeExpr) -> Result<Lengths> {
        match &t.kind {
            TypeKind::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.lengths(p)).collect::<Result<Vec<_>>>()?;
                Ok(if parts.iter().all(Lengths::is_any) { Lengths::Any } else { Lengths::Tuple(parts) })
            }
            TypeKind::Path(name, args) => match (name.as_str(), args.as_slice()) {
                ("Pull" | "DPull", [elem, rest @ ..]) => {
                    let (own, inner) = (self.length(rest)?, self.lengths(elem)?);
                    Ok(if own.is_none() && inner.is_any() { Lengths::Any } else { Lengths::Array(own, inner.into()) })
                }
                ("BPull", [elem, rest @ ..]) => {
                    let inner = self.lengths(elem)?;
                    Ok(self.length(rest)?.map_or(Lengths::Any, |most| Lengths::AtMost(most, inner.into())))
                }
                ("Push" | "DPush", [_, _, rest @ ..]) => {
                    let own = self.length(rest)?;
                    Ok(own.map_or(Lengths::Any, |own| Lengths::Array(Some(own), Lengths::Any.into())))
                }
                _ => Ok(Lengths::Any),
            },
            _ => Ok(Lengths::Any),
        }
    }

    /// The last argument of an array's type, where it is a length.
    pub(super) fn length(&mut self, rest: &[TypeExpr]) -> Result<Option<Rc<Closure>>> {
        let [t] = rest else { return Ok(None) };
        let is_const = |name: &String| matches!(self.cx.generics.get(name), Some(Gen::Const(..)) | None);
        match &t.kind {
            TypeKind::Value(_) => self.const_value(t, ScalarType::U32).map(Some),
            TypeKind::Path(name, _) if is_const(name) => self.const_value(t, ScalarType::U32).map(Some),
            _ => Ok(None),
        }
    }

    /// A value in a type. It sees the `const` generics around it, and no variable.
    pub(super) fn const_value(&mut self, t: &TypeExpr, ty: ScalarType) -> Result<Rc<Closure>> {
        let name;
        let e = match &t.kind {
            TypeKind::Value(e) => &**e,
            TypeKind::Path(text, _) => {
                name = Expr { kind: ExprKind::Name(text.clone()), span: t.span };
                &name
            }
            _ => return Err(super::convert::unknown(t, "a value stands here, such as `8`, `N` or `{ 2 * N }`")),
        };
        let outer = std::mem::replace(&mut self.cx.scopes, Scopes::new());
        let body = self.under(None, |c| c.expr(e));
        let (_, frame) = std::mem::replace(&mut self.cx.scopes, outer).close_frame();
        let body = body?;
        let want = self.types.ty(Ty::Scalar(ty));
        self.unify(want, body.ty, t.span, "this value in a type")?;
        Ok(Rc::new(Closure { params: Vec::new(), captures: Vec::new(), frame, body, claim: None }))
    }
}

impl Lengths {
    fn is_any(&self) -> bool {
        matches!(self, Lengths::Any)
    }
}

/// A pattern that also checks its value against the lengths.
pub(super) fn sized(pat: TPat, lengths: Lengths) -> TPat {
    if lengths.is_any() { pat } else { TPat::Sized(Box::new(pat), lengths) }
}
