//! Expressions of the IR: pure, typed, total. Integer arithmetic wraps; shift counts are taken modulo the width;
//! division by zero gives some value and never traps; floats are IEEE round-to-nearest without contraction.

use super::{ArrayId, BinOp, Const, ParamId, Range, ScalarType, UnOp};

/// Handle of an expression in [`super::Exprs`]; equal handles are equal expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// Index of a variable in [`super::Program::vars`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// Registers in which the machine gives each thread its place. Only `passes::virtualise` makes these. All are `u32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Special {
    /// Thread in the block, `0 .. threads`.
    Tid,
    /// Warp in the block, `Tid / 32`.
    WarpId,
    /// Lane in the warp, `Tid % 32`.
    Lane,
    /// Real block.
    BlockIdx,
    /// Number of real blocks.
    GridDim,
}

/// An expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(Const),
    /// The current value of a variable.
    Var(VarId),
    /// A scalar argument of the kernel.
    Scalar(ParamId),
    /// The length of an input, in elements (`u32`).
    Len(ParamId),
    /// A machine register.
    Special(Special),
    /// Whether the code is a GPU's (`bool`): under `fast_math` that takes functions of its own, all other code the exact
    /// ones. Gone where the forms part.
    OnGpu,
    /// An element of an array (index `u32`).
    Load(ArrayId, ExprId),
    /// A unary operation.
    Un(UnOp, ExprId),
    /// A binary operation.
    Bin(BinOp, ExprId, ExprId),
    /// `if c { a } else { b }`: only the chosen side is evaluated, so a load in the other side does not happen.
    Select(ExprId, ExprId, ExprId),
    /// Rust's `as`: integers wrap, float to integer saturates (NaN gives 0).
    Cast(ExprId),
    /// The same bits as a type of the same width: an integer as a float, or a float as an integer.
    Bits(ExprId),
    /// `a * b + c`, rounded once (`f32`, `f64`).
    MulAdd(ExprId, ExprId, ExprId),
}

/// An expression with its type and range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// The expression.
    pub expr: Expr,
    /// Its type.
    pub ty: ScalarType,
    /// The range in which its value is known to lie. For `Add`, `Sub` and `Mul` a range smaller than the type also says
    /// that the operation does not wrap.
    pub range: Range,
    /// Whether a load is in it.
    pub loads: bool,
    /// Whether anything is in it that the launch does not know: a variable, a load, a register of the machine.
    pub varies: bool,
}
