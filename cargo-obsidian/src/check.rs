//! `cargo obsidian check`.

use crate::Failure;
use crate::args::Sources;
use crate::kernels;
use obsidian_tune::source::WHOLE;

/// Compiles everything, and says how much there was.
pub fn run(sources: &Sources) -> Result<(), Failure> {
    let kernels = kernels::compiled(sources, WHOLE)?;
    let variants: usize = kernels.iter().map(|kernel| kernel.variants().count()).sum();
    println!("no mistakes: {} kernels, {variants} variants", kernels.len());
    Ok(())
}
