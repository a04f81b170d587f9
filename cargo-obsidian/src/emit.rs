//! `cargo obsidian emit`.

use crate::Failure;
use crate::args::{Emit, Kind};
use crate::kernels;
use crate::output::say;
use obsidian_build::shared::{Described, Message, for_other_languages};
use obsidian_lang::driver::{Extent, LinesOf};
use obsidian_tune::source::WHOLE;
use serde_json::Value;

/// Prints the texts, or writes a file for each variant.
pub fn run(options: &Emit) -> Result<(), Failure> {
    if options.kind == Kind::Manifest {
        return manifest(options);
    }
    let found = kernels::compiled(&options.sources, extent(options))?;
    let mut texts = Vec::new();
    for kernel in &found {
        for variant in kernels::variants(kernel, &options.which)? {
            texts.push((format!("{}.{}", variant.program.name, options.kind.extension()), options.kind.of(variant)));
        }
    }
    match &options.out {
        Some(folder) => Ok(kernels::write(folder, &texts)?),
        None if options.kind == Kind::Json => {
            // One document, whatever the number of variants.
            let all: Vec<Value> = texts.iter().filter_map(|(_, text)| serde_json::from_str(text).ok()).collect();
            Ok(say(format_args!("{:#}", Value::Array(all)))?)
        }
        None => {
            let texts: Vec<&str> = texts.iter().map(|(_, text)| text.trim_end()).collect();
            Ok(say(texts.join("\n\n"))?)
        }
    }
}

/// Every variant, with the lines that are asked for.
fn extent(options: &Emit) -> Extent {
    let lines = if options.line_info { LinesOf::Every } else { LinesOf::AsWritten };
    Extent { lines, ..WHOLE }
}

/// Writes what a build script writes for other languages.
fn manifest(options: &Emit) -> Result<(), Failure> {
    let Some(folder) = &options.out else {
        let message = Message::new("a manifest names files beside it, and there is no folder to write them into");
        return Err(message.help("`cargo obsidian emit manifest --out DIR`").into());
    };
    let found = kernels::compiled(&options.sources, extent(options))?;
    let mut described: Vec<Described<'_>> = Vec::new();
    for kernel in &found {
        let variants = kernels::variants(kernel, &options.which)?.into_iter().filter_map(|v| v.lowered.as_ref());
        described.push((&kernel.name, &kernel.path, variants.collect()));
    }
    Ok(kernels::write(folder, &for_other_languages(&described))?)
}
