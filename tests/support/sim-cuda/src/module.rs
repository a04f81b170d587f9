//! Modules and functions: PTX as the driver would compile it, with what it would refuse.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use obsidian_ptx_interp::{About, Module as Ptx};

use crate::settings::Settings;
use crate::status::{INVALID_PTX, INVALID_VALUE, LAUNCH_OUT_OF_RESOURCES, NOT_FOUND, Status, UNSUPPORTED_PTX_VERSION};

/// The newest PTX that a driver of CUDA 13.0 takes.
const NEWEST: (u32, u32) = (9, 0);

/// A loaded module.
#[derive(Debug)]
pub(crate) struct Module {
    ptx: Ptx,
    unloaded: AtomicBool,
}

/// A kernel of a module.
#[derive(Debug)]
pub(crate) struct Function {
    module: Arc<Module>,
    pub name: String,
    pub about: About,
    /// The most bytes of dynamic shared memory that a launch may pass.
    dynamic: AtomicU32,
}

impl Module {
    /// Compiles a text for the device.
    pub(crate) fn load(text: &str, settings: &Settings) -> Result<Module, Status> {
        let after = |word: &str| text.lines().find_map(|line| line.trim().strip_prefix(word)).map(str::trim);
        let version = after(".version").and_then(|v| v.split_once('.'));
        let (major, minor) = version.ok_or(INVALID_PTX)?;
        let number = |digits: &str| digits.parse::<u32>().map_err(|_| INVALID_PTX);
        if (number(major)?, number(minor)?) > NEWEST {
            return Err(UNSUPPORTED_PTX_VERSION);
        }
        let target = after(".target").and_then(|t| t.split(',').next()).and_then(|t| t.trim().strip_prefix("sm_"));
        let target = number(target.ok_or(INVALID_PTX)?.trim_end_matches(['a', 'f']))?;
        if (target / 10, target % 10) > settings.capability {
            return Err(INVALID_PTX);
        }
        let ptx = Ptx::parse(text).map_err(|fault| {
            eprintln!("simulated CUDA: {fault}");
            INVALID_PTX
        })?;
        let too_much =
            |entry: &str| ptx.about(entry).is_some_and(|about| about.shared > settings.static_shared() as usize);
        if ptx.entries().any(too_much) {
            return Err(INVALID_PTX);
        }
        Ok(Module { ptx, unloaded: AtomicBool::new(false) })
    }

    pub(crate) fn function(self: &Arc<Module>, name: &str, settings: &Settings) -> Result<Function, Status> {
        let about = self.ptx.about(name).ok_or(NOT_FOUND)?;
        let dynamic = AtomicU32::new(settings.static_shared().saturating_sub(about.shared as u32));
        Ok(Function { module: Arc::clone(self), name: name.to_owned(), about, dynamic })
    }

    pub(crate) fn unload(&self) {
        self.unloaded.store(true, Ordering::Relaxed);
    }
}

impl Function {
    /// The code; none once its module is unloaded.
    pub(crate) fn code(&self) -> Option<&Ptx> {
        (!self.module.unloaded.load(Ordering::Relaxed)).then_some(&self.module.ptx)
    }

    pub(crate) fn most_threads(&self, settings: &Settings) -> u32 {
        self.about.threads.unwrap_or(u32::MAX).min(settings.threads).min(settings.registers)
    }

    /// The most bytes of dynamic shared memory that a launch may pass.
    pub(crate) fn dynamic_shared(&self) -> u32 {
        self.dynamic.load(Ordering::Relaxed)
    }

    /// Allows `bytes` bytes of it, if the device has them (CUDA driver API, MAX_DYNAMIC_SHARED_SIZE_BYTES).
    pub(crate) fn allow_dynamic_shared(&self, bytes: u32, settings: &Settings) -> Result<(), Status> {
        if self.about.shared as u64 + u64::from(bytes) > u64::from(settings.shared) {
            return Err(INVALID_VALUE);
        }
        self.dynamic.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Whether a launch of such a shape may be (CUDA driver API, cuLaunchKernel).
    pub(crate) fn check(&self, shape: &Shape, settings: &Settings) -> Result<(), Status> {
        let Shape { grid, threads, shared } = *shape;
        if grid == 0 || grid > settings.grid || threads == 0 || threads > settings.threads {
            return Err(INVALID_VALUE);
        }
        if self.about.threads.is_some_and(|demanded| demanded != threads) {
            return Err(INVALID_VALUE);
        }
        if shared > self.dynamic_shared() {
            return Err(INVALID_VALUE);
        }
        if threads > self.most_threads(settings) {
            return Err(LAUNCH_OUT_OF_RESOURCES);
        }
        Ok(())
    }

    /// Copies the parameters out of what the caller points to.
    ///
    /// # Safety
    /// `params` is null, or points to as many pointers as there are parameters, each to as many bytes as its parameter has.
    pub(crate) unsafe fn parameters(&self, params: *const *const c_void) -> Result<Vec<u64>, Status> {
        if params.is_null() {
            return if self.about.params.is_empty() { Ok(Vec::new()) } else { Err(INVALID_VALUE) };
        }
        let word = |(i, &bytes): (usize, &usize)| {
            let mut word = [0; 8];
            // SAFETY: the caller's promise; no parameter of the interpreter's has more than 8 bytes.
            unsafe {
                let from = (*params.add(i)).cast::<u8>();
                std::ptr::copy_nonoverlapping(from, word.as_mut_ptr(), bytes.min(8));
            }
            u64::from_le_bytes(word)
        };
        Ok(self.about.params.iter().enumerate().map(word).collect())
    }
}

/// A launch's shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub grid: u32,
    pub threads: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}
