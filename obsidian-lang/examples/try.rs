//! Prints the kernels of a file as the compiler has them after a stage, or what is wrong with them:
//! `cargo run -p obsidian-lang --example try FILE [VIEW]`, where the file holds what stands inside `kernel! { .. }` and the
//! view is one of `ast typed program structured native machine cu cl ptx report`; without one, `native`.

use std::error::Error;

use obsidian_lang::driver::{View, stop_after};
use obsidian_lang::syntax::SpanTable;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: try FILE [VIEW]")?;
    let wanted = args.next().unwrap_or_else(|| "native".to_string());
    let view = View::ALL.into_iter().find(|(name, _)| *name == wanted).map(|(_, view)| view);
    let view = view.ok_or_else(|| format!("no view `{wanted}`: {}", View::ALL.map(|(name, _)| name).join(", ")))?;
    let tokens = std::fs::read_to_string(&path)?.parse()?;
    let mut spans = SpanTable::default();
    match stop_after(view.stage(), tokens, &mut spans) {
        Ok(output) => {
            println!("{}", output.text(view).unwrap_or_default());
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
