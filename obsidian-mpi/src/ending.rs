//! That this process is told to end: `mpirun` sends `SIGTERM` to all ranks when one has died, and kills them a second later. Between the two
//! a rank can still say in which exchange it was, and for whom it waited.

use std::sync::atomic::{AtomicBool, Ordering};

static TOLD: AtomicBool = AtomicBool::new(false);

/// Whether it was told so.
pub fn is_told() -> bool {
    TOLD.load(Ordering::Relaxed)
}

/// Listens from now on, unless the program has a handler of its own.
#[cfg(unix)]
pub fn listen() {
    // SAFETY: `told` is a handler, which does only what one may; what was there before was one, too.
    unsafe {
        let before = signal(TERM, told as *const () as usize);
        if before != DEFAULT {
            signal(TERM, before);
        }
    }
}

#[cfg(not(unix))]
pub fn listen() {}

#[cfg(unix)]
const TERM: i32 = 15;
/// What a signal does that nobody handles; it ends the process.
#[cfg(unix)]
const DEFAULT: usize = 0;
/// How many seconds a process has that is told to end.
#[cfg(unix)]
const SECONDS: u32 = 2;

#[cfg(unix)]
unsafe extern "C" {
    /// Of the C library: what a signal does from now on; gives what it did.
    fn signal(number: i32, action: usize) -> usize;
    /// Of the C library: ends the process after some seconds, where nobody handles that signal.
    safe fn alarm(seconds: u32) -> u32;
}

/// Does only what may be done inside of a handler.
#[cfg(unix)]
extern "C" fn told(_number: i32) {
    TOLD.store(true, Ordering::Relaxed);
    // SAFETY: may be called in a handler; the default is none of ours.
    unsafe { signal(TERM, DEFAULT) };
    alarm(SECONDS);
}
