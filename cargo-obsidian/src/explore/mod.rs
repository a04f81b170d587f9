//! `cargo obsidian explore`: a file of kernels as one page. Its source with the cost of each line, the texts with their lines linked
//! to the source's, pictures, and what tunings have found. Served to the browser on this machine, or written as one file.

mod cost;
mod data;
mod page;
mod serve;
mod text;
mod tuning;

use crate::Failure;
use crate::args::Explore;
use crate::output::say;
use data::Explored;
use obsidian_build::shared::Message;

/// Variants of a file whose texts are written into a page.
const MAX_WRITTEN: usize = 24;

/// Writes the page, or serves it until the command is interrupted.
pub fn run(options: &Explore) -> Result<(), Failure> {
    if options.file.is_dir() {
        let message = Message::new(format!("`{}` is a folder, and a page shows a file", options.file.display()));
        return Err(message
            .help("`cargo obsidian explore src/lib.rs`; further paths may be folders of libraries")
            .into());
    }
    let mut paths = vec![options.file.clone()];
    paths.extend(options.libraries.iter().cloned());
    let mut explored = Explored::of(paths)?;
    let Some(out) = &options.out else { return Ok(serve::serve(&mut explored, options.port)?) };
    let html = page::whole(&explored.model(), &explored.details(MAX_WRITTEN));
    std::fs::write(out, html).map_err(|e| Message::new(format!("cannot write `{}`: {e}", out.display())))?;
    say(out.display())?;
    explored.mistakes().map_or(Ok(()), |mistakes| Err(Failure::Kernels(mistakes)))
}
