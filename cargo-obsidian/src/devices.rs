//! `cargo obsidian devices`.

use crate::Failure;
use crate::output::say;
use obsidian_runtime::{Device, backends};

/// Lists devices, and why a back end has none.
pub fn run() -> Result<(), Failure> {
    for device in Device::list() {
        say(device)?;
    }
    for backend in backends().iter().filter(|backend| !backend.is_available()) {
        say(backend)?;
    }
    Ok(())
}
