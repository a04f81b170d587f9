//! `cargo xtask bench instructions`: how many instructions the expansion of a kernel takes where the compiler is not optimised, counted
//! by valgrind. A busy machine does not change them, so this is what two commits are compared by.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kernels::files;
use crate::table::Outcome;

/// A kernel's count, in millions: of its first expansion in a process, and of the next.
struct Count {
    first: u64,
    next: u64,
}

/// The table of the kernels of `benches/expansion`.
pub fn table(root: &Path) -> Result<String, Outcome> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Err(Outcome::Skip("no valgrind".into()));
    }
    let program = built(root).map_err(Outcome::Fail)?;
    let mut table = format!("{:<24} {:>8} {:>8}   (millions of instructions)\n", "kernel", "first", "next");
    for kernel in files(&root.join("benches/expansion"), "obs") {
        let Count { first, next } = counted(&program, &kernel).map_err(Outcome::Fail)?;
        let name = kernel.file_stem().unwrap_or_default().to_string_lossy();
        let _ = writeln!(table, "{name:<24} {first:>8} {next:>8}");
    }
    Ok(table)
}

/// The example `expand` of the compiler, in the dev profile.
fn built(root: &Path) -> Result<PathBuf, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(["build", "-p", "obsidian-lang", "--example", "expand"]);
    match command.status() {
        Ok(status) if status.success() => {
            let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
            Ok(target.join("debug/examples/expand"))
        }
        Ok(_) => Err("the compiler does not build; its messages are above".into()),
        Err(e) => Err(e.to_string()),
    }
}

fn counted(program: &Path, kernel: &Path) -> Result<Count, String> {
    let (once, twice) = (instructions(program, kernel, 1)?, instructions(program, kernel, 2)?);
    Ok(Count { first: once / 1_000_000, next: twice.saturating_sub(once) / 1_000_000 })
}

fn instructions(program: &Path, kernel: &Path, times: u32) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .arg(kernel)
        .arg(times.to_string());
    let output = command.output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{} does not expand\n{said}", kernel.display()));
    }
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    collected.and_then(|(_, count)| count.trim().parse().ok()).ok_or_else(|| format!("valgrind tells no count\n{said}"))
}
