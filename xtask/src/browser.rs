//! A browser without a screen, for the tests of pages: Chromium as the system has it, or from the system's packages where this may
//! install them.

use std::path::PathBuf;

use crate::table::Outcome;
use crate::tools::install_packages;

/// The names under which it is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Finds it, and installs it where it is missing. `Err`: a skip where it cannot be had here, a failure where it was installed and is
/// not there.
pub fn get() -> Result<PathBuf, Outcome> {
    if let Some(found) = find() {
        return Ok(found);
    }
    install_packages(&["chromium"]).map_err(Outcome::Skip)?;
    find().ok_or_else(|| Outcome::Fail("the package does not hold the program".into()))
}

fn find() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}
