//! Where expansions are kept: a folder beside those of the crate's build, `target/debug/obsidian-expansions`, a file for each
//! call. A file is written beside and moved into place, holds the whole key, and ends with a sum of all its bytes: one that
//! was cut off, changed, or made by another compiler is not read.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::key::Key;

const NAME: &str = "obsidian-expansions";
/// What a file begins with: another layout has another word.
const MAGIC: &[u8] = b"obsidian expansion 1\n";
/// Beyond these bytes the oldest files are removed, until half is left: edits leave files that nobody asks for again.
const MAX_BYTES: u64 = 1 << 30;

/// The folder, and which compiler writes to it.
pub struct Folder {
    path: PathBuf,
    compiler: String,
}

impl Folder {
    /// The folder of the build that this expansion is part of; `None` where no build can be told, as in an editor.
    pub fn find() -> Option<Folder> {
        let searched: Vec<PathBuf> = std::env::args_os().filter_map(|arg| dependencies(&arg)).collect();
        let path = searched.first()?.parent()?.join(NAME);
        Some(Folder { path, compiler: compiler(&searched)? })
    }

    /// Names the compiler: its version, and the files that it may be.
    pub fn compiler(&self) -> &str {
        &self.compiler
    }

    /// What is kept of a call.
    pub fn read(&self, key: &Key) -> Option<Vec<u8>> {
        let bytes = std::fs::read(self.file(key)).ok()?;
        let (content, sum) = bytes.split_last_chunk()?;
        let content = (u64::from_le_bytes(*sum) == hash(0, content)).then_some(content)?;
        let (len, rest) = content.strip_prefix(MAGIC)?.split_first_chunk()?;
        let (text, record) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
        (text == key.text().as_bytes()).then(|| record.to_vec())
    }

    /// Keeps a record. Where that fails the call is compiled again next time, which is all that is lost.
    pub fn write(&self, key: &Key, record: &[u8]) {
        let text = key.text().as_bytes();
        let mut bytes = [MAGIC, &(text.len() as u64).to_le_bytes(), text, record].concat();
        bytes.extend(hash(0, &bytes).to_le_bytes());
        let file = self.file(key);
        let beside = file.with_extension(std::process::id().to_string());
        let kept = std::fs::create_dir_all(&self.path)
            .and_then(|()| std::fs::write(&beside, bytes))
            .and_then(|()| std::fs::rename(&beside, &file));
        if kept.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        self.prune(MAX_BYTES);
    }

    fn file(&self, key: &Key) -> PathBuf {
        let text = key.text().as_bytes();
        self.path.join(format!("{:016x}{:016x}", hash(1, text), hash(2, text)))
    }

    /// Removes the oldest files, where all together are longer than that.
    fn prune(&self, max: u64) {
        let Ok(entries) = std::fs::read_dir(&self.path) else { return };
        let aged = |file: PathBuf| Some((written(&file), std::fs::metadata(&file).ok()?.len(), file));
        let mut files: Vec<_> = entries.flatten().filter_map(|entry| aged(entry.path())).collect();
        let mut all: u64 = files.iter().map(|(_, len, _)| len).sum();
        if all <= max {
            return;
        }
        files.sort();
        for (_, len, file) in files {
            if all <= max / 2 {
                return;
            }
            let _ = std::fs::remove_file(file);
            all -= len;
        }
    }
}

/// The folder of `-L dependency=folder`, which Cargo gives to rustc and rustdoc: both together are one argument after `-L`.
fn dependencies(arg: &OsStr) -> Option<PathBuf> {
    arg.to_str()?.strip_prefix("dependency=").map(PathBuf::from)
}

/// The version of this crate, and names, times and sizes of all builds of it that rustc could have loaded: after one is
/// built anew nothing that was kept before is read.
fn compiler(searched: &[PathBuf]) -> Option<String> {
    let files = searched.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let mut builds: Vec<String> = files.filter_map(|entry| build(&entry.path())).collect();
    builds.sort();
    builds.dedup();
    (!builds.is_empty()).then(|| format!("{} {}", env!("CARGO_PKG_VERSION"), builds.join(" ")))
}

/// A build of this crate, if the file is one.
fn build(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let own = name.contains("obsidian_macros-") && name.ends_with(std::env::consts::DLL_SUFFIX);
    let size = own.then(|| std::fs::metadata(file)).and_then(Result::ok)?.len();
    Some(format!("{name} {} {size}", written(file)))
}

/// When a file was written, in nanoseconds since 1970; 0 where nobody knows.
fn written(file: &Path) -> u128 {
    let time = std::fs::metadata(file).and_then(|about| about.modified()).ok();
    time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_nanos())
}

fn hash(seed: u8, bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u8(seed);
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;
    use proc_macro2::{Ident, Span, TokenStream};
    use std::str::FromStr;

    fn key(folder: &Folder, text: &str) -> Key {
        key_in("src/main.rs", folder, text)
    }

    fn key_in(file: &str, folder: &Folder, text: &str) -> Key {
        let tokens = |text| TokenStream::from_str(text).expect("tokens");
        let kind = Ident::new("kernel", Span::call_site());
        Key::of(&State::new(kind, tokens("::obsidian"), tokens(text), TokenStream::new()), file, folder.compiler())
    }

    /// A folder that is removed with its value.
    struct Scratch(Folder);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("{NAME}-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            Scratch(Folder { path, compiler: "1.0 a".into() })
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0.path);
        }
    }

    #[test]
    fn a_record_is_found_by_the_same_call_alone() {
        let Scratch(folder) = &Scratch::new("same");
        let call = key(folder, "fn f(x: u32) { x <<= 1 }");
        assert_eq!(folder.read(&call), None);
        folder.write(&call, b"record");
        assert_eq!(folder.read(&key(folder, "fn f(x: u32) { x <<= 1 }")).as_deref(), Some(&b"record"[..]));
        for other in [
            "fn f(x: u32) { x <<= 2 }",
            "fn f(x: u32) { x < <= 1 }",
            "fn f(x: u32) [ x <<= 1 ]",
            "\nfn f(x: u32) { x <<= 1 }",
        ] {
            assert_eq!(folder.read(&key(folder, other)), None, "{other}");
        }
        assert_eq!(folder.read(&key_in("src/lib.rs", folder, "fn f(x: u32) { x <<= 1 }")), None, "another file");
        let newer = Folder { path: folder.path.clone(), compiler: "1.0 b".into() };
        assert_eq!(newer.read(&key(&newer, "fn f(x: u32) { x <<= 1 }")), None);
    }

    #[test]
    fn a_damaged_file_is_not_read() {
        let Scratch(folder) = &Scratch::new("damaged");
        let call = key(folder, "fn f() {}");
        folder.write(&call, b"record");
        let whole = std::fs::read(folder.file(&call)).expect("the file");
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            for damaged in [&changed, &whole[..at]] {
                std::fs::write(folder.file(&call), damaged).expect("written");
                assert_eq!(folder.read(&call), None, "byte {at}");
            }
        }
    }

    #[test]
    fn the_oldest_files_go_first() {
        let Scratch(folder) = &Scratch::new("oldest");
        let calls = ["fn a() {}", "fn b() {}", "fn c() {}"].map(|text| key(folder, text));
        for call in &calls {
            folder.write(call, &[0; 1000]);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        folder.prune(4000);
        assert!(calls.iter().all(|call| folder.read(call).is_some()));
        folder.prune(3000);
        assert_eq!(calls.each_ref().map(|call| folder.read(call).is_some()), [false, false, true]);
    }

    #[test]
    fn the_folder_stands_beside_the_builds() {
        let found = |arg: &str| dependencies(OsStr::new(arg));
        assert_eq!(found("dependency=/t/debug/deps"), Some("/t/debug/deps".into()));
        assert_eq!(found("--out-dir"), None);
    }
}
