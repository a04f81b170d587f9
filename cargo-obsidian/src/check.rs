//! `cargo obsidian check`.

use crate::Failure;
use crate::args::Sources;
use crate::kernels;
use crate::output::say;
use obsidian_tune::source::WHOLE;

/// Compiles everything, and says how much there was.
pub fn run(sources: &Sources) -> Result<(), Failure> {
    let found = kernels::entries(sources, WHOLE)?;
    let variants: usize = found.kernels.iter().map(|kernel| kernel.variants().count()).sum();
    let of_launches: usize = found.modules.iter().map(|module| module.entry.variants.len()).sum();
    let at_device = match found.modules.len() {
        0 => String::new(),
        n => format!(", {n} of them at `Device`"),
    };
    let entries = found.kernels.len() + found.modules.len();
    Ok(say(format_args!("no mistakes: {entries} kernels, {} variants{at_device}", variants + of_launches))?)
}
