//! What a function's name means, by the module that it is written in: the module's own functions, then what it imports,
//! then the standard library. A library's functions never see the names of the kernel that uses them.

use std::collections::HashMap;

use super::check::{Callee, Checker};
use super::typed::{BuiltinId, FnId};
use crate::linking::{Linked, Meaning};
use crate::syntax::ast::{FnDecl, FnForm, Name};
use obsidian_ir::diag::{Diagnostic, Result, Span};

/// The module that a function is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// The macro call being compiled.
    Author,
    /// A library: index in [`Linked::scopes`].
    Library(usize),
    /// The standard library.
    Standard,
}

/// A token in the author's source that names a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The token.
    pub span: Span,
    /// Its text.
    pub name: String,
    /// Whose function it is.
    pub referent: Referent,
}

/// Whose function a name leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Referent {
    /// One beside it.
    Own,
    /// One that a `use` brought in.
    Imported,
    /// One of the standard library.
    Standard,
}

type Table<'a> = HashMap<&'a str, Vec<Callee>>;

/// The tables of names.
pub(super) struct Names<'a> {
    own: Table<'a>,
    standard: Table<'a>,
    linked: &'a Linked,
    /// The number of functions that the author wrote.
    authored: usize,
}

impl<'a> Names<'a> {
    /// The tables, and the author's functions that share a name.
    pub(super) fn new(
        user: &'a [FnDecl],
        linked: &'a Linked,
        library: &[&'a FnDecl],
        builtins: &[(u32, &'a FnDecl)],
    ) -> (Names<'a>, Vec<Diagnostic>) {
        let (mut own, mut standard) = (Table::new(), Table::new());
        let mut errors = Vec::new();
        for &(row, d) in builtins {
            standard.entry(&d.name.text).or_default().push(Callee::Builtin(BuiltinId(row)));
        }
        for (d, i) in library.iter().zip(user.len() + linked.fns.len()..) {
            standard.entry(&d.name.text).or_default().push(Callee::Fn(FnId(i as u32)));
        }
        for (i, d) in user.iter().enumerate() {
            if own.insert(&d.name.text, vec![Callee::Fn(FnId(i as u32))]).is_some() {
                let what = if d.form == FnForm::Constant { "items" } else { "functions" };
                let message = format!("two {what} are called `{}`", d.name.text);
                errors.push(Diagnostic::new("OB007", d.name.span, message).help("give one of them another name"));
            }
        }
        (Names { own, standard, linked, authored: user.len() }, errors)
    }

    /// Whether the author wrote it.
    pub(super) fn is_own(&self, callee: Callee) -> bool {
        matches!(callee, Callee::Fn(id) if self.home(id) == Home::Author)
    }

    /// Where a function is written.
    pub(super) fn home(&self, id: FnId) -> Home {
        match (id.0 as usize).checked_sub(self.authored) {
            None => Home::Author,
            Some(i) => self.linked.fns.get(i).map_or(Home::Standard, |f| Home::Library(f.home)),
        }
    }

    /// A function's name for messages.
    pub(super) fn title(&self, id: FnId, decl: &FnDecl) -> String {
        let linked = (id.0 as usize).checked_sub(self.authored).and_then(|i| self.linked.fns.get(i));
        linked.map_or_else(|| decl.name.text.clone(), |f| f.title.clone())
    }

    /// The names that can be called from a module, without the standard library's.
    pub(super) fn known(&self, home: Home) -> impl Iterator<Item = &str> {
        let (own, scope) = match home {
            Home::Author => (Some(&self.own), self.linked.scopes.first()),
            Home::Library(i) => (None, self.linked.scopes.get(i)),
            Home::Standard => (None, None),
        };
        own.into_iter()
            .flat_map(|t| t.keys().copied())
            .chain(scope.into_iter().flat_map(|s| s.keys().map(String::as_str)))
    }

    pub(super) fn find(&self, home: Home, name: &str) -> Option<(Vec<Callee>, Referent)> {
        let scope = match home {
            Home::Author => self.linked.scopes.first(),
            Home::Library(i) => self.linked.scopes.get(i),
            Home::Standard => None,
        };
        if home == Home::Author
            && let Some(own) = self.own.get(name)
        {
            return Some((own.clone(), Referent::Own));
        }
        match scope.and_then(|s| s.get(name)) {
            Some(&Meaning::Fn(i)) => Some((vec![Callee::Fn(FnId((self.authored + i) as u32))], Referent::Imported)),
            _ => Some((self.standard.get(name)?.clone(), Referent::Standard)),
        }
    }

    fn ambiguous(&self, home: Home, name: &Name) -> Option<Diagnostic> {
        let scope = match home {
            Home::Author if self.own.contains_key(name.text.as_str()) => None,
            Home::Author => self.linked.scopes.first(),
            Home::Library(i) => self.linked.scopes.get(i),
            Home::Standard => None,
        };
        let Some(Meaning::Ambiguous(libraries)) = scope?.get(&name.text) else { return None };
        let list = libraries.iter().map(|l| format!("`{l}`")).collect::<Vec<_>>().join(" and ");
        let first = libraries.first().map_or("", String::as_str);
        Some(
            Diagnostic::new("OB073", name.span, format!("`{}` is a function of {list}", name.text))
                .note("both are brought in by `*`, so that the name alone does not say which is meant")
                .help(format!("name the one you mean: `use {first}::{};`", name.text)),
        )
    }
}

impl Checker<'_> {
    /// The functions that a name can mean where it stands.
    pub(super) fn candidates(&mut self, name: &Name) -> Result<Vec<Callee>> {
        if let Some(d) = self.names.ambiguous(self.cx.home, name) {
            return Err(Box::new(d));
        }
        let Some((callees, referent)) = self.names.find(self.cx.home, &name.text) else {
            return Err(self.unknown_name(name));
        };
        if name.span != Span::NONE {
            self.mentions.push(Mention { span: name.span, name: name.text.clone(), referent });
        }
        Ok(callees)
    }
}
