//! The modules of a `kernel_lib!`, taken apart.

use std::fmt;

use proc_macro2::{Ident, TokenStream};
use syn::parse::{ParseStream, Parser};

use crate::syntax::SpanTable;
use obsidian_ir::diag::{Diagnostic, Result};

/// A module of a `kernel_lib!`.
pub struct LibraryModule {
    /// Its attributes, those in its braces too.
    pub attrs: Vec<syn::Attribute>,
    /// `pub` ..
    pub vis: syn::Visibility,
    /// Its name.
    pub name: Ident,
    /// What else is in its braces.
    pub body: TokenStream,
}

impl fmt::Debug for LibraryModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LibraryModule").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The modules in the braces of a `kernel_lib!`.
///
/// # Errors
/// `OB002` at what is no module.
pub fn modules(tokens: TokenStream, spans: &mut SpanTable) -> Result<Vec<LibraryModule>> {
    let parse = |input: ParseStream<'_>| {
        let mut modules = Vec::new();
        while !input.is_empty() {
            modules.push(module(input)?);
        }
        Ok(modules)
    };
    parse.parse2(tokens).map_err(|e| {
        let message = format!("only modules can stand inside `kernel_lib! {{ .. }}`: {e}");
        let error = Diagnostic::new("OB002", spans.add(e.span()), message);
        Box::new(error.help("`kernel_lib! { pub mod nets { pub fn f(..) -> .. { .. } } }`"))
    })
}

fn module(input: ParseStream<'_>) -> syn::Result<LibraryModule> {
    let (attrs, vis) = (input.call(syn::Attribute::parse_outer)?, input.parse()?);
    input.parse::<syn::Token![mod]>()?;
    let name = input.parse()?;
    let body;
    syn::braced!(body in input);
    // `//!` inside says the same as `///` outside.
    let inside = body.call(syn::Attribute::parse_inner)?;
    let inside = inside.into_iter().map(|a| syn::Attribute { style: syn::AttrStyle::Outer, ..a });
    let attrs = attrs.into_iter().chain(inside).collect();
    Ok(LibraryModule { attrs, vis, name, body: body.parse()? })
}
