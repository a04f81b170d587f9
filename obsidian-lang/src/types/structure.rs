//! Structures: made of named fields, read by them, and taken apart. To the evaluator a structure is the tuple of its fields.

use std::sync::Arc;

use super::arena::{Ty, TyId};
use super::check::Checker;
use super::typed::{TExpr, TKind, TPat, TStmt};
use crate::syntax::ast::{Expr, Mutability, Name, Pat, Rest, StructDecl};
use obsidian_ir::diag::{Diagnostic, Result, Span};

impl Checker<'_> {
    /// `P { x: a, y: b }`, with `..rest` for the fields that are not named.
    pub(super) fn structure(
        &mut self,
        name: &Name,
        (fields, rest): (&[(Name, Expr)], Option<&Expr>),
        span: Span,
    ) -> Result<TExpr> {
        let named = || fields.iter().map(|(field, _)| field);
        let Some(decl) = self.types.structs.get(&name.text).cloned() else { return Err(no_structure(name, named())) };
        let ty = self.types.ty(Ty::Struct(decl.clone()));
        let mut parts: Vec<Option<TExpr>> = decl.fields.iter().map(|_| None).collect();
        for (field, value) in fields {
            let Some(place) = decl.place(&field.text) else { return Err(no_field(&decl, field)) };
            if parts[place].is_some() {
                let message = format!("`{}` is given twice", field.text);
                return Err(Box::new(Diagnostic::new("OB008", field.span, message).help("leave one of them out")));
            }
            let value = self.expr(value)?;
            let want = self.types.scalar(decl.fields[place].1);
            let what = format!("the field `{}` of `{}`", field.text, name.text);
            self.unify(want, value.ty, value.span.or(field.span), &what)?;
            parts[place] = Some(value);
        }
        let before = match rest {
            Some(rest) => Some(self.rest_of(rest, ty, &decl, &mut parts)?),
            None => None,
        };
        if let Some((missing, _)) = decl.fields.iter().zip(&parts).find(|(_, part)| part.is_none()).map(|(f, _)| f) {
            let message = format!("`{}` has no value here", missing);
            return Err(Box::new(
                Diagnostic::new("OB022", span, message)
                    .note(format!("`{}` has the fields {}", name.text, decl.listed()))
                    .help(format!("write `{} {{ {missing}: .., .. }}`", name.text)),
            ));
        }
        let made = TExpr { kind: TKind::Tuple(parts.into_iter().flatten().collect()), span, ty };
        Ok(match before {
            Some(rest) => TExpr { kind: TKind::Block(vec![rest], Some(Box::new(made))), span, ty },
            None => made,
        })
    }

    /// Takes what is missing from another structure, which the statement evaluates.
    fn rest_of(&mut self, rest: &Expr, ty: TyId, decl: &StructDecl, parts: &mut [Option<TExpr>]) -> Result<TStmt> {
        let value = self.expr(rest)?;
        self.unify(ty, value.ty, value.span, "what the other fields are taken from")?;
        let span = value.span;
        // No name of the author's has points.
        let slot = self.cx.scopes.bind("..", ty, Mutability::Fixed);
        for (place, part) in parts.iter_mut().enumerate().filter(|(_, part)| part.is_none()) {
            let base = TExpr { kind: TKind::Local(slot), span, ty };
            let ty = self.types.scalar(decl.fields[place].1);
            *part = Some(TExpr { kind: TKind::Field(Box::new(base), place as u32), span, ty });
        }
        Ok(TStmt::Let(TPat::Slot(slot, String::new()), value))
    }

    /// Binds `P { x, y: b, .. }`, which is the tuple of the fields.
    pub(super) fn bind_structure(
        &mut self,
        name: &Name,
        (fields, rest): (&[(Name, Pat)], Rest),
        ty: TyId,
    ) -> Result<TPat> {
        let named = || fields.iter().map(|(field, _)| field);
        let Some(decl) = self.types.structs.get(&name.text).cloned() else { return Err(no_structure(name, named())) };
        let structure = self.types.ty(Ty::Struct(decl.clone()));
        self.unify(structure, ty, name.span, "this pattern")?;
        let mut bound = vec![None; decl.fields.len()];
        for (field, pat) in fields {
            let Some(place) = decl.place(&field.text) else { return Err(no_field(&decl, field)) };
            let ty = self.types.scalar(decl.fields[place].1);
            if bound[place].replace(self.bind(pat, ty)?).is_some() {
                let message = format!("`{}` is taken twice", field.text);
                return Err(Box::new(Diagnostic::new("OB008", field.span, message).help("leave one of them out")));
            }
        }
        let missing = decl.fields.iter().zip(&bound).find(|(_, pat)| pat.is_none() && rest == Rest::None);
        if let Some(((missing, _), _)) = missing {
            return Err(Box::new(
                Diagnostic::new("OB022", name.span, format!("this pattern leaves `{missing}` out"))
                    .note(format!("`{}` has the fields {}", name.text, decl.listed()))
                    .help(format!("take it, `{missing}`, or say that there is more: `..`")),
            ));
        }
        Ok(TPat::Tuple(bound.into_iter().map(|pat| pat.unwrap_or(TPat::Wild)).collect()))
    }

    /// `e.x`.
    pub(super) fn named_field(&mut self, base: &Expr, name: &Name) -> Result<TExpr> {
        let base = self.expr(base)?;
        let Some(decl) = self.structure_of(base.ty, name) else {
            if matches!(self.types.find(base.ty).1, Ty::Error) {
                return Ok(base);
            }
            let message = format!("`{}` has no field `{}`", self.types.show(base.ty), name.text);
            return Err(Box::new(
                Diagnostic::new("OB020", name.span, message)
                    .note("a tuple's fields are `p.0`, `p.1`; those of a `struct` in `kernel! { .. }` have names")
                    .help(format!("where the type is not known yet, say it: `|p: Point| p.{}`; a call has parentheses, `xs.len()`", name.text)),
            ));
        };
        let Some(place) = decl.place(&name.text) else { return Err(no_field(&decl, name)) };
        let ty = self.types.scalar(decl.fields[place].1);
        Ok(TExpr { kind: TKind::Field(Box::new(base), place as u32), span: name.span, ty })
    }

    /// The structure that a value is. One of which nothing is known yet is the only one that has such a field.
    fn structure_of(&mut self, ty: TyId, name: &Name) -> Option<Arc<StructDecl>> {
        match self.types.find(ty).1 {
            Ty::Struct(decl) => Some(decl.clone()),
            Ty::Var(..) => {
                let mut having = self.types.structs.values().filter(|decl| decl.place(&name.text).is_some());
                let (only, None) = (having.next()?.clone(), having.next()) else { return None };
                let structure = self.types.ty(Ty::Struct(only.clone()));
                self.types.unify(structure, ty).ok().map(|()| only)
            }
            _ => None,
        }
    }
}

fn no_structure<'n>(name: &Name, fields: impl Iterator<Item = &'n Name>) -> Box<Diagnostic> {
    let fields: Vec<String> = fields.map(|field| format!("{}: f32", field.text)).collect();
    let message = format!("`{}` is not a structure here", name.text);
    Box::new(
        Diagnostic::new("OB005", name.span, message)
            .note("a structure outside of the macro is not seen; a tuple needs no declaration: `(x, y)`")
            .help(format!(
                "write `struct {} {{ {} }}` inside `kernel! {{ .. }}`: the host sees it there, too",
                name.text,
                fields.join(", ")
            )),
    )
}

fn no_field(decl: &StructDecl, name: &Name) -> Box<Diagnostic> {
    let message = format!("`{}` has no field `{}`", decl.name.text, name.text);
    Box::new(
        Diagnostic::new("OB020", name.span, message)
            .note(format!("it has {}", decl.listed()))
            .help(format!("declare it, `{}: f32`, or name one of these", name.text)),
    )
}
