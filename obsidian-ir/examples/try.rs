//! Prints the IR of the kernels in a file, or what is wrong with them:
//! `cargo run -p obsidian-ir --example try FILE`, where the file holds what stands inside `kernel! { .. }`.

use std::error::Error;

use obsidian_ir::compiler::compile;
use obsidian_ir::program::print;
use obsidian_ir::syntax::SpanTable;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: try FILE")?;
    let tokens = std::fs::read_to_string(&path)?.parse()?;
    let mut spans = SpanTable::default();
    match compile(tokens, &mut spans) {
        Ok(entries) => {
            for variant in entries.iter().flat_map(|e| &e.variants) {
                println!("{}", print(&variant.native));
            }
            Ok(())
        }
        Err(errors) => {
            for e in &errors {
                let at = spans.get(e.span).start();
                println!("{path}:{}:{}: {e}\n", at.line, at.column + 1);
            }
            Err(format!("mistakes: {}", errors.len()).into())
        }
    }
}
