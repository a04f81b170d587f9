//! Looks at a program between two passes: whether it keeps the rules of its form.

use super::Step;
use crate::diag::Result;
use crate::program::Program;
use crate::validate::{self, Form};

/// Set, to anything, it has the rules checked after every pass, wherever kernels are compiled: the tests set it.
const ASKED: &str = "OBSIDIAN_VALIDATE";

/// After which passes the rules are checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Checks {
    /// After none.
    #[default]
    Nothing,
    /// After the last one on the way to a form, so that no printer takes a program that breaks a rule.
    Forms,
    /// After each, so that the error names the pass.
    Passes,
}

/// What is done with a program after a pass. The compiler's own tests check the rules after every pass in any case.
#[derive(Debug, Default)]
pub struct Watch {
    checks: Checks,
    /// The programs seen, where they are wanted.
    kept: Option<Vec<Step>>,
}

impl Watch {
    /// Checks the rules after every pass where the variable `OBSIDIAN_VALIDATE` is set, of every form at its end in a compiler that is
    /// built with debug assertions, and nothing in others.
    pub fn asked() -> Watch {
        let checks = match () {
            () if Watch::is_asked() => Checks::Passes,
            () if cfg!(debug_assertions) => Checks::Forms,
            () => Checks::Nothing,
        };
        Watch { checks, kept: None }
    }

    /// Whether the variable is set.
    pub fn is_asked() -> bool {
        std::env::var_os(ASKED).is_some()
    }

    /// Keeps every program that it sees.
    pub(super) fn keeping() -> Watch {
        Watch { checks: Checks::Nothing, kept: Some(Vec::new()) }
    }

    /// The programs that were kept.
    pub(super) fn into_kept(self) -> Vec<Step> {
        self.kept.unwrap_or_default()
    }

    /// Looks at a program in a form that printers or further passes take: its last pass has been seen.
    ///
    /// # Errors
    /// `OB099` where it breaks a rule of the form.
    pub(super) fn reached(&self, form: Form, program: &Program) -> Result<()> {
        if self.checks == Checks::Forms && !cfg!(test) { validate::check(program, &form) } else { Ok(()) }
    }

    /// Looks at a program that a pass has made on the way to a form.
    ///
    /// # Errors
    /// `OB099` where it breaks a rule of the form that the pass leads to.
    pub(super) fn see(
        &mut self,
        (to, pass, form): (&'static str, &'static str, Form),
        program: &Program,
    ) -> Result<()> {
        if self.checks == Checks::Passes || cfg!(test) {
            let said =
                validate::check(program, &form).map_err(|e| Box::new(e.note(format!("after the pass `{pass}`"))));
            // In a test nobody may overlook it.
            assert!(!cfg!(test) || said.is_ok(), "{}\n{}", said.unwrap_err(), crate::program::print(program));
            said?;
        }
        if let Some(kept) = &mut self.kept {
            kept.push(Step { to, pass, form, program: program.clone() });
        }
        Ok(())
    }
}
