//! The data of a module: an entry at `Device`, whose launches are several. Constants that the compiler prints and the runtime
//! interprets: kernels, expressions of the host ([`HostNode`]), buffers, steps. What the expressions mean is in `evaluate`.
//!
//! Everything is a flat list, and names another by its place in its list: a value, an expression, a buffer, a kernel.

mod evaluate;

use crate::{BinOp, KernelInfo, ParamInfo, ParamValue, ScalarType, UnOp};

pub use evaluate::{Found, HostValues, Overflow, show};

/// An entry at `Device`: everything the runtime knows of it.
#[derive(Debug)]
pub struct ModuleInfo {
    /// The entry's name in source.
    pub name: &'static str,
    /// One per combination of the attribute's parameters, in order; never empty.
    pub variants: &'static [ModuleVariant],
}

/// One compiled form of an entry at `Device`.
#[derive(Debug)]
pub struct ModuleVariant {
    /// The entry's generics, in order, and what they stand for here.
    pub values: &'static [(&'static str, ParamValue)],
    /// The inputs, updated buffers and scalars as declared, then the outputs: one per result.
    pub params: &'static [ParamInfo],
    /// Real threads per block of its kernels.
    pub threads: u32,
    /// The kernels, each compiled once however many steps launch it. Each has one variant; an error names it.
    pub kernels: &'static [&'static KernelInfo],
    /// The host's own variables: elements that are fetched, counters, what loops carry and branches join. Their values come
    /// after those of the parameters: value `k` is that of parameter `k` below the number of parameters that are not
    /// outputs (the length of a buffer, the bits of a scalar), and of variable `k` less that number above.
    pub variables: &'static [HostVariable],
    /// Expressions of launch values; operands stand before what uses them.
    pub exprs: &'static [HostNode],
    /// The buffers. Each is defined once, by being a parameter or by one step, and whole then.
    pub buffers: &'static [BufferInfo],
    /// The results that are matrices.
    pub matrices: &'static [MatrixInfo],
    /// What is done, in order.
    pub steps: &'static [Step],
    /// The printed IR.
    pub ir: &'static str,
    /// What it costs on a GPU, as a table.
    pub report: &'static str,
}

/// A variable of the host's.
#[derive(Debug, Clone, Copy)]
pub struct HostVariable {
    /// Its name, for messages.
    pub name: &'static str,
    /// Its type.
    pub ty: ScalarType,
}

/// Place of a value: of a parameter or a variable, as [`ModuleVariant::variables`] numbers them.
pub type ValueId = u32;
/// Place of an expression in [`ModuleVariant::exprs`].
pub type HostExprId = u32;
/// Place of a buffer in [`ModuleVariant::buffers`].
pub type BufferIndex = u32;
/// Place of a kernel in [`ModuleVariant::kernels`].
pub type KernelIndex = u32;

/// An expression of launch values, with its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostNode {
    /// Its type.
    pub ty: ScalarType,
    /// What it is.
    pub expr: HostExpr,
}

/// An expression of launch values. Their meaning is that of kernels ([`crate::arith`]).
///
/// It is *exact* where no operation below it has left its type. A *data use*, which is the scalar of a kernel, takes the wrapped
/// bits as a kernel would; a *size use*, which is every other, must be exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostExpr {
    /// Constant bits.
    Const(u64),
    /// A value; the length of a buffer is a `u32`.
    Value(ValueId),
    /// A unary operation.
    Un(UnOp, HostExprId),
    /// A binary operation.
    Bin(BinOp, HostExprId, HostExprId),
    /// `if c { a } else { b }`: the other side need not be exact.
    Select(HostExprId, HostExprId, HostExprId),
    /// Rust's `as`. One that changes the value of an integer, or cuts off a float, is not exact.
    Cast(HostExprId),
    /// The same bits as a type of the same width.
    Bits(HostExprId),
    /// `a * b + c`, rounded once.
    MulAdd(HostExprId, HostExprId, HostExprId),
}

/// A buffer, or a version of one that is updated.
#[derive(Debug)]
pub struct BufferInfo {
    /// Its name, for messages.
    pub name: &'static str,
    /// Element types of its fields.
    pub fields: &'static [ScalarType],
    /// Its length, a `u32`; a size use.
    pub len: HostExprId,
    /// Where it lies.
    pub place: Place,
}

/// The shape of a result that the host receives as a matrix. Its numbers are size uses of what the arguments tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixInfo {
    /// Which result, counted from 0.
    pub output: usize,
    /// The number of its rows, a `u32`.
    pub rows: HostExprId,
    /// The number of its columns, a `u32`.
    pub cols: HostExprId,
}

/// Where a buffer lies. A version that a launch makes by updating lies where the one before it lay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is this parameter, counted among all of them: an input, or an updated buffer as the caller gives it.
    Param(u32),
    /// It is the caller's buffer for this result, counted from 0, or that buffer is given its elements where a branch or a
    /// loop has left them elsewhere. A step that defines such a buffer writes the caller's memory, and nothing reads what
    /// was there; it may be read.
    Output(u32),
    /// It is the module's own. The runtime lays it out by what the steps do with it.
    Temporary,
}

/// A step. Steps in a branch or a loop may use what is defined before that, and nothing defined within is used after it, but
/// for what it joins or carries.
#[derive(Debug)]
pub enum Step {
    /// A launch.
    Launch(Launching),
    /// Sets every byte of a buffer, and so defines it.
    Fill {
        /// The buffer.
        to: BufferIndex,
        /// The byte.
        byte: u8,
    },
    /// Copies a buffer, and so defines another of its fields and length.
    Copy {
        /// What is copied.
        from: BufferIndex,
        /// What is defined.
        to: BufferIndex,
    },
    /// Brings an element to the host: waits.
    Fetch {
        /// The buffer.
        from: BufferIndex,
        /// Which element; a size use.
        index: HostExprId,
        /// The variables that it becomes, one per field.
        into: &'static [ValueId],
    },
    /// Says how the device goes through a chain of tiles, and makes cells for it.
    Chain(Chaining),
    /// One of two lists of steps.
    If(Branch),
    /// A list of steps, again and again.
    Loop(Looping),
    /// What must hold, else the host gets an error; a size use.
    Check {
        /// What must hold (`bool`).
        cond: HostExprId,
        /// The same in words, for the host.
        message: &'static str,
        /// The value to report beside it.
        found: HostExprId,
    },
}

/// How a chain of tiles is gone through: in one pass, where the blocks of a launch tell one another through cells what their tiles
/// give, or in several launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chaining {
    /// Set to whether it is in one pass (`bool`).
    pub once: ValueId,
    /// Set to what tells the words of this launch from all that is in the cells: the upper half of each word that it writes.
    pub epoch: ValueId,
    /// Set to how often a block looks for what is not there before it computes that itself.
    pub patience: ValueId,
    /// The cells, which the step defines: no word has the upper half `epoch`.
    pub cells: BufferIndex,
}

/// A launch of a kernel.
#[derive(Debug)]
pub struct Launching {
    /// Which.
    pub kernel: KernelIndex,
    /// The number of virtual blocks, a size use: what the kernel itself computes from `args`. None, and the launch is
    /// left out.
    pub blocks: HostExprId,
    /// One per parameter of the kernel, in its order.
    pub args: &'static [LaunchArg],
}

/// An argument of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchArg {
    /// For an input.
    Read(BufferIndex),
    /// For a buffer that the kernel updates: the version before, which nothing uses any more, and the one it defines.
    Update(BufferIndex, BufferIndex),
    /// For a scalar; a data use.
    Scalar(HostExprId),
    /// For an output: the buffer it defines.
    Write(BufferIndex),
}

/// A branch of the host's.
#[derive(Debug)]
pub struct Branch {
    /// The condition (`bool`), a size use.
    pub cond: HostExprId,
    /// Done where it holds.
    pub then: &'static [Step],
    /// Done where it does not.
    pub els: &'static [Step],
    /// The buffers that are defined after it: each is that of the side that was done.
    pub buffers: &'static [JoinedBuffer],
    /// The variables that are set after it.
    pub values: &'static [JoinedValue],
}

/// A buffer that is one of two.
#[derive(Debug, Clone, Copy)]
pub struct JoinedBuffer {
    /// What is defined.
    pub result: BufferIndex,
    /// What it is where the condition holds.
    pub then: BufferIndex,
    /// What it is where not.
    pub els: BufferIndex,
}

/// A variable that is one of two expressions; its uses say whether it must be exact.
#[derive(Debug, Clone, Copy)]
pub struct JoinedValue {
    /// What is set.
    pub result: ValueId,
    /// Its value where the condition holds.
    pub then: HostExprId,
    /// Its value where not.
    pub els: HostExprId,
}

/// A loop of the host's: for each value of the counter, as long as the test holds, `head`, the test, `body`.
#[derive(Debug)]
pub struct Looping {
    /// What it counts, where it does.
    pub counter: Option<Counter>,
    /// Done before each test.
    pub head: &'static [Step],
    /// Evaluated after `head` (`bool`, a size use): the loop ends where it does not hold.
    pub test: Option<HostExprId>,
    /// Done in each round.
    pub body: &'static [Step],
    /// The buffers that go from round to round. A later one may be shorter than the first, not longer.
    pub buffers: &'static [CarriedBuffer],
    /// The variables that go from round to round.
    pub values: &'static [CarriedValue],
}

/// What a loop counts.
#[derive(Debug, Clone, Copy)]
pub struct Counter {
    /// The variable.
    pub variable: ValueId,
    /// Its first value, a size use before the loop.
    pub from: HostExprId,
    /// The loop ends where it is not less than this, a size use before the loop.
    pub to: HostExprId,
}

/// A buffer that goes from round to round.
#[derive(Debug, Clone, Copy)]
pub struct CarriedBuffer {
    /// What it is in a round, in `head` and in `body`.
    pub inside: BufferIndex,
    /// What it is in the first.
    pub init: BufferIndex,
    /// What it is in the next one, at the end of `body`.
    pub next: BufferIndex,
    /// What it is after the loop.
    pub result: BufferIndex,
}

/// A variable that goes from round to round; its uses say whether it must be exact.
#[derive(Debug, Clone, Copy)]
pub struct CarriedValue {
    /// Its value in a round.
    pub inside: ValueId,
    /// In the first.
    pub init: HostExprId,
    /// In the next one, at the end of `body`.
    pub next: HostExprId,
    /// After the loop.
    pub result: ValueId,
}

impl ModuleVariant {
    /// The parameters that are not outputs; each has a value.
    pub fn arguments(&self) -> impl Iterator<Item = &'static ParamInfo> + use<> {
        self.params.iter().filter(|param| !matches!(param.kind, crate::ParamKind::Output))
    }

    /// The name of a value, as messages show it: `len(xs)`, `n`.
    pub fn value_name(&self, value: ValueId) -> String {
        let (at, count) = (value as usize, self.arguments().count());
        match (self.arguments().nth(at), at.checked_sub(count).and_then(|at| self.variables.get(at))) {
            (Some(param), _) if matches!(param.kind, crate::ParamKind::Scalar) => param.name.to_owned(),
            (Some(param), _) => format!("len({})", param.name),
            (None, Some(variable)) => variable.name.to_owned(),
            (None, None) => format!("value {value}"),
        }
    }
}
