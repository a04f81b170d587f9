//! What a command prints.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use obsidian_build::shared::Message;

/// Prints a line, or several, to standard output. Where nobody reads on, as `head` that has its lines, nothing is lost.
///
/// # Errors
/// Where it cannot be written for another reason: a disk is full.
pub fn say(lines: impl Display) -> Result<(), Message> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{lines}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(Message::new(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}
