//! Instructions, decoded.

use crate::types::Type;

/// One instruction.
#[derive(Debug)]
pub(crate) struct Instruction {
    /// `@%p`, `@!%p`: the register, and the value at which the instruction is done.
    pub(crate) guard: Option<(usize, u64)>,
    pub(crate) op: Op,
    pub(crate) args: Vec<Operand>,
    /// Line of the text, from 1.
    pub(crate) line: u32,
}

/// An operand (PTX ISA §6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operand {
    Register(usize),
    Immediate(u64),
    /// `[base + offset]`.
    Address(Base, i64),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `d|p` of `shfl`, `vote`.
    Pair(Box<Operand>, Box<Operand>),
    /// Index of an instruction.
    Target(usize),
    Special(Special),
    /// `_`: the result is not kept.
    Sink,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Base {
    Register(usize),
    /// A constant: the place of a shared or local variable.
    Constant(u64),
    /// A parameter, by its position.
    Param(usize),
}

/// Special registers (PTX ISA §10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Tid,
    NTid,
    CtaId,
    NCtaId,
    LaneId,
}

/// State spaces (PTX ISA §5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Global,
    /// Global memory, by an access that other blocks may meet (PTX ISA §8, strong operations).
    Relaxed,
    Shared,
    Local,
    Param,
}

/// Operations; `Type` is the instruction's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Mov(Type),
    Load(Space, Type),
    Store(Space, Type),
    Binary(Binary, Type),
    Unary(Unary, Type),
    /// `mul` and `mad`, by the half of the product that is kept.
    Multiply(Half, Type, Addend),
    Fma(Type),
    Compare(Compare, Type),
    Select(Type),
    Convert {
        to: Type,
        from: Type,
        round: Round,
        saturate: Clamp,
    },
    Branch,
    Return,
    Barrier,
    WarpBarrier,
    Shuffle(Shuffle),
    Vote(Vote),
    Reduce(Binary, Type),
    Atomic(Space, Atomic, Type, Old),
    /// `cp.async`, from global to shared memory.
    Copy,
    CommitCopies,
    AwaitCopies,
    Permute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    CopySign,
    /// `div.approx.ftz`.
    Quotient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    Neg,
    Abs,
    Not,
    Sqrt,
    /// `sqrt.approx.ftz`: the exact function, which is within its error.
    Root,
    /// `rcp.approx.ftz`, and of the square root `rsqrt.approx.ftz`: as `Root`.
    Reciprocal,
    ReciprocalRoot,
    /// `ex2`, `lg2`, `sin`, `cos`, `tanh`, all `.approx`, of `f32`: as those above.
    Exp2,
    Log2,
    Sin,
    Cos,
    Tanh,
    PopCount,
    LeadingZeros,
    Reverse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    Low,
    High,
    Wide,
}

/// Whether a product gets a third operand added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Addend {
    None,
    Third,
}

/// Comparisons of `setp`: the ordered ones are false, the unordered ones true of a NaN (PTX ISA §9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Compare {
    pub(crate) less: bool,
    pub(crate) equal: bool,
    pub(crate) greater: bool,
    pub(crate) unordered: bool,
}

/// Rounding of `cvt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    Nearest,
    Zero,
    Down,
    Up,
}

/// `.sat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clamp {
    Off,
    On,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Ballot,
    /// The lanes that offer what the lane offers.
    Same,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Atomic {
    Do(Binary),
    Exchange,
    CompareAndSwap,
}

/// `atom` gives the old value, `red` does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Old {
    Kept,
    Dropped,
}
