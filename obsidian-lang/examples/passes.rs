//! Prints the kernels of a file after each compiler pass: `cargo run -p obsidian-lang --example passes FILE [PASS]`, where the
//! file holds what stands inside `kernel! { .. }`. With a pass, only what stands before and after it on the way to each form,
//! as a file of `obsidian-ir/src/passes/texts` has it.

use std::error::Error;

use obsidian_ir::passes::{self, Step};
use obsidian_ir::program::print;
use obsidian_lang::driver::{Stage, stop_after};
use obsidian_lang::syntax::SpanTable;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: passes FILE [PASS]")?;
    let wanted = args.next();
    let tokens = std::fs::read_to_string(&path)?.parse()?;
    let output =
        stop_after(Stage::Evaluated, tokens, &mut SpanTable::default()).map_err(|errors| errors[0].to_string())?;
    for program in output.into_programs() {
        let steps = passes::steps(&passes::prove(program).map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
        for (i, step) in steps.iter().enumerate() {
            match &wanted {
                None => println!("# {} {}\n{}", step.to, step.pass, print(&step.program)),
                Some(pass) if pass == step.pass => shown(&steps, i),
                Some(_) => {}
            }
        }
    }
    Ok(())
}

/// A step beside the one that it was made of.
fn shown(steps: &[Step], i: usize) {
    let step = &steps[i];
    let on_the_way = || steps[..i].iter().rev().find(|before| before.to == step.to);
    // The first pass on the way to a form takes the structured program.
    let placed = || steps[..i].iter().rev().find(|before| before.pass == "barriers");
    let Some(before) = on_the_way().or_else(placed).or(steps[..i].last()) else { return };
    println!("pass: {} {}\n{}==>\n{}", step.to, step.pass, print(&before.program), print(&step.program));
}
