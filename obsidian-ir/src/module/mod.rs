//! A program of launches: what an entry at `Device` is after compile-time evaluation. Kernels, the buffers between them, and
//! the steps that the host takes, in order.
//!
//! `stage` makes a [`Draft`], in which all launches share one store of expressions; [`cut()`] takes it apart, so that each
//! kernel is a [`Program`] of its own, with every launch check that it needs, and goes through `passes` as any other. Nothing
//! is assumed of what the host does: a kernel checks the lengths of the buffers that it is given. Knows nothing of how
//! kernels run; [`crate::interp::module`] does.

mod chains;
mod cut;
mod evaluate;
mod print;
mod step;
mod validate;

pub use chains::only_in_one_pass;
pub use cut::cut;
pub use evaluate::evaluate;
pub use print::{print, report, steps};
pub use step::{Branch, Carried, Chaining, Counter, Joined, Looping, Step, StepKind, each_launch};
pub use validate::check;

use crate::diag::Span;
use crate::program::{
    Block, ElementShape, ExprId, LaunchCheck, Matrix, Param, ParamId, ParamKind, Program, ScalarType,
};

/// Index of a buffer in [`Module::buffers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// Index of a kernel in [`Module::kernels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelId(pub u32);

/// An entry at `Device`.
#[derive(Debug, Clone)]
pub struct Module {
    /// What the host sees: the entry's parameters, then its outputs with their lengths; what a launch of the whole must
    /// fulfil; and the expressions that the host evaluates. It has no statements. The parameters from [`Module::declared`] on are
    /// no one's arguments: they are the host's variables, which the steps set.
    pub host: Program,
    /// The number of parameters and outputs of [`Module::host`]; its variables follow them.
    pub declared: usize,
    /// The code of the launches. One may be launched by several steps.
    pub kernels: Vec<Program>,
    /// Every buffer: those of the parameters first, in their order, then those that launches make.
    pub buffers: Vec<Buffer>,
    /// What the host does, in order.
    pub steps: Vec<Step<Launched, BufferId>>,
}

/// A launch of a kernel of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launched {
    /// Which.
    pub kernel: KernelId,
    /// The number of virtual blocks (`u32`), an expression of the host's: what the kernel makes of its arguments.
    pub blocks: ExprId,
    /// One for each of its parameters that is no output, in order.
    pub args: Vec<Argument>,
    /// The buffers that it writes, in the order of its outputs.
    pub outputs: Vec<BufferId>,
}

/// A buffer in the memory of the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// Its name in printed text; unique within the module.
    pub name: String,
    /// Element types of its fields.
    pub fields: Vec<ScalarType>,
    /// Whether its elements are tuples.
    pub shape: ElementShape,
    /// Its length in elements, an expression of the host's.
    pub len: ExprId,
    /// Whose memory it is in.
    pub place: Place,
}

/// Whose memory a buffer is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The caller's: a parameter or an output of [`Module::host`].
    Param(ParamId),
    /// The module's own, between two steps.
    Temporary,
}

/// What a kernel is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// A buffer.
    Buffer(BufferId),
    /// A scalar, an expression of the host's.
    Scalar(ExprId),
}

/// An entry at `Device` as it was evaluated: one store of expressions, arrays and variables for all launches.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The entry's parameters, then one output for each buffer that a step makes and one scalar for each variable of the
    /// host's; what a launch of the whole must fulfil. Its body is empty.
    pub workspace: Program,
    /// The number of the entry's own parameters.
    pub given: usize,
    /// What the host does, in order.
    pub steps: Vec<Step<Launch, ParamId>>,
    /// The buffers that the host receives.
    pub results: Vec<ParamId>,
}

/// A launch as it was evaluated.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its kernel's name.
    pub name: String,
    /// The statements, at `Grid`.
    pub body: Block,
    /// The number of virtual blocks.
    pub blocks: ExprId,
    /// What must hold at this launch.
    pub checks: Vec<LaunchCheck>,
    /// What the host has checked before it, which the kernel checks again as far as it can say it: proofs may use it.
    pub known: Vec<LaunchCheck>,
    /// The buffers that it writes.
    pub outputs: Vec<ParamId>,
    /// The `compute` that asked for it.
    pub span: Span,
}

impl Module {
    /// The buffer `id`.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0 as usize]
    }

    /// The kernel `id`.
    pub fn kernel(&self, id: KernelId) -> &Program {
        &self.kernels[id.0 as usize]
    }

    /// The results that are matrices: their numbers, rows and columns.
    pub fn matrices(&self) -> impl Iterator<Item = (usize, ExprId, ExprId)> + use<'_> {
        let outputs = self.host.params.iter().filter(|param| matches!(param.kind, ParamKind::Output { .. }));
        outputs.enumerate().filter_map(|(output, param)| match param.matrix {
            Some(Matrix::Made { rows, cols }) => Some((output, rows, cols)),
            _ => None,
        })
    }

    /// The host's variables.
    pub fn variables(&self) -> &[Param] {
        &self.host.params[self.declared..]
    }
}
