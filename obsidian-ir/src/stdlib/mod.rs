//! The standard library, in the language itself: one file a theme. Parsed once per process; checked on use.

use std::sync::OnceLock;

use crate::diag::Result;
use crate::stage::BUILTINS;
use crate::syntax::ast::FnDecl;
use crate::syntax::{parse_library, parse_signature};

/// The files: theme and text.
pub const FILES: [(&str, &str); 8] = [
    ("arrays", include_str!("arrays.rs")),
    ("levels", include_str!("levels.rs")),
    ("sequential", include_str!("sequential.rs")),
    ("reductions", include_str!("reductions.rs")),
    ("scans", include_str!("scans.rs")),
    ("networks", include_str!("networks.rs")),
    ("matrices", include_str!("matrices.rs")),
    ("scalars", include_str!("scalars.rs")),
];

/// The library's functions and the builtins' signatures.
#[derive(Debug)]
pub struct Library {
    /// Functions of `stdlib/`.
    pub fns: Vec<FnDecl>,
    /// In the order of [`BUILTINS`].
    pub builtins: Vec<FnDecl>,
}

/// The parsed library.
///
/// # Errors
/// A mistake in the library's text, which its tests keep out.
pub fn library() -> Result<&'static Library> {
    static PARSED: OnceLock<Result<Library>> = OnceLock::new();
    PARSED.get_or_init(parse).as_ref().map_err(Clone::clone)
}

fn parse() -> Result<Library> {
    let mut fns = Vec::new();
    for (_, text) in FILES {
        fns.extend(parse_library(text)?);
    }
    let builtins = BUILTINS.iter().map(|b| parse_signature(b.signature)).collect::<Result<_>>()?;
    Ok(Library { fns, builtins })
}
