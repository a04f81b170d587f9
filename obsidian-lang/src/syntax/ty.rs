//! Types and patterns.

use syn::spanned::Spanned;

use super::ast::{ExprKind, Mutability, Name, Pat, TypeExpr, TypeKind};
use super::expr::Lower;
use obsidian_ir::diag::{Diagnostic, Result};

impl Lower<'_> {
    pub(super) fn name(&mut self, ident: &proc_macro2::Ident) -> Name {
        Name { text: ident.to_string(), span: self.spans.add(ident.span()) }
    }

    /// A type as written.
    pub(super) fn ty(&mut self, ty: &syn::Type) -> Result<TypeExpr> {
        let span = self.spans.add(ty.span());
        let kind = match ty {
            syn::Type::Path(p) if p.qself.is_none() => return self.path_type(&p.path),
            syn::Type::Tuple(t) => TypeKind::Tuple(t.elems.iter().map(|t| self.ty(t)).collect::<Result<_>>()?),
            syn::Type::Paren(p) => return self.ty(&p.elem),
            syn::Type::Group(g) => return self.ty(&g.elem),
            syn::Type::Infer(_) => TypeKind::Infer,
            syn::Type::ImplTrait(t) => match t.bounds.first() {
                Some(syn::TypeParamBound::Trait(b)) => return self.path_type(&b.path),
                _ => return Err(unknown_type(span)),
            },
            syn::Type::Array(a) => TypeKind::Path("Pull".to_string(), vec![self.ty(&a.elem)?, self.length(&a.len)?]),
            syn::Type::Reference(syn::TypeReference { mutability: Some(_), .. }) => return Err(changed_array(span)),
            syn::Type::Reference(_) | syn::Type::Slice(_) => return Err(type_of_the_host(span)),
            _ => return Err(unknown_type(span)),
        };
        Ok(TypeExpr { span, kind })
    }

    /// The length in `[T; n]`, which may be the name of a constant or of a generic.
    fn length(&mut self, n: &syn::Expr) -> Result<TypeExpr> {
        let value = self.expr(without_usize(n))?;
        let span = value.span;
        let kind = match value.kind {
            ExprKind::Name(name) => TypeKind::Path(name, Vec::new()),
            _ => TypeKind::Value(Box::new(value)),
        };
        Ok(TypeExpr { span, kind })
    }

    fn path_type(&mut self, path: &syn::Path) -> Result<TypeExpr> {
        let span = self.spans.add(path.span());
        let Some(segment) = path.segments.last() else { return Err(unknown_type(span)) };
        if segment.ident == "Fn" {
            let syn::PathArguments::Parenthesized(sig) = &segment.arguments else { return Err(unknown_type(span)) };
            let args = sig.inputs.iter().map(|a| self.ty(a)).collect::<Result<_>>()?;
            let ret = match &sig.output {
                syn::ReturnType::Default => TypeExpr { span, kind: TypeKind::Tuple(Vec::new()) },
                syn::ReturnType::Type(_, t) => self.ty(t)?,
            };
            return Ok(TypeExpr { span, kind: TypeKind::Fn(args, Box::new(ret)) });
        }
        let args = self.generic_args(&segment.arguments)?;
        Ok(TypeExpr { span, kind: TypeKind::Path(segment.ident.to_string(), args) })
    }

    /// `<A, 512>`.
    pub(super) fn generic_args(&mut self, args: &syn::PathArguments) -> Result<Vec<TypeExpr>> {
        match args {
            syn::PathArguments::None => Ok(Vec::new()),
            syn::PathArguments::AngleBracketed(a) => self.angle_args(a),
            syn::PathArguments::Parenthesized(p) => Err(unknown_type(self.spans.add(p.span()))),
        }
    }

    /// The arguments between `<` and `>`.
    pub(super) fn angle_args(&mut self, args: &syn::AngleBracketedGenericArguments) -> Result<Vec<TypeExpr>> {
        let mut out = Vec::new();
        for arg in &args.args {
            let span = self.spans.add(arg.span());
            out.push(match arg {
                syn::GenericArgument::Type(t) => self.ty(t)?,
                syn::GenericArgument::Const(value) => {
                    TypeExpr { span, kind: TypeKind::Value(Box::new(self.expr(value)?)) }
                }
                _ => return Err(unknown_type(span)),
            });
        }
        Ok(out)
    }

    /// A pattern.
    pub(super) fn pat(&mut self, pat: &syn::Pat) -> Result<Pat> {
        let span = self.spans.add(pat.span());
        Ok(match pat {
            syn::Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
                let mutable = if p.mutability.is_some() { Mutability::Mutable } else { Mutability::Fixed };
                Pat::Var { name: self.name(&p.ident), mutable }
            }
            syn::Pat::Tuple(t) => Pat::Tuple(span, t.elems.iter().map(|p| self.pat(p)).collect::<Result<_>>()?),
            syn::Pat::Struct(p) => self.structure_pat(p)?,
            syn::Pat::Paren(p) => self.pat(&p.pat)?,
            syn::Pat::Type(t) => Pat::Typed(Box::new(self.pat(&t.pat)?), self.ty(&t.ty)?),
            syn::Pat::Wild(_) => Pat::Wild(span),
            _ => {
                return Err(Box::new(
                    Diagnostic::new("OB002", span, "this pattern is not part of the kernel language").help(
                        "bind names, tuples and structures of names: `let (lo, hi) = ..`, `let Point { x, y } = ..`",
                    ),
                ));
            }
        })
    }
}

/// Lengths of Rust's arrays are `usize`, those of kernels `u32`: `n as usize` is `n`.
pub(super) fn without_usize(n: &syn::Expr) -> &syn::Expr {
    match n {
        syn::Expr::Cast(c) if matches!(&*c.ty, syn::Type::Path(p) if p.path.is_ident("usize")) => &c.expr,
        _ => n,
    }
}

fn unknown_type(span: obsidian_ir::diag::Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::new("OB005", span, "this type is not part of the kernel language").help(
        "scalars, tuples, `Pull<T>`, `DPull<T>`, `BPull<T, N>`, `Push<L, T>`, `DPush<L, T>`, `DMat<T>`, `PushMat<L, T>`, `Mut<T>`, `DMut<T>`, `Program<L, A>`, `impl Fn(A) -> B`",
    ))
}

fn changed_array(span: obsidian_ir::diag::Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::new("OB005", span, "a kernel has no references and no slices").help(
        "an array that the kernel changes is a `DMut<f32>`, or a `Mut<f32, 1024>` of a known length; the host gives `&mut` of a buffer",
    ))
}

fn type_of_the_host(span: obsidian_ir::diag::Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new("OB005", span, "a kernel has no references and no slices").help(
            "an array is a `DPull<f32>`, or a `Pull<f32, 1024>` of a known length; the host gives a buffer: `dev.upload(&values)`",
        ),
    )
}
