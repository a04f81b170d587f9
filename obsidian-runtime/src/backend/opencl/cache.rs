//! Compiled programs on disk, in `OBSIDIAN_CACHE` (`off`: none), else in the user's folder for caches. A file holds its
//! whole key, so no program is ever taken for another; a damaged file is ignored, and written anew. What another user can
//! have written is neither read nor written over (`trust`).

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::trust::is_ours;

/// The variable that names the folder.
const VARIABLE: &str = "OBSIDIAN_CACHE";
/// The first bytes of a file; the number changes with the layout.
const MAGIC: &[u8] = b"obsidian opencl 1\n";

/// The place of one program.
pub(super) struct Entry {
    path: PathBuf,
    key: Vec<u8>,
}

impl Entry {
    /// The entry for everything that the program depends on; `None` where nothing is kept.
    pub(super) fn new(parts: &[&str]) -> Option<Entry> {
        Some(Entry::inside(folder()?, parts))
    }

    fn inside(folder: PathBuf, parts: &[&str]) -> Entry {
        let mut key = Vec::new();
        for part in parts {
            key.extend((part.len() as u64).to_le_bytes());
            key.extend(part.as_bytes());
        }
        let path = folder.join(format!("opencl-{:016x}.bin", hash(&key)));
        Entry { path, key }
    }

    /// The program, if it is there and whole.
    pub(super) fn read(&self) -> Option<Vec<u8>> {
        let bytes = self.trusted(is_ours)?;
        let rest = bytes.strip_prefix(MAGIC)?;
        let (sum, rest) = rest.split_first_chunk()?;
        if u64::from_le_bytes(*sum) != hash(rest) {
            return None;
        }
        rest.strip_prefix(self.key.as_slice()).map(<[u8]>::to_vec)
    }

    /// The bytes of the file, where nobody else can have written them.
    fn trusted(&self, is_ours: impl Fn(&Metadata) -> bool) -> Option<Vec<u8>> {
        fs::metadata(self.path.parent()?).ok().filter(&is_ours)?;
        let mut file = File::open(&self.path).ok()?;
        // Of the file that is open: the path may lead elsewhere by now.
        file.metadata().ok().filter(|about| about.is_file() && is_ours(about))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Stores the program: the file appears whole or not at all.
    pub(super) fn write(&self, binary: &[u8]) -> Option<()> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let folder = self.path.parent()?;
        private_folder(folder).ok()?;
        fs::metadata(folder).ok().filter(is_ours)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let fresh = self.path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        let rest = [self.key.as_slice(), binary].concat();
        let written = private_file().open(&fresh).and_then(|mut file| {
            file.write_all(MAGIC)?;
            file.write_all(&hash(&rest).to_le_bytes())?;
            file.write_all(&rest)
        });
        let moved = written.and_then(|()| fs::rename(&fresh, &self.path));
        if moved.is_err() {
            let _ = fs::remove_file(&fresh);
        }
        moved.ok()
    }
}

/// Makes the folder, for its owner alone: what lies in it will be run.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes a file, for its owner alone.
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn folder() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(value) if value == "off" => return None,
        Some(value) if !value.is_empty() => return Some(value.into()),
        _ => {}
    }
    let of = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = match std::env::consts::OS {
        "windows" => of("LOCALAPPDATA"),
        "macos" => of("HOME").map(|home| home.join("Library/Caches")),
        _ => of("XDG_CACHE_HOME").or_else(|| of("HOME").map(|home| home.join(".cache"))),
    };
    base.map(|base| base.join("obsidian"))
}

/// FNV-1a: finds damage and names files; equal keys are compared in full. It proves nothing of who wrote a file.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("obsidian-cache-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_is_written_is_read_back_by_the_same_key_only() {
        let folder = folder_of("keys");
        let entry = |parts: &[&str]| Entry::inside(folder.clone(), parts);
        assert_eq!(entry(&["driver", "source"]).read(), None);
        entry(&["driver", "source"]).write(b"binary").unwrap();
        entry(&["driver", "source"]).write(b"newer").unwrap();
        assert_eq!(entry(&["driver", "source"]).read().as_deref(), Some(&b"newer"[..]));
        assert_eq!(entry(&["drivers", "ource"]).read(), None);
        // Nothing but the file itself is left behind.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn damaged_and_foreign_files_are_no_programs() {
        let folder = folder_of("damage");
        let entry = Entry::inside(folder.clone(), &["key"]);
        entry.write(b"binary").unwrap();
        let path = entry.path.clone();
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).unwrap();
            assert_eq!(entry.read(), None, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(entry.read(), None, "{at} bytes");
        }
        // A file of another key under this one's name.
        let other = Entry { path: entry.path.clone(), key: b"other".to_vec() };
        other.write(b"binary").unwrap();
        assert_eq!(entry.read(), None);
        entry.write(b"binary").unwrap();
        assert_eq!(entry.read().as_deref(), Some(&b"binary"[..]));
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    fn set_mode(path: &Path, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_others_can_write_is_not_read() {
        let folder = folder_of("writable");
        let entry = Entry::inside(folder.clone(), &["key"]);
        entry.write(b"binary").unwrap();
        let path = entry.path.clone();
        for (place, own) in [(&path, 0o600), (&folder, 0o700)] {
            for more in [0o020, 0o002, 0o077] {
                set_mode(place, own | more);
                assert_eq!(entry.read(), None, "{} with mode {:o}", place.display(), own | more);
            }
            // Others may read.
            set_mode(place, own | 0o055);
            assert!(entry.read().is_some(), "{}", place.display());
            set_mode(place, own);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn into_a_folder_of_everybodys_nothing_is_written() {
        let folder = folder_of("shared");
        fs::create_dir(&folder).unwrap();
        set_mode(&folder, 0o777);
        let entry = Entry::inside(folder.clone(), &["key"]);
        assert_eq!((entry.write(b"binary"), entry.read()), (None, None));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_is_made_is_for_its_owner_alone() {
        use std::os::unix::fs::MetadataExt;
        let folder = folder_of("made").join("deeper");
        let entry = Entry::inside(folder.clone(), &["key"]);
        entry.write(b"binary").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&entry.path)), (0o700, 0o600));
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }

    #[test]
    fn what_another_user_owns_is_not_read() {
        let folder = folder_of("foreign");
        let entry = Entry::inside(folder.clone(), &["key"]);
        entry.write(b"binary").unwrap();
        assert!(entry.trusted(|_| true).is_some());
        // As if the folder, then as if the file were another's.
        assert_eq!(entry.trusted(|about| !about.is_dir()), None);
        assert_eq!(entry.trusted(|about| !about.is_file()), None);
        fs::remove_dir_all(folder).unwrap();
    }
}
