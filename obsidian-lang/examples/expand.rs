//! Does what `kernel!` does with the kernels of a file, all but the exchange of tokens with rustc, so that a profiler sees nothing
//! else: `cargo run -p obsidian-lang --example expand FILE [TIMES]`. Prints how many items come out.
//! `cargo xtask bench instructions` counts the instructions of the second time.

use std::error::Error;

use obsidian_lang::expand::{self, CpuCode};
use obsidian_lang::{driver, syntax::SpanTable};
use proc_macro2::TokenStream;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: expand FILE [TIMES]")?;
    let times: usize = args.next().map_or(Ok(1), |times| times.parse())?;
    let source: TokenStream = std::fs::read_to_string(&path)?.parse()?;
    let mut items = 0;
    for _ in 0..times {
        let entries = driver::compile_all(source.clone(), &mut SpanTable::default())
            .map_err(|errors| format!("it does not compile: {errors:?}"))?;
        let root = quote::quote!(::obsidian);
        let tokens: TokenStream = expand::items_under(&entries, &root, CpuCode::Printed).collect();
        items += std::hint::black_box(tokens).into_iter().count();
    }
    println!("{items}");
    Ok(())
}
