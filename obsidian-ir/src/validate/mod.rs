//! The rules that a program keeps between two passes, checked: what printers and passes rely on, and do not ask again.
//!
//! [`check`] takes a program and the [`Form`] it claims to be in. It knows no pass: what it says rests on the program alone.
//! A broken rule is a fault of the compiler (`OB099`), whatever the author wrote.

mod arrays;
mod expr;
mod form;
mod registers;
mod scope;
mod stmt;
mod uniform;

pub use form::Form;

use crate::diag::{Diagnostic, Result, Span};
use crate::program::{Program, ScalarType};

/// A rule that a program breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) what: String,
    pub(crate) span: Span,
}

type Checked = std::result::Result<(), Broken>;

/// A broken rule at a statement.
fn broken<T>(span: Span, what: impl Into<String>) -> std::result::Result<T, Broken> {
    Err(Broken { what: what.into(), span })
}

/// A rule: `what` says how it is broken where it does not hold. Most hold, so it is not written before.
fn ensure(holds: bool, span: Span, what: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { broken(span, what()) }
}

/// Whether a program keeps the rules of a form.
///
/// # Errors
/// `OB099` with the first rule that it breaks.
pub fn check(p: &Program, form: &Form) -> Result<()> {
    all(p, form).map_err(|b| {
        let message = format!("the kernel compiler broke a rule of its own: {}; please report this", b.what);
        Box::new(Diagnostic::new("OB099", b.span, message).note(format!("in `{}`, {}", p.name, form.name)))
    })
}

fn all(p: &Program, form: &Form) -> Checked {
    head(p)?;
    arrays::check(p, form)?;
    stmt::check(p, form)?;
    registers::check(p)?;
    scope::check(p)?;
    uniform::check(p)
}

/// What stands before the statements.
fn head(p: &Program) -> Checked {
    let none = Span::NONE;
    if !(1..=1024).contains(&p.threads) {
        return broken(none, format!("a block has 1 to 1024 threads, not {}", p.threads));
    }
    for (i, param) in p.params.iter().enumerate() {
        if p.params[..i].iter().any(|other| other.name == param.name) {
            return broken(none, format!("two parameters are called `{}`", param.name));
        }
    }
    for check in &p.checks {
        expr::launch(p, check.cond, ScalarType::Bool)?;
        expr::launch_integer(p, check.found)?;
    }
    expr::launch(p, p.blocks, ScalarType::U32)
}

#[cfg(test)]
mod tests;
