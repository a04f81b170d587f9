//! Structures: made of named fields, and read by them. To the evaluator a structure is the tuple of its fields.

use std::sync::Arc;

use super::arena::{Ty, TyId};
use super::check::Checker;
use super::typed::{TExpr, TKind};
use crate::syntax::ast::{Expr, Name, StructDecl};
use obsidian_ir::diag::{Diagnostic, Result, Span};

impl Checker<'_> {
    /// `P { x: a, y: b }`.
    pub(super) fn structure(&mut self, name: &Name, fields: &[(Name, Expr)], span: Span) -> Result<TExpr> {
        let Some(decl) = self.types.structs.get(&name.text).cloned() else { return Err(no_structure(name, fields)) };
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
        if let Some((missing, _)) = decl.fields.iter().zip(&parts).find(|(_, part)| part.is_none()).map(|(f, _)| f) {
            let message = format!("`{}` has no value here", missing);
            return Err(Box::new(
                Diagnostic::new("OB022", span, message)
                    .note(format!("`{}` has the fields {}", name.text, decl.listed()))
                    .help(format!("write `{} {{ {missing}: .., .. }}`", name.text)),
            ));
        }
        let ty = self.types.ty(Ty::Struct(decl));
        Ok(TExpr { kind: TKind::Tuple(parts.into_iter().flatten().collect()), span, ty })
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

fn no_structure(name: &Name, fields: &[(Name, Expr)]) -> Box<Diagnostic> {
    let fields: Vec<String> = fields.iter().map(|(field, _)| format!("{}: f32", field.text)).collect();
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
