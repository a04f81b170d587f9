//! Kernels that are called as a function of the library: as in Rust, they are what is called, also where the library's is meant.

use crate::library;
use crate::syntax::ast::FnDecl;
use crate::syntax::names_of;
use obsidian_ir::diag::{Diagnostic, Span};

/// Says it of the mistakes in calls of such kernels, which are hard to understand without.
pub(super) fn explain(mistakes: Vec<Diagnostic>, fns: &[FnDecl]) -> Vec<Diagnostic> {
    mistakes.into_iter().map(|mistake| with_note(mistake, fns)).collect()
}

fn with_note(mistake: Diagnostic, fns: &[FnDecl]) -> Diagnostic {
    let Some(caller) = around(mistake.span, fns) else { return mistake };
    let Some(name) = hiding(&mistake, caller, fns) else { return mistake };
    if mistake.notes.iter().any(|note| note.contains("hides the library's")) {
        return mistake;
    }
    let mistake = mistake.note(format!("`{name}` is your own here, and hides the library's"));
    match mistake.code {
        // It never ends, or what it gives is used at another level.
        "OB032" | "OB014" | "OB015" if name == caller.name.text => {
            mistake.help(format!("give your function another name: `{name}` is the library's then"))
        }
        _ => mistake,
    }
}

/// The function in which a token stands: tokens are numbered as they are written.
fn around(place: Span, fns: &[FnDecl]) -> Option<&FnDecl> {
    let before = fns.iter().filter(|f| place != Span::NONE && f.name.span <= place);
    before.max_by_key(|f| f.name.span)
}

/// What may be meant of the library and is not: the kernel that calls itself, or what the message names. A helper that calls itself means itself.
fn hiding<'a>(mistake: &Diagnostic, caller: &FnDecl, fns: &'a [FnDecl]) -> Option<&'a str> {
    let called = names_of(caller).free;
    let own = fns.iter().filter(|f| f.entry.is_some() && called.contains(f.name.text.as_str()));
    let told = |f: &&FnDecl| f.name == caller.name || mistake.message.contains(&format!("`{}`", f.name.text));
    let names = own.filter(told).map(|f| f.name.text.as_str());
    names.into_iter().find(|&name| library::names().any(|known| known == name))
}
