//! A program's PTX on the PTX interpreter: the reference interpreter's arguments in, its kind of outputs out.

use obsidian_ir::interp::{Arg, Args, Buffer, Outputs};
use obsidian_ir::program::{ParamKind, Program, ScalarType, arith};
use obsidian_ptx_interp::{Fault, Launch, Memory, Module};

/// What a launch leaves.
pub struct Launched {
    /// Updated buffers and outputs.
    pub outputs: Outputs,
    /// Whether a guard has recorded an access out of range.
    pub out_of_range: bool,
}

/// Runs a text. Arguments in the order of the entry's parameters: pointers of an input or an updated buffer and its length,
/// scalars, pointers of outputs as long as the `expected` ones, the guards' record.
pub fn run(text: &str, program: &Program, args: &Args, expected: &Outputs, shape: &Launch) -> Result<Launched, Fault> {
    let module = Module::parse(text)?;
    let mut memory = Memory::new();
    let (mut params, mut record) = (Vec::new(), None);
    let (mut args, mut outputs) = (args.0.iter(), expected.0.iter());
    let mut results: Vec<Vec<(u64, ScalarType)>> = Vec::new();
    for param in &program.params {
        match &param.kind {
            ParamKind::Output { .. } => {
                let fields = outputs.next().expect("as many outputs as declared");
                let places = fields.iter().map(|f| (memory.allocate(vec![0xee; stored(f).len()]), f.ty));
                let places: Vec<(u64, ScalarType)> = places.collect();
                params.extend(places.iter().map(|p| p.0));
                results.push(places);
            }
            ParamKind::Fault(_) => {
                let at = memory.allocate(vec![0; 16]);
                params.push(at);
                record = Some(at);
            }
            ParamKind::Scalar(_) | ParamKind::Input { .. } | ParamKind::InOut { .. } => {
                match args.next().expect("as many arguments as declared") {
                    Arg::Scalar(value) => params.push(value.bits),
                    Arg::Buffers(fields) => {
                        let places = fields.iter().map(|f| (memory.allocate(stored(f)), f.ty));
                        let places: Vec<(u64, ScalarType)> = places.collect();
                        params.extend(places.iter().map(|p| p.0));
                        if matches!(param.kind, ParamKind::Input { len: None, .. } | ParamKind::InOut { len: None, .. })
                        {
                            params.push(fields[0].bits.len() as u64);
                        }
                        if matches!(param.kind, ParamKind::InOut { .. }) {
                            outputs.next();
                            results.push(places);
                        }
                    }
                }
            }
        }
    }
    module.launch(&program.name, shape, &params, &mut memory)?;
    let read = |places: &Vec<(u64, ScalarType)>| places.iter().map(|&(at, ty)| loaded(memory.bytes(at), ty)).collect();
    let out_of_range = record.is_some_and(|at| memory.bytes(at) != [0; 16]);
    Ok(Launched { outputs: Outputs(results.iter().map(read).collect()), out_of_range })
}

/// A field as it lies in memory.
fn stored(field: &Buffer) -> Vec<u8> {
    let size = field.ty.bytes() as usize;
    field.bits.iter().flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect()
}

fn loaded(bytes: &[u8], ty: ScalarType) -> Buffer {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0i128, |w, &b| w << 8 | i128::from(b));
    let canonical = |bytes: &[u8]| if ty.is_float() { word(bytes) as u64 } else { arith::wrap(ty, word(bytes)) };
    Buffer { ty, bits: bytes.chunks(ty.bytes() as usize).map(canonical).collect() }
}
