//! The reference interpreter as a device. Takes a kernel's program, which it reads as it is printed, and buffers in host memory;
//! gives what the kernel means, or the first fault: a race, a stray or an uninitialised read, an element left out.

use std::sync::{Arc, LazyLock};

use obsidian_abi::{ScalarType, assertion};

use obsidian_ir::interp::{self, Args, Outputs};
use obsidian_ir::program::{Assertion, Const, ParamKind, Program, StandsFor, arith, text};

use super::host::{HostQueue, borrowed};
use super::once::Once;
use super::{Argument, Device, Found, Launch, Memory, Module, Order, Queue, own};
use crate::error::Error;
use crate::host::HostBytes;
use crate::info::{Backend, Limits};

/// The row's driver.
pub(super) struct Driver;

impl super::Driver for Driver {
    fn devices(&self) -> Result<Vec<Found>, Error> {
        let check = check();
        Ok(vec![Found { name: check.name().to_owned(), limits: check.limits(), avoided: Vec::new() }])
    }

    fn open(&self, _index: usize) -> Result<Arc<dyn Device>, Error> {
        Ok(check())
    }

    fn preferred(&self) -> Option<usize> {
        None
    }
}

fn check() -> Arc<Check> {
    static CHECK: LazyLock<Arc<Check>> =
        LazyLock::new(|| Arc::new(Check { queue: Arc::new(HostQueue), programs: Once::default() }));
    CHECK.clone()
}

struct Check {
    queue: Arc<HostQueue>,
    /// Programs that have been read, by the address and the length of their text.
    programs: Once<(usize, usize), Arc<Program>>,
}

impl Device for Check {
    fn name(&self) -> &str {
        "the reference interpreter"
    }

    fn kind(&self) -> Backend {
        Backend::Check
    }

    fn limits(&self) -> Limits {
        Limits { memory: None, compute_units: 1, threads: None, shared_bytes: None }
    }

    fn synchronize(&self) -> Result<(), Error> {
        Ok(())
    }

    fn allocate(self: Arc<Self>, bytes: usize, _queue: Option<&dyn Queue>) -> Result<Box<dyn Memory>, Error> {
        Ok(Box::new(HostBytes::allocate(bytes)?))
    }

    unsafe fn borrow(&self, bytes: &[u8]) -> Option<Box<dyn Memory>> {
        // SAFETY: the caller's promise.
        Some(unsafe { borrowed(bytes) })
    }

    fn default_queue(self: Arc<Self>) -> Arc<dyn Queue> {
        self.queue.clone()
    }

    fn new_queue(self: Arc<Self>) -> Result<Arc<dyn Queue>, Error> {
        Ok(self.queue.clone())
    }

    fn load(self: Arc<Self>, &Order { info, variant, .. }: &Order) -> Result<Arc<dyn Module>, Error> {
        let read = || match text::read(variant.ir) {
            Ok(mut program) => {
                name_guarded(&mut program, variant.guarded);
                Ok(Arc::new(program))
            }
            Err(e) => Err(Error::Faulty {
                kernel: info.name,
                fault: format!("its program cannot be read: {e}; build it anew"),
            }),
        };
        let program = self.programs.get((variant.ir.as_ptr().addr(), variant.ir.len()), read)?;
        Ok(Arc::new(Interpreted { program, guarded: variant.guarded }))
    }
}

/// Says what those arrays are that only guards know: no statement mentions them, so the text of a program does not tell.
fn name_guarded(program: &mut Program, guarded: &[&str]) {
    program.add_unmentioned(guarded.len());
    for (array, entry) in program.arrays.iter_mut().zip(guarded).filter(|(array, _)| array.name.is_empty()) {
        match Assertion::of_entry(entry) {
            Some(assertion) => array.stands_for = Some(StandsFor::Assertion(assertion)),
            None => array.name = entry.replace('`', ""),
        }
    }
}

/// A program as the interpreter takes it.
struct Interpreted {
    program: Arc<Program>,
    /// What the kernel that is launched tells of its assertions: its author's text is not at hand.
    guarded: &'static [&'static str],
}

impl Module for Interpreted {
    /// Runs all blocks. Nothing is written where a fault is found.
    unsafe fn launch(&self, mut launch: Launch<'_>) -> Result<(), Error> {
        let Interpreted { program, guarded } = self;
        let kernel = launch.kernel();
        let mut taken = Vec::new();
        let declared =
            program.params.iter().filter(|p| !matches!(p.kind, ParamKind::Output { .. } | ParamKind::Fault(_)));
        for (declared, (param, arg)) in declared.zip(launch.declared()) {
            let types = param.map_or(&[][..], |param| param.fields);
            taken.push(match (&declared.kind, arg) {
                (ParamKind::Scalar(ty), Argument::Scalar(bits)) => interp::Arg::Scalar(Const { ty: *ty, bits: *bits }),
                (_, Argument::Read(fields, _)) => interp::Arg::Buffers(load_all(types, fields)?),
                (_, Argument::Write(fields, _)) => interp::Arg::Buffers(load_all(types, fields)?),
                (_, Argument::Scalar(_)) => interp::Arg::Buffers(Vec::new()),
            });
        }
        let faulty = |fault: interp::Fault| match fault {
            interp::Fault::Assertion { array, message } => {
                let entry = guarded.get(array.0 as usize);
                let place = entry.and_then(|entry| assertion::failed(entry, 0)).and_then(|failed| failed.place);
                Error::Assertion { kernel, place, message }
            }
            fault => Error::Faulty { kernel, fault: fault.to_string() },
        };
        let Outputs(written) = interp::run_read(program, &Args(taken), &mut |text| print!("{text}")).map_err(faulty)?;
        let targets = launch.args.iter_mut().filter_map(|arg| match arg {
            Argument::Write(fields, _) => Some(fields),
            Argument::Read(..) | Argument::Scalar(_) => None,
        });
        for (target, fields) in targets.zip(&written) {
            for (memory, field) in target.iter_mut().zip(fields) {
                store(own(memory.host_mut(), "the buffer")?, field);
            }
        }
        Ok(())
    }
}

/// The fields of a buffer, as canonical bits.
fn load_all(types: &[ScalarType], fields: &[Box<dyn Memory>]) -> Result<Vec<interp::Buffer>, Error> {
    types.iter().zip(fields).map(|(&ty, field)| Ok(load(ty, own(field.host(), "the buffer")?))).collect()
}

fn load(ty: ScalarType, bytes: &HostBytes) -> interp::Buffer {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0i128, |word, &byte| word << 8 | i128::from(byte));
    let canonical = |bytes: &[u8]| match ty {
        // A kernel's bytes are not to be trusted as bools.
        ScalarType::Bool => u64::from(word(bytes) != 0),
        _ if ty.is_float() => word(bytes) as u64,
        _ => arith::wrap(ty, word(bytes)),
    };
    interp::Buffer { ty, bits: bytes.values::<u8>().chunks_exact(ty.bytes() as usize).map(canonical).collect() }
}

fn store(bytes: &mut HostBytes, field: &interp::Buffer) {
    let size = field.ty.bytes() as usize;
    for (to, bits) in bytes.values_mut::<u8>().chunks_exact_mut(size).zip(&field.bits) {
        to.copy_from_slice(&bits.to_le_bytes()[..size]);
    }
}
