//! `use` inside `kernel! {}`: which libraries a module names, and what it brings in of each.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;

use super::pieces::Reach;
use crate::syntax::SpanTable;
use crate::syntax::ast::Name;
use obsidian_ir::diag::{Diagnostic, Result};

/// The `use`s of a module.
#[derive(Debug, Default)]
pub struct Uses {
    /// Each library path once, in order.
    pub libraries: Vec<LibraryPath>,
    /// What comes in, in order.
    pub imports: Vec<Import>,
}

/// A path to a library, as written.
#[derive(Debug, Clone)]
pub struct LibraryPath {
    /// `crate :: libs :: nets`.
    pub tokens: TokenStream,
    /// The same as text.
    pub text: String,
}

impl LibraryPath {
    /// `nets`.
    pub fn last_segment(&self) -> &str {
        self.text.rsplit("::").next().unwrap_or(&self.text)
    }
}

/// A name, or all names, of a library.
#[derive(Debug)]
pub struct Import {
    /// Index in [`Uses::libraries`].
    pub library: usize,
    /// Which.
    pub what: What,
    /// Whether others may use it from here: `pub use`.
    pub reach: Reach,
}

/// What an import brings in.
#[derive(Debug)]
pub enum What {
    /// `*`.
    All,
    /// `item`, or `item as name`.
    One {
        /// Its name in the library.
        item: Name,
        /// The author's token of it.
        token: Ident,
        /// Its name here.
        name: Name,
    },
}

impl Uses {
    /// Adds a `use` declaration.
    ///
    /// # Errors
    /// A `use` that is no path to a function of a library.
    pub fn add(&mut self, tokens: TokenStream, spans: &mut SpanTable) -> Result<()> {
        let at = tokens.span();
        let item: syn::ItemUse = syn::parse2(tokens).map_err(|e| {
            Box::new(Diagnostic::new("OB001", spans.add(e.span()), format!("this is not valid kernel syntax: {e}")))
        })?;
        if let Some(a) = item.attrs.iter().find(|a| !["allow", "doc", "expect"].iter().any(|k| a.path().is_ident(k))) {
            return Err(Box::new(
                Diagnostic::new("OB002", spans.add(a.span()), "this attribute means nothing on a `use` in a kernel")
                    .help("put `#[cfg]` on the whole `kernel! { .. }`"),
            ));
        }
        let reach = if matches!(item.vis, syn::Visibility::Public(_)) { Reach::Public } else { Reach::Private };
        let prefix = item.leading_colon.map(ToTokens::into_token_stream).unwrap_or_default();
        let mut walk = Walk { uses: self, spans, reach, at };
        walk.tree(&item.tree, prefix)
    }
}

struct Walk<'a> {
    uses: &'a mut Uses,
    spans: &'a mut SpanTable,
    reach: Reach,
    at: proc_macro2::Span,
}

impl Walk<'_> {
    fn tree(&mut self, tree: &syn::UseTree, prefix: TokenStream) -> Result<()> {
        match tree {
            syn::UseTree::Path(p) => {
                let (ident, colons) = (&p.ident, &p.colon2_token);
                let mut longer = prefix;
                ident.to_tokens(&mut longer);
                colons.to_tokens(&mut longer);
                self.tree(&p.tree, longer)
            }
            syn::UseTree::Group(g) => g.items.iter().try_for_each(|t| self.tree(t, prefix.clone())),
            syn::UseTree::Glob(_) => {
                let library = self.library(prefix)?;
                self.push(library, What::All);
                Ok(())
            }
            syn::UseTree::Name(n) => self.one(&n.ident, &n.ident, prefix),
            syn::UseTree::Rename(r) => self.one(&r.ident, &r.rename, prefix),
        }
    }

    fn one(&mut self, item: &Ident, name: &Ident, prefix: TokenStream) -> Result<()> {
        if item == "self" || name == "_" {
            return Err(self.no_function(item.span()));
        }
        let library = self.library(prefix)?;
        let spans = &mut *self.spans;
        let mut named = |i: &Ident| Name { text: i.to_string(), span: spans.add(i.span()) };
        let what = What::One { item: named(item), token: item.clone(), name: named(name) };
        self.push(library, what);
        Ok(())
    }

    fn push(&mut self, library: usize, what: What) {
        self.uses.imports.push(Import { library, what, reach: self.reach });
    }

    /// The library that `prefix`, which ends in `::`, stands for.
    fn library(&mut self, prefix: TokenStream) -> Result<usize> {
        let mut tokens: Vec<_> = prefix.into_iter().collect();
        tokens.truncate(tokens.len().saturating_sub(2));
        if tokens.is_empty() {
            return Err(self.no_function(self.at));
        }
        let tokens: TokenStream = tokens.into_iter().collect();
        let text = tokens.to_string().replace(' ', "");
        let known = self.uses.libraries.iter().position(|l| l.text == text);
        Ok(known.unwrap_or_else(|| {
            self.uses.libraries.push(LibraryPath { tokens, text });
            self.uses.libraries.len() - 1
        }))
    }

    fn no_function(&mut self, at: proc_macro2::Span) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new("OB070", self.spans.add(at), "this `use` names no function of a library")
                .note("inside a kernel, `use` brings in functions of a `kernel_lib!`; they are called by their name alone")
                .help("`use path::to::nets::*;` brings in all of them, `use path::to::nets::{f, g};` two"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(text: &str) -> std::result::Result<String, String> {
        let mut uses = Uses::default();
        uses.add(text.parse().unwrap(), &mut SpanTable::default()).map_err(|e| e.to_string())?;
        let one = |i: &Import| {
            let lib = &uses.libraries[i.library].text;
            match &i.what {
                What::All => format!("{lib} *"),
                What::One { item, name, .. } => format!("{lib} {} {}", item.text, name.text),
            }
        };
        Ok(uses.imports.iter().map(one).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn trees_are_flattened() {
        assert_eq!(
            uses("use crate::libs::{nets::*, paths::{f, g as h}};").unwrap(),
            "crate::libs::nets *, crate::libs::paths f f, crate::libs::paths g h"
        );
        assert_eq!(uses("pub use ::other::nets::f;").unwrap(), "::other::nets f f");
    }

    #[test]
    fn a_library_alone_is_no_function() {
        for text in ["use nets;", "use *;", "use nets::{self, f};", "use nets::f as _;"] {
            assert!(uses(text).unwrap_err().contains("OB070"), "{text}");
        }
    }
}
