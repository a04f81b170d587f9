//! `cargo obsidian devices`.

use crate::Failure;
use obsidian_runtime::{Device, backends};

/// Lists devices, and why a back end has none.
pub fn run() -> Result<(), Failure> {
    for device in Device::list() {
        println!("{device}");
    }
    for backend in backends().iter().filter(|backend| !backend.is_available()) {
        println!("{backend}");
    }
    Ok(())
}
