//! What rustc was called for: who asks for metadata alone, as `cargo check`, clippy and an editor do, makes no code, and need not check that of
//! the kernels' CPU versions, which is the most of what they expand to.

use std::ffi::OsStr;

use obsidian_lang::expand::CpuCode;

/// What is wanted of the kernels' CPU versions.
pub fn native() -> CpuCode {
    asked(std::env::args_os())
}

/// Only where rustc says what it is to write, and all of that is metadata, the code is left out.
fn asked(args: impl Iterator<Item = impl AsRef<OsStr>>) -> CpuCode {
    let args: Vec<String> = args.map(|arg| arg.as_ref().to_string_lossy().into_owned()).collect();
    let behind = |(i, arg): (usize, &String)| match arg.strip_prefix("--emit") {
        Some("") => args.get(i + 1).cloned(),
        Some(list) => list.strip_prefix('=').map(String::from),
        None => None,
    };
    let mut lists = args.iter().enumerate().filter_map(behind).peekable();
    let is_known = lists.peek().is_some();
    let has_no_code = |kind: &str| ["dep-info", "metadata"].contains(&kind.split('=').next().unwrap_or_default());
    if is_known && lists.all(|list| list.split(',').all(has_no_code)) { CpuCode::Declared } else { CpuCode::Printed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(args: &str) -> CpuCode {
        asked(args.split(' '))
    }

    #[test]
    fn only_metadata_needs_no_code() {
        for checked in ["--emit=dep-info,metadata", "rustc --emit metadata", "--emit=metadata=a.rmeta --crate-name a"] {
            assert_eq!(of(checked), CpuCode::Declared, "{checked}");
        }
        for built in [
            "--emit=dep-info,metadata,link",
            "rustc a.rs",
            "--emit=metadata --emit=link",
            "--emit obj",
            "--emit",
            "--emitted",
        ] {
            assert_eq!(of(built), CpuCode::Printed, "{built}");
        }
    }
}
