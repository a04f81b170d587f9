//! Entries at `Device`: several launches, their temporary memory, what the host decides between them. In: a module's constants,
//! options and lengths; out: a checked [`ModulePlan`], and from that and buffers a run. Steps are data, which `walk` interprets;
//! `prepare` notes what they ask for and lays memory out once (`arena`), `replay` does what was noted, and `live` what must be
//! decided at each run.

mod arena;
mod execute;
mod live;
mod lodge;
mod names;
mod note;
mod outline;
mod plan;
mod prepare;
mod replay;
#[cfg(test)]
mod tests;
mod traffic;
mod walk;

use obsidian_abi::ParamValue;
use obsidian_abi::module::ModuleInfo;

use crate::kernel::Kernel;

pub use plan::{ModulePlan, plan};

/// A compiled entry at `Device`: a program of several launches.
#[derive(Debug, Clone, Copy)]
pub struct Module {
    info: &'static ModuleInfo,
}

impl Module {
    /// Wraps the constants that the macro embeds.
    #[doc(hidden)]
    pub const fn new(info: &'static ModuleInfo) -> Module {
        Module { info }
    }

    /// The constants.
    #[doc(hidden)]
    pub const fn info(&self) -> &'static ModuleInfo {
        self.info
    }

    /// The entry's name in source.
    pub const fn name(&self) -> &'static str {
        self.info.name
    }

    /// The printed IR of the first variant: kernels, buffers and steps.
    pub const fn ir(&self) -> &'static str {
        self.info.variants[0].ir
    }

    /// What the first variant costs on a GPU, as a table.
    pub const fn report(&self) -> &'static str {
        self.info.variants[0].report
    }

    /// Real threads per block of the first variant's kernels.
    pub const fn threads(&self) -> u32 {
        self.info.variants[0].threads
    }

    /// The kernels of the first variant, each with its texts. How many launches there are is another matter: a kernel may be
    /// launched in a loop.
    pub fn kernels(&self) -> impl ExactSizeIterator<Item = Kernel> + use<> {
        self.info.variants[0].kernels.iter().map(|&info| Kernel::new(info))
    }

    /// What the generics of each variant stand for; the first is the default.
    pub fn variants(&self) -> impl ExactSizeIterator<Item = &'static [(&'static str, ParamValue)]> + use<> {
        self.info.variants.iter().map(|variant| variant.values)
    }
}
