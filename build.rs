//! Compiles the kernels in `kernels/*.rs` while the package is built: `NAME.ptx`, `NAME.cu`, `NAME.h` and `NAME.cl` for each kernel, and
//! `FILE.rs` with the items that a Rust program launches, all in `OUT_DIR`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use obsidian_ir::backend::{cuda, opencl, ptx};
use obsidian_lang::driver::{Compiled, compile};
use obsidian_lang::expand::item;
use obsidian_lang::syntax::SpanTable;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=kernels");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    for file in fs::read_dir("kernels")? {
        let path = file?.path();
        if path.extension().is_some_and(|e| e == "rs") {
            compile_file(&path, &out)?;
        }
    }
    Ok(())
}

fn compile_file(path: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let tokens = text.parse().map_err(|e| format!("{}: {e}", path.display()))?;
    let mut spans = SpanTable::default();
    let entries = compile(tokens, &mut spans).map_err(|errors| {
        let lines = errors.iter().map(|e| {
            let at = spans.get(e.span).start();
            format!("{}:{}:{}: {e}", path.display(), at.line, at.column + 1)
        });
        lines.collect::<Vec<_>>().join("\n\n")
    })?;
    let items: String = entries.iter().map(|e| item(e).to_string()).collect();
    let stem = path.file_stem().ok_or("a kernel file without a name")?;
    fs::write(out.join(stem).with_extension("rs"), items)?;
    entries.iter().try_for_each(|e| write_texts(e, out))
}

fn write_texts(entry: &Compiled, out: &Path) -> Result<(), Box<dyn Error>> {
    for variant in &entry.variants {
        let name = &variant.machine.name;
        fs::write(out.join(format!("{name}.ptx")), ptx::print(&variant.machine))?;
        fs::write(out.join(format!("{name}.cu")), cuda::print(&variant.machine))?;
        fs::write(out.join(format!("{name}.h")), cuda::header(&variant.machine))?;
        fs::write(out.join(format!("{name}.cl")), opencl::print(&variant.group))?;
        if let Some(program) = &variant.sub_groups {
            fs::write(out.join(format!("{name}.sub_groups.cl")), opencl::print_sub_groups(program))?;
        }
    }
    Ok(())
}
