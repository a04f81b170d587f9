//! Kernels as files: the text, and as comments above it the arguments and what is expected, so that a kernel stays a test
//! when the generator has changed.

use std::fmt::Write;
use std::path::PathBuf;

use obsidian_ir::interp::{Arg, Args, Buffer};
use obsidian_ir::program::{Const, ScalarType, arith};

use crate::ast::Kernel;
use crate::check::{self, Case};
use crate::{data, meaning, print};

/// A kernel's file. The values are bits, the fields of an array apart by `;`.
///
/// # Errors
/// If the kernel has no meaning.
pub fn file(kernel: &Kernel) -> Result<String, String> {
    let expected = meaning::outputs(kernel, |op| op).map_err(|e| format!("{e:?}"))?;
    let mut text = String::new();
    for arg in data::args(kernel).0 {
        let _ = match arg {
            Arg::Scalar(c) => writeln!(text, "// scalar {}: {}", c.ty.name(), c.bits),
            Arg::Buffers(fields) => {
                let types: Vec<&str> = fields.iter().map(|f| f.ty.name()).collect();
                let columns: Vec<Vec<u64>> = fields.into_iter().map(|f| f.bits).collect();
                writeln!(text, "// buffer {}: {}", types.join(" "), listed(&columns))
            }
        };
    }
    for columns in &expected {
        let _ = writeln!(text, "// output: {}", listed(columns));
    }
    Ok(text + &print::kernel(kernel, "k"))
}

fn listed(columns: &[Vec<u64>]) -> String {
    let column = |c: &Vec<u64>| c.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    columns.iter().map(column).collect::<Vec<_>>().join("; ")
}

/// A value as the interpreter takes it, of the bits that it has in memory or of those.
fn canonical(ty: ScalarType, bits: u64) -> u64 {
    arith::wrap(ty, bits.into())
}

/// Compiles a file's kernel.
///
/// # Errors
/// What is wrong with the file, or with the kernel.
pub fn case(text: &str) -> Result<Case, String> {
    let (mut args, mut expected) = (Args::new(), Vec::new());
    for line in text.lines() {
        let Some((head, values)) = line.strip_prefix("// ").and_then(|l| l.split_once(": ")) else { continue };
        let columns = values.split(';').map(numbers).collect::<Result<Vec<Vec<u64>>, String>>()?;
        let mut words = head.split(' ');
        let kind = words.next();
        let types = words.map(|w| ScalarType::from_name(w).ok_or_else(|| format!("no type: {w}")));
        let types = types.collect::<Result<Vec<_>, _>>()?;
        match (kind, &types[..]) {
            (Some("scalar"), [ty]) => {
                let bits = *columns.concat().first().ok_or("a scalar without a value")?;
                args.0.push(Arg::Scalar(Const { ty: *ty, bits: canonical(*ty, bits) }));
            }
            (Some("buffer"), types) if types.len() == columns.len() => {
                let field = |(&ty, bits): (&ScalarType, Vec<u64>)| Buffer {
                    ty,
                    bits: bits.into_iter().map(|bits| canonical(ty, bits)).collect(),
                };
                args.0.push(Arg::Buffers(types.iter().zip(columns).map(field).collect()));
            }
            (Some("output"), []) => expected.push(columns),
            _ => {}
        }
    }
    if expected.is_empty() {
        return Err("nothing is expected".into());
    }
    check::case_of_text(text, args, expected).map_err(|verdict| format!("{verdict:?}"))
}

/// The files of the folder `kept`, in order: path and text.
///
/// # Errors
/// The system's.
pub fn files() -> std::io::Result<Vec<(PathBuf, String)>> {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/kept"))?;
    let mut paths = folder.map(|file| file.map(|f| f.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    paths.into_iter().map(|path| std::fs::read_to_string(&path).map(|text| (path, text))).collect()
}

fn numbers(text: &str) -> Result<Vec<u64>, String> {
    text.split_whitespace().map(|w| w.parse().map_err(|_| format!("no number: {w}"))).collect()
}
