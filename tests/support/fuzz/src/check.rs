//! One kernel through the compiler, the reference interpreter and the PTX interpreter, against its meaning.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use obsidian_ir::backend::ptx;
use obsidian_ir::interp::{self, Args, Buffer, Outputs};
use obsidian_ir::module::KernelId;
use obsidian_ir::program::{ArrayId, BinOp, ParamKind, Program, ScalarType};
use obsidian_lang::driver::{ModuleVariant, Stage, Variant, compile_all, stop_after};
use obsidian_lang::syntax::SpanTable;
use obsidian_ptx_interp::{Launch, Memory, Module, Order};

use crate::ast::{Expr, Kernel, Op};
use crate::flat::{Flat, Word};
use crate::{data, meaning, print, types};

/// Codes of refusals that are no mistake: kernels that the compiler cannot prove, and kernels that do not fit.
pub const REFUSALS: [&str; 7] = ["OB040", "OB046", "OB050", "OB051", "OB052", "OB053", "OB054"];

/// Whether a kernel may be refused with this code: one of [`REFUSALS`], or, where it reads mutable memory, that of a branch
/// that computes. Such a read is a step, and delayed arrays carry it into branches of warps and blocks.
pub fn may_refuse(kernel: &Kernel, code: &str) -> bool {
    fn mutable(e: &Expr) -> bool {
        matches!(e.op, Op::Updates(..) | Op::InPlace(..) | Op::Method("power")) || e.args.iter().any(mutable)
    }
    REFUSALS.contains(&code) || (code == "OB037" && kernel.exprs().any(mutable))
}

/// Numbers of real blocks, and the order of threads.
const LAUNCHES: [(u32, Order); 4] =
    [(1, Order::Descending), (7, Order::Ascending), (3, Order::Descending), (1, Order::Ascending)];

/// How a kernel did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Everybody agrees.
    Same,
    /// The compiler refuses it, with a code of [`REFUSALS`].
    Refused(&'static str),
    /// A device cannot run it, for this reason.
    Unable(String),
    /// Something is wrong.
    Wrong(Wrong),
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The part that shows it; a smaller kernel must show it there too.
    pub who: Who,
    /// In words.
    pub what: String,
}

/// The part that shows that something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The kernel is not well typed, or means nothing: a fault of the generator.
    Generator,
    /// The compiler refuses a kernel that is well typed.
    Compiler(&'static str),
    /// The reference interpreter stops, or gives other values.
    Interpreter,
    /// The PTX does not parse, stops or gives other values.
    Ptx,
    /// The CUDA C does not compile, stops or gives other values.
    Cuda,
    /// The CPU version does not compile, stops or gives other values.
    Cpu,
    /// The OpenCL C does not compile, stops or gives other values, or a checker of it complains.
    OpenCl,
    /// A panic.
    Panic,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.who, self.what)
    }
}

/// A kernel that the compiler takes, with arguments and what it must give.
#[derive(Debug)]
pub struct Case {
    /// Its forms, one for each combination of its parameters; none of a program of several launches.
    pub variants: Vec<Variant>,
    /// Of a program of several launches the same.
    pub modules: Vec<ModuleVariant>,
    /// Arguments.
    pub args: Args,
    /// For each updated buffer and output: one column of bits per field.
    pub expected: Vec<Vec<Vec<u64>>>,
}

/// Checks a kernel by both interpreters.
pub fn check(kernel: &Kernel) -> Verdict {
    check_with(kernel, |op| op)
}

/// Checks a kernel against a meaning in which operators are replaced by others. A test plants faults this way.
pub fn check_with(kernel: &Kernel, operator: fn(BinOp) -> BinOp) -> Verdict {
    verdict(|| case(kernel, operator)?.interpreted().map_err(Verdict::Wrong))
}

/// The verdict of a check; a panic is one too.
pub fn verdict(check: impl FnOnce() -> Result<(), Verdict>) -> Verdict {
    match catch_unwind(AssertUnwindSafe(check)) {
        Ok(Ok(())) => Verdict::Same,
        Ok(Err(verdict)) => verdict,
        Err(_) => wrong(Who::Panic, "somebody panicked"),
    }
}

fn wrong(who: Who, what: impl fmt::Display) -> Verdict {
    Verdict::Wrong(Wrong { who, what: what.to_string() })
}

/// Compiles a kernel, and finds what it means.
///
/// # Errors
/// The compiler refuses it, or something is wrong.
pub fn case(kernel: &Kernel, operator: fn(BinOp) -> BinOp) -> Result<Case, Verdict> {
    if types::outputs(kernel).is_none() {
        return Err(wrong(Who::Generator, "not well typed"));
    }
    let expected = meaning::outputs(kernel, operator).map_err(|e| wrong(Who::Generator, format!("{e:?}")))?;
    let (variants, modules) = compiled(&print::kernel(kernel, "k"), |code| may_refuse(kernel, code))?;
    Ok(Case { variants, modules, args: data::args(kernel), expected })
}

/// What the compiler says of a kernel of those that it refuses: of each independent mistake the message and its notes in a line.
pub fn refusal(kernel: &Kernel) -> Vec<String> {
    let Ok(tokens) = print::kernel(kernel, "k").parse() else { return Vec::new() };
    let errors = stop_after(Stage::Proved, tokens, &mut SpanTable::default()).err().unwrap_or_default();
    errors.iter().map(|e| format!("{} {}; {}", e.code, e.message, e.notes.join("; "))).collect()
}

/// A text that was kept, with the arguments and what is expected.
///
/// # Errors
/// The compiler refuses it.
pub fn case_of_text(text: &str, args: Args, expected: Vec<Vec<Vec<u64>>>) -> Result<Case, Verdict> {
    let (variants, modules) = compiled(text, |_| false)?;
    Ok(Case { variants, modules, args, expected })
}

type Forms = (Vec<Variant>, Vec<ModuleVariant>);

fn compiled(text: &str, may_refuse: impl Fn(&str) -> bool) -> Result<Forms, Verdict> {
    let tokens = text.parse().map_err(|e| wrong(Who::Generator, format!("no tokens: {e}")))?;
    match compile_all(tokens, &mut SpanTable::default()) {
        Ok(entries) if entries.is_empty() => Err(wrong(Who::Generator, "no entry")),
        Ok(entries) => {
            let variants = entries.kernels.into_iter().flat_map(|e| e.variants).collect();
            Ok((variants, entries.modules.into_iter().flat_map(|e| e.variants).collect()))
        }
        Err(errors) => match errors.iter().find(|e| !may_refuse(e.code)) {
            Some(error) => Err(wrong(Who::Compiler(error.code), error)),
            None => Err(Verdict::Refused(errors.first().map_or("OB099", |e| e.code))),
        },
    }
}

impl Case {
    /// Its kernels in every form: those of each variant, then those of each program of several launches.
    pub fn kernels(&self) -> impl Iterator<Item = &Variant> {
        self.variants.iter().chain(self.modules.iter().flat_map(|module| &module.kernels))
    }

    /// Runs all variants by the reference interpreter and their PTX by its own.
    ///
    /// # Errors
    /// What is wrong.
    pub fn interpreted(&self) -> Result<(), Wrong> {
        self.variants.iter().try_for_each(|variant| self.variant(variant))?;
        self.modules.iter().try_for_each(|module| self.module(module))
    }

    /// Every launch: that of a variant leaves what is expected, those of a program of several what the reference interpreter leaves.
    ///
    /// # Errors
    /// The interpreter stops, or gives other values than are expected.
    pub fn launches(&self) -> Result<Vec<OneLaunch>, Wrong> {
        let mut launches = Vec::new();
        for (kernel, variant) in self.variants.iter().enumerate() {
            launches.push(OneLaunch { kernel, args: self.args.clone(), left: self.left_by(variant) });
        }
        let mut first = self.variants.len();
        for module in &self.modules {
            launches.extend(self.of_module(module, first)?);
            first += module.kernels.len();
        }
        Ok(launches)
    }

    /// What is expected, as buffers of the types that a variant writes.
    fn left_by(&self, variant: &Variant) -> Outputs {
        let program = &variant.native;
        let written = program.params.iter().filter_map(|param| match &param.kind {
            ParamKind::Output { arrays, .. } | ParamKind::InOut { arrays, .. } => Some(arrays),
            _ => None,
        });
        let buffer =
            |(&array, bits): (&ArrayId, &Vec<u64>)| Buffer { ty: program.array(array).elem, bits: bits.clone() };
        Outputs(
            written
                .zip(&self.expected)
                .map(|(arrays, fields)| arrays.iter().zip(fields).map(buffer).collect())
                .collect(),
        )
    }

    /// The launches of a program of several, whose first kernel has the number `first`.
    fn of_module(&self, module: &ModuleVariant, first: usize) -> Result<Vec<OneLaunch>, Wrong> {
        let mut launches = Vec::new();
        let mut note = |KernelId(kernel): KernelId, args: &Args, left: &Outputs| {
            launches.push(OneLaunch { kernel: first + kernel as usize, args: args.clone(), left: left.clone() });
        };
        let found = interp::module::watched(&module.module, &self.args, &mut note).map_err(stopped)?;
        self.compare(Who::Interpreter, &found)?;
        Ok(launches)
    }

    /// Runs a program of several launches, and the PTX of each kernel on what it was given.
    fn module(&self, variant: &ModuleVariant) -> Result<(), Wrong> {
        for launch in self.of_module(variant, 0)? {
            let machine = &variant.kernels[launch.kernel].machine;
            let how = |what| Wrong { who: Who::Ptx, what: format!("{}: {what}", machine.name) };
            let module = Module::parse(&ptx::print(machine)).map_err(|fault| how(fault.to_string()))?;
            for way in LAUNCHES {
                let ptx = launched(machine, &module, &launch.args, &launch.left, way).map_err(how)?;
                launch.compare(&ptx).map_err(how)?;
            }
        }
        Ok(())
    }

    fn variant(&self, variant: &Variant) -> Result<(), Wrong> {
        let found = interp::run(&variant.native, &self.args);
        let found = found.map_err(|fault| Wrong { who: Who::Interpreter, what: fault.to_string() })?;
        self.compare(Who::Interpreter, &found)?;
        for order in [interp::Order::Backward, interp::Order::Shuffled(self.expected.len() as u64 + 1)] {
            let how = |what| Wrong { who: Who::Interpreter, what: format!("{order:?}: {what}") };
            let other = interp::run_in(&variant.native, &self.args, order, u64::MAX);
            let other = other.map_err(|fault| how(fault.to_string()))?;
            self.compare(Who::Interpreter, &other).map_err(|wrong| how(wrong.what))?;
        }
        let text = ptx::print(&variant.machine);
        let module = Module::parse(&text).map_err(|fault| Wrong { who: Who::Ptx, what: fault.to_string() })?;
        for (blocks, order) in LAUNCHES {
            let how = |what| Wrong { who: Who::Ptx, what: format!("{blocks} real blocks, {order:?}: {what}") };
            let ptx = launched(&variant.machine, &module, &self.args, &found, (blocks, order)).map_err(how)?;
            self.compare(Who::Ptx, &ptx).map_err(|wrong| how(wrong.what))?;
        }
        Ok(())
    }

    /// Compares the outputs that `who` gives with what is expected.
    ///
    /// # Errors
    /// Where not.
    pub fn compare(&self, who: Who, found: &Outputs) -> Result<(), Wrong> {
        compare(found, &self.expected).map_err(|what| Wrong { who, what })
    }
}

/// A launch of one kernel.
#[derive(Debug, Clone)]
pub struct OneLaunch {
    /// The kernel's number among [`Case::kernels`].
    pub kernel: usize,
    /// What it was given.
    pub args: Args,
    /// What it must leave.
    pub left: Outputs,
}

impl OneLaunch {
    /// Compares what somebody else leaves.
    ///
    /// # Errors
    /// Where it differs, in words.
    pub fn compare(&self, found: &Outputs) -> Result<(), String> {
        let fields = |fields: &Vec<Buffer>| fields.iter().map(|f| f.bits.clone()).collect();
        compare(found, &self.left.0.iter().map(fields).collect::<Vec<_>>())
    }
}

fn stopped(fault: interp::Fault) -> Wrong {
    Wrong { who: Who::Interpreter, what: fault.to_string() }
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
    let flat = Flat::of_outputs(program, args, shape);
    let params = flat.words.iter().map(|word| match word {
        Word::Value { bits, .. } => *bits,
        Word::Buffer(bytes) => memory.allocate(bytes.clone()),
    });
    let params: Vec<u64> = params.collect();
    let shared = program.dynamic_shared() as usize;
    let launch = Launch { blocks, run: 0..blocks, threads: program.threads, shared, order };
    module.launch(&program.name, &launch, &params, &mut memory).map_err(|fault| fault.to_string())?;
    if flat.record.is_some_and(|at| memory.bytes(params[at]) != [0; 16]) {
        return Err("an access out of range is recorded".into());
    }
    Ok(flat.outputs(|at| memory.bytes(params[at])))
}
