//! The driver of the process: its devices, each thread's current context, and the way into every call, where calls that are
//! to fail do.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::context::{Context, Handle};
use crate::settings::{SETTINGS, Settings};
use crate::status::*;

/// The driver, once it is initialised.
pub(crate) struct Driver {
    pub settings: Arc<Settings>,
    pub contexts: Vec<Context>,
    calls: HashMap<&'static str, u64>,
}

static DRIVER: Mutex<Option<Driver>> = Mutex::new(None);

thread_local! {
    static CURRENT: Cell<Handle> = const { Cell::new(0) };
}

pub(crate) fn current() -> Handle {
    CURRENT.get()
}

pub(crate) fn set_current(context: Handle) {
    CURRENT.set(context);
}

/// cuInit.
pub(crate) fn initialise() -> Status {
    let mut driver = DRIVER.lock().unwrap_or_else(PoisonError::into_inner);
    if driver.is_none() {
        match Settings::read(&std::env::var(SETTINGS).unwrap_or_default()) {
            Ok(settings) => {
                let settings = Arc::new(settings);
                let contexts = (0..settings.devices).map(|device| Context::new(device, &settings)).collect();
                *driver = Some(Driver { settings, contexts, calls: HashMap::new() });
            }
            Err(why) => {
                eprintln!("{why}");
                return UNKNOWN;
            }
        }
    }
    match driver.as_mut().map(|driver| (driver.counted("cuInit"), driver.contexts.is_empty())) {
        Some((Err(code), _)) => code,
        Some((Ok(()), false)) => SUCCESS,
        _ => NO_DEVICE,
    }
}

/// A call that needs no context.
pub(crate) fn call(name: &'static str, job: impl FnOnce(&mut Driver) -> Result<(), Status>) -> Status {
    let mut driver = DRIVER.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(driver) = driver.as_mut() else { return NOT_INITIALIZED };
    match driver.counted(name).and_then(|()| job(driver)) {
        Ok(()) => SUCCESS,
        Err(code) => code,
    }
}

/// A call on the thread's current context; an error that sticks to it is the answer to all of them.
pub(crate) fn on_current(name: &'static str, job: impl FnOnce(&mut Context) -> Result<(), Status>) -> Status {
    call(name, |driver| {
        let device = Context::device_of(current()).ok_or(INVALID_CONTEXT)?;
        let context = driver.contexts.get_mut(device).filter(|context| context.retained > 0);
        let context = context.ok_or(INVALID_CONTEXT)?;
        match context.sticky {
            Some(code) => Err(code),
            None => job(context),
        }
    })
}

impl Driver {
    /// Counts a call; an error where it is to fail.
    fn counted(&mut self, name: &'static str) -> Result<(), Status> {
        let calls = self.calls.entry(name).or_default();
        *calls += 1;
        let fails = |failure: &&crate::settings::Failure| failure.function == name && failure.call == *calls;
        self.settings.failures.iter().find(fails).map_or(Ok(()), |failure| Err(failure.code))
    }

    pub(crate) fn device(&mut self, device: i32) -> Result<&mut Context, Status> {
        let device = usize::try_from(device).map_err(|_| INVALID_DEVICE)?;
        self.contexts.get_mut(device).ok_or(INVALID_DEVICE)
    }
}
