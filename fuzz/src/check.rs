//! One kernel through the compiler, the reference interpreter and the PTX interpreter, against its meaning.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use obsidian_ir::backend::ptx;
use obsidian_ir::compiler::{Variant, compile};
use obsidian_ir::interp::{self, Arg, Args, Buffer, Outputs};
use obsidian_ir::program::{BinOp, ParamKind, Program, ScalarType, arith};
use obsidian_ir::syntax::SpanTable;
use obsidian_ptx_interp::{Launch, Memory, Module, Order};

use crate::ast::{Expr, Kernel, Op};
use crate::{data, meaning, print, types};

/// Codes of refusals that are no mistake: what the compiler cannot prove, and what does not fit.
pub const REFUSALS: [&str; 6] = ["OB040", "OB050", "OB051", "OB052", "OB053", "OB054"];

/// Whether a kernel may be refused with this code: one of [`REFUSALS`], or, where it reads mutable memory, that of a branch
/// that computes. Such a read is a step, and delayed arrays carry it into branches of warps and blocks.
pub fn may_refuse(kernel: &Kernel, code: &str) -> bool {
    fn mutable(e: &Expr) -> bool {
        matches!(e.op, Op::Updates(..) | Op::InPlace(..) | Op::Method("power")) || e.args.iter().any(mutable)
    }
    let mut exprs = kernel.outputs.iter().chain(kernel.helpers.iter().map(|h| &h.body));
    REFUSALS.contains(&code) || (code == "OB037" && exprs.any(mutable))
}

/// Real blocks, and who goes first.
const LAUNCHES: [(u32, Order); 4] =
    [(1, Order::Descending), (7, Order::Ascending), (3, Order::Descending), (1, Order::Ascending)];

/// How a kernel did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Everybody agrees.
    Same,
    /// The compiler refuses it, with a code of [`REFUSALS`].
    Refused(&'static str),
    /// Something is wrong.
    Wrong(Wrong),
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Who shows it: what a smaller kernel must show too.
    pub who: Who,
    /// In words.
    pub what: String,
}

/// Who shows that something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The kernel is not well typed, or means nothing: a fault of the generator's.
    Generator,
    /// The compiler refuses a kernel that is well typed.
    Compiler(&'static str),
    /// The reference interpreter stops, or gives other values.
    Interpreter,
    /// The PTX does not parse, stops or gives other values.
    Ptx,
    /// A panic.
    Panic,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.who, self.what)
    }
}

/// Checks a kernel.
pub fn check(kernel: &Kernel) -> Verdict {
    check_with(kernel, |op| op)
}

/// Checks a kernel against a meaning in which other operators stand for operators: how a test plants a fault.
pub fn check_with(kernel: &Kernel, operator: fn(BinOp) -> BinOp) -> Verdict {
    let run = || match run(kernel, operator) {
        Ok(()) => Verdict::Same,
        Err(Stop::Refused(code)) => Verdict::Refused(code),
        Err(Stop::Wrong(wrong)) => Verdict::Wrong(wrong),
    };
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| Verdict::Wrong(Wrong { who: Who::Panic, what: "somebody panicked".into() }))
}

enum Stop {
    Refused(&'static str),
    Wrong(Wrong),
}

fn wrong(who: Who, what: impl fmt::Display) -> Stop {
    Stop::Wrong(Wrong { who, what: what.to_string() })
}

fn run(kernel: &Kernel, operator: fn(BinOp) -> BinOp) -> Result<(), Stop> {
    if types::outputs(kernel).is_none() {
        return Err(wrong(Who::Generator, "not well typed"));
    }
    let expected = meaning::outputs(kernel, operator).map_err(|e| wrong(Who::Generator, format!("{e:?}")))?;
    let variant = compiled(&print::kernel(kernel, "k"), |code| may_refuse(kernel, code))?;
    let args = data::args(kernel);
    compare_all(&variant, &args, &expected)
}

/// Runs a compiled kernel everywhere, and compares with what is expected: for each output a column a field.
fn compare_all(variant: &Variant, args: &Args, expected: &[Vec<Vec<u64>>]) -> Result<(), Stop> {
    let found = interp::run(&variant.native, args).map_err(|fault| wrong(Who::Interpreter, fault))?;
    compare(&found, expected).map_err(|what| wrong(Who::Interpreter, what))?;
    let text = ptx::print(&variant.machine);
    let module = Module::parse(&text).map_err(|fault| wrong(Who::Ptx, fault))?;
    for (blocks, order) in LAUNCHES {
        let how = |what: &dyn fmt::Display| wrong(Who::Ptx, format!("{blocks} real blocks, {order:?}: {what}"));
        let found = launched(&variant.machine, &module, args, &found, (blocks, order)).map_err(|fault| how(&fault))?;
        compare(&found, expected).map_err(|what| how(&what))?;
    }
    Ok(())
}

/// Runs a text that was kept as the reference interpreter and the PTX interpreter do, and compares with what was
/// expected.
///
/// # Errors
/// What is wrong, or the code with which the compiler refuses it.
pub fn check_text(text: &str, args: &Args, expected: &[Vec<Vec<u64>>]) -> Result<(), String> {
    let result = compiled(text, |_| false).and_then(|variant| compare_all(&variant, args, expected));
    result.map_err(|stop| match stop {
        Stop::Refused(code) => format!("refused: {code}"),
        Stop::Wrong(wrong) => wrong.to_string(),
    })
}

fn compiled(text: &str, may_refuse: impl Fn(&str) -> bool) -> Result<Variant, Stop> {
    let tokens = text.parse().map_err(|e| wrong(Who::Generator, format!("no tokens: {e}")))?;
    match compile(tokens, &mut SpanTable::default()) {
        Ok(entries) => {
            let variant = entries.into_iter().next().and_then(|e| e.variants.into_iter().next());
            variant.ok_or_else(|| wrong(Who::Generator, "no entry"))
        }
        Err(errors) => match errors.iter().find(|e| !may_refuse(e.code)) {
            Some(error) => Err(wrong(Who::Compiler(error.code), error)),
            None => Err(Stop::Refused(errors.first().map_or("OB099", |e| e.code))),
        },
    }
}

/// The same bits; which NaN an operation gives is not specified.
fn compare(found: &Outputs, expected: &[Vec<Vec<u64>>]) -> Result<(), String> {
    if found.0.len() != expected.len() {
        return Err(format!("{} outputs, not {}", found.0.len(), expected.len()));
    }
    for (o, (found, expected)) in found.0.iter().zip(expected).enumerate() {
        for (f, (found, expected)) in found.iter().zip(expected).enumerate() {
            if found.bits.len() != expected.len() {
                return Err(format!("output {o} has {} elements, not {}", found.bits.len(), expected.len()));
            }
            let same = |(&a, &b): (&u64, &u64)| a == b || (is_nan(found.ty, a) && is_nan(found.ty, b));
            if let Some(i) = found.bits.iter().zip(expected).position(|pair| !same(pair)) {
                let (found, ty, expected) = (found.bits[i], found.ty.name(), expected[i]);
                return Err(format!("element {i} of output {o}, field {f} ({ty}): {found:#x}, expected {expected:#x}"));
            }
        }
        if found.len() != expected.len() {
            return Err(format!("output {o} has {} fields, not {}", found.len(), expected.len()));
        }
    }
    Ok(())
}

/// Whether bits are no number.
pub fn is_nan(ty: ScalarType, bits: u64) -> bool {
    match ty {
        ScalarType::F16 => bits & 0x7fff > 0x7c00,
        ScalarType::BF16 => bits & 0x7fff > 0x7f80,
        ScalarType::F32 => f32::from_bits(bits as u32).is_nan(),
        ScalarType::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

/// Runs the PTX. `shape` says how long the outputs are.
fn launched(
    program: &Program,
    module: &Module,
    args: &Args,
    shape: &Outputs,
    (blocks, order): (u32, Order),
) -> Result<Outputs, String> {
    let mut memory = Memory::new();
    let (mut params, mut results) = (Vec::new(), Vec::new());
    let (mut args, mut shapes, mut record) = (args.0.iter(), shape.0.iter(), None);
    for param in &program.params {
        match &param.kind {
            ParamKind::Output { .. } => {
                let Some(fields) = shapes.next() else { return Err("too few outputs".into()) };
                let places: Vec<(u64, ScalarType)> =
                    fields.iter().map(|f| (memory.allocate(vec![0xee; stored(f).len()]), f.ty)).collect();
                params.extend(places.iter().map(|p| p.0));
                results.push(places);
            }
            ParamKind::Fault(_) => {
                let at = memory.allocate(vec![0; 16]);
                params.push(at);
                record = Some(at);
            }
            ParamKind::Input { len, .. } | ParamKind::InOut { len, .. } => {
                let Some(Arg::Buffers(fields)) = args.next() else { return Err("a buffer is missing".into()) };
                params.extend(fields.iter().map(|f| memory.allocate(stored(f))));
                if len.is_none() {
                    params.push(fields.first().map_or(0, |f| f.bits.len() as u64));
                }
            }
            ParamKind::Scalar(_) => match args.next() {
                Some(Arg::Scalar(value)) => params.push(value.bits),
                _ => return Err("a scalar is missing".into()),
            },
        }
    }
    let launch = Launch { blocks, run: 0..blocks, threads: program.threads, order };
    module.launch(&program.name, &launch, &params, &mut memory).map_err(|fault| fault.to_string())?;
    if record.is_some_and(|at| memory.bytes(at) != [0; 16]) {
        return Err("an access out of range is recorded".into());
    }
    let read = |places: &Vec<(u64, ScalarType)>| places.iter().map(|&(at, ty)| loaded(memory.bytes(at), ty)).collect();
    Ok(Outputs(results.iter().map(read).collect()))
}

/// A field as it lies in memory.
fn stored(field: &Buffer) -> Vec<u8> {
    let size = field.ty.bytes() as usize;
    field.bits.iter().flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect()
}

fn loaded(bytes: &[u8], ty: ScalarType) -> Buffer {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |w, &b| w << 8 | u64::from(b));
    let canonical = |bytes: &[u8]| if ty.is_float() { word(bytes) } else { arith::wrap(ty, word(bytes).into()) };
    Buffer { ty, bits: bytes.chunks(ty.bytes() as usize).map(canonical).collect() }
}
