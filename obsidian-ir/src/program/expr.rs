//! Expressions of the IR: pure, typed, total. Integer arithmetic wraps; shift counts are taken modulo the width;
//! division by zero gives some value and never traps; floats are IEEE round-to-nearest without contraction.

use super::{ArrayId, Const, ParamId, Range, ScalarType};

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

/// Unary operations. The result has the operand's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// `-a`, wrapping.
    Neg,
    /// `!a`, bitwise or logical.
    Not,
    /// Absolute value, wrapping.
    Abs,
    /// Correctly rounded square root (floats).
    Sqrt,
    /// Towards minus infinity (floats).
    Floor,
    /// Towards plus infinity (floats).
    Ceil,
    /// Towards zero (floats).
    Trunc,
    /// Number of one bits (integers).
    CountOnes,
    /// Zero bits above the highest one; the width for 0 (integers).
    LeadingZeros,
    /// Zero bits below the lowest one; the width for 0 (integers).
    TrailingZeros,
    /// The bits in the opposite order (integers).
    ReverseBits,
}

/// Binary operations. Operands have one type; comparisons give `bool`, the others the operands' type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are Rust's operators
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    /// Rust's `min`: of a number and a NaN, the number. -0 is less than 0.
    Min,
    /// Rust's `max`: of a number and a NaN, the number. 0 is greater than -0.
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinOp {
    /// Whether the result is a `bool` whatever the operands are.
    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
    }

    /// Its name in instructions and functions that reduce by it, where there are any.
    pub fn reduction(self) -> &'static str {
        match self {
            BinOp::Min => "min",
            BinOp::Max => "max",
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Xor => "xor",
            _ => "add",
        }
    }

    /// Rust's spelling, for printing; `Min` and `Max` are function names.
    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Min => "min",
            BinOp::Max => "max",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
        }
    }
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
}
