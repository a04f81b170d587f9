//! Files that are read and written: patterns, what cargo is told about them, and errors with their paths.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Message;

/// A file that was read.
pub struct File {
    /// As it was found.
    pub path: PathBuf,
    /// Its name without the extension.
    pub stem: String,
    /// What is in it.
    pub text: String,
}

/// Reads the files that the patterns name, in the patterns' order, each once. Cargo is told to look at them and, for a pattern, at the
/// folders in which a new one may appear.
pub fn read_all(patterns: &[String]) -> Result<Vec<File>, Vec<Message>> {
    let (mut files, mut errors) = (Vec::<File>::new(), Vec::new());
    for pattern in patterns {
        let paths = match matching(pattern) {
            Ok(paths) => paths,
            Err(e) => {
                errors.push(e);
                continue;
            }
        };
        for path in paths {
            if files.iter().any(|file| file.path == path) {
                continue;
            }
            println!("cargo::rerun-if-changed={}", path.display());
            match fs::read_to_string(&path) {
                Ok(text) => files.push(File { stem: stem(&path), text, path }),
                Err(e) => errors.push(Message::new(format!("cannot read `{}`: {e}", path.display()))),
            }
        }
    }
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The files of a pattern; at least one.
fn matching(pattern: &str) -> Result<Vec<PathBuf>, Message> {
    let Some(wild) = pattern.find(['*', '?', '[']) else {
        // Cargo looks at a file that is not there on every build, so one that appears is noticed.
        let path = PathBuf::from(pattern);
        return if path.is_file() { Ok(vec![path]) } else { Err(missing(&path)) };
    };
    let folder = pattern[..wild].rfind('/').map_or(".", |end| &pattern[..end]);
    println!("cargo::rerun-if-changed={folder}");
    let wrong = |e: glob::PatternError| Message::new(format!("`{pattern}` is not a pattern: {e}"));
    let found = glob::glob(pattern).map_err(wrong)?;
    let found =
        found.collect::<Result<Vec<_>, _>>().map_err(|e| Message::new(format!("cannot look for files: {e}")))?;
    let files: Vec<PathBuf> = found.into_iter().filter(|path| path.is_file()).collect();
    if files.is_empty() { Err(nothing(pattern, folder)) } else { Ok(files) }
}

fn missing(path: &Path) -> Message {
    println!("cargo::rerun-if-changed={}", path.display());
    let message = Message::new(format!("there is no file `{}`", path.display()));
    from_here(message).help("name a file that is there, or a pattern: `.file(\"kernels/*.rs\")`")
}

fn nothing(pattern: &str, folder: &str) -> Message {
    let message = Message::new(format!("`{pattern}` matches no file"));
    let message =
        if Path::new(folder).is_dir() { message } else { message.note(format!("there is no folder `{folder}`")) };
    from_here(message).help("put kernels there, one or several a file, or name another place")
}

/// With the folder that paths begin at.
fn from_here(message: Message) -> Message {
    match std::env::current_dir() {
        Ok(folder) => message.note(format!("paths begin at the package's folder, {}", folder.display())),
        Err(_) => message,
    }
}

/// An empty folder: what an earlier build has left there must not be taken for this one's.
pub fn empty_folder(path: &Path) -> Result<(), Message> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound && path.exists() => return Err(unwritable(path, &e)),
        _ => {}
    }
    fs::create_dir_all(path).map_err(|e| unwritable(path, &e))
}

/// Writes a file.
pub fn write(path: &Path, text: &str) -> Result<(), Message> {
    fs::write(path, text).map_err(|e| unwritable(path, &e))
}

fn unwritable(path: &Path, e: &io::Error) -> Message {
    Message::new(format!("cannot write `{}`: {e}", path.display()))
        .help("the folder is `OUT_DIR`'s, or that of `.out_dir(..)`; it must be one that can be written")
}
