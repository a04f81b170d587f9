//! Prints the kernels of a file at a stage of the compiler, or what is wrong with them:
//! `cargo run -p obsidian-lang --example try FILE [STAGE]`, where the file holds what stands inside `kernel! { .. }` and the
//! stage is one of `ast typed program structured native machine cu cl ptx report`; without one, `native`.

use std::error::Error;

use obsidian_lang::driver::{Stage, stop_after};
use obsidian_lang::syntax::SpanTable;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: try FILE [STAGE]")?;
    let wanted = args.next().unwrap_or_else(|| "native".to_string());
    let stage = Stage::ALL.into_iter().find(|(name, _)| *name == wanted).map(|(_, stage)| stage);
    let stage = stage.ok_or_else(|| format!("no stage `{wanted}`: {}", Stage::ALL.map(|(name, _)| name).join(", ")))?;
    let tokens = std::fs::read_to_string(&path)?.parse()?;
    let mut spans = SpanTable::default();
    match stop_after(stage, tokens, &mut spans) {
        Ok(text) => {
            println!("{text}");
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
