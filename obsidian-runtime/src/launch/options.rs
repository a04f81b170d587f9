//! The choices that a caller has at a launch.

use obsidian_abi::ScalarType;

use crate::kernel::Choice;
use crate::stream::Stream;

/// How to launch; [`LaunchOptions::DEFAULT`] leaves every choice to the runtime. No choice changes the result.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// Which variant: the first that has all that is asked for.
    pub choice: Choice,
    /// How many real blocks share the work (on the CPU: into how many parts it is cut), 1 or more; as many as suit the
    /// device where `None`.
    pub blocks: Option<u32>,
    /// On which stream; the device's own where `None`.
    pub stream: Option<Stream>,
}

impl LaunchOptions {
    /// No choices made.
    pub const DEFAULT: LaunchOptions = LaunchOptions { choice: Choice::ANY, blocks: None, stream: None };

    /// The same, among the variants of these element types.
    #[doc(hidden)]
    #[must_use]
    pub fn of_types(&self, types: &'static [ScalarType]) -> LaunchOptions {
        let choice = self.choice.clone().types(types);
        LaunchOptions { choice, ..self.clone() }
    }
}
