//! The interpreter's arguments as an entry of PTX or CUDA C takes them: pointers of an input or an updated buffer and its
//! length, scalars, pointers of outputs, in the order of the parameters; and what lies behind the pointers afterwards, as
//! the interpreter's outputs.

use obsidian_ir::interp::{Arg, Args, Buffer, Outputs};
use obsidian_ir::program::{ParamKind, Program, ScalarType, arith};

/// One argument of an entry.
pub enum Word {
    /// A scalar or a length.
    Value {
        /// Its bits.
        bits: u64,
        /// Its size in bytes.
        bytes: usize,
    },
    /// What a pointer points to.
    Buffer(Vec<u8>),
}

/// All arguments of a launch.
pub struct Flat {
    /// The arguments, in order.
    pub words: Vec<Word>,
    /// Of each updated buffer and each output, its fields: which word, of what type.
    results: Vec<Vec<(usize, ScalarType)>>,
    /// Which word is the record of faults, if the kernel has one: 16 bytes, all zero.
    pub record: Option<usize>,
}

/// What outputs hold before a launch.
const UNWRITTEN: u8 = 0xee;

impl Flat {
    /// `lens`: of each output its elements.
    pub fn new(program: &Program, args: &Args, lens: impl IntoIterator<Item = usize>) -> Flat {
        let mut flat = Flat { words: Vec::new(), results: Vec::new(), record: None };
        let (mut args, mut lens) = (args.0.iter(), lens.into_iter());
        for param in &program.params {
            match &param.kind {
                ParamKind::Output { arrays, .. } => {
                    let len = lens.next().expect("one length an output");
                    let unwritten = |ty: ScalarType| flat.push(vec![UNWRITTEN; len * ty.bytes() as usize], ty);
                    let places = arrays.iter().map(|&a| program.array(a).elem).map(unwritten).collect();
                    flat.results.push(places);
                }
                ParamKind::Fault(_) => flat.record = Some(flat.push(vec![0; 16], ScalarType::U64).0),
                kind => flat.argument(kind, args.next().expect("as many arguments as declared")),
            }
        }
        flat
    }

    /// With outputs as long as these, which follow on what is updated.
    pub fn of_outputs(program: &Program, args: &Args, shape: &Outputs) -> Flat {
        let updated = program.params.iter().filter(|p| matches!(p.kind, ParamKind::InOut { .. })).count();
        let lens = shape.0.iter().skip(updated).map(|fields| fields.first().map_or(0, |f| f.bits.len()));
        Flat::new(program, args, lens)
    }

    fn argument(&mut self, kind: &ParamKind, arg: &Arg) {
        match arg {
            Arg::Scalar(value) => self.words.push(Word::Value { bits: value.bits, bytes: value.ty.bytes() as usize }),
            Arg::Buffers(fields) => {
                let places = fields.iter().map(|f| self.push(stored(f), f.ty)).collect();
                if matches!(kind, ParamKind::Input { len: None, .. } | ParamKind::InOut { len: None, .. }) {
                    self.words.push(Word::Value { bits: fields[0].bits.len() as u64, bytes: 4 });
                }
                if matches!(kind, ParamKind::InOut { .. }) {
                    self.results.push(places);
                }
            }
        }
    }

    fn push(&mut self, bytes: Vec<u8>, ty: ScalarType) -> (usize, ScalarType) {
        self.words.push(Word::Buffer(bytes));
        (self.words.len() - 1, ty)
    }

    /// What the updated buffers and outputs hold; `bytes` of the word of that number.
    pub fn outputs<'a>(&self, bytes: impl Fn(usize) -> &'a [u8]) -> Outputs {
        let field = |&(at, ty): &(usize, ScalarType)| loaded(bytes(at), ty);
        Outputs(self.results.iter().map(|fields| fields.iter().map(field).collect()).collect())
    }
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
