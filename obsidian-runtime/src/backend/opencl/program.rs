//! Kernels: from OpenCL C, or from what an earlier run left in the cache, to a function that can be launched.

use std::ffi::{CString, c_void};
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex};

use super::super::text_key;
use super::accelerator::Accelerator;
use super::api;
use super::cache::Entry;
use super::handle::{Handle, info, number, text};
use super::status::{Failure, failed};
use crate::error::Error;
use obsidian_abi::{Language, Need, Text};

/// A loaded kernel. Its arguments belong to it, so one launch at a time sets them and takes off.
pub(super) struct Function {
    pub(super) kernel: Mutex<Handle>,
    pub(super) grouping: Grouping,
    /// Groups for each block of a launch.
    pub(super) rounds: u32,
    _program: Arc<Handle>,
}

/// How a kernel's groups take its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Grouping {
    /// One each, so that there are as many groups as blocks.
    One,
    /// In turn, however many groups there are.
    Several,
}

/// A driver's complaint about a text.
#[derive(Debug)]
struct BuildFailure {
    failure: Failure,
    log: String,
}

impl fmt::Display for BuildFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.failure, self.log)
    }
}

impl std::error::Error for BuildFailure {}

impl Function {
    /// Compiles and loads a text.
    pub(super) fn load(
        on: &Accelerator,
        kernel: &'static str,
        text: &Text,
        grouping: Grouping,
    ) -> Result<Function, Error> {
        let standard = match text.language {
            // The first version that has them.
            Language::OpenClSubGroups => "CL2.0",
            _ => "CL1.2",
        };
        let options = options(text, standard, grouping) + &on.about.options();
        let action = || format!("load kernel `{kernel}` (function `{}`)", text.symbol);
        let (options, symbol) = match (CString::new(options), CString::new(text.symbol)) {
            (Ok(options), Ok(symbol)) => (options, symbol),
            _ => {
                let expected = "a name without NUL bytes".to_owned();
                return Err(Error::Arguments { kernel, expected, found: "a NUL byte".to_owned() });
            }
        };
        let program = on.programs.get((text_key(text.source), options.clone()), || {
            let failed =
                |failure| Error::Driver { device: on.name().to_owned(), action: action(), source: Box::new(failure) };
            program(on, &options, text.source).map(Arc::new).map_err(failed)
        })?;
        let handle = Handle::kernel(on.api, &program, &symbol).map_err(failed(on.name(), action()))?;
        Ok(Function { kernel: Mutex::new(handle), grouping, rounds: text.rounds, _program: program })
    }

    /// The most work-items in a group of this kernel. NVIDIA's driver 580 says 256 of kernels whose text asks for 1024, and runs these: so
    /// a number that the text asks for, and that the compiler took, counts.
    pub(super) fn threads(&self, on: &Accelerator) -> Result<u64, Error> {
        let kernel = super::super::locked(&self.kernel).raw();
        let ask = |what| {
            let found = info(|size, to, needed| {
                // SAFETY: `info` gives room for `size` bytes.
                unsafe { (on.api.clGetKernelWorkGroupInfo)(kernel, on.device, what, size, to, needed) }
            });
            // Of three dimensions the first.
            let first = |bytes: Vec<u8>| bytes.get(..size_of::<usize>()).map_or(0, number);
            found.map(first).map_err(failed(on.name(), "read a kernel's limits"))
        };
        Ok(ask(api::KERNEL_WORK_GROUP_SIZE)?.max(ask(api::KERNEL_COMPILE_WORK_GROUP_SIZE)?))
    }

    /// The size of the kernel's largest sub-group and their number, in a group of `threads` items; `None` where the driver
    /// does not say.
    pub(super) fn sub_groups(&self, on: &Accelerator, threads: u32) -> Option<(u32, u64)> {
        let (ask, items) = (on.api.clGetKernelSubGroupInfo?, threads as usize);
        let kernel = super::super::locked(&self.kernel).raw();
        let found = |what| {
            let found = info(|size, to, needed| {
                // SAFETY: the device is of a version that has the call; the group has one dimension; `info` gives room for
                // `size` bytes.
                unsafe {
                    let group = (&raw const items).cast();
                    ask(kernel, on.device, what, size_of::<usize>(), group, size, to, needed)
                }
            });
            found.ok().map(|bytes| number(&bytes))
        };
        let size = found(api::KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE)?;
        Some((size.try_into().ok()?, found(api::KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE)?))
    }
}

/// What the meaning of arithmetic asks for. No option may be added that lets a compiler round otherwise.
fn options(text: &Text, standard: &str, grouping: Grouping) -> String {
    let rounded = text.needs.contains(&Need::RoundedDivision);
    let division = if rounded { " -cl-fp32-correctly-rounded-divide-sqrt" } else { "" };
    let grouping = if grouping == Grouping::One { " -D BLOCK_A_GROUP" } else { "" };
    format!("-cl-std={standard}{division}{grouping}")
}

/// The program of a text: what an earlier run left, or compiled.
fn program(on: &Accelerator, options: &CString, source: &str) -> Result<Handle, BuildFailure> {
    let parts = [&*on.about.driver, &options.to_string_lossy(), source];
    let entry = if on.about.keeps_programs() { Entry::new(&parts) } else { None };
    if let Some(program) = entry.as_ref().and_then(|entry| cached(on, options, entry)) {
        return Ok(program);
    }
    let program = compiled(on, options, source)?;
    // A cache that cannot be written costs time, no more.
    let _ = entry.and_then(|entry| entry.write(&binary(on, &program)?));
    Ok(program)
}

fn compiled(on: &Accelerator, options: &CString, source: &str) -> Result<Handle, BuildFailure> {
    let plain = |failure| BuildFailure { failure, log: String::new() };
    let program = Handle::program(on.api, &on.context, source).map_err(plain)?;
    build(on, &program, options).map_err(|failure| BuildFailure { failure, log: log(on, &program) })?;
    Ok(program)
}

/// The program that an earlier run left, if the driver still takes it.
fn cached(on: &Accelerator, options: &CString, entry: &Entry) -> Option<Handle> {
    let binary = entry.read()?;
    let program = Handle::binary(on.api, &on.context, on.device, &binary).ok()?;
    build(on, &program, options).ok()?;
    Some(program)
}

fn build(on: &Accelerator, program: &Handle, options: &CString) -> Result<(), Failure> {
    // SAFETY: one device of the program's context; no callback, so the call returns when the program is built.
    let status = unsafe {
        (on.api.clBuildProgram)(program.raw(), 1, &on.device, options.as_ptr(), None, ptr::null_mut::<c_void>())
    };
    Failure::check(status)
}

/// What the compiler said.
fn log(on: &Accelerator, program: &Handle) -> String {
    let found = info(|size, to, needed| {
        // SAFETY: `info` gives room for `size` bytes.
        unsafe { (on.api.clGetProgramBuildInfo)(program.raw(), on.device, api::PROGRAM_BUILD_LOG, size, to, needed) }
    });
    found.map(|bytes| text(&bytes)).unwrap_or_default()
}

/// The program as its driver stores it.
fn binary(on: &Accelerator, program: &Handle) -> Option<Vec<u8>> {
    let size = info(|size, to, needed| {
        // SAFETY: `info` gives room for `size` bytes.
        unsafe { (on.api.clGetProgramInfo)(program.raw(), api::PROGRAM_BINARY_SIZES, size, to, needed) }
    });
    let mut binary = vec![0u8; usize::try_from(number(&size.ok()?)).ok()?];
    let mut to = binary.as_mut_ptr();
    // SAFETY: the program has one device, so the driver writes through one pointer, as many bytes as it said.
    let status = unsafe {
        let list = (&raw mut to).cast();
        (on.api.clGetProgramInfo)(program.raw(), api::PROGRAM_BINARIES, size_of::<*mut u8>(), list, ptr::null_mut())
    };
    (status >= 0 && !binary.is_empty()).then_some(binary)
}
