//! `cargo obsidian emit`.

use crate::Failure;
use crate::args::{Emit, Kind};
use crate::kernels;
use obsidian_tune::source::WHOLE;
use serde_json::Value;

/// Prints the texts, or writes a file for each variant.
pub fn run(options: &Emit) -> Result<(), Failure> {
    let found = kernels::compiled(&options.sources, WHOLE)?;
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
            println!("{:#}", Value::Array(all));
            Ok(())
        }
        None => {
            println!(
                "{}",
                texts.into_iter().map(|(_, text)| text.trim_end().to_string()).collect::<Vec<_>>().join("\n\n")
            );
            Ok(())
        }
    }
}
