//! Looks at a program between two passes: whether it keeps the rules of its form.

use super::Step;
use crate::diag::Result;
use crate::program::Program;
use crate::validate::{self, Form};

/// Set, to anything, it has the rules checked after every pass, wherever kernels are compiled: the tests set it. Unset, the
/// expansion of a kernel costs nothing more.
const ASKED: &str = "OBSIDIAN_VALIDATE";

/// What is done with a program after a pass. The compiler's own tests check the rules after every pass in any case.
#[derive(Debug, Default)]
pub struct Watch {
    pub(super) asked: bool,
    /// The programs seen, where they are wanted.
    pub(super) kept: Option<Vec<Step>>,
}

impl Watch {
    /// Checks the rules where the variable `OBSIDIAN_VALIDATE` is set.
    pub fn asked() -> Watch {
        Watch { asked: Watch::is_asked(), kept: None }
    }

    /// Whether the variable is set.
    pub fn is_asked() -> bool {
        std::env::var_os(ASKED).is_some()
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
        if self.asked || cfg!(test) {
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
