//! For tests: where cargo has put the library, and a folder in which a process finds it under libcuda's name.

use std::io;
use std::path::{Path, PathBuf};

/// The name that cargo gives the library.
pub fn file_name() -> String {
    format!("{}obsidian_sim_cuda{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Puts the library into `dir`, which is made, under libcuda's name; a process whose `LD_LIBRARY_PATH` begins with `dir`
/// takes it for the driver. It is looked for beside the running program, where cargo builds what a test depends on.
///
/// # Errors
/// It is not there, or cannot be copied.
pub fn link(dir: &Path) -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let places = program.ancestors().skip(1).take(2).flat_map(|dir| [dir.to_path_buf(), dir.join("deps")]);
    let built = places.map(|dir| dir.join(file_name())).find(|path| path.is_file());
    let built =
        built.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("{} is not built", file_name())))?;
    std::fs::create_dir_all(dir)?;
    let name = dir.join(format!("{}cuda{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    // Over a name of its own, since another process may be loading the file.
    let fresh = dir.join(format!("{}.{}", file_name(), std::process::id()));
    std::fs::copy(built, &fresh)?;
    std::fs::rename(&fresh, &name)?;
    Ok(name)
}
