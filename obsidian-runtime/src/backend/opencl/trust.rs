//! Who can have written a file of the cache. What is loaded from it is run, so on Unix only folders and files count that
//! belong to this process's user and that nobody else may write. Elsewhere the rights of the user's own folder must do.

use std::fs::Metadata;

/// Whether nobody but this process's user can have written what this describes. Ask an open file, not a path, which may lead
/// elsewhere a moment later.
#[cfg(unix)]
pub(super) fn is_ours(about: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    is_of(user(), about.uid(), about.mode())
}

#[cfg(not(unix))]
pub(super) fn is_ours(_about: &Metadata) -> bool {
    true
}

/// Whether something of this owner and mode can have been written by `user` alone.
#[cfg(unix)]
fn is_of(user: u32, owner: u32, mode: u32) -> bool {
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    owner == user && mode & WRITABLE_BY_OTHERS == 0
}

/// The user whose rights this process has.
#[cfg(unix)]
fn user() -> u32 {
    unsafe extern "C" {
        // POSIX: it takes nothing, never fails, and `std` links the library that has it. A `uid_t` has 32 bits wherever
        // `std` runs on Unix; its own `uid` returns one as `u32`.
        safe fn geteuid() -> u32;
    }
    geteuid()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn others_files_and_files_for_others_are_not_ours() {
        for mode in [0o700, 0o755, 0o600, 0o644, 0o100_444] {
            assert!(is_of(1000, 1000, mode), "{mode:o}");
            assert!(!is_of(1000, 1001, mode), "{mode:o} of another user");
            assert!(!is_of(1000, 0, mode), "{mode:o} of root");
            assert!(!is_of(1000, 1000, mode | 0o020), "{mode:o} and the group's");
            assert!(!is_of(1000, 1000, mode | 0o002), "{mode:o} and everybody's");
        }
        // The folder for temporary files, sticky or not.
        assert!(!is_of(0, 0, 0o41_777));
    }
}
