//! What the interpreter gives, kept in a folder where `OBSIDIAN_TEST_EXPECTED` names one: several back ends are asked the same questions, each
//! in processes of its own. A file is named after everything that the result follows from, and ends with a sum of its bytes; one that is
//! not whole is computed again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use obsidian_ir::interp::{self, Arg, Args, Buffer, Fault, Outputs};
use obsidian_ir::program::{self, ParamKind, Program, ScalarType};

/// Names the folder.
const FOLDER: &str = "OBSIDIAN_TEST_EXPECTED";

/// As [`interp::run`].
///
/// # Errors
/// As [`interp::run`]; faults are not kept.
pub fn expected(program: &Program, args: &Args) -> Result<Outputs, Fault> {
    match std::env::var_os(FOLDER) {
        Some(folder) => kept(Path::new(&folder), program, args),
        None => interp::run(program, args),
    }
}

fn kept(folder: &Path, program: &Program, args: &Args) -> Result<Outputs, Fault> {
    let file = folder.join(name(program, args));
    if let Some(outputs) = read(&file, program) {
        return Ok(outputs);
    }
    let outputs = interp::run(program, args)?;
    write(&file, &outputs);
    Ok(outputs)
}

/// A name for what the result follows from.
fn name(program: &Program, args: &Args) -> PathBuf {
    let text = program::print(program);
    let number = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        (seed, env!("CARGO_PKG_VERSION"), &text).hash(&mut hasher);
        args.0.iter().for_each(|arg| match arg {
            Arg::Scalar(value) => (value.ty.name(), value.bits).hash(&mut hasher),
            Arg::Buffers(fields) => fields.iter().for_each(|field| (field.ty.name(), &field.bits).hash(&mut hasher)),
        });
        hasher.finish()
    };
    format!("{:016x}{:016x}", number(0), number(1)).into()
}

/// The types of what a program gives, field by field.
fn types(program: &Program) -> Vec<Vec<ScalarType>> {
    let given = program.params.iter().filter_map(|param| match &param.kind {
        ParamKind::Output { arrays, .. } | ParamKind::InOut { arrays, .. } => Some(arrays),
        _ => None,
    });
    given.map(|arrays| arrays.iter().map(|&array| program.array(array).elem).collect()).collect()
}

fn read(file: &Path, program: &Program) -> Option<Outputs> {
    let bytes = std::fs::read(file).ok()?;
    let (mut rest, sum) = bytes.split_last_chunk()?;
    if u64::from_le_bytes(*sum) != sum_of(rest) {
        return None;
    }
    let mut field = |ty: ScalarType| {
        let (len, behind) = rest.split_first_chunk()?;
        let (elements, behind) = behind.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
        rest = behind;
        Some(Buffer::of_bytes(elements, ty))
    };
    let fields = types(program).into_iter();
    Some(Outputs(fields.map(|types| types.into_iter().map(&mut field).collect()).collect::<Option<_>>()?))
}

/// Where this fails the result is computed again, which is all that is lost.
fn write(file: &Path, outputs: &Outputs) {
    let mut bytes = Vec::new();
    for field in outputs.0.iter().flatten() {
        let elements = field.to_bytes();
        bytes.extend((elements.len() as u64).to_le_bytes());
        bytes.extend(elements);
    }
    bytes.extend(sum_of(&bytes).to_le_bytes());
    let beside = file.with_extension(std::process::id().to_string());
    let _ = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, file));
}

fn sum_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use obsidian_sources as sources;

    /// The program, and three chunks for it, counted from a number.
    fn asked(from: u64) -> (Program, Args) {
        let entries = sources::compiled(|file| file == "jfp2016_scans.rs");
        let program = sources::natives(&entries, "sklansky_grid").swap_remove(0);
        let bits = (from..from + 3 * 512).collect();
        let args = Args::new().buffer(Buffer { ty: program.arrays[0].elem, bits });
        (program, args)
    }

    #[test]
    fn what_is_kept_is_what_the_interpreter_gives() {
        let folder = std::env::temp_dir().join(format!("obsidian-expected-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (program, args) = asked(1);
        let right = interp::run(&program, &args);
        let given = || kept(&folder, &program, &args);
        assert_eq!(given(), right);
        let file = folder.join(name(&program, &args));
        let bytes = std::fs::read(&file).expect("it was kept");
        assert_eq!(read(&file, &program).as_ref(), right.as_ref().ok());
        for damaged in [&bytes[..bytes.len() - 1], &[&[!bytes[0]], &bytes[1..]].concat()[..], &[]] {
            std::fs::write(&file, damaged).expect("written");
            assert_eq!(read(&file, &program), None, "{} of {} bytes", damaged.len(), bytes.len());
            assert_eq!(given(), right);
        }
        let _ = std::fs::remove_dir_all(&folder);
    }

    #[test]
    fn other_questions_have_other_names() {
        let (program, args) = asked(1);
        assert_eq!(name(&program, &args), name(&program, &args));
        assert_ne!(name(&program, &args), name(&program, &asked(2).1));
        let mut other = program.clone();
        other.body.clear();
        assert_ne!(name(&program, &args), name(&other, &args));
    }
}
