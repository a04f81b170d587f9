//! Draws the kernels of a file: `cargo run -p obsidian-lang --example draw FILE network|memory DIR` writes `ENTRY.svg` into
//! the folder for each entry; the file holds what stands inside `kernel! { .. }`.

use std::error::Error;
use std::path::Path;

use obsidian_lang::driver::{Picture, Stage, stop_after};
use obsidian_lang::syntax::SpanTable;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, picture, dir] = args.as_slice() else { return Err("usage: draw FILE network|memory DIR".into()) };
    let picture = match picture.as_str() {
        "network" => Picture::Network,
        "memory" => Picture::Memory,
        other => return Err(format!("no picture `{other}`: network, memory").into()),
    };
    let tokens = std::fs::read_to_string(path)?.parse()?;
    let mut spans = SpanTable::default();
    let output = stop_after(Stage::Placed, tokens, &mut spans).map_err(|errors| {
        let lines = errors.iter().map(|e| {
            let at = spans.get(e.span).start();
            format!("{path}:{}:{}: {e}", at.line, at.column + 1)
        });
        lines.collect::<Vec<_>>().join("\n\n")
    })?;
    std::fs::create_dir_all(dir)?;
    for drawing in output.pictures(picture) {
        let file = Path::new(dir).join(&drawing.name).with_extension("svg");
        match drawing.svg {
            Ok(svg) => {
                std::fs::write(&file, svg)?;
                println!("{}", file.display());
            }
            Err(e) => println!("{}: {e}", drawing.name),
        }
    }
    Ok(())
}
