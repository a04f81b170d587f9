//! The reference interpreter as a device. Takes a kernel's text, which it compiles once more, and buffers in host memory;
//! gives what the kernel means, or the first fault: a race, a stray or an uninitialised read, an element left out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use obsidian_ir::interp::{self, Args, Outputs};
use obsidian_ir::program::{Const, ParamKind, Program, ScalarType, arith};
use obsidian_lang::driver::compile_text;

use crate::abi::{Arg, DType, KernelInfo, RawBuffer};
use crate::cpu::HostBytes;
use crate::error::Error;

/// The programs of a kernel's variants, in order.
type Programs = Arc<Vec<Arc<Program>>>;

/// Kernels that have been compiled, by the address of their constants.
static KNOWN: Mutex<Option<HashMap<usize, Programs>>> = Mutex::new(None);

/// Variant number `variant` of a kernel, as the interpreter takes it.
pub(crate) fn program(info: &'static KernelInfo, variant: usize) -> Result<Arc<Program>, Error> {
    let fault = |what: &str| Error::Faulty { kernel: info.name, fault: what.to_owned() };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    let key = std::ptr::from_ref(info).addr();
    let programs = match known.get(&key) {
        Some(programs) => Arc::clone(programs),
        None => {
            let programs = compiled(info)?;
            known.insert(key, Arc::clone(&programs));
            programs
        }
    };
    programs.get(variant).cloned().ok_or_else(|| fault("it has another variant than its text; build it anew"))
}

fn compiled(info: &'static KernelInfo) -> Result<Programs, Error> {
    let fault = |what: String| Error::Faulty { kernel: info.name, fault: what };
    let Some(source) = info.source else {
        return Err(fault(
            "it does not carry its text; turn on the feature `check` of `obsidian` where it is built".into(),
        ));
    };
    let entries = compile_text(source.kernels, source.libraries)
        .map_err(|errors| fault(format!("its text does not compile: {}", errors.join("; "))))?;
    let named = |ident: &str| ident.strip_prefix("r#").unwrap_or(ident) == info.name;
    let entry = entries.into_iter().find(|entry| named(&entry.ident.to_string()));
    let entry = entry.ok_or_else(|| fault("its text has no such kernel".into()))?;
    Ok(Arc::new(entry.variants.into_iter().map(|variant| Arc::new(variant.native.into_program())).collect()))
}

/// Runs all blocks. Nothing is written where a fault is found.
pub(crate) fn run(
    info: &'static KernelInfo,
    program: &Program,
    args: &mut [Arg<'_>],
    outs: &mut [&mut RawBuffer],
) -> Result<(), Error> {
    let declared = program.params.iter().filter(|p| !matches!(p.kind, ParamKind::Output { .. } | ParamKind::Fault(_)));
    let taken = declared.zip(args.iter()).map(|(param, arg)| match (&param.kind, arg.buffer()) {
        (ParamKind::Scalar(ty), _) => interp::Arg::Scalar(Const { ty: *ty, bits: arg.bits() }),
        (_, raw) => interp::Arg::Buffers(raw.map_or_else(Vec::new, fields)),
    });
    let taken = Args(taken.collect());
    let faulty = |fault: interp::Fault| Error::Faulty { kernel: info.name, fault: fault.to_string() };
    let Outputs(written) = interp::run(program, &taken).map_err(faulty)?;
    let updated = args.iter_mut().filter_map(Arg::updated);
    for (raw, fields) in updated.chain(outs.iter_mut().map(|out| &mut **out)).zip(&written) {
        for (bytes, field) in raw.host_fields_mut().iter_mut().zip(fields) {
            store(bytes, field);
        }
    }
    Ok(())
}

/// The fields of a buffer, as canonical bits.
fn fields(raw: &RawBuffer) -> Vec<interp::Buffer> {
    let types = raw.fields().iter().map(|&ty| scalar_type(ty));
    types.zip(raw.host_fields()).map(|(ty, bytes)| load(ty, bytes)).collect()
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

fn scalar_type(ty: DType) -> ScalarType {
    match ty {
        DType::Bool => ScalarType::Bool,
        DType::I8 => ScalarType::I8,
        DType::I16 => ScalarType::I16,
        DType::I32 => ScalarType::I32,
        DType::I64 => ScalarType::I64,
        DType::U8 => ScalarType::U8,
        DType::U16 => ScalarType::U16,
        DType::U32 => ScalarType::U32,
        DType::U64 => ScalarType::U64,
        DType::F16 => ScalarType::F16,
        DType::BF16 => ScalarType::BF16,
        DType::F32 => ScalarType::F32,
        DType::F64 => ScalarType::F64,
    }
}
