//! The forms of a program as types: who takes one need not ask whether it is in that form.
//!
//! Only the passes make them, or [`checked`](Machine::checked), which asks `validate`; so no printer can be handed another.

use std::ops::Deref;
use std::sync::Arc;

use crate::diag::Result;
use crate::program::Program;
use crate::validate::{self, Form};

macro_rules! forms {
    ($($(#[$doc:meta])+ $name:ident is $form:ident;)+) => {$(
        $(#[$doc])+
        #[derive(Debug, Clone)]
        pub struct $name(Arc<Program>);

        impl $name {
            /// What the passes have brought into this form.
            pub(in crate::passes) fn made(program: Program) -> $name {
                $name(Arc::new(program))
            }

            /// A program that is in this form already, however it came to be.
            ///
            /// # Errors
            /// `OB099` where it breaks a rule of the form.
            pub fn checked(program: Program) -> Result<$name> {
                validate::check(&program, &Form::$form).map(|()| $name::made(program))
            }

            /// The program alone.
            pub fn into_program(self) -> Program {
                Arc::unwrap_or_clone(self.0)
            }

            /// The form with a change that keeps its rules.
            ///
            /// # Errors
            /// `OB099` where the change breaks a rule of the form.
            pub fn changed(&self, change: impl FnOnce(&mut Program)) -> Result<$name> {
                let mut program = Program::clone(self);
                change(&mut program);
                $name::checked(program)
            }
        }

        impl Deref for $name {
            type Target = Program;

            fn deref(&self) -> &Program {
                &self.0
            }
        }
    )+};
}

forms! {
    /// Laid out, barriers placed, levels still there: what all other forms are made of.
    Structured is STRUCTURED;
    /// Scheduled, levels still there: what the Rust printer takes.
    Native is NATIVE;
    /// Threads, warps and blocks are the machine's: what the CUDA and PTX printers take.
    Machine is MACHINE;
    /// The machine's, where only whole blocks wait: what the OpenCL printer takes.
    Group is GROUP;
    /// The machine's, where warps are sub-groups: what the OpenCL printer takes for devices that have them.
    SubGroups is SUB_GROUPS;
}

impl Machine {
    /// This form as that for machines where only whole blocks wait, which it is where no warp waits.
    pub(in crate::passes) fn as_group(&self) -> Group {
        Group(self.0.clone())
    }
}
