//! Structures of scalars, and expressions that make one.

use syn::spanned::Spanned;

use super::SpanTable;
use super::ast::{Expr, ExprKind, StructDecl};
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
    /// `P { x: a, y }`.
    pub(super) fn structure_value(&mut self, e: &syn::ExprStruct) -> Result<Expr> {
        let span = self.spans.add(e.path.span());
        let Some(ident) = e.path.get_ident().filter(|_| e.rest.is_none()) else {
            let at = e.rest.as_ref().map_or(span, |rest| self.spans.add(rest.span()));
            return Err(Box::new(
                Diagnostic::new("OB002", at, "a structure is made of all its fields here")
                    .help("name each: `Point { x: p.x, y: 0.0 }`"),
            ));
        };
        let name = self.name(ident);
        let mut fields = Vec::new();
        for field in &e.fields {
            let syn::Member::Named(ident) = &field.member else { continue };
            fields.push((self.name(ident), self.expr(&field.expr)?));
        }
        Ok(Expr { kind: ExprKind::Struct(name, fields), span })
    }
}
