//! `cargo obsidian`.

use std::process::ExitCode;

fn main() -> ExitCode {
    cargo_obsidian::main(std::env::args_os())
}
