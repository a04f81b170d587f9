//! Expressions.

use super::arena::{Literal, Size, Ty, TyId};
use super::check::Checker;
use super::errors;
use super::typed::{TExpr, TKind};
use crate::syntax::ast::{Bound, Expr, ExprKind, Message, TypeExpr};
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::{BinOp, Claim, ScalarType, UnOp, arith};

impl Checker<'_> {
    /// The type of an expression under the ambient level.
    pub(super) fn expr(&mut self, e: &Expr) -> Result<TExpr> {
        let span = e.span;
        let (kind, ty) = match &e.kind {
            ExprKind::Int(v, suffix) => {
                let ty = match suffix {
                    Some(s) => self.types.scalar(*s),
                    None => self.types.ty(Ty::Var(Bound::Num, Literal::Int)),
                };
                (TKind::Int(*v), ty)
            }
            ExprKind::Float(v, suffix) => {
                let ty = match suffix {
                    Some(s) => self.types.scalar(*s),
                    None => self.types.ty(Ty::Var(Bound::Num, Literal::Float)),
                };
                (TKind::Float(*v), ty)
            }
            ExprKind::Bool(b) => (TKind::Bool(*b), self.types.scalar(ScalarType::Bool)),
            ExprKind::AssocConst(ty, name) => return self.assoc_const(ty, name, span),
            ExprKind::Name(name) => return self.name(name, span),
            ExprKind::Call { name, turbofish, args } => return self.call(name, turbofish, args),
            ExprKind::CallValue(f, args) => {
                let f = self.expr(f)?;
                return self.apply(f, args, span, "this function");
            }
            ExprKind::Closure(pats, body) => return self.free_closure(pats, body, span),
            ExprKind::Unary(op, a) => return self.unary(*op, a, span),
            ExprKind::Binary(op, a, b) => return self.binary(*op, a, b, span),
            ExprKind::Logic(op, a, b) => {
                let bool_ty = self.types.scalar(ScalarType::Bool);
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.unify(bool_ty, a.ty, a.span.or(span), "this condition")?;
                self.unify(bool_ty, b.ty, b.span.or(span), "this condition")?;
                (TKind::Logic(*op, Box::new(a), Box::new(b)), bool_ty)
            }
            ExprKind::Cast(a, to) => {
                let a = self.expr(a)?;
                let to_ty = self.types.convert(to, &self.cx.generics)?;
                let generic =
                    matches!(self.types.find(to_ty).1, Ty::Rigid(_, _, Bound::Num | Bound::Int | Bound::Float));
                if self.types.as_scalar(to_ty).is_none() && !generic {
                    return Err(Box::new(
                        Diagnostic::new("OB020", to.span, "`as` goes to a scalar type")
                            .help("such as `as u32`, `as f32`"),
                    ));
                }
                self.require(a.ty, Bound::Ord, span, "a cast")?;
                (TKind::Cast(Box::new(a)), to_ty)
            }
            ExprKind::If(c, then, els) => return self.if_expr(c, then, els.as_deref(), span),
            ExprKind::Block(stmts, value) => return self.block(stmts, value.as_deref(), span),
            ExprKind::Unsafe(body) => {
                let outer = self.cx.claim.replace(Claim::Author);
                let body = self.expr(body);
                self.cx.claim = outer;
                let body = body?;
                let ty = body.ty;
                (TKind::Unsafe(Box::new(body)), ty)
            }
            ExprKind::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.expr(p)).collect::<Result<Vec<_>>>()?;
                let ty = Ty::Tuple(parts.iter().map(|p| p.ty).collect());
                (TKind::Tuple(parts), self.types.ty(ty))
            }
            ExprKind::Assert(cond, message) => {
                let cond = self.expr(cond)?;
                let bool_ty = self.types.scalar(ScalarType::Bool);
                self.unify(bool_ty, cond.ty, cond.span.or(span), "the condition of `assert!`")?;
                let message = self.message(message, span, "the value that `assert!` shows")?;
                (TKind::Assert(Box::new(cond), message), self.types.unit())
            }
            ExprKind::Print(message) => {
                (TKind::Print(self.message(message, span, "a value that `print!` shows")?), self.types.unit())
            }
            ExprKind::Leave(how) => {
                let message = format!("`{}` means nothing here", how.word());
                let stands =
                    "it is a statement in the body of a loop, or of an `if` or a `match` there, and of no closure";
                return Err(Box::new(
                    Diagnostic::new("OB002", span, message)
                        .note(stands)
                        .help("choose a value with `if`; to end a loop, write `if done { break; }` in its body"),
                ));
            }
            ExprKind::Struct(name, fields, rest) => return self.structure(name, (fields, rest.as_deref()), span),
            ExprKind::Named(base, name) => return self.named_field(base, name),
            ExprKind::Array(elements) => return self.array(elements, span),
            ExprKind::Repeat(element, n) => return self.repeated(element, n, span),
            ExprKind::Field(base, i) => {
                let base = self.expr(base)?;
                let ty = match self.types.find(base.ty).1 {
                    Ty::Tuple(ts) if (*i as usize) < ts.len() => ts[*i as usize],
                    Ty::Error => base.ty,
                    _ => return Err(no_field(&self.types.show(base.ty), *i, span)),
                };
                (TKind::Field(Box::new(base), *i), ty)
            }
            ExprKind::Index(base, i) => {
                if let ExprKind::Tuple(parts) = &i.kind
                    && let [row, col] = parts.as_slice()
                {
                    let row = Expr { kind: ExprKind::Index(base.clone(), Box::new(row.clone())), span: e.span };
                    return self
                        .expr(&Expr { kind: ExprKind::Index(Box::new(row), Box::new(col.clone())), span: e.span });
                }
                let base = self.expr(base)?;
                let i = self.expr(i)?;
                let elem = match self.types.find(base.ty).1 {
                    Ty::Pull(elem, _) => *elem,
                    Ty::Mut(elem, _) => {
                        let elem = *elem;
                        self.in_thread("read", base.span.or(span))?;
                        elem
                    }
                    Ty::Error => base.ty,
                    _ => return Err(Box::new(errors::not_indexable(&self.types, base.span.or(span), base.ty))),
                };
                self.index_type(&i, span)?;
                (TKind::Index(Box::new(base), Box::new(i)), elem)
            }
        };
        Ok(TExpr { kind, span, ty })
    }

    /// `[a, b, c]`: the elements have one type.
    fn array(&mut self, elements: &[Expr], span: Span) -> Result<TExpr> {
        let elem = self.types.fresh();
        let mut out = Vec::with_capacity(elements.len());
        for e in elements {
            let e = self.expr(e)?;
            self.unify(elem, e.ty, e.span.or(span), "the elements of this array")?;
            out.push(e);
        }
        Ok(TExpr { kind: TKind::Array(out), span, ty: self.known_array(elem) })
    }

    /// `[x; n]`.
    fn repeated(&mut self, element: &Expr, n: &Expr, span: Span) -> Result<TExpr> {
        let (element, n) = (self.expr(element)?, self.expr(n)?);
        let u32_ty = self.types.scalar(ScalarType::U32);
        self.unify(u32_ty, n.ty, n.span.or(span), "the length of this array")?;
        let ty = self.known_array(element.ty);
        Ok(TExpr { kind: TKind::Repeat(Box::new(element), Box::new(n)), span, ty })
    }

    /// A pull array whose length is known while compiling.
    fn known_array(&mut self, elem: TyId) -> TyId {
        let size = self.types.size(Size::Static);
        self.types.ty(Ty::Pull(elem, size))
    }

    /// `T::MAX`: the type must have that constant whatever `T` stands for.
    fn assoc_const(&mut self, written: &TypeExpr, name: &str, span: Span) -> Result<TExpr> {
        let ty = self.types.convert(written, &self.cx.generics)?;
        let known = match self.types.find(ty).1 {
            Ty::Scalar(s) => arith::named(*s, name).is_some(),
            Ty::Rigid(_, _, Bound::Num | Bound::Int) => arith::named(ScalarType::U32, name).is_some(),
            Ty::Rigid(_, _, Bound::Float) => arith::named(ScalarType::F32, name).is_some(),
            _ => false,
        };
        if !known {
            let shown = self.types.show(ty);
            return Err(Box::new(Diagnostic::new("OB021", span, format!("`{shown}::{name}` is not known")).help(
                "`MIN`, `MAX`; integers also `BITS`; floats also `EPSILON`, `INFINITY`, `NEG_INFINITY`, `NAN`",
            )));
        }
        // As in Rust, the number of bits is a `u32` whatever the type.
        let value = if name == "BITS" { self.types.scalar(ScalarType::U32) } else { ty };
        Ok(TExpr { kind: TKind::NamedConst(ty, name.to_string()), span, ty: value })
    }

    /// What a text shows: scalars.
    fn message(&mut self, message: &Message<Expr>, span: Span, what: &str) -> Result<Message<TExpr>> {
        let mut values = Vec::with_capacity(message.values.len());
        for value in &message.values {
            let value = self.expr(value)?;
            self.require(value.ty, Bound::Ord, value.span.or(span), what)?;
            values.push(value);
        }
        Ok(Message { parts: message.parts.clone(), values, place: message.place.clone() })
    }

    pub(super) fn require(&mut self, ty: TyId, bound: Bound, span: Span, what: &str) -> Result<()> {
        self.types.require(ty, bound).map_err(|m| Box::new(errors::mismatch(&self.types, &m, span, what, ty, ty)))
    }

    fn unary(&mut self, op: UnOp, a: &Expr, span: Span) -> Result<TExpr> {
        let a = self.expr(a)?;
        match (op, self.types.as_scalar(a.ty)) {
            (UnOp::Not, Some(ScalarType::Bool)) => {}
            (UnOp::Not, _) => self.require(a.ty, Bound::Int, span, "`!`")?,
            _ => self.require(a.ty, Bound::Num, span, "`-`")?,
        }
        if let (UnOp::Neg, Some(s)) = (op, self.types.as_scalar(a.ty))
            && s.is_unsigned()
        {
            return Err(Box::new(
                Diagnostic::new("OB020", span, format!("`-` on the unsigned type `{}`", s.name()))
                    .help("subtract from zero, or use a signed type"),
            ));
        }
        let ty = a.ty;
        Ok(TExpr { kind: TKind::Unary(op, Box::new(a)), span, ty })
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, span: Span) -> Result<TExpr> {
        let a = self.expr(a)?;
        let outer = self.cx.beside.replace(a.ty);
        let b = self.expr(b);
        self.cx.beside = outer;
        let b = b?;
        let what = format!("`{}`", op.symbol());
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            self.require(a.ty, Bound::Int, span, &what)?;
            self.require(b.ty, Bound::Int, span, &what)?;
            let ty = a.ty;
            return Ok(TExpr { kind: TKind::Binary(op, Box::new(a), Box::new(b)), span, ty });
        }
        let written = [a.ty, b.ty].map(|ty| matches!(self.types.find(ty).1, Ty::Push(..)));
        self.unify(a.ty, b.ty, span, &what).map_err(|d| match written {
            [false, false] => d,
            _ => Box::new(d.help(
                "`reduce` gives an array of one element, and `.first()` is its value: `reduce(xs, f).first() / n`",
            )),
        })?;
        let bits = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
        if op.is_comparison() {
            self.require(a.ty, Bound::Ord, span, &what)?;
        } else if bits {
            if self.types.as_scalar(a.ty) != Some(ScalarType::Bool) {
                self.require(a.ty, Bound::Int, span, &what)?;
            }
        } else {
            self.require(a.ty, Bound::Num, span, &what)?;
        }
        let ty = if op.is_comparison() { self.types.scalar(ScalarType::Bool) } else { a.ty };
        Ok(TExpr { kind: TKind::Binary(op, Box::new(a), Box::new(b)), span, ty })
    }

    fn if_expr(&mut self, c: &Expr, then: &Expr, els: Option<&Expr>, span: Span) -> Result<TExpr> {
        let c = self.expr(c)?;
        let bool_ty = self.types.scalar(ScalarType::Bool);
        self.unify(bool_ty, c.ty, c.span.or(span), "the condition of `if`")?;
        let then = self.expr(then)?;
        let els = els.map(|e| self.expr(e)).transpose()?;
        let (other, at) = match &els {
            Some(e) => (e.ty, e.span.or(span)),
            None => (self.types.unit(), span),
        };
        let ty = self
            .types
            .join(then.ty, other)
            .map_err(|m| Box::new(errors::mismatch(&self.types, &m, at, "the branches of `if`", then.ty, other)))?;
        Ok(TExpr { kind: TKind::If(Box::new(c), Box::new(then), els.map(Box::new)), span, ty })
    }
}

fn no_field(ty: &str, i: u32, span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new("OB020", span, format!("`{ty}` has no field `{i}`"))
            .help("only tuples have fields; where the type is not known yet, say it: `|p: (f32, i32)| p.0`"),
    )
}
