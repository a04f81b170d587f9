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
    let told = told as extern "C" fn(libc::c_int);
    // SAFETY: `told` is a handler, which does only what one may; what was there before was one, too.
    unsafe {
        let before = libc::signal(libc::SIGTERM, told as libc::sighandler_t);
        if before != libc::SIG_DFL {
            libc::signal(libc::SIGTERM, before);
        }
    }
}

#[cfg(not(unix))]
pub fn listen() {}

/// Notes it. Does only what may be done inside of a handler.
#[cfg(unix)]
extern "C" fn told(_number: libc::c_int) {
    /// How many seconds the process still has: nobody handles the signal of the alarm, so that ends it.
    const SECONDS: libc::c_uint = 2;
    TOLD.store(true, Ordering::Relaxed);
    // SAFETY: both may be called in a handler; the default is none of ours.
    unsafe {
        libc::signal(libc::SIGTERM, libc::SIG_DFL);
        libc::alarm(SECONDS);
    }
}
