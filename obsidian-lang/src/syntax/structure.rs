//! Structures of scalars, expressions that make one, and patterns that take one apart.

use syn::spanned::Spanned;

use super::SpanTable;
use super::ast::{Expr, ExprKind, Name, Pat, Rest, StructDecl};
use super::expr::Lower;
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::program::ScalarType;

/// As many as a tuple has.
const MAX_FIELDS: usize = 8;

/// `struct P { x: f32, y: f32 }`.
///
/// # Errors
/// `OB005` where it is no structure of scalars with names.
pub(super) fn structure(item: &syn::ItemStruct, spans: &mut SpanTable) -> Result<StructDecl> {
    let name = Lower { spans }.name(&item.ident);
    let wrong = |span, message: String| {
        Err(Box::new(
            Diagnostic::new("OB005", span, message)
                .note("a structure of a kernel has 1 to 8 fields with names, each a scalar; an array of it is stored as one array per field")
                .help("write `struct Point { x: f32, y: f32 }`"),
        ))
    };
    let count = item.fields.len();
    if !item.generics.params.is_empty()
        || !matches!(item.fields, syn::Fields::Named(_))
        || !(1..=MAX_FIELDS).contains(&count)
    {
        let message = format!("`{}` cannot be a structure in kernels", name.text);
        return wrong(name.span, message);
    }
    let mut fields = Vec::with_capacity(count);
    for field in &item.fields {
        let scalar = match &field.ty {
            syn::Type::Path(p) => p.path.get_ident().and_then(|ident| ScalarType::from_name(&ident.to_string())),
            _ => None,
        };
        let (Some(ident), Some(ty)) = (&field.ident, scalar) else {
            let span = spans.add(field.ty.span());
            return wrong(span, "a field of a structure in kernels is a scalar".to_string());
        };
        fields.push((ident.to_string(), ty));
    }
    Ok(StructDecl { name, fields })
}

impl Lower<'_> {
    /// `P { x: a, y, ..p }`.
    pub(super) fn structure_value(&mut self, e: &syn::ExprStruct) -> Result<Expr> {
        let span = self.spans.add(e.path.span());
        let name = self.structure_name(&e.path)?;
        let mut fields = Vec::new();
        for field in &e.fields {
            let syn::Member::Named(ident) = &field.member else { continue };
            fields.push((self.name(ident), self.expr(&field.expr)?));
        }
        let rest = e.rest.as_ref().map(|rest| self.expr(rest)).transpose()?;
        Ok(Expr { kind: ExprKind::Struct(name, fields, rest.map(Box::new)), span })
    }

    /// `P { x, y: b, .. }`.
    pub(super) fn structure_pat(&mut self, p: &syn::PatStruct) -> Result<Pat> {
        let name = self.structure_name(&p.path)?;
        let mut fields = Vec::new();
        for field in &p.fields {
            let syn::Member::Named(ident) = &field.member else { continue };
            fields.push((self.name(ident), self.pat(&field.pat)?));
        }
        Ok(Pat::Struct(name, fields, if p.rest.is_some() { Rest::LeftOut } else { Rest::None }))
    }

    /// The name of a structure, which stands beside the kernels.
    fn structure_name(&mut self, path: &syn::Path) -> Result<Name> {
        let Some(ident) = path.get_ident() else {
            return Err(Box::new(
                Diagnostic::new("OB002", self.spans.add(path.span()), "a structure has a name without a path here")
                    .help("declare it beside the kernels: `struct Point { x: f32, y: f32 }`"),
            ));
        };
        Ok(self.name(ident))
    }
}
